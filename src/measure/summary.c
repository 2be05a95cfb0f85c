#include "measure/summary.h"

#include <math.h>

#include "base/mem.h"
#include "base/vec.h"
#include "measure/bootstrap.h"

static const double none = (double)NAN;

struct values {
    VEC(double) of;
};

static bool is_measured(const struct record *r)
{
    return !r->warmup;
}

static bool is_complete(const struct record *r)
{
    return is_measured(r) && r->outcome == OUTCOME_COMPLETE;
}

/* Sorts. */
static struct row row_of(struct values *v)
{
    double *x = v->of.items;
    size_t count = v->of.len;
    quantile_sort(x, count);
    return (struct row){
        .p50 = quantile_median(x, count),
        .p95 = quantile_tail(x, count, 0.95),
        .p99 = quantile_tail(x, count, 0.99),
        .min = count ? x[0] : none,
        .max = count ? x[count - 1] : none,
        .n = count,
    };
}

static struct row metric_row(const struct record *records, size_t count, enum metric_id id)
{
    struct values v = {0};
    for (size_t i = 0; i < count; i++) {
        double x = is_complete(&records[i]) ? metric_of(id, &records[i]) : none;
        if (!isnan(x))
            vec_push(&v.of, x);
    }
    struct row row = row_of(&v);
    vec_done(&v.of);
    return row;
}

bool summary_pools_gaps_of(const struct record *r)
{
    return is_complete(r) && r->streamed && r->output_events >= SUMMARY_OUTPUTS_MIN &&
           r->log_len > 0 && r->log_dropped == 0;
}

/* Returns how many. */
static size_t pool_gaps(struct values *v, const struct record *r)
{
    size_t n = metric_gaps(r, NULL, 0);
    double *gaps = mem_array(n, sizeof(*gaps));
    metric_gaps(r, gaps, n);
    for (size_t i = 0; i < n; i++)
        vec_push(&v->of, gaps[i]);
    mem_free(gaps);
    return n;
}

/* Gaps of one answer depend on each other, so order statistics of the pool would bound nothing. */
static struct row pooled_row(const struct values *v, const size_t *lengths, size_t requests)
{
    static const struct bootstrap_quantile asked[] = {{0.5, 0.025}, {0.95, 0.05}, {0.99, 0.05}};
    struct estimate e[ARRAY_LEN(asked)];
    bootstrap_quantiles(v->of.items, lengths, requests, asked, ARRAY_LEN(asked), e);
    struct row row = {.p50 = e[0],
                      .p95 = e[1],
                      .p99 = e[2],
                      .min = none,
                      .max = none,
                      .n = requests,
                      .gaps = v->of.len,
                      .approximate = !isnan(e[0].low)};
    for (size_t i = 0; i < v->of.len; i++) {
        row.min = fmin(row.min, v->of.items[i]); /* fmin and fmax pass over NaN */
        row.max = fmax(row.max, v->of.items[i]);
    }
    return row;
}

static void gap_row(struct summary *s, const struct record *records, size_t count)
{
    struct values v = {0};
    VEC(size_t) lengths = {0};
    for (size_t i = 0; i < count; i++) {
        const struct record *r = &records[i];
        if (summary_pools_gaps_of(r))
            vec_push(&lengths, pool_gaps(&v, r));
        else if (is_complete(r) && r->streamed && r->output_events < SUMMARY_OUTPUTS_MIN)
            s->few_outputs++;
    }
    s->gap = pooled_row(&v, lengths.items, lengths.len);
    vec_done(&v.of);
    vec_done(&lengths);
}

/* Two passes: answers with usage give the ratio that the others are counted by. */
static void count_tokens(struct record *records, size_t count)
{
    int64_t chars = 0, tokens = 0;
    for (size_t i = 0; i < count; i++) {
        struct record *r = &records[i];
        record_count_tokens(r, 0);
        if (r->token_source == TOKENS_USAGE && r->outcome == OUTCOME_COMPLETE && r->tokens > 0) {
            chars += r->output_chars;
            tokens += r->tokens;
        }
    }
    if (tokens == 0 || chars == 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (records[i].token_source != TOKENS_USAGE)
            record_count_tokens(&records[i], (double)chars / (double)tokens);
}

static void count_outcomes(struct summary *s, const struct record *records, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct record *r = &records[i];
        if (!is_measured(r))
            continue;
        s->outcomes[r->outcome]++;
        s->requests += r->outcome != OUTCOME_ABORTED; /* by us: says nothing of the endpoint */
        s->complete += r->outcome == OUTCOME_COMPLETE;
        if (r->usage.cached_tokens > s->cached_tokens_max)
            s->cached_tokens_max = r->usage.cached_tokens;
    }
    s->complete_share = quantile_share(s->complete, s->requests);
}

/* What is said of the complete runs besides their rows. */
static void look_at_complete(struct summary *s, const struct record *records, size_t count)
{
    enum metric_id id = s->of[METRIC_TTFT].n ? METRIC_TTFT : METRIC_TOTAL;
    double nearest = (double)INFINITY;
    for (size_t i = 0; i < count; i++) {
        const struct record *r = &records[i];
        if (!is_complete(r))
            continue;
        s->ttfa_differs |= r->first_answer != NEVER && r->first_answer > r->first_output;
        if (r->token_source > s->token_source)
            s->token_source = r->token_source; /* the least certain one */
        double distance = fabs(metric_of(id, r) - s->of[id].p50.value);
        if (distance < nearest) {
            nearest = distance;
            s->median = r;
        }
        double gap = metric_of(METRIC_GAP_MAX, r);
        if (gap > s->longest_gap_ms || (!isnan(gap) && !s->longest_gap_run)) {
            s->longest_gap_ms = gap;
            s->longest_gap_run = r;
        }
    }
}

void summary_make(struct summary *s, struct record *records, size_t count)
{
    *s = (struct summary){.cached_tokens_max = COUNT_UNKNOWN,
                          .tokens_in = COUNT_UNKNOWN,
                          .tokens_out = COUNT_UNKNOWN,
                          .longest_gap_ms = none};
    count_tokens(records, count);
    count_outcomes(s, records, count);
    for (size_t id = 0; id < METRIC_COUNT; id++)
        s->of[id] = metric_row(records, count, (enum metric_id)id);
    gap_row(s, records, count);
    look_at_complete(s, records, count);
    if (s->median) {
        s->tokens_in = s->median->usage.prompt_tokens;
        s->tokens_out = s->median->tokens;
    }
}

void instrument_make(struct result_instrument *i, const struct record *records, size_t count)
{
    struct values lags = {0};
    *i = (struct result_instrument){.lag_max_us = none};
    for (size_t n = 0; n < count; n++) {
        const struct record *r = &records[n];
        if (!is_measured(r) || r->reads == 0)
            continue;
        if (r->clock > i->clock) /* the worse one, should they differ */
            i->clock = r->clock;
        i->coalesced_reads += r->coalesced;
        double most = (double)r->lag_max / 1e3;
        if (isnan(i->lag_max_us) || most > i->lag_max_us)
            i->lag_max_us = most;
        if (r->log_len == 0)
            vec_push(&lags.of, most);
        for (size_t e = 0; e < r->log_len; e++)
            vec_push(&lags.of, (double)r->log[e].lag / 10);
    }
    quantile_sort(lags.of.items, lags.of.len);
    i->lag_p50_us = quantile_of(lags.of.items, lags.of.len, 0.5);
    i->lag_p99_us = quantile_of(lags.of.items, lags.of.len, 0.99);
    vec_done(&lags.of);
}
