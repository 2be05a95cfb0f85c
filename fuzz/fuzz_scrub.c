/* Whatever surrounds it, a known value does not get out; and without one nothing is invented. */
#include <stdlib.h>

#include "base/scrub.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const struct str secret = {"q\"w/e-r ty", 10};
    struct scrub s = {0};
    struct buf out = {0}, in = {0};
    struct str text = str_make((const char *)bytes, len);
    /* A 0xFF in the input stands for the secret. */
    for (size_t i = 0; i < len; i++)
        if (bytes[i] == 0xFF)
            buf_add_str(&in, secret);
        else
            buf_add_byte(&in, (char)bytes[i]);
    scrub_add(&s, secret);
    if (!scrub_text(&s, buf_str(&in), &out) || str_contains(buf_str(&out), secret))
        abort();
    buf_clear(&out);
    if (!scrub_text(NULL, text, &out) || (len && !out.len))
        abort();
    scrub_done(&s);
    buf_done(&out);
    buf_done(&in);
    return 0;
}
