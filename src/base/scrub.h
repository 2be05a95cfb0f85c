#ifndef WEIR_BASE_SCRUB_H
#define WEIR_BASE_SCRUB_H

#include "base/buf.h"
#include "base/vec.h"

/*
 * Takes secrets out of text on its way out. Known values are replaced, also with lines broken
 * within them and where 12 or more bytes of one are left, and what looks like one is replaced too:
 * `sk-…`, `Bearer …`, `Basic …`, `?key=…`, `api_key=…`, `user:pass@`. Everything weir writes (text,
 * JSON, files, errors, echoed server bodies) passes through one. A zeroed scrub knows no values and
 * still finds the patterns. Not for concurrent change.
 */
enum { SCRUB_GRAM = 4, SCRUB_GRAMS = 8192 };
struct scrub {
    VEC(char *) secrets;                  /* owned, wiped at scrub_done */
    unsigned char grams[SCRUB_GRAMS / 8]; /* a bit for each 4 bytes that follow in a secret */
};

void scrub_add(struct scrub *s,
               struct str secret); /* under 4 bytes, and placeholders ("none", "EMPTY"), are
                                      ignored: they would hide words */
void scrub_done(struct scrub *s);

/* Adds `text` to `out` with every secret shown as `[hidden]`. `s` may be NULL. */
bool scrub_text(const struct scrub *s, struct str text, struct buf *out);

/* The same for one or more JSON texts of our own: only strings that are values are looked at, so
 * that a key such as "1000" hides no figure and what comes out is JSON again. */
bool scrub_json(const struct scrub *s, struct str text, struct buf *out);

#endif
