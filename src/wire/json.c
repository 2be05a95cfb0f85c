#include "wire/json.h"

#include <assert.h>
#include <stdlib.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * Recursive descent over shapes, a loop with a stack of bits over what no shape asks for. Every
 * function takes the place where its thing begins and returns the place behind it, or NULL if it is
 * not JSON. `end` is the end of the text; nothing at or behind it is read.
 */

enum { TAG_BLOCK = 16, STRING_BLOCK = 16, STACK_WORD = 64 };

/* 0 at the end: no JSON has that byte outside of a string's escapes. */
static inline char peek(const char *p, const char *end)
{
    return p < end ? *p : '\0';
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static const char *skip_more_blanks(const char *p, const char *end)
{
    while (p < end && is_blank(*p))
        p++;
    return p;
}

/* Most texts have none. */
static inline const char *skip_blanks(const char *p, const char *end)
{
    return p < end && (uint8_t)*p > ' ' ? p : skip_more_blanks(p, end);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* `p` is at a backslash. */
static const char *skip_escape(const char *p, const char *end)
{
    if (end - p < 2)
        return NULL;
    switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        return p + 2;
    case 'u':
        if (end - p < 6 || !is_hex(p[2]) || !is_hex(p[3]) || !is_hex(p[4]) || !is_hex(p[5]))
            return NULL;
        return p + 6;
    default:
        return NULL;
    }
}

#ifdef __SSE2__
/* A bit for each quote, backslash or control byte of a block. */
static inline unsigned string_stops(const char *p)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)p);
    __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                               _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(hit, control));
}
#endif

/* The first of them from `p` on, or `end`. */
static inline const char *string_stop(const char *p, const char *end)
{
#ifdef __SSE2__
    for (; end - p >= STRING_BLOCK; p += STRING_BLOCK) {
        unsigned stops = string_stops(p);
        if (stops)
            return p + __builtin_ctz(stops);
    }
#endif
    while (p < end && *p != '"' && *p != '\\' && (uint8_t)*p >= 0x20)
        p++;
    return p;
}

static const char *long_string_end(const char *p, const char *end, bool *escaped)
{
    for (;;) {
        p = string_stop(p, end);
        char c = peek(p, end);
        if (c == '"')
            return p;
        if (c != '\\')
            return NULL;
        *escaped = true;
        p = skip_escape(p, end);
        if (!p)
            return NULL;
    }
}

/* `p` is behind the opening quote; returns the closing one. Most end within a block. */
static inline const char *string_end(const char *p, const char *end, bool *escaped)
{
    *escaped = false;
#ifdef __SSE2__
    if (end - p >= STRING_BLOCK) {
        unsigned stops = string_stops(p);
        if (stops && p[__builtin_ctz(stops)] == '"')
            return p + __builtin_ctz(stops);
    }
#endif
    return long_string_end(p, end, escaped);
}

static inline const char *skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

static const char *skip_number(const char *p, const char *end)
{
    if (peek(p, end) == '-')
        p++;
    const char *digits = p;
    p = peek(p, end) == '0' ? p + 1 : skip_digits(p, end);
    if (p == digits)
        return NULL;
    if (peek(p, end) == '.') {
        digits = ++p;
        p = skip_digits(p, end);
        if (p == digits)
            return NULL;
    }
    if (peek(p, end) == 'e' || peek(p, end) == 'E') {
        p++;
        if (peek(p, end) == '+' || peek(p, end) == '-')
            p++;
        digits = p;
        p = skip_digits(p, end);
        if (p == digits)
            return NULL;
    }
    return p;
}

static inline const char *skip_word(const char *p, const char *end, const char *word, size_t len)
{
    return (size_t)(end - p) >= len && memcmp(p, word, len) == 0 ? p + len : NULL;
}

