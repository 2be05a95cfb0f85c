#include "wire/dialect.h"

/* OpenAI chat completions and what is modelled on them; the legacy completions too (R11–R15). */

#define PART_KEYS(X)                                                                               \
    X(PART_TYPE, "type", NULL, 0)                                                                  \
    X(PART_TEXT, "text", NULL, 0)                                                                  \
    X(PART_SUMMARY, "summary", NULL, 0)                                                            \
    X(PART_THINKING, "thinking", NULL, 0)
enum { PART_KEYS(JSON_SLOT) PART_SLOTS };
JSON_SHAPE(part_shape, PART_KEYS, PART_SLOTS);

#define CALL_KEYS(X)                                                                               \
    X(CALL_FUNCTION, "function", NULL, 0)                                                          \
    X(CALL_CUSTOM, "custom", NULL, 0)
enum { CALL_KEYS(JSON_SLOT) CALL_SLOTS };
JSON_SHAPE(call_shape, CALL_KEYS, CALL_SLOTS);

#define FUNCTION_KEYS(X)                                                                           \
    X(FUNCTION_NAME, "name", NULL, 0)                                                              \
    X(FUNCTION_ARGUMENTS, "arguments", NULL, 0)                                                    \
    X(FUNCTION_INPUT, "input", NULL, 0)
enum { FUNCTION_KEYS(JSON_SLOT) FUNCTION_SLOTS };
JSON_SHAPE(function_shape, FUNCTION_KEYS, FUNCTION_SLOTS);

#define AUDIO_KEYS(X)                                                                              \
    X(AUDIO_DATA, "data", NULL, 0)                                                                 \
    X(AUDIO_TRANSCRIPT, "transcript", NULL, 0)
enum { AUDIO_KEYS(JSON_SLOT) AUDIO_SLOTS };
JSON_SHAPE(audio_shape, AUDIO_KEYS, AUDIO_SLOTS);

#define GROQ_KEYS(X) X(GROQ_USAGE, "usage", NULL, 0)
enum { GROQ_KEYS(JSON_SLOT) GROQ_SLOTS };
JSON_SHAPE(groq_shape, GROQ_KEYS, GROQ_SLOTS);

void dialect_choices_start(struct dialect_choices *c, const struct json_value *root)
{
    const struct json_value *choices = &root[ROOT_CHOICES];
    c->items = json_items(choices);
    c->only = choices->type == JSON_TYPE_ARRAY && choices->count == 1 ? root + ROOT_KEYS_END : NULL;
    c->position = 0;
}

const struct json_value *dialect_choices_next(struct dialect_choices *c, int64_t *position)
{
    struct json_value choice;
    if (c->only) {
        bool object = json_next_is_object(&c->items);
        const struct json_value *only = object ? c->only : NULL;
        c->items = (struct json_items){0};
        c->only = NULL;
        *position = 0;
        return only;
    }
    while (json_next(&c->items, &choice)) {
        *position = c->position++;
        if (choice.type == JSON_TYPE_OBJECT) {
            json_fill(&choice, &choice_shape, c->slots);
            return c->slots;
        }
    }
    return NULL;
}

bool dialect_has_choices(const struct json_value *root)
{
    return root[ROOT_CHOICES].type != JSON_TYPE_NONE;
}

bool dialect_is_chat(const struct json_value *root)
{
    struct dialect_choices choices;
    const struct json_value *choice;
    int64_t position;
    dialect_choices_start(&choices, root);
    while ((choice = dialect_choices_next(&choices, &position)))
        if (choice[CHOICE_DELTA].type == JSON_TYPE_OBJECT ||
            choice[CHOICE_MESSAGE].type == JSON_TYPE_OBJECT)
            return true;
    return false;
}

bool dialect_is_completions(const struct json_value *root)
{
    struct dialect_choices choices;
    const struct json_value *choice;
    int64_t position;
    if (!dialect_has_choices(root))
        return false;
    if (json_is(&root[ROOT_OBJECT], STR("text_completion")))
        return true;
    dialect_choices_start(&choices, root);
    while ((choice = dialect_choices_next(&choices, &position)))
        if (choice[CHOICE_TEXT].type == JSON_TYPE_STRING)
            return true;
    return false;
}

bool dialect_says_chat(const struct json_value *root)
{
    return dialect_has_choices(root) && json_starts(&root[ROOT_OBJECT], STR("chat.completion"));
}

/* The strings under `slot` of each object in an array. */
static bool add_each(struct answer *a, enum piece piece, int64_t choice,
                     const struct json_value *array, const int *slots, size_t count)
{
    struct json_items items = json_items(array);
    struct json_value item, part[PART_SLOTS];
    bool added = false;
    while (json_next(&items, &item)) {
        json_fill(&item, &part_shape, part);
        for (size_t i = 0; i < count; i++)
            if (part[slots[i]].type == JSON_TYPE_STRING)
                added |= answer_add(a, piece, choice, &part[slots[i]]);
    }
    return added;
}

static bool add_string(struct answer *a, enum piece piece, int64_t choice,
                       const struct json_value *v)
{
    return v->type == JSON_TYPE_STRING && answer_add(a, piece, choice, v);
}

/* The parts of a content array: of type text (answer), or of type thinking (reasoning). */
static bool add_parts(struct answer *a, enum piece piece, int64_t choice,
                      const struct json_value *content)
{
    static const int text[] = {PART_TEXT};
    struct json_items items = json_items(content);
    struct json_value item, part[PART_SLOTS];
    bool added = false;
    while (json_next(&items, &item)) {
        json_fill(&item, &part_shape, part);
        if (piece == PIECE_ANSWER && json_is(&part[PART_TYPE], STR("text")))
            added |= add_string(a, piece, choice, &part[PART_TEXT]);
        if (piece == PIECE_REASONING && json_is(&part[PART_TYPE], STR("thinking")))
            added |= add_string(a, piece, choice, &part[PART_THINKING]) ||
                     add_each(a, piece, choice, &part[PART_THINKING], text, ARRAY_LEN(text));
    }
    return added;
}

