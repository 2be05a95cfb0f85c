#ifndef WEIR_MEASURE_HIST_H
#define WEIR_MEASURE_HIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

/*
 * A histogram of values of any unit, of fixed size, whose quantiles have a stated error and which
 * merges without any: hist_merge of parts is the same histogram as one of all their values.
 *
 * Error: a quantile is within 1/256 (0.4 %) of that of the values themselves (quantile_of), least
 * and greatest are exact. Values under HIST_LEAST (1 ns where the unit is ms) count as 0. Values
 * from HIST_MOST on, and negative ones, are out of range: counted, ordered, but not measured.
 * 61 KiB each. No locks: one thread, or merge.
 */
#define HIST_LEAST 0x1p-20
#define HIST_MOST  0x1p40
#define HIST_ERROR 0x1p-8

struct hist;

RETURNS_NONNULL struct hist *hist_new(void);
void hist_free(struct hist *h); /* NULL is fine */

void hist_add(struct hist *h, double value); /* not NaN */
void hist_merge(struct hist *to, const struct hist *from);

uint64_t hist_count(const struct hist *h);        /* of all values */
uint64_t hist_out_of_range(const struct hist *h); /* of them */
double hist_min(const struct hist *h); /* NaN if there is none; also of those out of range */
double hist_max(const struct hist *h);

/* NaN if empty; infinite where the quantile lies among values out of range. */
double hist_quantile(const struct hist *h, double q);

#endif