/* Anything but an object or array. */
static inline const char *read_scalar(const char *p, const char *end, struct json_value *out)
{
    const char *begin = p;
    switch (peek(p, end)) {
    case '"':
        begin++;
        p = string_end(begin, end, &out->escaped);
        if (!p)
            return NULL;
        out->ptr = begin;
        out->len = (uint32_t)(p - begin);
        out->type = JSON_TYPE_STRING;
        return p + 1;
    case 't':
        p = skip_word(p, end, "true", 4);
        out->type = JSON_TYPE_TRUE;
        break;
    case 'f':
        p = skip_word(p, end, "false", 5);
        out->type = JSON_TYPE_FALSE;
        break;
    case 'n':
        p = skip_word(p, end, "null", 4);
        out->type = JSON_TYPE_NULL;
        break;
    default:
        p = skip_number(p, end);
        out->type = JSON_TYPE_NUMBER;
    }
    if (!p)
        return NULL;
    out->ptr = begin;
    out->len = (uint32_t)(p - begin);
    return p;
}

/* A key with its quotes and colon; `p` is at the opening quote. Returns where the value begins. */
static inline const char *read_key(const char *p, const char *end, struct json_value *key)
{
    if (peek(p, end) != '"')
        return NULL;
    key->ptr = p + 1;
    p = string_end(p + 1, end, &key->escaped);
    if (!p)
        return NULL;
    key->len = (uint32_t)(p - key->ptr);
    p = skip_blanks(p + 1, end);
    if (peek(p, end) != ':')
        return NULL;
    return skip_blanks(p + 1, end);
}

/* An object or array that no shape looks into; `depth` is its own, from 1. */
static const char *skip_nested(const char *p, const char *end, unsigned depth, uint16_t *count)
{
    uint64_t objects[JSON_DEPTH_MAX / STACK_WORD]; /* bit per level: whether it is an object */
    unsigned level = depth - 1, members = 0;
    bool object = false;
    struct json_value ignored;
    objects[level / STACK_WORD] = 0;
    while (p) {
        char c = peek(p, end);
        bool opened = c == '{' || c == '[';
        if (opened) {
            if (level == JSON_DEPTH_MAX)
                return NULL;
            uint64_t bit = 1ull << level % STACK_WORD;
            object = c == '{';
            if (level % STACK_WORD == 0)
                objects[level / STACK_WORD] = 0;
            objects[level / STACK_WORD] =
                object ? objects[level / STACK_WORD] | bit : objects[level / STACK_WORD] & ~bit;
            level++;
            p = skip_blanks(p + 1, end);
            if (peek(p, end) != (object ? '}' : ']')) {
                members += level == depth;
                p = object ? read_key(p, end, &ignored) : p;
                continue;
            }
        } else {
            p = read_scalar(p, end, &ignored);
            if (!p)
                return NULL;
            p = skip_blanks(p, end);
        }
        while (peek(p, end) == (object ? '}' : ']')) {
            p++;
            if (--level < depth) {
                *count = (uint16_t)(members < UINT16_MAX ? members : UINT16_MAX);
                return p;
            }
            object = objects[(level - 1) / STACK_WORD] >> (level - 1) % STACK_WORD & 1;
            p = skip_blanks(p, end);
        }
        if (peek(p, end) != ',')
            return NULL;
        members += level == depth;
        p = skip_blanks(p + 1, end);
        if (object)
            p = read_key(p, end, &ignored);
    }
    return NULL;
}

static inline const char *read_value(const char *p, const char *end, unsigned depth,
                                     struct json_value *out)
{
    char c = peek(p, end);
    if (c != '{' && c != '[')
        return read_scalar(p, end, out);
    out->type = c == '{' ? JSON_TYPE_OBJECT : JSON_TYPE_ARRAY;
    out->ptr = p;
    p = skip_nested(p, end, depth, &out->count);
    if (p)
        out->len = (uint32_t)(p - out->ptr);
    return p;
}

/* A bit for each key of the shape that has this tag. */
static inline uint64_t tag_matches(const struct json_shape *shape, uint8_t tag)
{
    uint64_t found = 0;
    for (unsigned at = 0; at < shape->count; at += TAG_BLOCK) {
#ifdef __SSE2__
        __m128i tags = _mm_loadu_si128((const __m128i *)(shape->tags + at));
        __m128i same = _mm_cmpeq_epi8(tags, _mm_set1_epi8((char)tag));
        found |= (uint64_t)(unsigned)_mm_movemask_epi8(same) << at;
#else
        for (unsigned i = 0; i < TAG_BLOCK; i++)
            found |= (uint64_t)(shape->tags[at + i] == tag) << (at + i);
#endif
    }
    return found & ((1ull << shape->count) - 1);
}

