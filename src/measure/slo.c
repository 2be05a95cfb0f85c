/*
 * A request that did not complete is a sample beyond every limit: infinite where a limit is a
 * greatest value, minus infinite where it is a least one. Order statistics bear that, so bounds
 * stay exact (right-censoring at worst widens them); only interpolation does not and is done here.
 */
#include "measure/slo.h"

#include <math.h>

#include "base/vec.h"
#include "measure/bootstrap.h"
#include "measure/summary.h"

static const double none = (double)NAN;

struct values {
    VEC(double) of;
};

static bool is_judged(const struct record *r)
{
    return !r->warmup && r->attempt <= 1 && r->outcome != OUTCOME_ABORTED;
}

static bool is_complete(const struct record *r)
{
    return r->outcome == OUTCOME_COMPLETE;
}

static double beyond(const struct slo *slo)
{
    return slo->at_least ? -(double)INFINITY : (double)INFINITY;
}

static bool is_within(const struct slo *slo, double x)
{
    return slo->at_least ? x >= slo->limit : x <= slo->limit;
}

/* quantile_of, for samples of which some are infinite. */
static double value_of(const double *x, size_t n, double q)
{
    if (n == 0)
        return none;
    double h = (double)(n - 1) * q;
    size_t k = (size_t)floor(h);
    bool between = h > (double)k && k + 1 < n;
    if (isinf(x[k]) || !between)
        return x[k];
    return isinf(x[k + 1]) ? x[k + 1] : quantile_of(x, n, q);
}

static double end_of(const struct slo *slo, const double *x, size_t n)
{
    return n == 0 ? none : slo->stat == SLO_MIN ? x[0] : x[n - 1];
}

/* A bound that does not exist decides nothing: comparisons with NaN are false. */
static enum slo_verdict by_bounds(const struct slo *slo, double low, double high)
{
    if (slo->at_least ? low >= slo->limit : high <= slo->limit)
        return SLO_HOLDS;
    if (slo->at_least ? high < slo->limit : low > slo->limit)
        return SLO_FAILS;
    return SLO_UNDECIDED;
}

/* Said of the requests seen, so there is nothing to be unsure of. */
static enum slo_verdict by_value(const struct slo *slo, double value)
{
    if (isnan(value))
        return SLO_UNDECIDED;
    return is_within(slo, value) ? SLO_HOLDS : SLO_FAILS;
}

static void judge_sorted(const struct slo *slo, const double *x, size_t n, struct slo_result *r)
{
    if (slo->stat != SLO_QUANTILE) {
        r->value = end_of(slo, x, n);
        r->verdict = by_value(slo, r->value);
        return;
    }
    r->value = value_of(x, n, slo->q);
    if (n == 0)
        return;
    struct estimate e = slo->q == 0.5 ? quantile_median(x, n) : quantile_tail(x, n, slo->q);
    r->low = e.low;
    r->high = e.high;
    r->verdict = by_bounds(slo, r->low, r->high);
}

static void judge_metric(const struct slo *slo, const struct record *records, size_t count,
                         struct slo_result *result)
{
    struct values v = {0};
    size_t complete = 0;
    for (size_t i = 0; i < count; i++) {
        const struct record *r = &records[i];
        if (!is_judged(r))
            continue;
        double x = is_complete(r) ? metric_of(slo->metric, r) : beyond(slo);
        complete += is_complete(r);
        result->failed += !is_complete(r);
        if (!isnan(x))
            vec_push(&v.of, x);
    }
    /* Complete requests that all lack it: this kind of request has no such metric. */
    if (complete == 0 || v.of.len > result->failed) {
        quantile_sort(v.of.items, v.of.len);
        result->n = v.of.len;
        judge_sorted(slo, v.of.items, v.of.len, result);
    } else {
        result->failed = 0;
    }
    vec_done(&v.of);
}

struct pool {
    struct values gaps;
    VEC(size_t) lengths;
    size_t within; /* requests that keep the limit by themselves */
};

