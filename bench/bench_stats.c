/*
 * How often the intervals of docs/metrics.md §3 hold the truth: simulated where it is known,
 * printed as a table of Markdown. Those from order statistics and Clopper–Pearson promise 95 %; the
 * bootstrap's share is what it is. `~` is the noise of the simulation (two standard errors).
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"
#include "measure/bootstrap.h"
#include "measure/clock.h"

struct random {
    uint64_t state;
};

/* splitmix64: the same table on every machine. (0, 1) */
static double uniform(struct random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct random *r)
{
    return sqrt(-2 * log(uniform(r))) * cos(2 * M_PI * uniform(r));
}

static void print_row(const char *what, const char *of, size_t n, size_t covered, size_t trials)
{
    double share = (double)covered / (double)trials;
    double noise = 2 * sqrt(share * (1 - share) / (double)trials);
    printf("| %s | %s | %zu | %.1f %% ~ %.1f |\n", what, of, n, 100 * share, 100 * noise);
}

static void order_statistics(void)
{
    static const size_t sizes[] = {6, 10, 20, 59, 100, 299};
    enum { TRIALS = 20000, MOST = 299 };
    struct random random = {1};
    double x[MOST];
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
        size_t n = sizes[s], median = 0, low = 0, high95 = 0, high99 = 0;
        for (size_t t = 0; t < TRIALS; t++) {
            for (size_t i = 0; i < n; i++)
                x[i] = uniform(&random);
            quantile_sort(x, n);
            struct estimate m = quantile_median(x, n), e = quantile_tail(x, n, 0.95);
            median += m.low <= 0.5 && 0.5 <= m.high;
            low += e.low <= 0.95;
            high95 += e.high >= 0.95;
            high99 += quantile_tail(x, n, 0.99).high >= 0.99;
        }
        print_row("p50", "order statistics, two sides", n, median, TRIALS);
        print_row("p95", "order statistics, lower bound", n, low, TRIALS);
        if (n >= quantile_runs_for_bound(0.95))
            print_row("p95", "order statistics, upper bound", n, high95, TRIALS);
        if (n >= quantile_runs_for_bound(0.99))
            print_row("p99", "order statistics, upper bound", n, high99, TRIALS);
    }
}

static void shares(void)
{
    static const struct {
        size_t n;
        double share;
        const char *name;
    } cases[] = {{10, 0.9, "share 90 %"}, {100, 0.9, "share 90 %"}, {300, 0.99, "share 99 %"}};
    enum { TRIALS = 5000 };
    struct random random = {2};
    for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
        size_t covered = 0;
        for (size_t t = 0; t < TRIALS; t++) {
            size_t hits = 0;
            for (size_t i = 0; i < cases[c].n; i++)
                hits += uniform(&random) < cases[c].share;
            struct estimate e = quantile_share(hits, cases[c].n);
            covered += e.low <= cases[c].share && cases[c].share <= e.high;
        }
        print_row(cases[c].name, "Clopper–Pearson, two sides", cases[c].n, covered, TRIALS);
    }
}

/* Log-normal gaps around a level that each request has of its own. */
struct gaps {
    const char *name;
    double between, within; /* standard deviations of the logarithm */
};

static const struct bootstrap_quantile asked[] = {{0.5, 0.025}, {0.95, 0.05}, {0.99, 0.05}};
static const double normal_quantiles[] = {0, 1.6448536269514722, 2.3263478740408408};

struct covered {
    size_t two_sides[ARRAY_LEN(asked)], low[ARRAY_LEN(asked)], high[ARRAY_LEN(asked)];
};

static void one_trial(const struct gaps *g, size_t requests, size_t each, struct random *random,
                      struct covered *c)
{
    double *values = mem_array(requests * each, sizeof(*values));
    size_t *lengths = mem_array(requests, sizeof(*lengths));
    struct estimate e[ARRAY_LEN(asked)];
    for (size_t r = 0; r < requests; r++) {
        double level = g->between * normal(random);
        lengths[r] = each;
        for (size_t i = 0; i < each; i++)
            values[r * each + i] = exp(level + g->within * normal(random));
    }
    bootstrap_quantiles(values, lengths, requests, asked, ARRAY_LEN(asked), e);
    for (size_t k = 0; k < ARRAY_LEN(asked); k++) {
        double truth = exp(normal_quantiles[k] * hypot(g->between, g->within));
        c->low[k] += e[k].low <= truth;
        c->high[k] += truth <= e[k].high;
        c->two_sides[k] += e[k].low <= truth && truth <= e[k].high;
    }
    mem_free(values);
    mem_free(lengths);
}

static void pooled_gaps(const struct gaps *g)
{
    static const size_t sizes[] = {6, 10, 20, 60, 300};
    enum { EACH = 100 };
    struct random random = {3};
    for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
        size_t trials = sizes[s] > 20 ? 200 : 600;
        struct covered c = {0};
        for (size_t t = 0; t < trials; t++)
            one_trial(g, sizes[s], EACH, &random, &c);
        print_row("gap p50", g->name, sizes[s], c.two_sides[0], trials);
        print_row("gap p95, lower", g->name, sizes[s], c.low[1], trials);
        print_row("gap p95, upper", g->name, sizes[s], c.high[1], trials);
        print_row("gap p99, upper", g->name, sizes[s], c.high[2], trials);
    }
}

/* To stderr: it differs from run to run. */
static void time_one(void)
{
    static const struct gaps g = {"", 0.1, 0.3};
    struct random random = {4};
    struct covered c = {0};
    int64_t start = clock_now();
    one_trial(&g, 300, 500, &random, &c);
    fprintf(stderr, "bootstrap of 300 requests with 500 gaps each: %.0f ms\n",
            clock_ms(clock_now() - start));
}

int main(void)
{
    static const struct gaps alike = {"bootstrap, requests alike", 0.02, 0.3};
    static const struct gaps differing = {"bootstrap, requests differ", 0.3, 0.3};
    printf("| of | interval | n | holds the truth |\n| --- | --- | --- | --- |\n");
    order_statistics();
    shares();
    pooled_gaps(&alike);
    pooled_gaps(&differing);
    time_one();
    return 0;
}
