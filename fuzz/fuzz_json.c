/* The JSON scanner beside jansson: equal verdicts but for the stated exceptions, equal values. */
#include <stdio.h>

#include "../tests/unit/wire/json_beside_jansson.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const char *differs = beside_jansson(str_make((const char *)bytes, len));
    if (differs) {
        fprintf(stderr, "%s\n", differs);
        abort();
    }
    return 0;
}
