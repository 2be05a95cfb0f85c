#include "wire/dialect.h"

/* Text Generation Inference, Triton's generate extension, DashScope's native form (R16). */

#define TOKEN_KEYS(X)                                                                              \
    X(TOKEN_TEXT, "text", NULL, 0)                                                                 \
    X(TOKEN_SPECIAL, "special", NULL, 0)
enum { TOKEN_KEYS(JSON_SLOT) TOKEN_SLOTS };
JSON_SHAPE(token_shape, TOKEN_KEYS, TOKEN_SLOTS);

#define DETAILS_KEYS(X)                                                                            \
    X(DETAILS_FINISH_REASON, "finish_reason", NULL, 0)                                             \
    X(DETAILS_GENERATED_TOKENS, "generated_tokens", NULL, 0)
enum { DETAILS_KEYS(JSON_SLOT) DETAILS_SLOTS };
JSON_SHAPE(details_shape, DETAILS_KEYS, DETAILS_SLOTS);

#define OUTPUT_KEYS(X)                                                                             \
    X(OUTPUT_TEXT, "text", NULL, 0)                                                                \
    X(OUTPUT_FINISH_REASON, "finish_reason", NULL, 0)                                              \
    X(OUTPUT_CHOICES, "choices", NULL, 0)
enum { OUTPUT_KEYS(JSON_SLOT) OUTPUT_SLOTS };
JSON_SHAPE(output_shape, OUTPUT_KEYS, OUTPUT_SLOTS);

static void add(struct answer *a, const struct json_value *text)
{
    if (text->type == JSON_TYPE_STRING)
        answer_add(a, PIECE_ANSWER, 0, text);
}

bool dialect_is_tgi(const struct json_value *root)
{
    return root[ROOT_TOKEN].type == JSON_TYPE_OBJECT;
}

void dialect_read_tgi(struct answer *a, const struct json_value *root)
{
    struct json_value token[TOKEN_SLOTS], details[DETAILS_SLOTS];
    json_fill(&root[ROOT_TOKEN], &token_shape, token);
    json_fill(&root[ROOT_DETAILS], &details_shape, details);
    if (token[TOKEN_SPECIAL].type != JSON_TYPE_TRUE)
        add(a, &token[TOKEN_TEXT]);
    answer_finish(a, &details[DETAILS_FINISH_REASON]);
    answer_count(&a->usage.completion_tokens, &details[DETAILS_GENERATED_TOKENS]);
    a->terminated |= root[ROOT_GENERATED_TEXT].type == JSON_TYPE_STRING;
}

bool dialect_is_triton(const struct json_value *root)
{
    return root[ROOT_TEXT_OUTPUT].type == JSON_TYPE_STRING;
}

void dialect_read_triton(struct answer *a, const struct json_value *root)
{
    add(a, &root[ROOT_TEXT_OUTPUT]);
}

bool dialect_is_dashscope(const struct json_value *root)
{
    return root[ROOT_OUTPUT].type == JSON_TYPE_OBJECT;
}

/* Until the end the reason is stated as the string "null". */
static void finish(struct answer *a, const struct json_value *reason)
{
    if (!json_nonempty(reason) || json_is(reason, STR("null")))
        return;
    answer_finish(a, reason);
    answer_choice(a, 0)->finished = true;
}

void dialect_read_dashscope(struct answer *a, const struct json_value *root)
{
    struct json_value output[OUTPUT_SLOTS], choice, slots[CHOICE_SLOTS], delta[DELTA_SLOTS];
    json_fill(&root[ROOT_OUTPUT], &output_shape, output);
    answer_choice(a, 0);
    add(a, &output[OUTPUT_TEXT]);
    finish(a, &output[OUTPUT_FINISH_REASON]);
    struct json_items choices = json_items(&output[OUTPUT_CHOICES]);
    while (json_next(&choices, &choice)) {
        json_fill(&choice, &choice_shape, slots);
        json_fill(&slots[CHOICE_MESSAGE], &delta_shape, delta);
        dialect_read_delta(a, 0, delta);
        finish(a, &slots[CHOICE_FINISH_REASON]);
    }
    answer_choice(a, 0)->spoke |= a->pieces != 0;
    dialect_read_usage(a, &root[ROOT_USAGE]);
}
