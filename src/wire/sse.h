#ifndef WEIR_WIRE_SSE_H
#define WEIR_WIRE_SSE_H

#include <stdint.h>

#include "base/vec.h"
#include "wire/lines.h"

/*
 * Server-sent events (WHATWG HTML §9.2, R1–R4 of docs/streams.md) as a push machine. It knows
 * lines, fields and marks, nothing of what the data means. An event that lies within one feed is
 * handed over without a copy; between events it holds no memory but a few hundred bytes.
 */

enum { SSE_LINES_MAX = 65536 }; /* data lines of one event; more is too long */

/* From data line `line` of the event on, lines ended in the feed of that mark. */
struct sse_mark {
    uint32_t line;
    int64_t mark;
};

/* An event with at least one data line, blank or not. Views are good during the call. */
struct sse_event {
    struct str data;              /* its data lines, joined by LF */
    struct str name;              /* empty if none */
    uint32_t lines;               /* data lines */
    const struct sse_mark *marks; /* ascending by line */
    size_t mark_count;
    bool tail; /* the body ended before the blank line */
};

struct sse_handler {
    void (*on_event)(void *arg, const struct sse_event *event);
    /* A line that is neither comment nor known field. */
    void (*on_other)(void *arg, struct str line);
    void *arg;
};

struct sse {
    struct sse_handler handler;
    int64_t comments;
    struct lines lines;
    struct str data, name; /* of the event so far: in the feed under way, or in the copies */
    struct buf data_copy, name_copy;
    VEC(struct sse_mark) marks; /* empty while `first` is all */
    struct sse_mark first;
    int64_t mark; /* of the feed under way */
    uint32_t line_count;
    bool data_copied, name_copied;
};

void sse_init(struct sse *s, const struct sse_handler *handler, size_t bytes_max);
/* False once a line or an event was too long; later bytes are ignored. */
bool sse_feed(struct sse *s, const char *bytes, size_t len, int64_t mark);
/* The body ended: an unfinished event comes out with `tail` set. */
void sse_end(struct sse *s);
void sse_done(struct sse *s);

/* The mark of data line `line`, from 0. */
int64_t sse_mark_of(const struct sse_event *event, uint32_t line);

#endif
