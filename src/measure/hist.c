/*
 * Log-linear: each power of two is cut into 128 cells of equal width, so a cell is at most 1/128 as
 * wide as its lower end. A value is given back as the middle of its cell, at most 1/256 of itself
 * away; interpolating between two such values keeps that bound, and clamping to the exact ends does
 * not worsen it. (G. Tene's HdrHistogram is of this kind; merging is addition.)
 */
#include "measure/hist.h"

#include <assert.h>
#include <math.h>

#include "base/mem.h"

enum { LEAST_EXPONENT = -20, MOST_EXPONENT = 40, CELLS_AN_OCTAVE = 128 };
enum { CELLS = (MOST_EXPONENT - LEAST_EXPONENT) * CELLS_AN_OCTAVE };

struct hist {
    uint64_t below, zero, above; /* negative; under HIST_LEAST; from HIST_MOST on */
    uint64_t cell[CELLS];
    uint64_t count;
    double min, max;
};

struct hist *hist_new(void)
{
    struct hist *h = mem_zalloc(sizeof(*h));
    h->min = (double)INFINITY;
    h->max = -(double)INFINITY;
    return h;
}

void hist_free(struct hist *h)
{
    mem_free(h);
}

/* frexp gives a fraction in [0.5, 1) and an exponent one above the value's own. */
static size_t cell_of(double value)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    size_t octave = (size_t)(exponent - 1 - LEAST_EXPONENT);
    return octave * CELLS_AN_OCTAVE + (size_t)((2 * fraction - 1) * CELLS_AN_OCTAVE);
}

static double middle_of(size_t cell)
{
    int exponent = (int)(cell / CELLS_AN_OCTAVE) + LEAST_EXPONENT;
    double part = ((double)(cell % CELLS_AN_OCTAVE) + 0.5) / CELLS_AN_OCTAVE;
    return ldexp(1 + part, exponent);
}

void hist_add(struct hist *h, double value)
{
    assert(!isnan(value));
    if (value < 0)
        h->below++;
    else if (value < HIST_LEAST)
        h->zero++;
    else if (value >= HIST_MOST)
        h->above++;
    else
        h->cell[cell_of(value)]++;
    h->count++;
    h->min = fmin(h->min, value);
    h->max = fmax(h->max, value);
}

void hist_merge(struct hist *to, const struct hist *from)
{
    to->below += from->below;
    to->zero += from->zero;
    to->above += from->above;
    for (size_t i = 0; i < CELLS; i++)
        to->cell[i] += from->cell[i];
    to->count += from->count;
    to->min = fmin(to->min, from->min);
    to->max = fmax(to->max, from->max);
}

uint64_t hist_count(const struct hist *h)
{
    return h->count;
}

uint64_t hist_out_of_range(const struct hist *h)
{
    return h->below + h->above;
}

double hist_min(const struct hist *h)
{
    return h->count ? h->min : (double)NAN;
}

double hist_max(const struct hist *h)
{
    return h->count ? h->max : (double)NAN;
}

static double within_ends(const struct hist *h, double value)
{
    return fmin(fmax(value, h->min), h->max);
}

/* The value of rank k, from 0. */
static double value_at(const struct hist *h, uint64_t k)
{
    if (k < h->below)
        return -(double)INFINITY;
    uint64_t passed = h->below + h->zero;
    if (k < passed)
        return within_ends(h, 0);
    for (size_t i = 0; i < CELLS; i++) {
        passed += h->cell[i];
        if (k < passed)
            return within_ends(h, middle_of(i));
    }
    return (double)INFINITY;
}

double hist_quantile(const struct hist *h, double q)
{
    assert(q >= 0 && q <= 1);
    if (h->count == 0)
        return (double)NAN;
    double rank = (double)(h->count - 1) * q;
    uint64_t k = (uint64_t)floor(rank);
    double part = rank - (double)k, at = value_at(h, k);
    if (part == 0 || k + 1 >= h->count)
        return at;
    double after = value_at(h, k + 1);
    return at == after || isinf(at) ? at : at + part * (after - at);
}
