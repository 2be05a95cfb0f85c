#ifndef WEIR_MEASURE_SLO_H
#define WEIR_MEASURE_SLO_H

#include "base/err.h"
#include "measure/metric.h"
#include "measure/quantile.h"

/*
 * Limits (service level objectives) and whether a run keeps them: docs/metrics.md §3. The one
 * evaluator; pure.
 *
 *     METRIC[.STAT]:LIMIT     ttft.p95:2s  gap.p99:200ms  total.max:30s  tps.p50:20  complete:99%
 *
 * METRIC is a name of the table in metric.h, `gap` (all gaps pooled) or `complete` (the share of
 * requests). STAT is p50 (the default), p95, p99.9 …, min or max. A limit of a time is a duration,
 * of anything else a number, of `complete` a percentage. `:` means at most; at least for
 * speeds, flow and complete. < <= > >= in its place say which; a limit is always kept at its value.
 */
enum slo_kind { SLO_METRIC, SLO_GAP, SLO_COMPLETE };
enum slo_stat { SLO_QUANTILE, SLO_MIN, SLO_MAX };

struct slo {
    char name[40]; /* as typed, without the limit: "ttft.p95" */
    enum slo_kind kind;
    enum metric_id metric; /* SLO_METRIC */
    enum slo_stat stat;
    double q;      /* SLO_QUANTILE */
    double limit;  /* ms for times; a share from 0 to 1 for complete */
    bool at_least; /* the limit is a least value, not a greatest */
};

enum slo_verdict { SLO_HOLDS, SLO_UNDECIDED, SLO_FAILS }; /* the worst of several is the greatest */

struct slo_result {
    enum slo_verdict verdict;
    /* NaN where there is none; infinite where requests that failed are what is asked for */
    double value, low, high;
    size_t n, gaps; /* requests judged, and of pooled limits their gaps */
    size_t failed;  /* of n: ended otherwise than complete, which counts as beyond any limit */
};

/* False fills `err` (EXIT_USAGE). */
MUST_USE bool slo_parse(struct slo *slo, struct str typed, struct err *err);

/* The least number of requests with which the limit can hold: 59 for p95, 299 for complete:99%. */
size_t slo_runs_needed(const struct slo *slo);

/* Over the first attempts of a run's requests; warm-ups and requests that we ended are left out. */
void slo_judge(const struct slo *slo, const struct record *records, size_t count,
               struct slo_result *result);

const char *slo_verdict_name(enum slo_verdict verdict); /* "holds", "undecided", "fails" */

#endif
