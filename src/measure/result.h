#ifndef WEIR_MEASURE_RESULT_H
#define WEIR_MEASURE_RESULT_H

#include "measure/metric.h"
#include "measure/quantile.h"
#include "measure/slo.h"

/*
 * The results of studies as plain structs: what studies give and reports read. Summaries are
 * computed from records by measure/summary, never by a second path.
 */

/* One row of a table of latencies, over complete requests. p95/p99 `high` is the upper bound or
 * NaN. */
struct row {
    struct estimate p50, p95, p99;
    double min, max;  /* NaN if n is 0 */
    size_t n;         /* requests */
    size_t gaps;      /* pooled rows: samples; else 0 */
    bool approximate; /* the intervals are the bootstrap's: coverage measured, not promised */
};

struct result_target {
    const char *url, *model, *api; /* "openai-chat"; model may be "" */
    const char *key_source;        /* "$OPENAI_API_KEY", or "" if none is sent */
};

struct result_plan {
    int64_t runs, warmup, max_tokens, prompt_tokens; /* prompt_tokens: asked for, 0 if not */
    int64_t prompt_tokens_about; /* what one prompt costs, estimated before anything is sent */
    int64_t concurrency;         /* in flight at once; 0 is 1 */
    double temperature;          /* NaN: not sent */
    uint64_t seed;
    bool streamed, fresh, same_prompt, quick;
    enum terminator_policy terminator;
};

/* Time-weighted words of metrics.md §6, this much for now. */
struct result_instrument {
    enum clock_kind clock;
    double lag_p50_us, lag_p99_us, lag_max_us; /* read - stamp */
    int64_t coalesced_reads;
    double offset_drift_us;
    int64_t late_sends;
};

struct summary {
    struct row of[METRIC_COUNT]; /* index: metric id */
    struct row gap;              /* pooled over requests */
    size_t requests, complete;   /* measured: no warm-ups, none that we aborted */
    size_t outcomes[OUTCOME_COUNT];
    struct estimate complete_share;
    bool ttfa_differs;  /* some request had reasoning before its answer */
    size_t few_outputs; /* complete requests with under 20 output events: why the gap row may be
                           empty */
    enum token_source token_source;
    int64_t tokens_in, tokens_out; /* of the median run, COUNT_UNKNOWN if not known */
    int64_t cached_tokens_max;
    const struct record *median; /* the complete run nearest ttft p50 (or total p50 if plain);
                                    borrowed, NULL if none */
    const struct record *longest_gap_run;
    double longest_gap_ms;
};

/* A limit and what became of it. */
struct limit {
    struct slo slo;
    struct slo_result result;
};

/* What was asked of the run as a whole; zeroed: nothing. */
struct result_limits {
    const struct limit *items; /* borrowed; judged (slo_judge) by whoever makes the result */
    size_t count;
    enum slo_verdict undecided_is; /* what an undecided limit counts as; HOLDS is `pass` */
    bool has_max_fail;
    double max_fail; /* share of the requests that may fail */
};

struct probe_result {
    struct result_target target;
    struct result_plan plan;
    struct record *records; /* in order of number, warm-ups first; owned: probe_result_done */
    size_t record_count;
    struct summary summary;
    struct result_instrument instrument;
    bool interrupted;
    bool stopped_by_warmup; /* the warm-up showed that nothing could be measured */
    int64_t wall_start;
    struct result_limits limits;
    const char *sibling; /* where the path failed: a base URL with or without /v1 that lists models;
                            borrowed, NULL if none is known */
};
void probe_result_done(struct probe_result *r);

/* More requests than max_fail failed; those that we ended do not count. */
bool result_exceeds_max_fail(const struct probe_result *r);
/* The worst verdict of its limits, undecided ones as undecided_is says; HOLDS without any. */
enum slo_verdict result_limits_verdict(const struct probe_result *r);

#endif
