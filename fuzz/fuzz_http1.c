/* HTTP/1.1 in both directions: however the bytes are cut, the same comes out. */
#include <stdlib.h>

#include "../tests/unit/wire/http1_transcript.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static const struct http1_limits limits = {
    .head_bytes = 2048, .target_bytes = 128, .fields = 16, .body_bytes = 4096};

/* The first byte chooses direction and cuts, the rest is the input. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len == 0)
        return 0;
    bool response = bytes[0] & 1, to_head = bytes[0] & 2;
    size_t each = (size_t)(bytes[0] >> 2) % 7 + 1, first = (size_t)(bytes[0] >> 5) * 13 + 1;
    struct str in = str_make((const char *)bytes + 1, len - 1);
    struct buf whole = {0}, cut = {0};
    http1_transcript(&whole, in, response, to_head, &limits, (struct http1_cut){0});
    http1_transcript(&cut, in, response, to_head, &limits, (struct http1_cut){first, each, NULL});
    if (!str_eq(buf_str(&whole), buf_str(&cut)))
        abort();
    buf_done(&whole);
    buf_done(&cut);
    return 0;
}
