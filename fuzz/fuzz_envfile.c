/* Any bytes as an env file: names are never empty, values stay within their limit, and the
 * environment never gets in. */
#include <stdlib.h>

#include "config/envfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct envfile e = {0};
    if (len && memchr(bytes, 0, len)) /* envfile_read refuses such files */
        return 0;
    setenv("A", "from the environment", 1);
    envfile_parse(&e, str_make((const char *)bytes, len));
    for (size_t i = 0; i < e.pairs.len; i++) {
        struct str value = str_of(e.pairs.items[i].value);
        if (!e.pairs.items[i].name[0] || value.len > ENVFILE_VALUE_MAX)
            abort();
        if (str_contains(value, STR("from the environment")) && len < 20)
            abort();
    }
    envfile_done(&e);
    return 0;
}
