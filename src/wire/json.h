#ifndef WEIR_WIRE_JSON_H
#define WEIR_WIRE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/str.h"

/*
 * A validating reader of JSON (RFC 8259, strict: R7–R9 of docs/streams.md) that allocates nothing.
 * A *shape* is a static table of the keys one wants of an object; json_read checks the whole text
 * in one pass and fills a slot for each key of the shape with a view of its value. Keys inside an
 * inner object, or inside the first element of an inner array, can be part of the shape; further
 * elements are read one by one with json_next and json_fill. Of equal keys the last counts.
 *
 * Views point into the text and live as long as it does. Strings are views of what stands between
 * the quotes, escapes and all: see wire/json_text.h. Invalid UTF-8 is no fault here.
 * Reentrant; no state but the caller's.
 */

enum {
    JSON_DEPTH_MAX = 4096, /* deeper nesting is not JSON for weir; uses 512 bytes of stack */
    JSON_KEYS_MAX = 48,    /* of one shape */
    JSON_KEY_BYTES_MAX = 32,
};

enum json_type {
    JSON_TYPE_NONE, /* the key was not there */
    JSON_TYPE_NULL,
    JSON_TYPE_FALSE,
    JSON_TYPE_TRUE,
    JSON_TYPE_NUMBER,
    JSON_TYPE_STRING,
    JSON_TYPE_ARRAY,
    JSON_TYPE_OBJECT,
};

/* A zeroed one is JSON_TYPE_NONE. */
struct json_value {
    const char *ptr; /* strings: behind the opening quote; others: the first byte */
    uint32_t len;    /* strings: without quotes */
    uint8_t type;    /* enum json_type */
    bool escaped;    /* strings: holds escapes; else a backslash would stand for itself */
    uint16_t count;  /* arrays and objects: elements or members, at most UINT16_MAX */
};

struct json_shape;
struct json_key {
    char name[JSON_KEY_BYTES_MAX];
    uint16_t len;
    uint16_t at; /* `inside`: where its slots begin, counted from the slots of this shape */
    const struct json_shape *inside; /* or NULL */
};

/* Slot i belongs to key i; the slots of inner shapes follow where `at` says. */
struct json_shape {
    const uint8_t *tags; /* JSON_KEYS_MAX, zeros behind the last */
    const struct json_key *keys;
    uint16_t count; /* keys */
    uint16_t slots; /* with those of all inner shapes */
};

/*
 * A shape is written as a list of X(SLOT, "key", inner shape or NULL, at), from which come the
 * enum of its slots and its tables:
 *
 *     #define USAGE_KEYS(X) X(USAGE_PROMPT, "prompt_tokens", NULL, 0) ...
 *     enum { USAGE_KEYS(JSON_SLOT) USAGE_SLOTS };
 *     JSON_SHAPE(usage_shape, USAGE_KEYS, USAGE_SLOTS);
 */
#define JSON_SLOT(slot, name, inside, at)    slot,
#define JSON_TAG(slot, name, inside, at)     (uint8_t)((name)[0] * 7u + sizeof(name) * 37u),
#define JSON_KEY_ROW(slot, name, inside, at) {name, sizeof(name) - 1, at, inside},
#define JSON_SHAPE_TABLES(shape, KEYS)                                                             \
    static const uint8_t shape##_tags[JSON_KEYS_MAX] = {KEYS(JSON_TAG)};                           \
    static const struct json_key shape##_keys[] = {KEYS(JSON_KEY_ROW)}
#define JSON_SHAPE_VALUE(shape, slot_count)                                                        \
    {                                                                                              \
        shape##_tags, shape##_keys, ARRAY_LEN(shape##_keys), slot_count                            \
    }
#define JSON_SHAPE(shape, KEYS, slot_count)                                                        \
    JSON_SHAPE_TABLES(shape, KEYS);                                                                \
    static const struct json_shape shape = JSON_SHAPE_VALUE(shape, slot_count)
#define JSON_SHAPE_SHARED(shape, KEYS, slot_count)                                                 \
    JSON_SHAPE_TABLES(shape, KEYS);                                                                \
    const struct json_shape shape = JSON_SHAPE_VALUE(shape, slot_count)

/*
 * Whether `text` is one JSON value. If so `*whole` is its view, and if it is an object and `shape`
 * is not NULL, `slots` (shape->slots of them) are filled. On failure their content is undefined.
 */
MUST_USE bool json_read(struct str text, const struct json_shape *shape, struct json_value *whole,
                        struct json_value *slots);

/* Fills the slots from a value that json_read, json_fill or json_next gave. All slots are
 * JSON_TYPE_NONE if it is no object. */
void json_fill(const struct json_value *object, const struct json_shape *shape,
               struct json_value *slots);

/* The elements of an array that json_read gave, in order; none if it is no array. */
struct json_items {
    const char *at, *end;
};
struct json_items json_items(const struct json_value *array);
bool json_next(struct json_items *items, struct json_value *element);
/* Whether the next element is an object. */
bool json_next_is_object(const struct json_items *items);

/* What stands at the very front of an array, of the array there, and so on: a value that is no
 * array. False if one of them is empty. */
bool json_front(const struct json_value *array, struct json_value *front);

#endif
