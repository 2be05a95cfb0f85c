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
    int64_t at;       /* kernel receive stamp (or user/virtual time) on CLOCK_MONOTONIC */
    int64_t read_at;  /* when weir had read them */
    enum clock_kind clock;
};

struct observe_options {
    bool streamed; /* what the request asked for; else the body is read as a plain answer */
    enum terminator_policy terminator;
    bool keep_events, keep_text;
    size_t plain_bytes_max;   /* body kept for a plain answer; 0: 16 MiB; beyond it: over limit */
    reading_event_fn *on_event; /* a listener beside the record, or NULL */
    void *arg;
};

/* What a feed brought, for the caller's timers. */
enum {
    OBSERVED_EVENT = 1,      /* an event with data */
    OBSERVED_OUTPUT = 2,     /* output of any kind: feeds the gap timer */
    OBSERVED_TERMINATOR = 4, /* the answer is over (terminator) */
    OBSERVED_OVER_LIMIT = 8, /* give up: END_BAD_RESPONSE */
};

struct observe {
    struct record *record; /* borrowed; outlives the observe */
    struct observe_options options;
    struct reading reading;
    struct stamp stamp;  /* of the feed under way */
    int64_t last_byte;   /* for silence_max */
    unsigned brought;    /* flags of the feed under way */
    bool reading_on, read_had_event;
    struct buf plain; /* body of a plain answer, an HTTP error, or what was no stream */
};

/* Precondition: record_init'ed record whose start (and later sent) the caller sets. */
void observe_start(struct observe *o, struct record *record, const struct observe_options *options);
void observe_head(struct observe *o, int status, struct str content_type, const struct stamp *stamp);
unsigned observe_body(struct observe *o, const char *bytes, size_t len, const struct stamp *stamp);
/* Settles the record: end, reading, tokens left to the caller, outcome by metrics.md §2. */
void observe_end(struct observe *o, enum transport_end how, int64_t at);
void observe_done(struct observe *o); /* the record stays */

#endif
