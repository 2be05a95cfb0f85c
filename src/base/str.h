#ifndef WEIR_BASE_STR_H
#define WEIR_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * A view of bytes that somebody else owns. It need not end in NUL and may hold any byte. A view
 * lives as long as what it looks at; functions that keep one say so. A zeroed view is empty.
 */
struct str {
    const char *ptr;
    size_t len;
};

#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})

static inline struct str str_of(const char *text)
{
    return (struct str){text, text ? strlen(text) : 0};
}

static inline struct str str_make(const char *ptr, size_t len)
{
    return (struct str){ptr, len};
}

bool str_eq(struct str a, struct str b);
bool str_eq_nocase(struct str a, struct str b); /* ASCII letters only */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
bool str_starts_nocase(struct str s, struct str prefix);
bool str_contains(struct str s, struct str part);

/* Without the spaces, tabs, CRs and LFs at both ends. */
struct str str_trim(struct str s);

/* Bytes from `from` on; empty if that is past the end. */
struct str str_from(struct str s, size_t from);
struct str str_upto(struct str s, size_t len);

/* Index of the first `c`, or s.len if there is none. */
size_t str_find(struct str s, char c);

/*
 * Splits `*rest` at the first `sep`: returns what is before it and moves `*rest` behind it. At the
 * last part `*rest` becomes {NULL, 0}; loop with `while (rest.ptr)`.
 */
struct str str_split(struct str *rest, char sep);

/* Copies into a NUL-ended array, cut to fit; returns whether all of it fitted. */
bool str_copy(char *to, size_t size, struct str s);

/*
 * The entry of `words` (`count` of them) with the least edit distance to `typed`, or NULL if none
 * is close enough to be meant. For "did you mean".
 */
const char *str_nearest(struct str typed, const char *const *words, size_t count);

#endif
