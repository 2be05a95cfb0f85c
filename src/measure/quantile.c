/*
 * Error bounds: quantiles are exact but for one rounding. Binomial tails have a relative error
 * below 1e-12 for n up to 1e6, so a bound chosen by them differs from the exact one only where its
 * level is within 1e-12 of 95 %; a share's bounds are within 1e-12.
 *
 * Sources: R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", Am. Statistician 50
 * (1996), definition 7. C. Loader, "Fast and Accurate Computation of Binomial Probabilities"
 * (2000): the saddle-point form below loses no digits for large n, where lgamma differences would.
 * C. J. Clopper, E. S. Pearson, Biometrika 26 (1934). Order-statistic intervals: W. J. Conover,
 * "Practical Nonparametric Statistics", 3rd ed., §3.2.
 */
#include "measure/quantile.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double none = (double)NAN;

static const double miss = 0.05; /* 1 - the level of every interval here */
/* Levels that are met exactly (q = .95, n = 1) must not fail by the last bit. */
static const double slack = 1e-12;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void quantile_sort(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert(!isnan(x[i]));
    if (n > 1)
        qsort(x, n, sizeof(*x), by_value);
}

double quantile_of(const double *x, size_t n, double q)
{
    assert(q >= 0 && q <= 1);
    if (n == 0)
        return none;
    double h = (double)(n - 1) * q;
    size_t low = (size_t)floor(h);
    if (low + 1 >= n)
        return x[n - 1];
    return x[low] + (h - (double)low) * (x[low + 1] - x[low]);
}

/* log(n!) - log of Stirling's formula: the table holds what the series cannot. */
static double stirling_error(double n)
{
    static const double half_log_2pi = 0.918938533204672741780329736406;
    if (n <= 15)
        return n == 0 ? 0 : log(tgamma(n + 1)) - (n + 0.5) * log(n) + n - half_log_2pi;
    double n2 = n * n;
    return (1 / 12. - (1 / 360. - (1 / 1260. - (1 / 1680. - 1 / 1188. / n2) / n2) / n2) / n2) / n;
}

/* x log(x / m) + m - x, by a series where the terms would cancel. */
static double deviance(double x, double m)
{
    if (fabs(x - m) >= 0.1 * (x + m))
        return x * log(x / m) + m - x;
    double v = (x - m) / (x + m), sum = (x - m) * v, term = 2 * x * v;
    for (int i = 3;; i += 2) {
        term *= v * v;
        double next = sum + term / i;
        if (next == sum)
            return sum;
        sum = next;
    }
}

/* P(Bin(n, p) = k). */
static double binomial(double k, double n, double p)
{
    if (p <= 0 || p >= 1)
        return k == (p <= 0 ? 0 : n) ? 1 : 0;
    if (k == 0)
        return exp(n * log1p(-p));
    if (k == n)
        return exp(n * log(p));
    double log_ratio = stirling_error(n) - stirling_error(k) - stirling_error(n - k) -
                       deviance(k, n * p) - deviance(n - k, n * (1 - p));
    return exp(log_ratio) * sqrt(n / (2 * M_PI * k * (n - k)));
}

/* Sums terms from k away from the mode: they fall at least geometrically, so it ends soon. */
static double tail_from(double k, double n, double p, int step)
{
    double term = binomial(k, n, p), sum = 0, odds = p / (1 - p);
    while (term > sum * 1e-18 && term > 0) {
        sum += term;
        if (k == (step > 0 ? n : 0))
            break;
        term *= step > 0 ? (n - k) / (k + 1) * odds : k / (n - k + 1) / odds;
        k += step;
    }
    return sum < 1 ? sum : 1;
}

/* P(Bin(n, p) <= k), summed on the side of the mode where terms are small. */
static double at_most(double k, double n, double p)
{
    if (k < 0 || k >= n || p <= 0 || p >= 1)
        return k >= n || (p <= 0 && k >= 0) ? 1 : 0;
    return k < n * p ? tail_from(k, n, p, -1) : 1 - tail_from(k + 1, n, p, 1);
}

