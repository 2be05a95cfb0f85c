#ifndef WEIR_BASE_SCRUB_H
#define WEIR_BASE_SCRUB_H

#include "base/buf.h"
#include "base/vec.h"

/*
 * Takes secrets out of text on its way out. Known values are replaced exactly, and what looks like
 * one is replaced too: `sk-…`, `Bearer …`, `Basic …`, `?key=…`, `api_key=…`, `user:pass@`.
 * Everything weir writes (text, JSON, files, errors, echoed server bodies) passes through one.
 * A zeroed scrub knows no values and still finds the patterns. Not for concurrent change.
 */
struct scrub {
    VEC(char *) secrets; /* owned, wiped at scrub_done */
};

void scrub_add(struct scrub *s,
               struct str secret); /* under 4 bytes, and placeholders ("none", "EMPTY"), are
                                      ignored: they would hide words */
void scrub_done(struct scrub *s);

/* Adds `text` to `out` with every secret shown as `[hidden]`. `s` may be NULL. */
bool scrub_text(const struct scrub *s, struct str text, struct buf *out);

#endif
