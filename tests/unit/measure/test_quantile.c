#include "test.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "measure/quantile.h"
#include "reference.h"

/* Within a few units of the last place, or 1e-12 of a probability. */
static void assert_near(double actual, double expected, double relative)
{
    if (fabs(actual - expected) > relative * fabs(expected))
        fail_msg("expected %.17g, got %.17g", expected, actual);
}

static void quantiles_are_those_of_numpy(void **state UNUSED)
{
    double x[ARRAY_LEN(reference_sample)];
    for (size_t i = 0; i < ARRAY_LEN(reference_quantiles); i++) {
        size_t n = reference_quantiles[i].n;
        memcpy(x, reference_sample, n * sizeof(*x));
        quantile_sort(x, n);
        assert_near(quantile_of(x, n, reference_quantiles[i].q), reference_quantiles[i].value,
                    1e-15);
    }
}

/* int(.95 n) - 1 is the 9th of 10, which is p89; int(.95 n) is the 20th of 20, the maximum. */
static void p95_of_10_and_of_20_lies_between_the_last_two(void **state UNUSED)
{
    double x[20];
    for (size_t i = 0; i < ARRAY_LEN(x); i++)
        x[i] = (double)i + 1;
    assert_near(quantile_of(x, 10, 0.95), 9.55, 1e-15);
    assert_near(quantile_of(x, 20, 0.95), 19.05, 1e-15);
    assert_near(quantile_of(x, 20, 0.99), 19.81, 1e-15);
    assert_true(quantile_of(x, 20, 0.99) > quantile_of(x, 20, 0.95));
    assert_true(quantile_of(x, 20, 0.99) < 20);
}

static void nothing_has_no_quantile(void **state UNUSED)
{
    struct estimate e = quantile_median(NULL, 0);
    assert_true(isnan(quantile_of(NULL, 0, 0.5)));
    assert_true(isnan(e.value) && isnan(e.low) && isnan(e.high) && e.n == 0);
    e = quantile_tail(NULL, 0, 0.95);
    assert_true(isnan(e.value) && isnan(e.low) && isnan(e.high) && e.n == 0);
    e = quantile_share(0, 0);
    assert_true(isnan(e.value) && isnan(e.low) && isnan(e.high) && e.n == 0);
}

/* A sample whose i-th value is i: bounds are ranks. */
static double *ranks_up_to(size_t n)
{
    double *x = mem_array(n, sizeof(*x));
    for (size_t i = 0; i < n; i++)
        x[i] = (double)i + 1;
    return x;
}

static size_t rank_of(double bound)
{
    return isnan(bound) ? 0 : (size_t)bound;
}

static void medians_have_the_exact_ranks_as_bounds(void **state UNUSED)
{
    double *x = ranks_up_to(1000000);
    for (size_t i = 0; i < ARRAY_LEN(reference_medians); i++) {
        size_t n = reference_medians[i].n, low = reference_medians[i].low;
        struct estimate e = quantile_median(x, n);
        assert_int_equal(rank_of(e.low), low);
        assert_int_equal(rank_of(e.high), low ? n + 1 - low : 0);
        assert_int_equal(e.n, n);
    }
    mem_free(x);
}

static void tails_have_the_exact_ranks_as_bounds(void **state UNUSED)
{
    double *x = ranks_up_to(1000000);
    for (size_t i = 0; i < ARRAY_LEN(reference_tails); i++) {
        struct estimate e = quantile_tail(x, reference_tails[i].n, reference_tails[i].q);
        assert_int_equal(rank_of(e.low), reference_tails[i].low);
        assert_int_equal(rank_of(e.high), reference_tails[i].high);
    }
    mem_free(x);
}

static void shares_are_those_of_scipy(void **state UNUSED)
{
    for (size_t i = 0; i < ARRAY_LEN(reference_shares); i++) {
        size_t k = reference_shares[i].k, n = reference_shares[i].n;
        struct estimate e = quantile_share(k, n);
        assert_near(e.value, (double)k / (double)n, 0);
        assert_near(e.low, reference_shares[i].low, 1e-12);
        assert_near(e.high, reference_shares[i].high, 1e-12);
    }
}

static void bounds_need_59_and_299_runs(void **state UNUSED)
{
    double *x = ranks_up_to(3000);
    for (size_t i = 0; i < ARRAY_LEN(reference_runs); i++) {
        double q = reference_runs[i].q;
        size_t n = quantile_runs_for_bound(q);
        assert_int_equal(n, reference_runs[i].n);
        assert_false(isnan(quantile_tail(x, n, q).high));
        assert_true(isnan(quantile_tail(x, n - 1, q).high));
    }
    mem_free(x);
}

