#ifndef WEIR_WIRE_JSON_TEXT_H
#define WEIR_WIRE_JSON_TEXT_H

#include "base/buf.h"
#include "wire/json.h"

/*
 * What the values that wire/json found stand for. Strings are sequences of UTF-16 units (R10):
 * escapes are decoded, each maximal invalid part of the UTF-8 is one U+FFFD (R2). None of these
 * functions minds a value of another type; they take it as nothing.
 */

static inline struct str json_raw(const struct json_value *v)
{
    return str_make(v->ptr, v->len);
}

/* A string of at least one unit. */
static inline bool json_nonempty(const struct json_value *v)
{
    return v->type == JSON_TYPE_STRING && v->len > 0;
}

/* How many UTF-16 units a string has. */
size_t json_units(const struct json_value *string);

/* Whether a string is `text` (ASCII), or begins or ends with it. */
bool json_is(const struct json_value *string, struct str text);
bool json_starts(const struct json_value *string, struct str text);
bool json_ends(const struct json_value *string, struct str text);

/* A string that consists of decimal digits only (one at least). */
bool json_is_digits(const struct json_value *string);

/*
 * Joins strings to UTF-8. A surrogate pair may be split over two of them; a unit without its
 * partner becomes U+FFFD. A zeroed json_text is empty; end it with json_text_end.
 */
struct json_text {
    uint16_t high; /* a high surrogate that waits for its partner, or 0 */
};
void json_text_add(struct json_text *t, const struct json_value *string, struct buf *out);
void json_text_end(struct json_text *t, struct buf *out);

/* One string as UTF-8. */
void json_decode(const struct json_value *string, struct buf *out);

/* Bytes as UTF-8, each maximal invalid part as U+FFFD. */
void json_add_bytes(struct str bytes, struct buf *out);

/* R24: a number whose value is integral, not negative and at most 2^53; else -1. Exact. */
int64_t json_count(const struct json_value *number);

/* A number that is not zero. */
bool json_nonzero(const struct json_value *number);

#endif
