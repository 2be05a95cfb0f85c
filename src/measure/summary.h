#ifndef WEIR_MEASURE_SUMMARY_H
#define WEIR_MEASURE_SUMMARY_H

#include "measure/result.h"

/*
 * Records → summary, the only way figures are made: docs/metrics.md §2–§3. Warm-ups are left out;
 * latencies are over complete requests, shares over all. Also settles token counts that need the
 * run's ratio (record_count_tokens), hence not const. The summary borrows from `records`.
 *
 * The pooled gap row takes the complete requests with at least SUMMARY_OUTPUTS_MIN output events
 * and a whole event log; its n is how many those are, `gaps` their gaps. Fewer events say little of
 * an endpoint's pace: such requests are left out and counted in few_outputs, and where nothing is
 * left the row is empty. Its intervals are measure/bootstrap's.
 */
enum { SUMMARY_OUTPUTS_MIN = 20 };

/* Whether a record's gaps are in the pool. */
bool summary_pools_gaps_of(const struct record *r);

void summary_make(struct summary *s, struct record *records, size_t count);

/* The lags of all events of measured requests (of requests without a log: their greatest). Drift
 * and late sends are the driver's to know and are set to 0. */
void instrument_make(struct result_instrument *i, const struct record *records, size_t count);

#endif