/* Names are padded to JSON_KEY_BYTES_MAX. */
static inline bool same_name(const char *name, const char *ptr, size_t len, const char *end)
{
#ifdef __SSE2__
    if (len <= 16 && end - ptr >= 16) {
        __m128i same = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)name),
                                      _mm_loadu_si128((const __m128i *)ptr));
        unsigned want = (1u << len) - 1;
        return ((unsigned)_mm_movemask_epi8(same) & want) == want;
    }
#else
    (void)end;
#endif
    return memcmp(name, ptr, len) == 0;
}

enum { NO_KEY = -1 };

static inline int find_plain_key(const struct json_shape *shape, const char *ptr, size_t len,
                                 const char *end)
{
    if (len == 0)
        return NO_KEY;
    uint8_t tag = (uint8_t)((uint8_t)ptr[0] * 7u + (len + 1) * 37u);
    for (uint64_t found = tag_matches(shape, tag); found; found &= found - 1) {
        int i = __builtin_ctzll(found);
        if (shape->keys[i].len == len && same_name(shape->keys[i].name, ptr, len, end))
            return i;
    }
    return NO_KEY;
}

/* R8: escapes in keys count as what they stand for. No key of a shape is anything but ASCII. */
static int find_escaped_key(const struct json_shape *shape, const struct json_value *key)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char plain[JSON_KEY_BYTES_MAX];
    size_t len = 0;
    for (const char *p = key->ptr, *end = p + key->len; p < end; len++) {
        if (len == sizeof(plain))
            return NO_KEY;
        if (*p != '\\') {
            plain[len] = *p++;
        } else if (p[1] != 'u') {
            plain[len] = to[strchr(from, p[1]) - from];
            p += 2;
        } else {
            const char digits[5] = {p[2], p[3], p[4], p[5], '\0'};
            unsigned long unit = strtoul(digits, NULL, 16);
            if (unit > 0x7E)
                return NO_KEY;
            plain[len] = (char)unit;
            p += 6;
        }
    }
    return find_plain_key(shape, plain, len, plain + sizeof(plain));
}

static inline int find_key(const struct json_shape *shape, const struct json_value *key,
                           const char *end)
{
    if (key->escaped)
        return find_escaped_key(shape, key);
    return find_plain_key(shape, key->ptr, key->len, end);
}

static const char *read_object(const char *p, const char *end, unsigned depth,
                               const struct json_shape *shape, struct json_value *slots,
                               uint16_t *count);

/* An array whose first element, if an object, is of the shape; `p` is at the bracket. */
static const char *read_array(const char *p, const char *end, unsigned depth,
                              const struct json_shape *shape, struct json_value *slots,
                              uint16_t *count)
{
    struct json_value ignored;
    unsigned elements = 0;
    p = skip_blanks(p + 1, end);
    if (peek(p, end) == ']') {
        *count = 0;
        return p + 1;
    }
    for (;;) {
        if (elements++ == 0 && peek(p, end) == '{')
            p = read_object(p, end, depth + 1, shape, slots, &ignored.count);
        else
            p = read_value(p, end, depth + 1, &ignored);
        if (!p)
            return NULL;
        p = skip_blanks(p, end);
        if (peek(p, end) == ']') {
            *count = (uint16_t)(elements < UINT16_MAX ? elements : UINT16_MAX);
            return p + 1;
        }
        if (peek(p, end) != ',')
            return NULL;
        p = skip_blanks(p + 1, end);
    }
}

/* The value of a key that the shape has. */
static inline const char *read_member(const char *p, const char *end, unsigned depth,
                                      const struct json_shape *shape, int key,
                                      struct json_value *slots)
{
    const struct json_shape *inside = shape->keys[key].inside;
    struct json_value *out = &slots[key];
    char c = peek(p, end);
    if (!inside)
        return read_value(p, end, depth + 1, out);
    struct json_value *inner = slots + shape->keys[key].at;
    if (out->type != JSON_TYPE_NONE) /* an equal key came before: what it held is gone */
        memset(inner, 0, inside->slots * sizeof(*inner));
    if (c != '{' && c != '[')
        return read_scalar(p, end, out);
    out->type = c == '{' ? JSON_TYPE_OBJECT : JSON_TYPE_ARRAY;
    out->ptr = p;
    p = (c == '{' ? read_object : read_array)(p, end, depth + 1, inside, inner, &out->count);
    if (p)
        out->len = (uint32_t)(p - out->ptr);
    return p;
}

