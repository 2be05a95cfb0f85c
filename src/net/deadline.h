#ifndef WEIR_NET_DEADLINE_H
#define WEIR_NET_DEADLINE_H

#include "net/request.h"

/*
 * What the five timeouts of a request mean (docs/metrics.md §7): one pure function for the client
 * and the virtual driver, so that both give up for the same reason at the same instant.
 */

/* How long the framed end of a body is waited for behind the terminator: it only saves a
 * connection. */
#define DEADLINE_DRAIN_NS ((int64_t)2000000000)

struct deadline_state {
    bool open;           /* the connection is ready for use */
    bool answer_over;    /* the terminator came: only the drain is left */
    int64_t last_byte;   /* of the response; NEVER */
    int64_t drain_until; /* once answer_over */
};

struct deadline {
    int64_t due; /* INT64_MAX: none */
    enum transport_end how;
};

/* The nearest deadline of a request under way; of two at one instant the first of metrics.md §7. */
struct deadline deadline_of(const struct request_timeouts *t, const struct record *r,
                            const struct deadline_state *s);

#endif
