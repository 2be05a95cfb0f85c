#include "wire/dialect.h"

/* Anthropic Messages (R16). */

#define MESSAGE_KEYS(X) X(MESSAGE_USAGE, "usage", NULL, 0)
enum { MESSAGE_KEYS(JSON_SLOT) MESSAGE_SLOTS };
JSON_SHAPE(message_shape, MESSAGE_KEYS, MESSAGE_SLOTS);

/* Content blocks and their deltas. */
#define BLOCK_KEYS(X)                                                                              \
    X(BLOCK_TYPE, "type", NULL, 0)                                                                 \
    X(BLOCK_TEXT, "text", NULL, 0)                                                                 \
    X(BLOCK_THINKING, "thinking", NULL, 0)                                                         \
    X(BLOCK_NAME, "name", NULL, 0)                                                                 \
    X(BLOCK_PARTIAL_JSON, "partial_json", NULL, 0)                                                 \
    X(BLOCK_STOP_REASON, "stop_reason", NULL, 0)
enum { BLOCK_KEYS(JSON_SLOT) BLOCK_SLOTS };
JSON_SHAPE(block_shape, BLOCK_KEYS, BLOCK_SLOTS);

static void add(struct answer *a, enum piece piece, const struct json_value *text)
{
    if (text->type == JSON_TYPE_STRING)
        answer_add(a, piece, 0, text);
}

static void message_start(struct answer *a, const struct json_value *root)
{
    struct json_value message[MESSAGE_SLOTS];
    json_fill(&root[ROOT_MESSAGE], &message_shape, message);
    dialect_read_usage(a, &message[MESSAGE_USAGE]);
}

static void block_start(struct answer *a, const struct json_value *root)
{
    struct json_value block[BLOCK_SLOTS];
    json_fill(&root[ROOT_CONTENT_BLOCK], &block_shape, block);
    if (json_is(&block[BLOCK_TYPE], STR("text")))
        add(a, PIECE_ANSWER, &block[BLOCK_TEXT]);
    else if (json_is(&block[BLOCK_TYPE], STR("thinking")))
        add(a, PIECE_REASONING, &block[BLOCK_THINKING]);
    else if (json_ends(&block[BLOCK_TYPE], STR("tool_use")))
        add(a, PIECE_TOOL, &block[BLOCK_NAME]);
}

static void block_delta(struct answer *a, const struct json_value *root)
{
    struct json_value delta[BLOCK_SLOTS];
    json_fill(&root[ROOT_DELTA], &block_shape, delta);
    if (json_is(&delta[BLOCK_TYPE], STR("text_delta")))
        add(a, PIECE_ANSWER, &delta[BLOCK_TEXT]);
    else if (json_is(&delta[BLOCK_TYPE], STR("thinking_delta")))
        add(a, PIECE_REASONING, &delta[BLOCK_THINKING]);
    else if (json_is(&delta[BLOCK_TYPE], STR("input_json_delta")))
        add(a, PIECE_TOOL, &delta[BLOCK_PARTIAL_JSON]);
}

static void message_delta(struct answer *a, const struct json_value *root)
{
    struct json_value delta[BLOCK_SLOTS];
    json_fill(&root[ROOT_DELTA], &block_shape, delta);
    a->stop_reason |= json_nonempty(&delta[BLOCK_STOP_REASON]);
    answer_finish(a, &delta[BLOCK_STOP_REASON]);
    dialect_read_usage(a, &root[ROOT_USAGE]);
}

static void message_stop(struct answer *a, const struct json_value *root)
{
    (void)root;
    a->terminated = true;
}

static void nothing(struct answer *a, const struct json_value *root)
{
    (void)a;
    (void)root;
}

static const struct {
    struct str type;
    void (*read)(struct answer *a, const struct json_value *root);
} events[] = {
    {STR("content_block_delta"), block_delta}, {STR("content_block_start"), block_start},
    {STR("content_block_stop"), nothing},      {STR("message_start"), message_start},
    {STR("message_delta"), message_delta},     {STR("message_stop"), message_stop},
};

bool dialect_is_anthropic(const struct json_value *root)
{
    if (root[ROOT_TYPE].type != JSON_TYPE_STRING)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(events); i++)
        if (json_is(&root[ROOT_TYPE], events[i].type))
            return true;
    return false;
}

void dialect_read_anthropic(struct answer *a, const struct json_value *root)
{
    for (size_t i = 0; i < ARRAY_LEN(events); i++)
        if (json_is(&root[ROOT_TYPE], events[i].type))
            events[i].read(a, root);
}
