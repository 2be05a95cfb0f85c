#include "wire/dialect.h"

/* R23: for each count the places it is stated in, the best first. */

#define USAGE_KEYS(X)                                                                              \
    X(USAGE_PROMPT_TOKENS, "prompt_tokens", NULL, 0)                                               \
    X(USAGE_INPUT_TOKENS, "input_tokens", NULL, 0)                                                 \
    X(USAGE_COMPLETION_TOKENS, "completion_tokens", NULL, 0)                                       \
    X(USAGE_OUTPUT_TOKENS, "output_tokens", NULL, 0)                                               \
    X(USAGE_COMPLETION_DETAILS, "completion_tokens_details", NULL, 0)                              \
    X(USAGE_OUTPUT_DETAILS, "output_tokens_details", NULL, 0)                                      \
    X(USAGE_PROMPT_DETAILS, "prompt_tokens_details", NULL, 0)                                      \
    X(USAGE_INPUT_DETAILS, "input_tokens_details", NULL, 0)                                        \
    X(USAGE_REASONING_TOKENS, "reasoning_tokens", NULL, 0)                                         \
    X(USAGE_CACHE_READ, "cache_read_input_tokens", NULL, 0)                                        \
    X(USAGE_CACHE_HIT, "prompt_cache_hit_tokens", NULL, 0)                                         \
    X(USAGE_CACHED_TOKENS, "cached_tokens", NULL, 0)
enum { USAGE_KEYS(JSON_SLOT) USAGE_SLOTS };
JSON_SHAPE(usage_shape, USAGE_KEYS, USAGE_SLOTS);

#define DETAIL_KEYS(X)                                                                             \
    X(DETAIL_REASONING_TOKENS, "reasoning_tokens", NULL, 0)                                        \
    X(DETAIL_CACHED_TOKENS, "cached_tokens", NULL, 0)
enum { DETAIL_KEYS(JSON_SLOT) DETAIL_SLOTS };
JSON_SHAPE(detail_shape, DETAIL_KEYS, DETAIL_SLOTS);

enum { NO_DETAIL = -1, PLACES = 5 };
struct place {
    int slot, detail; /* of the details object in that slot, or NO_DETAIL */
};
struct count_places {
    size_t offset, count;
    struct place places[PLACES];
};

static const struct count_places counts[] = {
    {offsetof(struct wire_usage, prompt_tokens),
     2,
     {{USAGE_PROMPT_TOKENS, NO_DETAIL}, {USAGE_INPUT_TOKENS, NO_DETAIL}}},
    {offsetof(struct wire_usage, completion_tokens),
     2,
     {{USAGE_COMPLETION_TOKENS, NO_DETAIL}, {USAGE_OUTPUT_TOKENS, NO_DETAIL}}},
    {offsetof(struct wire_usage, reasoning_tokens),
     3,
     {{USAGE_COMPLETION_DETAILS, DETAIL_REASONING_TOKENS},
      {USAGE_OUTPUT_DETAILS, DETAIL_REASONING_TOKENS},
      {USAGE_REASONING_TOKENS, NO_DETAIL}}},
    {offsetof(struct wire_usage, cached_tokens),
     5,
     {{USAGE_PROMPT_DETAILS, DETAIL_CACHED_TOKENS},
      {USAGE_INPUT_DETAILS, DETAIL_CACHED_TOKENS},
      {USAGE_CACHE_READ, NO_DETAIL},
      {USAGE_CACHE_HIT, NO_DETAIL},
      {USAGE_CACHED_TOKENS, NO_DETAIL}}},
};

static int64_t count_at(const struct json_value *usage, const struct place *place)
{
    struct json_value details[DETAIL_SLOTS];
    if (place->detail == NO_DETAIL)
        return json_count(&usage[place->slot]);
    json_fill(&usage[place->slot], &detail_shape, details);
    return json_count(&details[place->detail]);
}

void dialect_read_usage(struct answer *a, const struct json_value *usage)
{
    struct json_value slots[USAGE_SLOTS];
    if (usage->type != JSON_TYPE_OBJECT)
        return;
    json_fill(usage, &usage_shape, slots);
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        int64_t count = -1;
        for (size_t k = 0; k < counts[i].count && count < 0; k++)
            count = count_at(slots, &counts[i].places[k]);
        if (count >= 0)
            memcpy((char *)&a->usage + counts[i].offset, &count, sizeof(count));
    }
}
