#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "measure/result.h"

/*
 * Results as text and data. Every writer adds to a buffer and prints nothing; the caller scrubs and
 * writes. Text fits `width` columns; what servers sent is shown escaped. Pure: no clock, no locale.
 */
struct report_style {
    bool colour;
    bool ascii; /* no UTF-8: '#', '-', 'ok'; the text is then pure ASCII */
    int width;  /* columns; 0: 80, and tables never take less */
    bool verbose, quiet;
    bool headed; /* report_probe_head stands just above on the same terminal: do not repeat it */
};

/* Target, key source, plan and price, before anything is sent. Needs target and plan only. */
void report_probe_head(struct buf *out, const struct probe_result *r, const struct report_style *s);

/* The whole result. Where nothing completed this is the explanation of report_probe_failure, so the
 * caller prints no error besides it. quiet: one line, and the failures. */
void report_probe_text(struct buf *out, const struct probe_result *r, const struct report_style *s);
void report_probe_json(struct buf *out, const struct probe_result *r); /* one object and LF */
void report_probe_csv(struct buf *out,
                      const struct probe_result *r); /* RFC 4180, a request a row */

/* One request as it ended, a line without LF: "run 3  complete  ttft 612 ms …" for progress. */
void report_run_line(struct buf *out, const struct record *r, const struct report_style *s);

/* JSON lines: "kind":"run|request|summary". Each ends with LF. With the events of a full log the
 * line of a request takes at most REPORT_LINE_BYTES_MAX. */
enum { REPORT_LINE_BYTES_MAX = 256 << 20 };
void report_line_run(struct buf *out, const struct probe_result *r);
void report_line_request(struct buf *out, const struct record *r, bool events);
void report_line_summary(struct buf *out, const struct probe_result *r);

void report_error_text(struct buf *out, const struct err *e, const struct report_style *s);
void report_error_json(struct buf *out, const struct err *e); /* one object and LF */

/* The error that a probe with nothing to show ends with (none complete), four parts, and its exit
 * code. False, and *err is zeroed, if something completed. */
bool report_probe_failure(const struct probe_result *r, struct err *err);

/* EXIT_OK, _SIGINT if interrupted, _UNREACHABLE, _REFUSED, _NONE (also: more than max_fail failed),
 * _LIMIT or _UNDECIDED. */
int report_probe_exit(const struct probe_result *r);

#endif
