#!/usr/bin/python3
"""Writes reference.h: figures that test_quantile holds measure/quantile.c against.

    apt-get install python3-scipy
    tests/unit/measure/make_reference.py > tests/unit/measure/reference.h

Nothing of weir is used here. Quantiles are numpy.quantile's (method 'linear', Hyndman and Fan's
definition 7). Ranks up to n = 2,000 come from exact integer arithmetic, beyond from
scipy.stats.binom. Shares are quantiles of scipy.stats.beta (binomtest's own interval is only
good to 2e-12 absolute: its root finder stops there).
"""
import random
from fractions import Fraction
from math import comb

import numpy
import scipy
from scipy.stats import beta, binom

MISS = Fraction(1, 20)


def ranks_exact(n, q):
    # Scaled to integers: with q = a / b every term is comb * a^k * (b-a)^(n-k) over b^n.
    a, b = q.numerator, q.denominator
    whole, at = b**n, 0
    lower, upper, two_sided = 0, 0, 0
    for r in range(1, n + 1):
        at += comb(n, r - 1) * a ** (r - 1) * (b - a) ** (n - r + 1)  # P(X <= r - 1)
        if at * MISS.denominator <= whole * MISS.numerator:
            lower = r
        if 2 * at * MISS.denominator <= whole * MISS.numerator:
            two_sided = r
        if upper == 0 and (whole - at) * MISS.denominator <= whole * MISS.numerator:
            upper = r
    return lower, upper, two_sided


def ranks_scipy(n, q):
    low = int(binom.ppf(0.05, n, float(q)))
    lower = max(r for r in range(max(0, low - 3), low + 4) if r == 0 or binom.cdf(r - 1, n, float(q)) <= 0.05)
    high = int(binom.ppf(0.95, n, float(q)))
    uppers = [r for r in range(max(1, high - 3), high + 4) if binom.sf(r - 1, n, float(q)) <= 0.05]
    mid = int(binom.ppf(0.025, n, 0.5))
    two = max(r for r in range(max(0, mid - 3), mid + 4) if r == 0 or 2 * binom.cdf(r - 1, n, 0.5) <= 0.05)
    return lower, uppers[0] if uppers and uppers[0] <= n else 0, two


def ranks(n, q):
    return ranks_exact(n, q) if n <= 2000 else ranks_scipy(n, q)


def main():
    print("/* Made by make_reference.py with numpy %s and scipy %s; see its head. Do not edit. */"
          % (numpy.__version__, scipy.__version__))
    print("#ifndef WEIR_TEST_REFERENCE_H\n#define WEIR_TEST_REFERENCE_H\n")
    print("/* clang-format off */")
    rng = random.Random(20261130)
    sample = [round(rng.lognormvariate(6.4, 0.5), 3) for _ in range(64)]
    print("/* The first n of these are the sample of reference_quantiles. */")
    print("static const double reference_sample[] = {%s};\n" % ", ".join(map(repr, sample)))
    print("static const struct { size_t n; double q, value; } reference_quantiles[] = {")
    for n in (1, 2, 3, 6, 10, 20, 59, 64):
        for q in (0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0):
            print("    {%d, %r, %r}," % (n, q, float(numpy.quantile(sample[:n], q, method="linear"))))
    print("};\n\n/* Ranks from 1; 0: no bound. */")
    print("static const struct { size_t n; double q; size_t low, high; } reference_tails[] = {")
    sizes = [1, 2, 5, 10, 20, 28, 29, 58, 59, 92, 93, 100, 298, 299, 473, 1000, 2000, 10000, 123457, 1000000]
    for q in (Fraction(9, 10), Fraction(19, 20), Fraction(99, 100)):
        for n in sizes:
            print("    {%d, %r, %d, %d}," % ((n, float(q)) + ranks(n, q)[:2]))
    print("};\n")
    print("static const struct { size_t n, low; } reference_medians[] = {")
    for n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 25, 30, 59, 100, 299, 1000, 2000, 10000, 123457, 1000000]:
        print("    {%d, %d}," % (n, ranks(n, Fraction(1, 2))[2]))
    print("};\n")
    print("static const struct { size_t k, n; double low, high; } reference_shares[] = {")
    pairs = [(0, 1), (1, 1), (0, 10), (1, 10), (5, 10), (9, 10), (10, 10), (59, 59), (58, 59), (298, 299),
             (299, 299), (990, 1000), (500, 1000), (1, 100000), (99999, 100000), (500000, 1000000),
             (1, 1000000), (999999, 1000000), (1000000, 1000000), (123456, 1000000)]
    for k, n in pairs:
        low = float(beta.ppf(0.025, k, n - k + 1)) if k else 0.0
        high = float(beta.ppf(0.975, k + 1, n - k)) if k < n else 1.0
        print("    {%d, %d, %r, %r}," % (k, n, low, high))
    print("};\n")
    print("static const struct { double q; size_t n; } reference_runs[] = {")
    for q in (Fraction(1, 2), Fraction(9, 10), Fraction(19, 20), Fraction(99, 100), Fraction(999, 1000)):
        n = 1
        while q**n * 20 > 1:
            n += 1
        print("    {%r, %d}," % (float(q), n))
    print("};\n/* clang-format on */\n\n#endif")


main()
