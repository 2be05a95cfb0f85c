#ifndef WEIR_BASE_BUF_H
#define WEIR_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/str.h"

/*
 * A growing byte buffer with a stated maximum. Adding past the maximum adds nothing, sets `over`
 * and returns false; `over` stays until buf_clear, so a chain of adds is checked once at its end.
 * A NUL always follows the content once anything was added (not counted in `len`).
 * One thread at a time.
 */
struct buf {
    char *ptr; /* owned; NULL while nothing was added */
    size_t len;
    size_t cap;
    size_t max; /* 0 means BUF_MAX_DEFAULT */
    bool over;
};

#define BUF_MAX_DEFAULT ((size_t)64 << 20)

void buf_init(struct buf *b, size_t max);
void buf_done(struct buf *b);  /* frees; the buffer is then empty and usable */
void buf_clear(struct buf *b); /* keeps the memory */

bool buf_add(struct buf *b, const void *bytes, size_t len);
bool buf_add_str(struct buf *b, struct str s);
bool buf_add_text(struct buf *b, const char *text);
bool buf_add_byte(struct buf *b, char c);
bool buf_add_repeat(struct buf *b, const char *text, size_t times);
PRINTF_LIKE(2, 3) bool buf_addf(struct buf *b, const char *format, ...);

/* Room for `len` more bytes at buf_room's result; say with buf_grown how many were written. */
char *buf_room(struct buf *b, size_t len); /* NULL if over the maximum */
void buf_grown(struct buf *b, size_t len);

/* Drops the first `len` bytes, moving the rest down. */
void buf_drop(struct buf *b, size_t len);

/* The content as a view: valid until the next change. Never NULL. */
struct str buf_str(const struct buf *b);
RETURNS_NONNULL const char *buf_text(const struct buf *b);

/* Gives the content away as a NUL-ended string (free with mem_free); the buffer becomes empty. */
RETURNS_NONNULL char *buf_take(struct buf *b);

#endif
