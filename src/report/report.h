#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "measure/result.h"

/*
 * Results as text and data. Every writer adds to a buffer and prints nothing; the caller scrubs and
 * writes. Text fits `width` columns (80 by default).
 */
struct report_style {
    bool colour;
    bool ascii;  /* no UTF-8: '#', '-', 'ok' */
    int width;   /* columns; 0: 80 */
    bool verbose, quiet;
};

void report_probe_head(struct buf *out, const struct probe_result *r, const struct report_style *s); /* target and plan, before anything is sent */
void report_probe_text(struct buf *out, const struct probe_result *r, const struct report_style *s);
void report_probe_json(struct buf *out, const struct probe_result *r);  /* one object, docs/reference.md */
void report_probe_csv(struct buf *out, const struct probe_result *r);   /* header row, one request a row */

/* JSON lines: "kind":"run|request|summary". Each ends with LF. */
void report_line_run(struct buf *out, const struct probe_result *r);
void report_line_request(struct buf *out, const struct record *r, bool events);
void report_line_summary(struct buf *out, const struct probe_result *r);

void report_error_text(struct buf *out, const struct err *e, const struct report_style *s);
void report_error_json(struct buf *out, const struct err *e);

/* The error that a probe with nothing to show ends with (all failed), four parts, and its exit code. */
void report_probe_failure(const struct probe_result *r, struct err *err);
int report_probe_exit(const struct probe_result *r);

#endif
