#ifndef WEIR_MEASURE_METRIC_H
#define WEIR_MEASURE_METRIC_H

#include <stddef.h>

#include "base/text.h"
#include "measure/record.h"

/*
 * Every metric of one request, one table: docs/metrics.md §2 defines them. All outputs (text, JSON,
 * CSV, …) walk this table. A value that was not measured is NaN: `null` in JSON, – in text, never
 * 0.
 */

enum metric_unit { UNIT_MS, UNIT_COUNT, UNIT_RATIO, UNIT_TOKENS_PER_S, UNIT_BYTES };

enum metric_id {
    METRIC_TTFB,
    METRIC_TTFT,
    METRIC_SETUP,
    METRIC_TTFT_OPEN,
    METRIC_TTFA,
    METRIC_GAP_P50,
    METRIC_GAP_P95,
    METRIC_GAP_MAX,
    METRIC_SILENCE_MAX,
    METRIC_TOKENS,
    METRIC_TOKENS_PER_CHUNK,
    METRIC_TPOT,
    METRIC_TPS,
    METRIC_TPS_TOTAL,
    METRIC_TOTAL,
    METRIC_TAIL,
    METRIC_FLOW,
    METRIC_LATENESS,
    METRIC_DNS,
    METRIC_CONNECT,
    METRIC_PROXY,
    METRIC_TLS,
    METRIC_SEND,
    METRIC_COUNT
};

struct metric {
    const char *name; /* "ttft"; with its unit in keys: "ttft_ms" */
    const char *key;
    enum metric_unit unit;
    enum text_id about;                   /* one line for help */
    double (*of)(const struct record *r); /* ms for times; NaN if not measured */
};

extern const struct metric metrics[METRIC_COUNT];
static inline double metric_of(enum metric_id id, const struct record *r)
{
    return metrics[id].of(r);
}
const struct metric *metric_find(struct str name); /* by name; NULL if none */

/* The gaps between consecutive output events of one record, in ms, in order: needs its log.
 * Writes at most `max`; returns how many there are. */
size_t metric_gaps(const struct record *r, double *out, size_t max);

#endif