/* P(Bin(n, p) >= k). Not by 1 - p and at_most: a small p would lose its digits. */
static double at_least(double k, double n, double p)
{
    if (k <= 0 || k > n || p <= 0 || p >= 1)
        return k <= 0 || (p >= 1 && k <= n) ? 1 : 0;
    return k > n * p ? tail_from(k, n, p, 1) : 1 - tail_from(k - 1, n, p, -1);
}

struct estimate quantile_median(const double *x, size_t n)
{
    struct estimate e = {quantile_of(x, n, 0.5), none, none, n};
    /* The greatest d such that fewer than d of n lie below the median with at most 2.5 %. */
    size_t holds = 0, fails = n / 2 + 1;
    while (fails - holds > 1) {
        size_t d = holds + (fails - holds) / 2;
        if (2 * at_most((double)d - 1, (double)n, 0.5) <= miss + slack)
            holds = d;
        else
            fails = d;
    }
    if (holds > 0) {
        e.low = x[holds - 1];
        e.high = x[n - holds];
    }
    return e;
}

/*
 * X_(r) is an upper bound if P(Bin(n, q) >= r) <= 5 %, a lower one if P(Bin(n, q) < r) <= 5 %
 * (ranks from 1). The least such r and the greatest; 0 where there is none. Both by bisection:
 * the tails are monotone in r.
 */
static size_t upper_rank(size_t n, double q)
{
    size_t fails = 0, holds = n + 1;
    while (holds - fails > 1) {
        size_t r = fails + (holds - fails) / 2;
        if (at_least((double)r, (double)n, q) <= miss + slack)
            holds = r;
        else
            fails = r;
    }
    return holds <= n ? holds : 0;
}

static size_t lower_rank(size_t n, double q)
{
    size_t holds = 0, fails = n + 1;
    while (fails - holds > 1) {
        size_t r = holds + (fails - holds) / 2;
        if (at_most((double)r - 1, (double)n, q) <= miss + slack)
            holds = r;
        else
            fails = r;
    }
    return holds;
}

struct estimate quantile_tail(const double *x, size_t n, double q)
{
    assert(q > 0 && q < 1);
    size_t low = lower_rank(n, q), high = upper_rank(n, q);
    return (struct estimate){
        .value = quantile_of(x, n, q),
        .low = low ? x[low - 1] : none,
        .high = high ? x[high - 1] : none,
        .n = n,
    };
}

size_t quantile_runs_for_bound(double q)
{
    assert(q > 0 && q < 1);
    size_t n = (size_t)fmax(1, floor(log(miss) / log(q)));
    while (pow(q, (double)n) > miss + slack)
        n++;
    return n;
}

/* The p in [low, high] where a tail crosses `beyond`; `outer` is the end of the last bracket to
 * give, so that rounding widens the interval and never narrows it. */
static double solve(double (*tail)(double, double, double), double k, double n, double low,
                    double high, double beyond, bool outer_is_low)
{
    for (int i = 0; i < 200; i++) {
        double p = low + (high - low) / 2;
        if (p <= low || p >= high)
            break;
        bool inside = tail(k, n, p) > beyond;
        if (inside == outer_is_low)
            high = p;
        else
            low = p;
    }
    return outer_is_low ? low : high;
}

static struct estimate share_of(size_t k, size_t n, double beyond)
{
    assert(k <= n);
    if (n == 0)
        return (struct estimate){none, none, none, 0};
    double hits = (double)k, all = (double)n, share = hits / all;
    return (struct estimate){
        .value = share,
        .low = k == 0 ? 0 : solve(at_least, hits, all, 0, share, beyond, true),
        .high = k == n ? 1 : solve(at_most, hits, all, share, 1, beyond, false),
        .n = n,
    };
}

struct estimate quantile_share(size_t k, size_t n)
{
    return share_of(k, n, miss / 2);
}

struct estimate quantile_share_bounds(size_t k, size_t n)
{
    return share_of(k, n, miss);
}
