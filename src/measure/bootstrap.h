#ifndef WEIR_MEASURE_BOOTSTRAP_H
#define WEIR_MEASURE_BOOTSTRAP_H

#include "measure/quantile.h"

/*
 * Quantiles of values that depend on each other within a request (the gaps of an answer), pooled
 * over requests, with an interval from resampling whole requests: docs/metrics.md §3. The interval
 * is approximate: its coverage is measured (bench/bench_stats.c), not promised. Pure; the same
 * input gives the same interval on every machine.
 */
enum {
    BOOTSTRAP_RESAMPLES = 2000,
    BOOTSTRAP_REQUESTS_MIN = 6, /* under this many requests there is no interval */
    BOOTSTRAP_UNITS_MAX =
        1024, /* more requests are dealt into so many groups, which are resampled */
};

struct bootstrap_quantile {
    double q;
    double beyond; /* share of the resamples beyond each bound: 0.025 for two sides of 95 %, 0.05
                      for one */
};

/*
 * `values` holds the values of one request after the other, lengths[i] of request i. Fills out[k]
 * for asked[k]; `n` there is the number of requests. All NaN if there is no value; no bounds under
 * BOOTSTRAP_REQUESTS_MIN requests. At most UINT32_MAX values.
 */
void bootstrap_quantiles(const double *values, const size_t *lengths, size_t requests,
                         const struct bootstrap_quantile *asked, size_t count,
                         struct estimate *out);

#endif
