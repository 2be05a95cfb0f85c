#include "wire/dialect.h"

/* OpenAI Responses (R16): only deltas carry output; the *.done events and the final response
 * repeat. */

#define RESPONSE_KEYS(X)                                                                           \
    X(RESPONSE_USAGE, "usage", NULL, 0)                                                            \
    X(RESPONSE_INCOMPLETE_DETAILS, "incomplete_details", NULL, 0)
enum { RESPONSE_KEYS(JSON_SLOT) RESPONSE_SLOTS };
JSON_SHAPE(response_shape, RESPONSE_KEYS, RESPONSE_SLOTS);

#define INCOMPLETE_KEYS(X) X(INCOMPLETE_REASON, "reason", NULL, 0)
enum { INCOMPLETE_KEYS(JSON_SLOT) INCOMPLETE_SLOTS };
JSON_SHAPE(incomplete_shape, INCOMPLETE_KEYS, INCOMPLETE_SLOTS);

#define ITEM_KEYS(X)                                                                               \
    X(ITEM_TYPE, "type", NULL, 0)                                                                  \
    X(ITEM_NAME, "name", NULL, 0)
enum { ITEM_KEYS(JSON_SLOT) ITEM_SLOTS };
JSON_SHAPE(item_shape, ITEM_KEYS, ITEM_SLOTS);

static const struct {
    struct str kind; /* type is response.KIND.delta */
    enum piece piece;
} deltas[] = {
    {STR("output_text"), PIECE_ANSWER},
    {STR("reasoning_text"), PIECE_REASONING},
    {STR("reasoning_summary_text"), PIECE_REASONING},
    {STR("reasoning"), PIECE_REASONING},
    {STR("reasoning_summary"), PIECE_REASONING},
    {STR("refusal"), PIECE_REFUSAL},
    {STR("function_call_arguments"), PIECE_TOOL},
    {STR("custom_tool_call_input"), PIECE_TOOL},
    {STR("mcp_call_arguments"), PIECE_TOOL},
    {STR("code_interpreter_call_code"), PIECE_TOOL},
    {STR("shell_call_command"), PIECE_TOOL},
    {STR("audio"), PIECE_AUDIO},
    {STR("audio.transcript"), PIECE_AUDIO},
    {STR("output_audio"), PIECE_AUDIO},
    {STR("output_audio_transcript"), PIECE_AUDIO},
};

bool dialect_is_responses(const struct json_value *root)
{
    return json_starts(&root[ROOT_TYPE], STR("response."));
}

static void read_delta(struct answer *a, struct str kind, const struct json_value *delta)
{
    for (size_t i = 0; i < ARRAY_LEN(deltas); i++) {
        if (!str_eq(deltas[i].kind, kind))
            continue;
        bool sound = str_ends(kind, STR("audio"));
        if (!json_nonempty(delta))
            return;
        if (sound)
            answer_mark(a, PIECE_AUDIO);
        else
            answer_add(a, deltas[i].piece, 0, delta);
    }
}

static void read_item(struct answer *a, const struct json_value *item)
{
    static const struct str tools[] = {STR("function_call"), STR("custom_tool_call"),
                                       STR("mcp_call")};
    struct json_value slots[ITEM_SLOTS];
    json_fill(item, &item_shape, slots);
    for (size_t i = 0; i < ARRAY_LEN(tools); i++)
        if (json_is(&slots[ITEM_TYPE], tools[i]) && json_nonempty(&slots[ITEM_NAME]))
            answer_add(a, PIECE_TOOL, 0, &slots[ITEM_NAME]);
}

static void read_end(struct answer *a, struct str how, const struct json_value *details)
{
    static const struct str ends[] = {STR("completed"), STR("incomplete"), STR("failed"),
                                      STR("cancelled")};
    struct json_value slots[INCOMPLETE_SLOTS];
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        if (!str_eq(ends[i], how))
            continue;
        a->terminated = true;
        json_fill(details, &incomplete_shape, slots);
        if (str_eq(how, STR("incomplete")) && json_nonempty(&slots[INCOMPLETE_REASON]))
            answer_finish(a, &slots[INCOMPLETE_REASON]);
        else
            answer_finish_text(a, how);
    }
}

void dialect_read_responses(struct answer *a, const struct json_value *root)
{
    struct json_value response[RESPONSE_SLOTS];
    struct buf decoded = {0};
    json_fill(&root[ROOT_RESPONSE], &response_shape, response);
    dialect_read_usage(a, &response[RESPONSE_USAGE]);
    json_decode(&root[ROOT_TYPE], &decoded);
    struct str type = str_from(buf_str(&decoded), STR("response.").len);
    struct str ending = STR(".delta");
    if (str_ends(type, ending))
        read_delta(a, str_upto(type, type.len - ending.len), &root[ROOT_DELTA]);
    else if (str_eq(type, STR("output_item.added")))
        read_item(a, &root[ROOT_ITEM]);
    else
        read_end(a, type, &response[RESPONSE_INCOMPLETE_DETAILS]);
    buf_done(&decoded);
}
