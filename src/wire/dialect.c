#include "wire/dialect.h"

#include "wire/json_text.h"

JSON_SHAPE_SHARED(error_shape, ERROR_KEYS, ERROR_SLOTS);
JSON_SHAPE_SHARED(delta_shape, DELTA_KEYS, DELTA_SLOTS);
JSON_SHAPE_SHARED(choice_shape, CHOICE_KEYS, CHOICE_SLOTS);
JSON_SHAPE_SHARED(root_shape, ROOT_KEYS, ROOT_SLOTS);

static bool is_usage(const struct json_value *root)
{
    return root[ROOT_USAGE].type == JSON_TYPE_OBJECT;
}

static void read_usage(struct answer *a, const struct json_value *root)
{
    dialect_read_usage(a, &root[ROOT_USAGE]);
}

/* R11: the first that matches. */
static const struct dialect dialects[] = {
    {"openai-responses", dialect_is_responses, dialect_read_responses, true, false},
    {"anthropic-messages", dialect_is_anthropic, dialect_read_anthropic, false, false},
    {"openai-chat", dialect_is_chat, dialect_read_choices, false, false},
    {"openai-completions", dialect_is_completions, dialect_read_choices, false, false},
    {"openai-chat", dialect_says_chat, dialect_read_choices, false, false},
    {NULL, dialect_has_choices, dialect_read_choices, false, false},
    {"ollama", dialect_is_ollama, dialect_read_ollama, true, false},
    {"tgi", dialect_is_tgi, dialect_read_tgi, true, false},
    {"triton", dialect_is_triton, dialect_read_triton, false, true},
    {"dashscope", dialect_is_dashscope, dialect_read_dashscope, false, false},
    {NULL, is_usage, read_usage, false, false},
};

const struct dialect *dialect_of(const struct json_value *root)
{
    for (size_t i = 0; i < ARRAY_LEN(dialects); i++)
        if (dialects[i].matches(root))
            return &dialects[i];
    return NULL;
}
