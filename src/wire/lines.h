#ifndef WEIR_WIRE_LINES_H
#define WEIR_WIRE_LINES_H

#include "base/buf.h"

/*
 * Cuts a body into lines (R1): CRLF, LF or CR end one, mixed as they come; a CR ends its line at
 * once and a LF right behind it is swallowed; one BOM at the very start is removed. A push machine:
 * any split of the bytes gives the same lines. A zeroed one with `max` set is ready.
 */
struct lines {
    size_t max;      /* a longer line is too long */
    struct buf rest; /* the line that is not yet ended */
    uint8_t bom;     /* bytes of it seen, or LINES_BEGUN */
    bool skip_lf, too_long;
};

/* `steady`: the view is part of the bytes being fed, else good for this call only. Return false
 * to stop for good (counts as too long). */
typedef bool lines_fn(void *arg, struct str line, bool steady);

/* False once a line was too long, or `on_line` said so; later bytes are ignored. */
bool lines_feed(struct lines *l, const char *bytes, size_t len, lines_fn *on_line, void *arg);
/* The body ended: what follows the last line end, or false if nothing does. */
bool lines_end(struct lines *l, struct str *last);
void lines_done(struct lines *l);

#endif
