#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "measure/hist.h"
#include "measure/quantile.h"

enum { SAMPLES = 20000 };

static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* One of several shapes of data; durations in ms, some of them 0. */
static double sample(int shape, uint64_t *state)
{
    double u = uniform(state);
    switch (shape) {
    case 0:
        return 20 + u; /* narrow */
    case 1:
        return -log(1 - u) * 300; /* a long tail */
    case 2:
        return exp2(60 * u - 20) * 0.999; /* the whole range */
    case 3:
        return u < 0.3 ? 0 : 1e-6 * floor(1 + 1000 * u); /* replays: gaps of 0 and of ns */
    default:
        return u < 0.9 ? 20 : 5000; /* two values */
    }
}

static double *samples(int shape, size_t n, uint64_t seed)
{
    double *x = mem_array(n, sizeof(*x));
    for (size_t i = 0; i < n; i++)
        x[i] = sample(shape, &seed);
    return x;
}

static struct hist *hist_of(const double *x, size_t n)
{
    struct hist *h = hist_new();
    for (size_t i = 0; i < n; i++)
        hist_add(h, x[i]);
    return h;
}

static void quantiles_are_within_the_stated_error(void **state UNUSED)
{
    static const double q[] = {0, 0.001, 0.25, 0.3, 0.5, 0.9, 0.95, 0.99, 0.999, 1};
    static const size_t sizes[] = {1, 2, 3, 10, 101, SAMPLES};
    for (int shape = 0; shape < 5; shape++) {
        for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
            double *x = samples(shape, sizes[s], (uint64_t)shape);
            struct hist *h = hist_of(x, sizes[s]);
            quantile_sort(x, sizes[s]);
            for (size_t i = 0; i < ARRAY_LEN(q); i++) {
                double exact = quantile_of(x, sizes[s], q[i]), got = hist_quantile(h, q[i]);
                if (fabs(got - exact) > HIST_ERROR * exact + HIST_LEAST)
                    fail_msg("shape %d, n %zu, q %g: expected %.9g, got %.9g", shape, sizes[s],
                             q[i], exact, got);
            }
            assert_true(hist_min(h) == x[0] && hist_max(h) == x[sizes[s] - 1]);
            assert_true(hist_quantile(h, 0) >= x[0] && hist_quantile(h, 1) <= x[sizes[s] - 1]);
            assert_int_equal(hist_count(h), sizes[s]);
            assert_int_equal(hist_out_of_range(h), 0);
            hist_free(h);
            mem_free(x);
        }
    }
}

/* The error is used up, not generously overstated: some value is off by more than half of it. */
static void the_stated_error_is_not_much_too_large(void **state UNUSED)
{
    double worst = 0;
    for (int i = 0; i < 256; i++) {
        double value = 64 + i * 0.25;
        struct hist *h = hist_new();
        hist_add(h, value);
        hist_add(h, 1); /* the ends are exact: look at the middle one of three */
        hist_add(h, 1000);
        worst = fmax(worst, fabs(hist_quantile(h, 0.5) - value) / value);
        hist_free(h);
    }
    assert_true(worst > HIST_ERROR / 2 && worst <= HIST_ERROR);
}

static void merged_parts_are_the_whole(void **state UNUSED)
{
    double *x = samples(1, SAMPLES, 7);
    x[17] = -1;
    x[18] = 2 * HIST_MOST;
    struct hist *whole = hist_of(x, SAMPLES), *merged = hist_new();
    for (size_t part = 0; part < 8; part++) {
        struct hist *h = hist_of(x + part * SAMPLES / 8, SAMPLES / 8);
        hist_merge(merged, h);
        hist_free(h);
    }
    assert_int_equal(hist_count(merged), SAMPLES);
    assert_int_equal(hist_out_of_range(merged), 2);
    assert_true(hist_min(merged) == -1 && hist_max(merged) == 2 * HIST_MOST);
    for (int i = 0; i <= 1000; i++)
        assert_true(hist_quantile(merged, i / 1000.) == hist_quantile(whole, i / 1000.));
    hist_free(whole);
    hist_free(merged);
    mem_free(x);
}

static void merging_nothing_changes_nothing(void **state UNUSED)
{
    static const double x[] = {3, 1, 2};
    struct hist *h = hist_of(x, 3), *empty = hist_new();
    hist_merge(h, empty);
    assert_true(hist_count(h) == 3 && hist_min(h) == 1 && hist_max(h) == 3);
    hist_merge(empty, h);
    assert_true(hist_count(empty) == 3 && hist_quantile(empty, 1) == 3);
    hist_free(h);
    hist_free(empty);
}

static void values_out_of_range_are_counted_and_ordered(void **state UNUSED)
{
    static const double x[] = {-5, 1, 2, 3, HIST_MOST, (double)INFINITY};
    struct hist *h = hist_of(x, ARRAY_LEN(x));
    assert_int_equal(hist_count(h), 6);
    assert_int_equal(hist_out_of_range(h), 3);
    assert_true(hist_quantile(h, 0) == -(double)INFINITY);
    assert_true(fabs(hist_quantile(h, 0.4) - 2) <= 2 * HIST_ERROR);
    assert_true(hist_quantile(h, 1) == (double)INFINITY);
    assert_true(hist_quantile(h, 0.7) == (double)INFINITY); /* between 3 and one beyond */
    hist_free(h);
}

static void the_ends_of_the_range_are_in_it(void **state UNUSED)
{
    static const double x[] = {0, HIST_LEAST / 2, HIST_LEAST, HIST_MOST * (1 - 0x1p-53)};
    for (size_t i = 0; i < ARRAY_LEN(x); i++) {
        struct hist *h = hist_of(&x[i], 1);
        assert_int_equal(hist_out_of_range(h), 0);
        assert_true(hist_quantile(h, 0.5) == x[i]); /* the only value is least and greatest */
        hist_free(h);
    }
}

static void nothing_has_no_quantile(void **state UNUSED)
{
    struct hist *h = hist_new();
    assert_true(isnan(hist_quantile(h, 0.5)) && isnan(hist_min(h)) && isnan(hist_max(h)));
    assert_int_equal(hist_count(h), 0);
    hist_free(h);
    hist_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_within_the_stated_error),
        cmocka_unit_test(the_stated_error_is_not_much_too_large),
        cmocka_unit_test(merged_parts_are_the_whole),
        cmocka_unit_test(merging_nothing_changes_nothing),
        cmocka_unit_test(values_out_of_range_are_counted_and_ordered),
        cmocka_unit_test(the_ends_of_the_range_are_in_it),
        cmocka_unit_test(nothing_has_no_quantile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
