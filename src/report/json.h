#ifndef WEIR_REPORT_JSON_H
#define WEIR_REPORT_JSON_H

#include <jansson.h>

#include "report/report.h"

/*
 * Building JSON: members keep the order in which they are put; unknown is null; times are ms with
 * at most six decimals; text that is not UTF-8 is mended with U+FFFD.
 */
json_t *json_text(struct str text);                                /* null if text.ptr is NULL */
void json_put_text(json_t *to, const char *key, const char *text); /* NULL: null */
void json_put_int(json_t *to, const char *key, int64_t n);
void json_put_count(json_t *to, const char *key, int64_t n); /* negative: null */
void json_put_number(json_t *to, const char *key, double x); /* NaN: null */
void json_put_bool(json_t *to, const char *key, bool b);
/* Instants: ms after `from`. NEVER on either side: null. */
void json_put_offset(json_t *to, const char *key, int64_t at, int64_t from);

/* Adds the object and LF, and lets go of it: on one line, or one member a line. */
void json_write(struct buf *out, json_t *j, bool line);

json_t *json_of_error(const struct err *e);
json_t *json_of_usage(const struct wire_usage *u);
json_t *json_of_target(const struct result_target *t);
json_t *json_of_plan(const struct result_plan *p);
/* What a probe_result says besides its records, put into `to`: of report_probe_json and summary
 * lines. */
void json_put_summary(json_t *to, const struct probe_result *r);

#endif
