#ifndef WEIR_WIRE_NDJSON_H
#define WEIR_WIRE_NDJSON_H

#include <stdint.h>

#include "base/vec.h"
#include "wire/lines.h"

/*
 * JSON lines (R26 of docs/streams.md) as a push machine. Until a line is an object nobody knows
 * whether this is a stream at all: those lines are held (so many bytes of them), and come out when
 * one is, or at the end, as lines or as one plain body.
 */

enum {
    NDJSON_HELD_BYTES_MAX = 1 << 20, /* beyond it the body is taken for what it then looks like */
    NDJSON_HELD_LINES_MAX = 65536,
};

struct ndjson_handler {
    /* A non-blank line; `tail`: the body ended without its line end. */
    void (*on_line)(void *arg, struct str line, int64_t mark, bool tail);
    /* The body is no stream of lines. No on_line came and none will. */
    void (*on_plain)(void *arg, struct str body);
    void *arg;
};

struct ndjson_held {
    size_t at, len;
    int64_t mark;
};

struct ndjson {
    struct ndjson_handler handler;
    struct lines lines;
    int64_t mark; /* of the feed under way */
    enum { NDJSON_UNDECIDED, NDJSON_LINES, NDJSON_PLAIN } kind;
    struct buf held;
    VEC(struct ndjson_held) held_lines;
};

void ndjson_init(struct ndjson *n, const struct ndjson_handler *handler, size_t bytes_max);
/* False once a line was too long; later bytes are ignored. */
bool ndjson_feed(struct ndjson *n, const char *bytes, size_t len, int64_t mark);
void ndjson_end(struct ndjson *n);
void ndjson_done(struct ndjson *n);

#endif
