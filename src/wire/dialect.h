#ifndef WEIR_WIRE_DIALECT_H
#define WEIR_WIRE_DIALECT_H

#include "wire/answer.h"
#include "wire/dialect_shape.h"

/*
 * The dialects of streams, one table entry each: how an event is recognised by its shape (R11) and
 * what it adds to the answer. An event is the root slots of its object (wire/dialect_shape.h).
 */
struct dialect {
    const char *name; /* NULL: this shape decides nothing */
    bool (*matches)(const struct json_value *root);
    void (*read)(struct answer *a, const struct json_value *root);
    bool terminator_finishes; /* its terminator is its only statement that the answer is whole */
    bool no_end_mark;         /* it says nothing at its end (R22) */
};

/* The dialect of an event, or NULL if it carries nothing. */
const struct dialect *dialect_of(const struct json_value *root);

/* dialect_openai_chat.c: chat and completions share their events. */
bool dialect_is_chat(const struct json_value *root);        /* a choice with a delta or message */
bool dialect_is_completions(const struct json_value *root); /* a choice with a text */
bool dialect_says_chat(const struct json_value *root);      /* by its `object` */
bool dialect_has_choices(const struct json_value *root);
void dialect_read_choices(struct answer *a, const struct json_value *root);
/* One delta (or message) of a choice; whether it carried output. */
bool dialect_read_delta(struct answer *a, int64_t choice, const struct json_value *delta);

/* Walks the choices of an event: the slots of each that is an object, and its position. */
struct dialect_choices {
    struct json_items items;
    const struct json_value *only; /* read with the root, if there is but one */
    int64_t position;              /* of the next */
    struct json_value slots[CHOICE_SLOTS];
};
void dialect_choices_start(struct dialect_choices *c, const struct json_value *root);
const struct json_value *dialect_choices_next(struct dialect_choices *c, int64_t *position);

bool dialect_is_responses(const struct json_value *root);
void dialect_read_responses(struct answer *a, const struct json_value *root);
bool dialect_is_anthropic(const struct json_value *root);
void dialect_read_anthropic(struct answer *a, const struct json_value *root);
bool dialect_is_ollama(const struct json_value *root);
void dialect_read_ollama(struct answer *a, const struct json_value *root);
bool dialect_is_tgi(const struct json_value *root);
void dialect_read_tgi(struct answer *a, const struct json_value *root);
bool dialect_is_triton(const struct json_value *root);
void dialect_read_triton(struct answer *a, const struct json_value *root);
bool dialect_is_dashscope(const struct json_value *root);
void dialect_read_dashscope(struct answer *a, const struct json_value *root);

/* dialect_usage.c: R23; nothing if it is no object. */
void dialect_read_usage(struct answer *a, const struct json_value *usage);

/* dialect_error.c: R18, without its last case (the name of the event). */
struct dialect_error {
    struct json_value kind;    /* a string or a number; JSON_TYPE_NONE for null */
    struct json_value message; /* a string, or JSON_TYPE_NONE */
};
bool dialect_find_error(const struct json_value *whole, const struct json_value *root,
                        struct dialect_error *error);
/* kind(E) and message(E) of an object by itself. */
struct dialect_error dialect_error_of(const struct json_value *object);
/* A static text as a value, for a kind that weir gives. */
struct json_value dialect_word(const char *text);

#endif
