#include "base/str.h"

/* ASCII only, in any locale; NUL is a byte like others. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool str_eq_nocase(struct str a, struct str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.ptr[i]) != lower(b.ptr[i]))
            return false;
    return true;
}

bool str_starts(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_eq(str_upto(s, prefix.len), prefix);
}

bool str_ends(struct str s, struct str suffix)
{
    return s.len >= suffix.len && str_eq(str_from(s, s.len - suffix.len), suffix);
}

bool str_starts_nocase(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_eq_nocase(str_upto(s, prefix.len), prefix);
}

bool str_contains(struct str s, struct str part)
{
    if (part.len == 0)
        return true;
    return s.len >= part.len && memmem(s.ptr, s.len, part.ptr, part.len) != NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str str_trim(struct str s)
{
    while (s.len && is_blank(s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    while (s.len && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

struct str str_from(struct str s, size_t from)
{
    if (from >= s.len)
        return (struct str){s.ptr ? s.ptr + s.len : NULL, 0};
    return (struct str){s.ptr + from, s.len - from};
}

struct str str_upto(struct str s, size_t len)
{
    return (struct str){s.ptr, len < s.len ? len : s.len};
}

size_t str_find(struct str s, char c)
{
    const char *at = s.len ? memchr(s.ptr, c, s.len) : NULL;
    return at ? (size_t)(at - s.ptr) : s.len;
}

struct str str_split(struct str *rest, char sep)
{
    size_t at = str_find(*rest, sep);
    struct str part = str_upto(*rest, at);
    *rest = at < rest->len ? str_from(*rest, at + 1) : (struct str){NULL, 0};
    return part;
}

bool str_copy(char *to, size_t size, struct str s)
{
    if (size == 0)
        return false;
    size_t len = s.len < size - 1 ? s.len : size - 1;
    if (len)
        memcpy(to, s.ptr, len);
    to[len] = '\0';
    return len == s.len;
}

/* Damerau's "optimal string alignment": insert, delete, replace, swap of neighbours. */
static size_t distance(struct str a, struct str b)
{
    enum { LONGEST = 48 };
    size_t row[3][LONGEST + 1];
    if (a.len > LONGEST || b.len > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= b.len; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t best = last[j - 1] + (a.ptr[i - 1] != b.ptr[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1])
                best = before[j - 2] + 1 < best ? before[j - 2] + 1 : best;
            now[j] = best;
        }
    }
    return row[a.len % 3][b.len];
}

const char *str_nearest(struct str typed, const char *const *words, size_t count)
{
    const char *nearest = NULL;
    size_t least = 1 + typed.len / 3; /* farther than this is a guess, not a typo */
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(typed, str_of(words[i]));
        if (d <= least && (!nearest || d < least)) {
            nearest = words[i];
            least = d;
        }
    }
    return nearest;
}
