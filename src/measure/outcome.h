#ifndef WEIR_MEASURE_OUTCOME_H
#define WEIR_MEASURE_OUTCOME_H

#include <stdbool.h>

#include "wire/reading.h"

/*
 * How a request ended: docs/metrics.md §2. The order is the precedence: the first that holds.
 * An outcome is a result, never an error of weir's.
 */
#define OUTCOMES(X)                                                                                \
    X(ABORTED, "aborted")                                                                          \
    X(UNREACHABLE, "unreachable")                                                                  \
    X(TIMEOUT_CONNECT, "timeout_connect")                                                          \
    X(HTTP_ERROR, "http_error")                                                                    \
    X(STREAM_ERROR, "stream_error")                                                                \
    X(TIMEOUT_FIRST, "timeout_first")                                                              \
    X(TIMEOUT_GAP, "timeout_gap")                                                                  \
    X(TIMEOUT_IDLE, "timeout_idle")                                                                \
    X(TIMEOUT_TOTAL, "timeout_total")                                                              \
    X(BROKEN, "broken")                                                                            \
    X(MALFORMED, "malformed")                                                                      \
    X(NOT_A_STREAM, "not_a_stream")                                                                \
    X(EMPTY, "empty")                                                                              \
    X(COMPLETE, "complete")                                                                        \
    X(INCOMPLETE, "incomplete")

enum outcome {
    OUTCOME_PENDING, /* still running */
#define X(id, name) OUTCOME_##id,
    OUTCOMES(X)
#undef X
        OUTCOME_COUNT
};

const char *outcome_name(enum outcome o);
bool outcome_parse(const char *name, enum outcome *out);
bool outcome_is_timeout(enum outcome o);

/* How the transport saw the request end; the facts that outcome_decide weighs. */
enum transport_end {
    END_BODY,        /* the body ended as framed */
    END_ABORTED,     /* by us */
    END_UNREACHABLE, /* DNS, refused, TLS, lost before a response head was whole */
    END_TIMEOUT_CONNECT,
    END_TIMEOUT_FIRST,
    END_TIMEOUT_GAP,
    END_TIMEOUT_IDLE,
    END_TIMEOUT_TOTAL,
    END_BROKEN,       /* connection lost or chunk framing broken, after the head */
    END_BAD_RESPONSE, /* invalid response head, something over its limit, a compressed body */
};

/*
 * The outcome of an ended request, by the precedence above. Pure. Streamed or plain, and what ends
 * an answer, are in the reading's verdict already: reading_plain and reading_options.terminator.
 */
struct outcome_facts {
    enum transport_end transport;
    int http_status;              /* 0: no final head came; END_BODY needs one */
    bool over_limit;              /* a line, an event or a plain body exceeded its maximum */
    enum reading_verdict reading; /* of the body so far; counts only with a 2xx status */
};
enum outcome outcome_decide(const struct outcome_facts *f);

#endif
