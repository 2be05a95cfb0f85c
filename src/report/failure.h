#ifndef WEIR_REPORT_FAILURE_H
#define WEIR_REPORT_FAILURE_H

#include "report/report.h"

/* Adds one safe line on why this request failed: status, kind and message of the server, or what
 * the transport said, or the outcome in words. */
void failure_describe(struct buf *out, const struct record *r);

/* Requests that did not complete, by outcome and HTTP status. */
enum { FAILURE_KINDS_MAX = 32 }; /* further kinds are counted with the last */
struct failure_kind {
    const struct record *first;
    size_t count;
};
struct failures {
    struct failure_kind kinds[FAILURE_KINDS_MAX]; /* in order of their first request */
    size_t kind_count;
    size_t requests; /* judged: measured ones, or the warm-ups if they stopped the study */
};
void failures_of(struct failures *f, const struct probe_result *r);

#endif
