#ifndef WEIR_REPORT_TERM_H
#define WEIR_REPORT_TERM_H

#include "report/report.h"

/*
 * What a terminal needs: inks, widths, bars, folded lines. This file alone knows escapes. Colour
 * repeats what a word or a shape says already.
 */
enum ink { INK_PLAIN, INK_BOLD, INK_DIM, INK_FAIL, INK_DNS, INK_CONNECT, INK_TLS, INK_WAIT };

void term_ink(struct buf *out, const struct report_style *s, enum ink ink); /* until the next one */

int term_width(const struct report_style *s);

/* A measured (solid) bar of `cells` columns in eighths; what is not nothing shows at least one
 * eighth. Its glyphs are of ambiguous width: last on a line. */
void term_bar(struct buf *out, const struct report_style *s, double cells);

void term_pad(struct buf *out, size_t columns);

/* Adds `lead` (its columns are the hanging indent), then `text` folded at blanks to the width,
 * words longer than a line cut; ends with LF. */
void term_fold(struct buf *out, const struct report_style *s, const char *lead, struct str text);

/* Makes everything from `from` on fit for paper and pipes: blanks at line ends go; with s->ascii
 * every character beyond ASCII becomes its stand-in, or `?`. */
void term_finish(struct buf *out, size_t from, const struct report_style *s);

#endif
