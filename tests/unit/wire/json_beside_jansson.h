#ifndef WEIR_TEST_JSON_BESIDE_JANSSON_H
#define WEIR_TEST_JSON_BESIDE_JANSSON_H

#include <jansson.h>
#include <stdlib.h>

#include "wire/json_text.h"

/*
 * Holds wire/json against jansson: what jansson takes the scanner must take with equal values; what
 * only the scanner takes must be a number out of jansson's range, a lone surrogate, U+0000, invalid
 * UTF-8, or depth. Used by the unit test and the fuzzer.
 */

#define BESIDE_INNER_KEYS(X)                                                                       \
    X(INNER_A, "a", NULL, 0)                                                                       \
    X(INNER_B, "b", NULL, 0)
enum { BESIDE_INNER_KEYS(JSON_SLOT) INNER_SLOTS };
JSON_SHAPE(beside_inner, BESIDE_INNER_KEYS, INNER_SLOTS);

/* Lengths around a block of 16, an equal tag or two, keys that need escapes. */
#define BESIDE_KEYS(X)                                                                             \
    X(BESIDE_A, "a", NULL, 0)                                                                      \
    X(BESIDE_IN, "in", &beside_inner, BESIDE_KEYS_END)                                             \
    X(BESIDE_B, "b", NULL, 0)                                                                      \
    X(BESIDE_AC, "ac", NULL, 0)                                                                    \
    X(BESIDE_AB, "ab", NULL, 0)                                                                    \
    X(BESIDE_15, "fifteen_letters", NULL, 0)                                                       \
    X(BESIDE_16, "sixteen_letters_", NULL, 0)                                                      \
    X(BESIDE_17, "seventeen_letters", NULL, 0)                                                     \
    X(BESIDE_18, "seventeen_letterz", NULL, 0)                                                     \
    X(BESIDE_QUOTE, "q\"/\n", NULL, 0)
enum { BESIDE_KEYS(JSON_SLOT) BESIDE_KEYS_END, BESIDE_SLOTS = BESIDE_KEYS_END + INNER_SLOTS };
JSON_SHAPE(beside_shape, BESIDE_KEYS, BESIDE_SLOTS);

static bool beside_same_value(const struct json_value *v, const json_t *j);

static bool beside_same_string(const struct json_value *v, const json_t *j)
{
    struct buf text = {0};
    json_decode(v, &text);
    bool same = str_eq(buf_str(&text), str_make(json_string_value(j), json_string_length(j)));
    buf_done(&text);
    return same;
}

static bool beside_same_number(const struct json_value *v, const json_t *j)
{
    char *raw = strndup(v->ptr, v->len);
    bool same = json_is_integer(j) ? strtoll(raw, NULL, 10) == json_integer_value(j)
                                   : !(strtod(raw, NULL) < json_real_value(j)) &&
                                         !(strtod(raw, NULL) > json_real_value(j));
    free(raw);
    return same;
}

static bool beside_same_slots(const struct json_shape *shape, const struct json_value *slots,
                              const json_t *object)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct json_key *key = &shape->keys[i];
        const json_t *member = json_object_get(object, key->name);
        if (!member != (slots[i].type == JSON_TYPE_NONE) ||
            (member && !beside_same_value(&slots[i], member)))
            return false;
        const json_t *inner = json_is_array(member) ? json_array_get(member, 0) : member;
        if (key->inside && json_is_object(inner) &&
            !beside_same_slots(key->inside, slots + key->at, inner))
            return false;
    }
    return true;
}

static bool beside_same_array(const struct json_value *v, const json_t *j)
{
    struct json_items items = json_items(v);
    struct json_value element;
    size_t count = 0;
    while (json_next(&items, &element))
        if (!beside_same_value(&element, json_array_get(j, count++)))
            return false;
    return count == json_array_size(j) && (v->count == count || v->count == UINT16_MAX);
}

static bool beside_same_value(const struct json_value *v, const json_t *j)
{
    struct json_value slots[BESIDE_SLOTS];
    switch ((enum json_type)v->type) {
    case JSON_TYPE_NULL:
        return json_is_null(j);
    case JSON_TYPE_FALSE:
        return json_is_false(j);
    case JSON_TYPE_TRUE:
        return json_is_true(j);
    case JSON_TYPE_NUMBER:
        return json_is_number(j) && beside_same_number(v, j);
    case JSON_TYPE_STRING:
        return json_is_string(j) && beside_same_string(v, j);
    case JSON_TYPE_ARRAY:
        return json_is_array(j) && beside_same_array(v, j);
    case JSON_TYPE_OBJECT:
        if (!json_is_object(j) || (v->count == 0) != (json_object_size(j) == 0))
            return false;
        json_fill(v, &beside_shape, slots);
        return beside_same_slots(&beside_shape, slots, j);
    case JSON_TYPE_NONE:
        return false;
    }
    return false;
}

static bool beside_excused(const json_error_t *error)
{
    switch ((int)json_error_code(error)) {
    case json_error_numeric_overflow:
    case json_error_stack_overflow:
    case json_error_invalid_utf8:
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return true;
    default: /* its word for a lone surrogate has no code of its own */
        return strstr(error->text, "invalid Unicode") != NULL;
    }
}

/* NULL, or what differs. */
static const char *beside_jansson(struct str text)
{
    struct json_value whole, slots[BESIDE_SLOTS];
    json_error_t error;
    bool taken = json_read(text, &beside_shape, &whole, slots);
    bool taken_plain = json_read(text, NULL, &whole, NULL);
    if (taken != taken_plain)
        return "the shape decides what is JSON";
    json_t *j = json_loadb(text.ptr, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    const char *differs = NULL;
    if (!j && taken && !beside_excused(&error))
        differs = "only the scanner takes it";
    else if (j && !taken && !memchr(text.ptr, '\0', text.len))
        differs = "only jansson takes it"; /* it swallows a NUL byte behind a number */
    else if (j && taken && !beside_same_value(&whole, j))
        differs = "the values differ";
    else if (j && taken && json_is_object(j) && !beside_same_slots(&beside_shape, slots, j))
        differs = "the slots differ";
    json_decref(j);
    return differs;
}

#endif
