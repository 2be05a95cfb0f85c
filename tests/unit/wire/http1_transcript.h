#ifndef WEIR_TESTS_HTTP1_TRANSCRIPT_H
#define WEIR_TESTS_HTTP1_TRANSCRIPT_H

#include "wire/http1.h"

/* Reads messages from `bytes`, one after another, and writes down what came out: the same text for
 * any way to cut the input is what test and fuzzer demand. */

/* The first piece has `first` bytes, each later one `each` (0: all that is left). Pieces are copied
 * to `edge` bytes before an unreadable page if `edge` is given. */
struct http1_cut {
    size_t first, each;
    char *edge;
};

static inline void http1_write_head(struct buf *out, const struct http1_head *h)
{
    if (h->response)
        buf_addf(out, "%d [%.*s]", h->status, (int)h->reason.len, h->reason.ptr);
    else
        buf_addf(out, "%.*s %.*s", (int)h->method.len, h->method.ptr, (int)h->target.len,
                 h->target.ptr);
    buf_addf(out, " 1.%d%s%s cl=%lld\n", h->minor, h->keep_alive ? " keep" : " close",
             h->chunked ? " chunked" : "", (long long)h->content_length);
    for (size_t i = 0; i < h->field_count; i++) {
        buf_addf(out, "%.*s=[", (int)h->fields[i].name.len, h->fields[i].name.ptr);
        buf_add_str(out, h->fields[i].value);
        buf_add_text(out, "]\n");
    }
}

struct http1_transcript {
    struct http1_head head;
    struct http1_body body;
    struct buf data; /* of the body under way */
    bool in_body, to_head_request, over;
};

static inline void http1_transcript_bad(struct http1_transcript *t, struct buf *out,
                                        enum http1_bad bad, size_t at)
{
    buf_addf(out, "BAD %s at %zu\n", http1_bad_name(bad), at);
    t->over = true;
}

static inline size_t http1_transcript_head(struct http1_transcript *t, struct buf *out,
                                           struct str piece, size_t at)
{
    size_t used;
    enum http1_step step = http1_head_feed(&t->head, piece.ptr, piece.len, &used);
    if (step == HTTP1_BAD)
        http1_transcript_bad(t, out, t->head.bad, at + used);
    if (step == HTTP1_DONE) {
        http1_write_head(out, &t->head);
        http1_body_init(&t->body, &t->head, t->to_head_request);
        t->in_body = true;
    }
    return used;
}

static inline size_t http1_transcript_body(struct http1_transcript *t, struct buf *out,
                                           struct str piece, size_t at)
{
    size_t used;
    struct str data;
    enum http1_step step = http1_body_feed(&t->body, piece.ptr, piece.len, &used, &data);
    buf_add_str(&t->data, data);
    if (step == HTTP1_BAD) {
        buf_addf(out, "body [%s] ", buf_text(&t->data));
        http1_transcript_bad(t, out, t->body.bad, at + used);
    }
    if (step == HTTP1_DONE) {
        buf_addf(out, "body [%s]\n", buf_text(&t->data));
        buf_clear(&t->data);
        http1_head_reset(&t->head);
        t->in_body = false;
    }
    return used;
}

static inline void http1_transcript(struct buf *out, struct str bytes, bool response,
                                    bool to_head_request, const struct http1_limits *limits,
                                    struct http1_cut cut)
{
    struct http1_transcript t = {.to_head_request = to_head_request};
    http1_head_init(&t.head, response, limits);
    for (size_t at = 0, size = cut.first; at < bytes.len && !t.over; size = cut.each) {
        struct str piece = str_upto(str_from(bytes, at), size ? size : bytes.len);
        if (cut.edge)
            piece.ptr = memcpy(cut.edge - piece.len, piece.ptr, piece.len);
        while (!t.over && (piece.len || t.in_body)) {
            bool body = t.in_body;
            size_t used = body ? http1_transcript_body(&t, out, piece, at)
                               : http1_transcript_head(&t, out, piece, at);
            piece = str_from(piece, used);
            at += used;
            if (body && t.in_body && used == 0)
                break;
        }
    }
    if (!t.over)
        buf_addf(out, "%s",
                 !t.in_body                ? "end\n"
                 : http1_body_eof(&t.body) ? "eof is the end "
                                           : "cut ");
    if (!t.over && t.in_body)
        buf_addf(out, "[%s]\n", buf_text(&t.data));
    buf_done(&t.data);
    http1_head_done(&t.head);
}

#endif