/* R13: the first that says anything; they repeat each other. */
static bool add_reasoning(struct answer *a, int64_t choice, const struct json_value *delta)
{
    static const int text_or_summary[] = {PART_TEXT, PART_SUMMARY};
    return add_string(a, PIECE_REASONING, choice, &delta[DELTA_REASONING_CONTENT]) ||
           add_string(a, PIECE_REASONING, choice, &delta[DELTA_REASONING]) ||
           add_each(a, PIECE_REASONING, choice, &delta[DELTA_REASONING_DETAILS], text_or_summary,
                    ARRAY_LEN(text_or_summary)) ||
           add_parts(a, PIECE_REASONING, choice, &delta[DELTA_CONTENT]);
}

static bool add_function(struct answer *a, int64_t choice, const struct json_value *function)
{
    struct json_value slots[FUNCTION_SLOTS];
    json_fill(function, &function_shape, slots);
    bool stated = slots[FUNCTION_ARGUMENTS].type != JSON_TYPE_NONE;
    const struct json_value *arguments = &slots[stated ? FUNCTION_ARGUMENTS : FUNCTION_INPUT];
    bool added = add_string(a, PIECE_TOOL, choice, &slots[FUNCTION_NAME]);
    added |= add_string(a, PIECE_TOOL, choice, arguments);
    if (arguments->type == JSON_TYPE_OBJECT && arguments->count > 0) {
        answer_mark(a, PIECE_TOOL);
        added = true;
    }
    return added;
}

static bool add_tools(struct answer *a, int64_t choice, const struct json_value *delta)
{
    struct json_items calls = json_items(&delta[DELTA_TOOL_CALLS]);
    struct json_value call, slots[CALL_SLOTS];
    bool added = false;
    while (json_next(&calls, &call)) {
        json_fill(&call, &call_shape, slots);
        added |= add_function(a, choice, &slots[CALL_FUNCTION]);
        added |= add_function(a, choice, &slots[CALL_CUSTOM]);
    }
    if (delta[DELTA_FUNCTION_CALL].type == JSON_TYPE_OBJECT)
        added |= add_function(a, choice, &delta[DELTA_FUNCTION_CALL]);
    return added;
}

static bool add_audio(struct answer *a, int64_t choice, const struct json_value *audio)
{
    struct json_value slots[AUDIO_SLOTS];
    if (audio->type != JSON_TYPE_OBJECT)
        return false;
    json_fill(audio, &audio_shape, slots);
    bool added = add_string(a, PIECE_AUDIO, choice, &slots[AUDIO_TRANSCRIPT]);
    if (json_nonempty(&slots[AUDIO_DATA])) {
        answer_mark(a, PIECE_AUDIO);
        added = true;
    }
    return added;
}

bool dialect_read_delta(struct answer *a, int64_t choice, const struct json_value *delta)
{
    const struct json_value *content = &delta[DELTA_CONTENT];
    bool spoke = content->type == JSON_TYPE_ARRAY ? add_parts(a, PIECE_ANSWER, choice, content)
                                                  : answer_add(a, PIECE_ANSWER, choice, content);
    spoke |= add_reasoning(a, choice, delta);
    spoke |= add_tools(a, choice, delta);
    spoke |= add_string(a, PIECE_REFUSAL, choice, &delta[DELTA_REFUSAL]);
    spoke |= add_audio(a, choice, &delta[DELTA_AUDIO]);
    return spoke;
}

/* R12: a message without a delta is read unless it can only be a repeat. */
static void read_choice(struct answer *a, int64_t number, const struct json_value *choice)
{
    struct answer_choice *state = answer_choice(a, number);
    struct json_value message[DELTA_SLOTS];
    const struct json_value *delta = NULL;
    if (choice[CHOICE_DELTA].type == JSON_TYPE_OBJECT) {
        delta = choice + CHOICE_KEYS_END;
    } else if (choice[CHOICE_MESSAGE].type == JSON_TYPE_OBJECT && !state->spoke) {
        json_fill(&choice[CHOICE_MESSAGE], &delta_shape, message);
        delta = message;
    }
    if (delta)
        state->spoke |= dialect_read_delta(a, number, delta);
    else
        state->spoke |= add_string(a, PIECE_ANSWER, number, &choice[CHOICE_TEXT]);
    if (json_nonempty(&choice[CHOICE_FINISH_REASON])) {
        state->finished = true;
        if (number == 0)
            answer_finish(a, &choice[CHOICE_FINISH_REASON]);
    }
}

void dialect_read_choices(struct answer *a, const struct json_value *root)
{
    struct dialect_choices choices;
    const struct json_value *choice;
    struct json_value usage = root[ROOT_USAGE], groq[GROQ_SLOTS];
    int64_t position;
    if (usage.type != JSON_TYPE_OBJECT && root[ROOT_X_GROQ].type == JSON_TYPE_OBJECT) {
        json_fill(&root[ROOT_X_GROQ], &groq_shape, groq);
        usage = groq[GROQ_USAGE];
    }
    dialect_choices_start(&choices, root);
    while ((choice = dialect_choices_next(&choices, &position))) {
        int64_t index = json_count(&choice[CHOICE_INDEX]);
        read_choice(a, index >= 0 ? index : position, choice);
        if (usage.type != JSON_TYPE_OBJECT)
            usage = choice[CHOICE_USAGE];
    }
    dialect_read_usage(a, &usage);
}