static void pool_add(struct pool *p, const struct slo *slo, const struct record *r)
{
    size_t n = metric_gaps(r, NULL, 0);
    double *own = mem_array(n, sizeof(*own));
    metric_gaps(r, own, n);
    for (size_t i = 0; i < n; i++)
        vec_push(&p->gaps.of, own[i]);
    vec_push(&p->lengths, n);
    quantile_sort(own, n);
    p->within += is_within(slo, slo->stat == SLO_QUANTILE ? quantile_of(own, n, slo->q)
                                                          : end_of(slo, own, n));
    mem_free(own);
}

/* Four in five requests must be on the side that the interval is on: the bootstrap promises too
 * little to decide alone. A request that failed is beyond. */
static enum slo_verdict by_most(enum slo_verdict verdict, size_t within, size_t of)
{
    if (verdict == SLO_HOLDS && within * 5 >= of * 4)
        return SLO_HOLDS;
    if (verdict == SLO_FAILS && (of - within) * 5 >= of * 4)
        return SLO_FAILS;
    return SLO_UNDECIDED;
}

static void judge_pool(const struct slo *slo, struct pool *p, struct slo_result *r)
{
    struct bootstrap_quantile asked = {slo->q, slo->q == 0.5 ? 0.025 : 0.05};
    struct estimate e;
    size_t requests = p->lengths.len;
    r->n = requests + r->failed;
    r->gaps = p->gaps.of.len;
    if (requests == 0) {
        r->value = r->failed ? beyond(slo) : none;
        r->verdict = r->failed ? SLO_FAILS : SLO_UNDECIDED;
    } else if (slo->stat != SLO_QUANTILE) {
        quantile_sort(p->gaps.of.items, r->gaps);
        bool failed_is_the_end = r->failed && (slo->stat == SLO_MIN) == slo->at_least;
        r->value = failed_is_the_end ? beyond(slo) : end_of(slo, p->gaps.of.items, r->gaps);
        r->verdict = by_value(slo, r->value);
    } else {
        bootstrap_quantiles(p->gaps.of.items, p->lengths.items, requests, &asked, 1, &e);
        r->value = e.value;
        r->low = e.low;
        r->high = e.high;
        r->verdict = by_most(by_bounds(slo, e.low, e.high), p->within, r->n);
    }
}

/* Answers with few outputs are no part of the pool and decide nothing. */
static void judge_gaps(const struct slo *slo, const struct record *records, size_t count,
                       struct slo_result *result)
{
    struct pool p = {0};
    size_t complete = 0;
    for (size_t i = 0; i < count; i++) {
        const struct record *r = &records[i];
        if (!is_judged(r))
            continue;
        complete += is_complete(r);
        result->failed += !is_complete(r);
        if (summary_pools_gaps_of(r))
            pool_add(&p, slo, r);
    }
    if (complete > 0 && p.lengths.len == 0)
        result->failed = 0;
    judge_pool(slo, &p, result);
    vec_done(&p.gaps.of);
    vec_done(&p.lengths);
}

static void judge_complete(const struct slo *slo, const struct record *records, size_t count,
                           struct slo_result *result)
{
    for (size_t i = 0; i < count; i++) {
        result->n += is_judged(&records[i]);
        result->failed += is_judged(&records[i]) && !is_complete(&records[i]);
    }
    struct estimate e = quantile_share_bounds(result->n - result->failed, result->n);
    result->value = e.value;
    result->low = e.low;
    result->high = e.high;
    /* No number of requests shows that none ever fails: 100 % is said of those seen. */
    result->verdict = slo->limit < 1 ? by_bounds(slo, e.low, e.high) : by_value(slo, result->value);
}

void slo_judge(const struct slo *slo, const struct record *records, size_t count,
               struct slo_result *result)
{
    static void (*const judge[])(const struct slo *, const struct record *, size_t,
                                 struct slo_result *) = {
        [SLO_METRIC] = judge_metric, [SLO_GAP] = judge_gaps, [SLO_COMPLETE] = judge_complete};
    *result =
        (struct slo_result){.verdict = SLO_UNDECIDED, .value = none, .low = none, .high = none};
    judge[slo->kind](slo, records, count, result);
}
