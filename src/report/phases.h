#ifndef WEIR_REPORT_PHASES_H
#define WEIR_REPORT_PHASES_H

#include "report/term.h"

/* The parts of one request's wait for its first output (a plain one: first byte), in order. They
 * sum to the whole: docs/metrics.md §4. All are measured; `wait` is what lies between the last byte
 * sent and the first output: network, queue and prefill. */
enum { PHASES_MAX = 6 };
struct phase {
    const char *name; /* "dns" */
    double ms;
    enum ink ink;
    bool shown; /* in text; what a reused connection saved is not */
};
struct phases {
    struct phase part[PHASES_MAX];
    size_t count; /* 0: nothing known */
    double whole_ms;
};
void phases_of(struct phases *p, const struct record *r);

/* Rounds parts to whole units so that they still sum to the rounded whole (largest remainder). */
void phases_apportion(const double *parts, size_t count, int64_t whole, int64_t *out);

/* Heading, bars, what followed. Nothing if there is no median run. */
void phases_text(struct buf *out, const struct probe_result *r, const struct report_style *s);

#endif
