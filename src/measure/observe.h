#ifndef WEIR_MEASURE_OBSERVE_H
#define WEIR_MEASURE_OBSERVE_H

#include "measure/record.h"
#include "wire/reading.h"

/*
 * The one place where bytes meet time. Client, virtual driver, stored streams, gateway and tests
 * all enter here; nothing else sets the body's instants of a record. No clock, no sockets.
 *
 *     observe_start → observe_head (once, final head) → observe_body* → observe_end → observe_done
 *
 * A request that never got a head goes from start to end.
 */

/* When the bytes of one read arrived. */
struct stamp {
    int64_t at;      /* kernel receive stamp (or user/virtual time) on CLOCK_MONOTONIC */
    int64_t read_at; /* when weir had read them */
    enum clock_kind clock;
};

struct observe_options {
    bool streamed; /* what the request asked for; else the body is read as a plain answer */
    enum terminator_policy terminator;
    bool keep_events, keep_text;
    size_t plain_bytes_max; /* body kept for a plain answer; 0: 16 MiB; beyond it: over limit. An
                               HTTP error's body: at most 1 MiB */
    reading_event_fn *on_event; /* a listener beside the record, or NULL */
    void *arg;
};

/* What a feed brought, for the caller's timers. */
enum {
    OBSERVED_EVENT = 1,  /* an event with data */
    OBSERVED_OUTPUT = 2, /* output of any kind: feeds the gap timer */
    OBSERVED_TERMINATOR =
        4, /* the answer is over: terminator, or finish reasons if the policy takes them */
    OBSERVED_OVER_LIMIT = 8, /* give up: END_BAD_RESPONSE */
};

enum observe_mode { OBSERVE_NO_HEAD, OBSERVE_STREAM, OBSERVE_PLAIN, OBSERVE_HTTP_ERROR };

/* Must not move between observe_head and observe_done. */
struct observe {
    struct record *record; /* borrowed; outlives the observe */
    struct observe_options options;
    enum observe_mode mode;
    struct reading reading;     /* from observe_head on */
    struct stamp stamp, before; /* of the feed under way, and of the read before it */
    int64_t last_byte;          /* for silence_max; NEVER before the head */
    int64_t last_mark;          /* of the event before */
    unsigned brought;           /* flags of the feed under way */
    bool over_limit;
    struct buf
        plain; /* a plain answer's or an HTTP error's body; the head of a stream without events */
};

/*
 * Precondition: a record_init'ed record whose start (and later sent) the caller sets. Instants
 * never run backwards in a record: a stamp before the one before it (clock mapping, some µs) counts
 * as equal to it. Feeds with equal stamps are one read.
 */
void observe_start(struct observe *o, struct record *record, const struct observe_options *options);
void observe_head(struct observe *o, int status, struct str content_type,
                  const struct stamp *stamp);
unsigned observe_body(struct observe *o, const char *bytes, size_t len, const struct stamp *stamp);
/* Settles the record: end, reading, outcome by metrics.md §2, tokens by usage or else by chunks
 * (the run's ratio is known to its summary only: record_count_tokens). Call once. */
void observe_end(struct observe *o, enum transport_end how, int64_t at);
void observe_done(struct observe *o); /* the record stays */

#endif
