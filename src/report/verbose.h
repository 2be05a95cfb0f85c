#ifndef WEIR_REPORT_VERBOSE_H
#define WEIR_REPORT_VERBOSE_H

#include "report/term.h"

/* What -v adds below the result: a line a run, who answered, and how well it was measured. */
void verbose_text(struct buf *out, const struct probe_result *r, const struct report_style *s);

#endif
