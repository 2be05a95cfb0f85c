/* Framing: however the bytes are cut, SSE and JSON lines give the same events with the same marks.
 */
#include <stdlib.h>

#include "wire/ndjson.h"
#include "wire/sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { BYTES_MAX = 200 }; /* small, so that what is too long is found too */

static void on_event(void *arg, const struct sse_event *e)
{
    buf_addf(arg, "event %zu %u %d ", e->data.len, e->lines, e->tail);
    buf_add_str(arg, e->data);
    buf_add_str(arg, e->name);
    for (uint32_t i = 0; i < e->lines; i++)
        buf_addf(arg, " %d", (int)sse_mark_of(e, i));
}

static void on_other(void *arg, struct str line)
{
    buf_addf(arg, "other %zu ", line.len);
    buf_add_str(arg, line);
}

static void on_line(void *arg, struct str line, int64_t mark, bool tail)
{
    buf_addf(arg, "line %zu %d %d ", line.len, (int)mark, tail);
    buf_add_str(arg, line);
}

static void on_plain(void *arg, struct str body)
{
    buf_addf(arg, "plain %zu ", body.len);
    buf_add_str(arg, body);
}

/* Feeds parts of `size` bytes. A mark is the number of the block of `marks` bytes that its last
 * byte lies in, so that runs whose parts end on the same blocks have equal marks. */
static void transcript(struct buf *out, struct str in, bool lines, size_t size, size_t marks)
{
    struct sse sse;
    struct ndjson ndjson;
    bool going = true;
    sse_init(&sse, &(struct sse_handler){on_event, on_other, out}, BYTES_MAX);
    ndjson_init(&ndjson, &(struct ndjson_handler){on_line, on_plain, out}, BYTES_MAX);
    for (size_t at = 0; at < in.len && going; at += size) {
        struct str part = str_upto(str_from(in, at), size);
        /* its own memory: a view kept into it is seen by the sanitizer */
        char *copy = malloc(part.len);
        memcpy(copy, part.ptr, part.len);
        int64_t mark = (int64_t)((at + part.len - 1) / marks);
        going = lines ? ndjson_feed(&ndjson, copy, part.len, mark)
                      : sse_feed(&sse, copy, part.len, mark);
        free(copy);
    }
    if (going && lines)
        ndjson_end(&ndjson);
    else if (going)
        sse_end(&sse);
    buf_addf(out, "%d %d", (int)sse.comments, going);
    sse_done(&sse);
    ndjson_done(&ndjson);
}

/* The first byte chooses framing and size of the parts, the rest is the input. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len == 0)
        return 0;
    bool lines = bytes[0] & 1;
    size_t size = (size_t)(bytes[0] >> 1) + 1;
    struct str in = str_make((const char *)bytes + 1, len - 1);
    struct buf parts = {0}, single = {0};
    transcript(&parts, in, lines, size, size);
    transcript(&single, in, lines, 1, size);
    if (!str_eq(buf_str(&parts), buf_str(&single)))
        abort();
    buf_done(&parts);
    buf_done(&single);
    return 0;
}
