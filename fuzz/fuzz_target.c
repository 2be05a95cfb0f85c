/* Any text as a URL: what comes out is a URL, has its base as its beginning, and is left alone when
 * it goes in again (but for the form that ends in #, which is taken as it is). */
#include <stdlib.h>

#include "config/target.h"
#include "wire/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct buf once = {0}, twice = {0}, base = {0};
    struct err err = {0};
    struct url u;
    struct str typed = str_make((const char *)bytes, len);
    if (!target_url(typed, &once, &err)) {
        if (once.len || err.exit_code != EXIT_USAGE)
            abort();
        return 0;
    }
    if (!url_parse(buf_str(&once), &u))
        abort();
    target_is_local(u.host);
    target_base(buf_str(&once), &base);
    if (!str_starts(buf_str(&once), buf_str(&base)))
        abort();
    if (!str_ends(str_trim(typed), STR("#")) && once.len <= TARGET_URL_MAX)
        if (!target_url(buf_str(&once), &twice, &err) || !str_eq(buf_str(&once), buf_str(&twice)))
            abort();
    buf_done(&once);
    buf_done(&twice);
    buf_done(&base);
    return 0;
}
