#ifndef WEIR_REPORT_FIGURES_H
#define WEIR_REPORT_FIGURES_H

#include "report/term.h"

/* The table of a probe's figures: which rows, in which unit, with which bounds (docs/metrics.md
 * §3). */
void figures_table(struct buf *out, const struct probe_result *r, const struct report_style *s);

/* Names the first value of the table that carries a plus, and how many runs would take it away.
 * Adds nothing if every bound exists. */
void figures_bound_note(struct buf *line, const struct probe_result *r);

/* A line each for the first token (or byte) and the whole: what their tails stay under, where the
 * runs are enough to say so. */
void figures_bounds(struct buf *lines, const struct probe_result *r);

#endif
