/* Whole readings: however the bytes are cut, the same events and the same result; what is read is
 * consistent in itself. */
#include <stdlib.h>

#include "base/utf8.h"
#include "wire/reading.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void on_event(void *arg, const struct reading_event *e)
{
    buf_addf(arg, "%u %d %u %x %u/%u %d%d%d%d ", e->index, (int)e->mark, e->bytes, e->pieces,
             e->answer_chars, e->output_chars, e->terminator, e->malformed, e->states_error,
             e->after_done);
    buf_add_str(arg, e->data);
    buf_add_str(arg, e->name);
    buf_add_text(arg, "\n");
}

static void add_text(struct buf *out, struct str s)
{
    check(utf8_valid(s));
    buf_addf(out, "|%zu:%d ", s.len, s.ptr != NULL);
    buf_add_str(out, s);
}

static void add_reading(struct buf *out, const struct reading *r)
{
    const struct str texts[] = {r->text,         r->reasoning_text,    r->finish_reason,
                                r->error_kind,   r->error_message,     r->response_id,
                                r->served_model, r->system_fingerprint};
    int64_t pieces = 0;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        add_text(out, texts[i]);
    for (int i = 0; i < PIECE_COUNT; i++) {
        check(r->first_event[i] < r->events && (r->first_event[i] >= 0) == (r->chunks[i] > 0));
        pieces += r->chunks[i];
        buf_addf(out, " %d", (int)r->chunks[i]);
    }
    check((r->first_output_event >= 0) == (pieces > 0));
    check(r->malformed_events + r->after_done <= r->events);
    check(r->answer_chars + r->reasoning_chars <= r->output_chars);
    buf_addf(out, " %s %d %d %d %d %d %d %d %d %d %s", r->dialect ? r->dialect : "-",
             (int)r->events, (int)r->comments, (int)r->malformed_events, (int)r->after_done,
             r->done, r->finished, r->over_limit, (int)r->tail, r->plain_body,
             reading_verdict_name(r->verdict));
    buf_addf(out, " %lld %lld %lld %lld", (long long)r->usage.prompt_tokens,
             (long long)r->usage.completion_tokens, (long long)r->usage.reasoning_tokens,
             (long long)r->usage.cached_tokens);
}

static void transcript(struct buf *out, struct str in, const struct reading_options *how,
                       size_t size, size_t marks)
{
    struct reading_options options = *how;
    struct reading r;
    options.on_event = on_event;
    options.arg = out;
    reading_init(&r, &options);
    for (size_t at = 0; at < in.len; at += size) {
        struct str part = str_upto(str_from(in, at), size);
        char *copy = malloc(part.len);
        memcpy(copy, part.ptr, part.len);
        bool going = reading_feed(&r, copy, part.len, (int64_t)((at + part.len - 1) / marks));
        check(going == !r.over_limit);
        free(copy);
    }
    reading_end(&r);
    add_reading(out, &r);
    reading_done(&r);
}

static void whole_bodies(struct str in)
{
    struct buf ignored = {0};
    struct reading r;
    reading_init(&r, &(struct reading_options){0});
    reading_http_error(&r, 429, (struct str){0}, in);
    check(r.verdict == READING_ERROR && r.error_kind.len > 0);
    add_reading(&ignored, &r);
    reading_done(&r);
    reading_init(&r, &(struct reading_options){0});
    reading_plain(&r, in, true);
    add_text(&ignored, r.text);
    reading_done(&r);
    buf_done(&ignored);
}

/* Two bytes choose format, policy, limits and the size of the parts; the rest is the input. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < 2)
        return 0;
    struct reading_options options = {
        .format = bytes[0] & 1 ? WIRE_NDJSON : WIRE_SSE,
        .terminator = (enum terminator_policy)(bytes[0] / 2 % 3),
        .keep_text = bytes[0] & 64,
        .event_bytes_max = bytes[0] & 128 ? 100 : 0,
    };
    size_t size = (size_t)bytes[1] + 1;
    struct str in = str_make((const char *)bytes + 2, len - 2);
    struct buf parts = {0}, single = {0};
    transcript(&parts, in, &options, size, size);
    transcript(&single, in, &options, 1, size);
    check(str_eq(buf_str(&parts), buf_str(&single)));
    whole_bodies(in);
    buf_done(&parts);
    buf_done(&single);
    return 0;
}
