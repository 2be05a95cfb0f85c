#ifndef WEIR_BASE_UTF8_H
#define WEIR_BASE_UTF8_H

#include <stdint.h>

#include "base/buf.h"

/*
 * UTF-8 by the Unicode Standard, table 3-7: overlong forms, surrogates and values over U+10FFFF
 * are invalid; each maximal invalid part counts as one U+FFFD (the WHATWG decoder's rule).
 */

enum { UTF8_REPLACEMENT = 0xFFFD };

/* Decodes the first character of a non-empty view; an invalid part gives UTF8_REPLACEMENT.
 * `*len` is the number of bytes it took, at least 1. */
uint32_t utf8_decode(struct str s, size_t *len);
bool utf8_valid(struct str s);
size_t utf8_encode(uint32_t code, char out[4]); /* number of bytes; surrogates give U+FFFD */
bool utf8_add(struct buf *out, uint32_t code);

/* Columns a terminal gives: 0 for combining marks and controls, 2 for wide East Asian and emoji,
 * else 1. Own table: wcwidth depends on the locale. */
int utf8_width_of(uint32_t code);
size_t utf8_width(struct str s);

/* The longest beginning of `s` that takes at most `columns`. */
struct str utf8_fit(struct str s, size_t columns);

/* The longest beginning of at most `bytes` that does not end within a character. */
struct str utf8_cut(struct str s, size_t bytes);

/* Adds `s` as one safe line of text: C0/C1 controls, escapes, line ends, bidi overrides and
 * invalid bytes become visible \xNN, \n or \uNNNN forms. For hostile text on its way to a terminal.
 */
bool utf8_add_visible(struct buf *out, struct str s);
/* Whether a terminal may obey the character instead of showing it: controls, bidi overrides and
 * other characters without a shape. */
bool utf8_is_obeyed(uint32_t code);
/* Adds a JSON text: such characters, which can only stand in its strings, in their \uNNNN form. */
bool utf8_add_visible_json(struct buf *out, struct str json);

#endif
