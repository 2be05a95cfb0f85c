#ifndef WEIR_TEST_EXCHANGE_H
#define WEIR_TEST_EXCHANGE_H

/* A request played to observe: what came when, and how it ended. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "measure/metric.h"
#include "measure/observe.h"

enum { MS = 1000000, FEEDS_MAX = 24 };

#define SSE_TYPE "text/event-stream; charset=utf-8"
#define ROLE                                                                                       \
    "data: {\"id\":\"c-1\",\"model\":\"m-7\",\"system_fingerprint\":\"fp\",\"choices\":[{"         \
    "\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n"
#define WORD(text) "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"}}]}\n\n"
#define THOUGHT(text)                                                                              \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"" text "\"}}]}\n\n"
#define FINISH "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define USAGE(tokens)                                                                              \
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":" #tokens "}}\n\n"
#define DONE "data: [DONE]\n\n"
#define PLAIN                                                                                      \
    "{\"id\":\"c-2\",\"model\":\"m-7\",\"choices\":[{\"index\":0,\"message\":{\"role\":"           \
    "\"assistant\",\"content\":\"Hello\"},\"finish_reason\":\"stop\"}],\"usage\":{"                \
    "\"prompt_tokens\":9,\"completion_tokens\":2}}"

struct feed {
    double at_ms;
    const char *bytes;
};

/* One request: the head comes at 50 ms with `status`, the feeds follow, and `end` at end_ms. */
struct exchange {
    bool plain;
    int status;       /* 0: 200 */
    const char *type; /* NULL: SSE_TYPE */
    enum terminator_policy terminator;
    enum transport_end end;
    double end_ms;
    struct feed feeds[FEEDS_MAX];
};

static inline struct stamp at_ms(double ms)
{
    int64_t at = clock_from_ms(ms);
    return (struct stamp){at, at + 3000, CLOCK_KIND_KERNEL};
}

static inline void start(struct observe *o, struct record *r, const struct exchange *x)
{
    record_init(r);
    r->start = r->due = 0;
    r->sent = 10 * MS;
    observe_start(o, r,
                  &(struct observe_options){.streamed = !x->plain,
                                            .terminator = x->terminator,
                                            .keep_events = true,
                                            .keep_text = true});
    struct stamp stamp = at_ms(50);
    observe_head(o, x->status ? x->status : 200, str_of(x->type ? x->type : SSE_TYPE), &stamp);
}

/* Plays it, each feed cut after every `cut` bytes (0: whole), all cuts of one feed with its stamp.
 */
static inline void play(const struct exchange *x, size_t cut, struct record *r)
{
    struct observe o;
    start(&o, r, x);
    for (size_t i = 0; i < FEEDS_MAX && x->feeds[i].bytes; i++) {
        struct str bytes = str_of(x->feeds[i].bytes);
        struct stamp stamp = at_ms(x->feeds[i].at_ms);
        while (bytes.len) {
            struct str part = str_upto(bytes, cut ? cut : bytes.len);
            observe_body(&o, part.ptr, part.len, &stamp);
            bytes = str_from(bytes, part.len);
        }
    }
    observe_end(&o, x->end, clock_from_ms(x->end_ms));
    observe_done(&o);
}

static inline void assert_outcome(const struct record *r, const char *expected)
{
    assert_string_equal(outcome_name(r->outcome), expected);
}

#endif
