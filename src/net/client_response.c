#include <assert.h>

#include "net/client_inside.h"
#include "net/deadline.h"

enum { INFORMATIONAL_MAX = 16 };

/* Headers by which servers name a request in their logs. First found is taken. */
static const char *const id_headers[] = {
    "x-request-id",     "request-id",      "openai-request-id", "x-amzn-requestid",
    "x-ms-request-id",  "apim-request-id", "x-goog-request-id", "cf-ray",
    "x-correlation-id", "x-amz-cf-id",
};

static void note_request_id(struct attempt *a)
{
    for (size_t i = 0; i < ARRAY_LEN(id_headers) && !a->record.request_id; i++) {
        struct str id = http1_get(&a->head, id_headers[i]);
        if (id.len)
            a->record.request_id = mem_dup(id.ptr, id.len < 256 ? id.len : 256);
    }
}

static void end_with(struct attempt *a, enum transport_end how, enum text_id why, struct str arg)
{
    char text[80];
    str_copy(text, sizeof(text), arg);
    attempt_end_because(a, how, why, text);
}

static void final_head(struct attempt *a)
{
    const struct http1_head *h = &a->head;
    struct str coding = http1_get(h, "Content-Encoding");
    note_request_id(a);
    /* A fast peer's answer is in before our send returns: it did leave before that. */
    if (a->record.sent > a->head_stamp.at)
        a->record.sent = a->head_stamp.at;
    observe_head(&a->observe, h->status, http1_get(h, "Content-Type"), &a->head_stamp);
    a->in_body = true;
    http1_body_init(&a->body, h, str_eq(a->request.method, STR("HEAD")));
    if (coding.len && !str_eq_nocase(coding, STR("identity")))
        end_with(a, END_BAD_RESPONSE, TEXT_NET_COMPRESSED, coding);
    a->keep_alive = h->keep_alive;
    http1_head_done(&a->head); /* a stream may be long: its head is not kept */
    attempt_arm(a);
}

static void head_done(struct attempt *a)
{
    if (a->head.status / 100 != 1) {
        final_head(a);
        return;
    }
    if (a->head.status == 101)
        attempt_end_because(a, END_BAD_RESPONSE, TEXT_NET_SWITCHING, NULL);
    else if (++a->informational > INFORMATIONAL_MAX)
        end_with(a, END_BAD_RESPONSE, TEXT_NET_INFORMATIONAL, STR("16"));
    http1_head_reset(&a->head);
}

/* Takes head bytes; returns how many. */
static size_t take_head(struct attempt *a, const char *bytes, size_t len, const struct stamp *stamp)
{
    size_t used = 0;
    if (a->head.raw.len == 0)
        a->head_stamp = *stamp;
    switch (http1_head_feed(&a->head, bytes, len, &used)) {
    case HTTP1_MORE:
        break;
    case HTTP1_DONE:
        head_done(a);
        break;
    case HTTP1_BAD:
    case HTTP1_DATA:
        end_with(a, END_BAD_RESPONSE, TEXT_NET_BAD_HEAD, str_of(http1_bad_name(a->head.bad)));
        break;
    }
    return used;
}

/* The body as framed is what is waited for now, but not for long: it only saves a connection. */
static void answer_is_over(struct attempt *a)
{
    if (a->answer_over)
        return;
    a->answer_over = true;
    a->drain_until = a->last_byte + DEADLINE_DRAIN_NS;
    attempt_arm(a);
}

/* Only the first output brings a nearer deadline, that of the gap; later ones move it away. */
static void observed(struct attempt *a, unsigned what)
{
    if (what & OBSERVED_OVER_LIMIT)
        attempt_end_because(a, END_BAD_RESPONSE, TEXT_NET_OVER_LIMIT, NULL);
    else if (what & OBSERVED_TERMINATOR)
        answer_is_over(a);
    else if (what & OBSERVED_OUTPUT && !a->any_output) {
        a->any_output = true;
        attempt_arm(a);
    }
}

static size_t take_body(struct attempt *a, const char *bytes, size_t len, const struct stamp *stamp)
{
    size_t used = 0;
    struct str data = {0};
    switch (http1_body_feed(&a->body, bytes, len, &used, &data)) {
    case HTTP1_MORE:
        break;
    case HTTP1_DATA:
        observed(a, observe_body(&a->observe, data.ptr, data.len, stamp));
        break;
    case HTTP1_DONE:
        a->body_whole = true;
        a->surplus = used < len;
        attempt_end(a, END_BODY, stamp->at);
        break;
    case HTTP1_BAD:
        end_with(a, END_BROKEN, TEXT_NET_BAD_BODY, str_of(http1_bad_name(a->body.bad)));
        break;
    }
    return used;
}

void attempt_take(struct attempt *a, const char *bytes, size_t len, const struct stamp *stamp)
{
    if (a->state == ATTEMPT_OVER) {
        a->surplus = true;
        return;
    }
    /* A peer that talks before it is asked is heard from when the connection is ready for use. */
    struct stamp usable = *stamp;
    if (usable.at < a->record.tls_done)
        usable.at = a->record.tls_done;
    a->any_byte = true;
    a->last_byte = usable.at;
    while (a->state != ATTEMPT_OVER) {
        size_t used =
            a->in_body ? take_body(a, bytes, len, &usable) : take_head(a, bytes, len, &usable);
        bytes += used;
        len -= used;
        /* Behind the head the body is asked once even with no bytes: it may be whole already. */
        if (len == 0 &&
            !(a->in_body && http1_body_eof(&a->body) && a->body.framing != HTTP1_UNTIL_EOF))
            return;
    }
}

/* The connection ended. What that means depends on how far the answer had come. */
void attempt_take_end(struct attempt *a, bool in_order)
{
    a->surplus = true;
    if (a->state == ATTEMPT_OVER)
        return;
    if (!a->in_body)
        attempt_end_because(a, END_UNREACHABLE,
                            a->any_byte ? TEXT_NET_CLOSED_IN_HEAD : TEXT_NET_CLOSED_NO_ANSWER,
                            NULL);
    else if (http1_body_eof(&a->body) && in_order)
        attempt_end(a, END_BODY, clock_now()); /* an end of stream has no stamp */
    else
        attempt_end_because(a, END_BROKEN,
                            http1_body_eof(&a->body) ? TEXT_NET_TLS_CUT : TEXT_NET_CLOSED_IN_BODY,
                            NULL);
}
