#include "test.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "measure/bootstrap.h"

static const struct bootstrap_quantile asked[] = {{0.5, 0.025}, {0.95, 0.05}, {0.99, 0.05}};
enum { ASKED = 3, VALUES_MAX = 4000, REQUESTS_MAX = 40 };

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

struct pooled {
    double values[VALUES_MAX];
    size_t lengths[REQUESTS_MAX], requests, n;
};

/* Requests of 0 … 89 values, many of them equal, each request with a level of its own. */
static void make(struct pooled *p, size_t requests, uint64_t seed)
{
    *p = (struct pooled){.requests = requests};
    for (size_t r = 0; r < requests; r++) {
        p->lengths[r] = next_random(&seed) % 90;
        uint64_t level = next_random(&seed) % 50;
        for (size_t i = 0; i < p->lengths[r]; i++)
            p->values[p->n++] = (double)(level + next_random(&seed) % 20);
    }
}

/* The same by the book: pool the drawn requests, sort, take the quantile. */
static void by_the_book(const struct pooled *p, double q, double beyond, double *low, double *high)
{
    static double seen[BOOTSTRAP_RESAMPLES], pool[REQUESTS_MAX * 90];
    size_t start[REQUESTS_MAX], at = 0, made = 0;
    for (size_t r = 0; r < p->requests; r++) {
        start[r] = at;
        at += p->lengths[r];
    }
    uint64_t state = 1;
    for (size_t i = 0; i < BOOTSTRAP_RESAMPLES; i++) {
        size_t n = 0;
        for (size_t d = 0; d < p->requests; d++) {
            size_t r = (next_random(&state) >> 32) * p->requests >> 32;
            for (size_t v = 0; v < p->lengths[r]; v++)
                pool[n++] = p->values[start[r] + v];
        }
        quantile_sort(pool, n);
        if (n)
            seen[made++] = quantile_of(pool, n, q);
    }
    quantile_sort(seen, made);
    *low = quantile_of(seen, made, beyond);
    *high = quantile_of(seen, made, 1 - beyond);
}

static void the_short_way_is_the_long_way(void **state UNUSED)
{
    static struct pooled p;
    static const size_t sizes[] = {6, 7, 10, 23, 40};
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
        struct estimate e[ASKED];
        make(&p, sizes[s], s);
        bootstrap_quantiles(p.values, p.lengths, p.requests, asked, ASKED, e);
        for (size_t k = 0; k < ASKED; k++) {
            double low, high;
            by_the_book(&p, asked[k].q, asked[k].beyond, &low, &high);
            if (e[k].low != low || e[k].high != high)
                fail_msg("%zu requests, q %.2f: expected %.17g .. %.17g, got %.17g .. %.17g",
                         sizes[s], asked[k].q, low, high, e[k].low, e[k].high);
        }
    }
}

static void the_value_is_the_pools_quantile(void **state UNUSED)
{
    static struct pooled p;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct estimate e[ASKED];
        make(&p, 1 + (size_t)seed, seed);
        bootstrap_quantiles(p.values, p.lengths, p.requests, asked, ASKED, e);
        quantile_sort(p.values, p.n);
        for (size_t k = 0; k < ASKED; k++) {
            double expected = quantile_of(p.values, p.n, asked[k].q);
            if (p.n ? e[k].value != expected : !isnan(e[k].value))
                fail_msg("expected %.17g, got %.17g", expected, e[k].value);
            assert_int_equal(e[k].n, p.requests);
        }
    }
}

/* However many values a request has, it is one: 10 requests of one level each bound nothing closer
 * than 10 values do. */
static void the_unit_is_the_request(void **state UNUSED)
{
    double values[10 * 100];
    size_t lengths[10];
    for (size_t r = 0; r < 10; r++) {
        lengths[r] = 100;
        for (size_t i = 0; i < 100; i++)
            values[r * 100 + i] = (double)r;
    }
    struct estimate e;
    bootstrap_quantiles(values, lengths, 10, asked, 1, &e);
    assert_true(e.value == 4.5 && e.low <= 2 && e.high >= 7);
}

static void few_requests_have_no_interval(void **state UNUSED)
{
    static const double values[BOOTSTRAP_REQUESTS_MIN] = {1, 2, 3, 4, 5, 6};
    static const size_t lengths[BOOTSTRAP_REQUESTS_MIN] = {1, 1, 1, 1, 1, 1};
    for (size_t n = 1; n <= BOOTSTRAP_REQUESTS_MIN; n++) {
        struct estimate e;
        bootstrap_quantiles(values, lengths, n, asked, 1, &e);
        assert_int_equal(e.n, n);
        assert_false(isnan(e.value));
        assert_int_equal(isnan(e.low), n < BOOTSTRAP_REQUESTS_MIN);
        assert_int_equal(isnan(e.high), n < BOOTSTRAP_REQUESTS_MIN);
    }
}

static void nothing_has_no_quantile(void **state UNUSED)
{
    static const size_t empty[8] = {0};
    for (size_t requests = 0; requests <= 8; requests += 8) {
        struct estimate e;
        bootstrap_quantiles(NULL, empty, requests, asked, 1, &e);
        assert_true(isnan(e.value) && isnan(e.low) && isnan(e.high));
        assert_int_equal(e.n, requests);
    }
}

/* Of 7 requests one has values: a resample without it, one in three, has no quantile. */
static void resamples_without_a_value_do_not_count(void **state UNUSED)
{
    static const double values[] = {1, 2, 3};
    static const size_t lengths[7] = {0, 0, 0, 3};
    struct estimate e;
    bootstrap_quantiles(values, lengths, 7, asked, 1, &e);
    assert_true(e.value == 2 && e.low == 2 && e.high == 2);
}

/* More requests than units are dealt into groups: the interval stays about as wide. */
static void many_requests_are_grouped(void **state UNUSED)
{
    enum { REQUESTS = 5000, EACH = 3 };
    double *values = mem_array(REQUESTS * EACH, sizeof(*values));
    size_t *lengths = mem_array(REQUESTS, sizeof(*lengths));
    uint64_t seed = 3;
    for (size_t r = 0; r < REQUESTS; r++) {
        double level = (double)(next_random(&seed) >> 11) * 0x1p-53;
        lengths[r] = EACH;
        for (size_t i = 0; i < EACH; i++)
            values[r * EACH + i] = level;
    }
    struct estimate e;
    bootstrap_quantiles(values, lengths, REQUESTS, asked, 1, &e);
    /* A median of 5,000 uniform levels has a standard error of 0.5 / sqrt(5000) = 0.0071. */
    assert_true(e.low < e.value && e.value < e.high);
    assert_true(e.high - e.low > 3 * 0.0071 && e.high - e.low < 5 * 0.0071);
    mem_free(values);
    mem_free(lengths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_short_way_is_the_long_way),
        cmocka_unit_test(the_value_is_the_pools_quantile),
        cmocka_unit_test(the_unit_is_the_request),
        cmocka_unit_test(few_requests_have_no_interval),
        cmocka_unit_test(nothing_has_no_quantile),
        cmocka_unit_test(resamples_without_a_value_do_not_count),
        cmocka_unit_test(many_requests_are_grouped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
