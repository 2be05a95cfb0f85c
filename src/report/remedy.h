#ifndef WEIR_REPORT_REMEDY_H
#define WEIR_REPORT_REMEDY_H

#include "report/report.h"

/* Adds why a request failed like this, if that is known, and what to type next. */
void remedy_add(struct err *err, const struct probe_result *r, const struct record *failed);

/* Whether its remedy is the URL with or without /v1: then it is worth asking which one lists models
 * (probe_result.sibling). */
bool remedy_wants_sibling(const struct record *failed);

/* Adds the command that shows one request in full. */
void remedy_look_closer(struct err *err, const struct probe_result *r);

/* scheme://host:port of a URL. */
struct str remedy_origin(struct str url);

#endif
