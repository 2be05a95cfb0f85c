#include "wire/dialect.h"

/* Ollama's own API, /api/chat and /api/generate (R16). */

#define MESSAGE_KEYS(X)                                                                            \
    X(MESSAGE_CONTENT, "content", NULL, 0)                                                         \
    X(MESSAGE_THINKING, "thinking", NULL, 0)                                                       \
    X(MESSAGE_TOOL_CALLS, "tool_calls", NULL, 0)
enum { MESSAGE_KEYS(JSON_SLOT) MESSAGE_SLOTS };
JSON_SHAPE(message_shape, MESSAGE_KEYS, MESSAGE_SLOTS);

bool dialect_is_ollama(const struct json_value *root)
{
    return root[ROOT_DONE].type == JSON_TYPE_TRUE || root[ROOT_DONE].type == JSON_TYPE_FALSE;
}

static void add(struct answer *a, enum piece piece, const struct json_value *text)
{
    if (text->type == JSON_TYPE_STRING)
        answer_add(a, piece, 0, text);
}

void dialect_read_ollama(struct answer *a, const struct json_value *root)
{
    struct json_value message[MESSAGE_SLOTS];
    json_fill(&root[ROOT_MESSAGE], &message_shape, message);
    add(a, PIECE_ANSWER, &message[MESSAGE_CONTENT]);
    add(a, PIECE_ANSWER, &root[ROOT_RESPONSE]);
    add(a, PIECE_REASONING, &message[MESSAGE_THINKING]);
    add(a, PIECE_REASONING, &root[ROOT_THINKING]);
    if (message[MESSAGE_TOOL_CALLS].type == JSON_TYPE_ARRAY &&
        message[MESSAGE_TOOL_CALLS].count > 0)
        answer_mark(a, PIECE_TOOL);
    answer_finish(a, &root[ROOT_DONE_REASON]);
    answer_count(&a->usage.prompt_tokens, &root[ROOT_PROMPT_EVAL_COUNT]);
    answer_count(&a->usage.completion_tokens, &root[ROOT_EVAL_COUNT]);
    a->terminated |= root[ROOT_DONE].type == JSON_TYPE_TRUE;
}
