#ifndef WEIR_MEASURE_QUANTILE_H
#define WEIR_MEASURE_QUANTILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Quantiles and their distribution-free intervals: docs/metrics.md §3. Functions of their
 * arguments; nothing is printed. NaN means "does not exist" (no sample, no bound at this n).
 */

struct estimate {
    double value, low, high; /* low/high NaN where no bound of the stated level exists */
    size_t n;
};

void quantile_sort(double *x, size_t n); /* ascending; NaN is not allowed */

/* Linear interpolation (Hyndman–Fan 7) of sorted x; NaN if n is 0. */
double quantile_of(const double *x, size_t n, double q);

/* The median with a two-sided interval of at least 95 % (from n = 6), order statistics. */
struct estimate quantile_median(const double *x, size_t n);

/* A tail quantile with one-sided 95 % bounds: `high` exists for q = .95 from n = 59, for .99 from
 * 299. */
struct estimate quantile_tail(const double *x, size_t n, double q);

/* The least n at which quantile_tail has an upper bound. */
size_t quantile_runs_for_bound(double q);

/* Exact Clopper–Pearson for k of n, two-sided 95 %. */
struct estimate quantile_share(size_t k, size_t n);

/* The same with one-sided 95 % bounds: each end alone is at that level. For limits. */
struct estimate quantile_share_bounds(size_t k, size_t n);

#endif
