#ifndef WEIR_MEASURE_SUMMARY_H
#define WEIR_MEASURE_SUMMARY_H

#include "measure/result.h"

/* Records → summary, the only way figures are made: docs/metrics.md §2–§3. Warm-ups are left out; latencies are
 * over complete requests, shares over all. Also settles token counts that need the run's ratio
 * (record_count_tokens), hence not const. The summary borrows from `records`. */
void summary_make(struct summary *s, struct record *records, size_t count);
void instrument_make(struct result_instrument *i, const struct record *records, size_t count);

#endif