/* splitmix64: the same draws on every machine. */
static double uniform(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* P(Bin(n, p) <= k) by plain addition: another way than quantile.c's, good for small n. */
static double cumulative(size_t k, size_t n, double p)
{
    double term = pow(1 - p, (double)n), sum = 0;
    for (size_t i = 0; i <= k && i <= n; i++) {
        sum += term;
        term *= (double)(n - i) / (double)(i + 1) * p / (1 - p);
    }
    return sum;
}

/* Simulated coverage: the level promised, and no more than the steps of a binomial make of it. */
static void assert_coverage(const char *what, size_t n, size_t covered, size_t trials, double exact)
{
    double share = (double)covered / (double)trials;
    double noise = 3 * sqrt(0.05 * 0.95 / (double)trials);
    if (exact < 0.95 - 1e-12 || share < 0.95 - noise || fabs(share - exact) > noise)
        fail_msg("%s, n = %zu: covers %.4f, exactly %.4f, promised 0.95", what, n, share, exact);
}

static void order_statistics_cover_as_promised(void **state UNUSED)
{
    static const size_t sizes[] = {6, 10, 25, 59, 80};
    enum { TRIALS = 6000 };
    uint64_t seed = 1;
    double x[80], ranks[80];
    for (size_t i = 0; i < ARRAY_LEN(ranks); i++)
        ranks[i] = (double)i + 1;
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
        size_t n = sizes[s], median = 0, low = 0, high = 0;
        for (size_t t = 0; t < TRIALS; t++) {
            for (size_t i = 0; i < n; i++)
                x[i] = uniform(&seed);
            quantile_sort(x, n);
            struct estimate m = quantile_median(x, n), e = quantile_tail(x, n, 0.95);
            median += m.low <= 0.5 && 0.5 <= m.high;
            low += e.low <= 0.95;
            high += e.high >= 0.95;
        }
        struct estimate m = quantile_median(ranks, n), e = quantile_tail(ranks, n, 0.95);
        assert_coverage("median", n, median, TRIALS, 1 - 2 * cumulative((size_t)m.low - 1, n, 0.5));
        assert_coverage("p95 low", n, low, TRIALS, 1 - cumulative((size_t)e.low - 1, n, 0.95));
        if (!isnan(e.high))
            assert_coverage("p95 high", n, high, TRIALS, cumulative((size_t)e.high - 1, n, 0.95));
        else
            assert_int_equal(high, 0);
    }
}

static void shares_cover_as_promised(void **state UNUSED)
{
    static const double shares[] = {0.02, 0.1, 0.5, 0.83, 0.95, 0.99};
    enum { N = 30, TRIALS = 6000 };
    struct estimate of[N + 1];
    uint64_t seed = 2;
    for (size_t k = 0; k <= N; k++)
        of[k] = quantile_share(k, N);
    for (size_t s = 0; s < ARRAY_LEN(shares); s++) {
        double p = shares[s], exact = 0;
        size_t covered = 0;
        for (size_t k = 0; k <= N; k++)
            if (of[k].low <= p && p <= of[k].high)
                exact += cumulative(k, N, p) - (k ? cumulative(k - 1, N, p) : 0);
        for (size_t t = 0; t < TRIALS; t++) {
            size_t k = 0;
            for (size_t i = 0; i < N; i++)
                k += uniform(&seed) < p;
            covered += of[k].low <= p && p <= of[k].high;
        }
        assert_coverage("share", N, covered, TRIALS, exact);
    }
}

/* Not wider than need be: at each end exactly 2.5 % lie beyond. */
static void shares_are_tight(void **state UNUSED)
{
    for (size_t n = 1; n <= 40; n++) {
        for (size_t k = 0; k <= n; k++) {
            struct estimate e = quantile_share(k, n);
            assert_true(e.low <= e.value && e.value <= e.high);
            if (k > 0)
                assert_near(1 - cumulative(k - 1, n, e.low), 0.025, 1e-9);
            if (k < n)
                assert_near(cumulative(k, n, e.high), 0.025, 1e-9);
        }
    }
}

static void bounds_of_shares_have_5_percent_beyond(void **state UNUSED)
{
    for (size_t n = 1; n <= 40; n++) {
        for (size_t k = 0; k <= n; k++) {
            struct estimate e = quantile_share_bounds(k, n);
            assert_true(k == 0 ? e.low == 0 : e.low < e.value);
            assert_true(k == n ? e.high == 1 : e.high > e.value);
            if (k > 0)
                assert_near(1 - cumulative(k - 1, n, e.low), 0.05, 1e-9);
            if (k < n)
                assert_near(cumulative(k, n, e.high), 0.05, 1e-9);
        }
    }
    assert_true(quantile_share_bounds(299, 299).low >= 0.99);
    assert_true(quantile_share_bounds(298, 298).low < 0.99);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_numpy),
        cmocka_unit_test(p95_of_10_and_of_20_lies_between_the_last_two),
        cmocka_unit_test(nothing_has_no_quantile),
        cmocka_unit_test(medians_have_the_exact_ranks_as_bounds),
        cmocka_unit_test(tails_have_the_exact_ranks_as_bounds),
        cmocka_unit_test(shares_are_those_of_scipy),
        cmocka_unit_test(bounds_need_59_and_299_runs),
        cmocka_unit_test(order_statistics_cover_as_promised),
        cmocka_unit_test(shares_cover_as_promised),
        cmocka_unit_test(shares_are_tight),
        cmocka_unit_test(bounds_of_shares_have_5_percent_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
