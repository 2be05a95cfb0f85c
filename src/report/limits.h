#ifndef WEIR_REPORT_LIMITS_H
#define WEIR_REPORT_LIMITS_H

#include "report/term.h"

/* A line for each limit: whether it holds, the limit, what was measured, between which bounds, from
 * how many requests; then how many failed and the exit code. Nothing without limits. */
void limits_text(struct buf *out, const struct probe_result *r, const struct report_style *s);

#endif
