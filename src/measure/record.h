#ifndef WEIR_MEASURE_RECORD_H
#define WEIR_MEASURE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "measure/clock.h"
#include "measure/outcome.h"
#include "wire/reading.h"

/*
 * One attempt of one request: docs/metrics.md §1. Everything printed, stored or advised is
 * computed from records (measure/metric.h). Open data: filled by measure/observe and net/client
 * (or sim/virtual), read by all. Instants are CLOCK_MONOTONIC ns or NEVER. Owns its strings and its
 * event log (record_done).
 */

/* 16 bytes an event. */
struct record_event {
    int64_t at;     /* instant of the bytes that ended its last data line */
    uint32_t bytes; /* of its data */
    uint16_t lag;   /* read - at, in 100 ns, saturating */
    uint8_t pieces; /* 1 << PIECE_x; 0: no output */
    uint8_t flags;  /* RECORD_EVENT_x */
};
enum {
    RECORD_EVENT_TERMINATOR = 1,
    RECORD_EVENT_MALFORMED = 2,
    RECORD_EVENT_ERROR = 4,
    RECORD_EVENT_COALESCED = 8,  /* shares its read with an earlier event */
    RECORD_EVENT_USER_CLOCK = 16 /* at is a user-space stamp */
};
_Static_assert(sizeof(struct record_event) == 16, "the event log costs at most 16 bytes an event");

enum { RECORD_EVENTS_MAX = 1 << 20 }; /* beyond this events are counted, not logged: log_dropped */

enum token_source { TOKENS_NONE, TOKENS_USAGE, TOKENS_RATIO, TOKENS_CHUNKS };
const char *token_source_name(enum token_source source);

struct record {
    /* what was asked */
    uint64_t number;  /* of the request within its run, from 1; warm-ups count apart */
    uint32_t attempt; /* from 1 */
    bool warmup;
    bool streamed;      /* stream:true was asked */
    int64_t wall_start; /* CLOCK_REALTIME ns, a label */

    /* instants */
    int64_t due, start, dns_done, connect_done, proxy_done, tls_done, sent, headers, first_event,
        first_output, first_answer, last_output, terminator, end;
    bool reused; /* the connection was */
    bool resent; /* a reused connection had died: sent again on a fresh one, once */
    enum clock_kind clock;

    /* how it ended */
    enum outcome outcome;
    enum transport_end transport;
    char detail[160]; /* what the transport says of it: "connection refused", "certificate has
                         expired"; scrubbed by the writer */
    int http_status;  /* 0 if none */

    /* what came */
    int64_t events, comments, output_events, malformed_events, after_done;
    int64_t chunks[PIECE_COUNT];
    int64_t answer_chars, output_chars, reasoning_chars; /* UTF-16 units */
    int64_t first_output_chars;                          /* of the first output event */
    int64_t body_bytes, reads,
        coalesced;       /* coalesced: events that shared a read with an earlier one */
    int64_t silence_max; /* longest time without any byte between sent and end */
    bool done, finished;
    enum wire_tail tail;
    struct wire_usage usage;
    const char *dialect;
    char *finish_reason, *error_kind, *error_message;                   /* or NULL */
    char *response_id, *served_model, *system_fingerprint, *request_id; /* or NULL */
    char *content_type;                                                 /* or NULL */
    char *body_head; /* first bytes of a body that was no stream or an error, cut to 512; or NULL */
    char *text, *reasoning_text; /* only if asked to keep; or NULL */

    /* the peer */
    char peer[64]; /* address:port */
    char tls[32];  /* TLSv1.3; empty if plain */

    /* tokens, set by record_count_tokens */
    int64_t tokens;
    enum token_source token_source;

    /* lag of our own (read - stamp), ns, over all reads with body bytes */
    int64_t lag_max;

    struct record_event *log; /* owned; NULL unless kept */
    size_t log_len, log_cap;
    int64_t log_dropped;
};

void record_init(struct record *r); /* every instant NEVER, every count 0 or COUNT_UNKNOWN */
void record_done(struct record *r);
void record_log_event(struct record *r, const struct record_event *event);
void record_drop_log(struct record *r); /* what was logged is dropped, and counted as such */

/* Sets tokens and token_source from usage, else from `chars_per_token` if > 0, else from chunks. */
void record_count_tokens(struct record *r, double chars_per_token);

#endif