/* `p` is at the brace; slots are zero but for what this object says. */
static const char *read_object(const char *p, const char *end, unsigned depth,
                               const struct json_shape *shape, struct json_value *slots,
                               uint16_t *count)
{
    unsigned members = 0;
    p = skip_blanks(p + 1, end);
    if (peek(p, end) == '}') {
        *count = 0;
        return p + 1;
    }
    for (;;) {
        struct json_value key, ignored;
        p = read_key(p, end, &key);
        if (!p)
            return NULL;
        int found = find_key(shape, &key, end);
        if (found == NO_KEY)
            p = read_value(p, end, depth + 1, &ignored);
        else
            p = read_member(p, end, depth, shape, found, slots);
        if (!p)
            return NULL;
        members++;
        p = skip_blanks(p, end);
        if (peek(p, end) == '}') {
            *count = (uint16_t)(members < UINT16_MAX ? members : UINT16_MAX);
            return p + 1;
        }
        if (peek(p, end) != ',')
            return NULL;
        p = skip_blanks(p + 1, end);
    }
}

bool json_read(struct str text, const struct json_shape *shape, struct json_value *whole,
               struct json_value *slots)
{
    if (text.len == 0 || text.len > UINT32_MAX)
        return false;
    const char *end = text.ptr + text.len;
    const char *p = skip_blanks(text.ptr, end);
    *whole = (struct json_value){.ptr = p};
    if (shape) {
        assert(shape->count <= JSON_KEYS_MAX && shape->slots >= shape->count);
        memset(slots, 0, shape->slots * sizeof(*slots));
    }
    if (shape && peek(p, end) == '{') {
        whole->type = JSON_TYPE_OBJECT;
        p = read_object(p, end, 1, shape, slots, &whole->count);
        if (p)
            whole->len = (uint32_t)(p - whole->ptr);
    } else {
        p = read_value(p, end, 1, whole);
    }
    return p && skip_blanks(p, end) == end;
}

void json_fill(const struct json_value *object, const struct json_shape *shape,
               struct json_value *slots)
{
    struct json_value whole;
    if (object->type != JSON_TYPE_OBJECT) {
        memset(slots, 0, shape->slots * sizeof(*slots));
        return;
    }
    bool valid = json_read(str_make(object->ptr, object->len), shape, &whole, slots);
    assert(valid); /* it was, when the view was made */
    (void)valid;
}

struct json_items json_items(const struct json_value *array)
{
    struct json_items items = {0};
    if (array->type == JSON_TYPE_ARRAY)
        items = (struct json_items){array->ptr + 1, array->ptr + array->len - 1};
    return items;
}

bool json_next(struct json_items *items, struct json_value *element)
{
    items->at = skip_blanks(items->at, items->end);
    if (items->at == items->end)
        return false;
    *element = (struct json_value){.ptr = items->at};
    items->at = read_value(items->at, items->end, 1, element);
    assert(items->at); /* part of a valid text */
    items->at = skip_blanks(items->at, items->end);
    if (peek(items->at, items->end) == ',')
        items->at++;
    return true;
}

bool json_next_is_object(const struct json_items *items)
{
    return peek(skip_blanks(items->at, items->end), items->end) == '{';
}

bool json_front(const struct json_value *array, struct json_value *front)
{
    if (array->type != JSON_TYPE_ARRAY)
        return false;
    const char *p = array->ptr, *end = p + array->len;
    while (peek(p, end) == '[')
        p = skip_blanks(p + 1, end);
    if (peek(p, end) == ']')
        return false;
    *front = (struct json_value){.ptr = p};
    p = read_value(p, end, 1, front);
    assert(p); /* part of a valid text */
    return true;
}
