/*
 * What reading one chunk costs: the scanner alone, the whole reading of an event, and jansson
 * parsing the same bytes. Rounds are interleaved so that a slow moment of the machine meets all of
 * them; the fastest round of each is printed, as JSON.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wire/dialect_shape.h"
#include "wire/reading.h"

enum { ROUNDS = 30, CHUNKS = 20000 };

static const char chunk[] =
    "{\"id\":\"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG\",\"object\":\"chat.completion.chunk\","
    "\"created\":1741570283,\"model\":\"gpt-4o-2024-08-06\",\"system_fingerprint\":\"fp_"
    "fc9f1d7035\","
    "\"choices\":[{\"index\":0,\"delta\":{\"content\":\" hello\"},\"logprobs\":null,"
    "\"finish_reason\":null}]}";

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static size_t scan(void)
{
    struct json_value whole, slots[ROOT_SLOTS];
    size_t found = 0;
    for (int i = 0; i < CHUNKS; i++) {
        if (!json_read(str_make(chunk, sizeof(chunk) - 1), &root_shape, &whole, slots))
            abort();
        found += slots[ROOT_KEYS_END + CHOICE_KEYS_END + DELTA_CONTENT].len;
    }
    return found;
}

static size_t read_events(void)
{
    static char event[sizeof(chunk) + 8];
    struct reading r;
    size_t len = (size_t)snprintf(event, sizeof(event), "data: %s\n\n", chunk);
    reading_init(&r, &(struct reading_options){0});
    for (int i = 0; i < CHUNKS; i++)
        reading_feed(&r, event, len, i);
    size_t found = (size_t)r.answer_chars;
    reading_done(&r);
    return found;
}

static size_t parse_with_jansson(void)
{
    size_t found = 0;
    for (int i = 0; i < CHUNKS; i++) {
        json_t *event = json_loadb(chunk, sizeof(chunk) - 1, 0, NULL);
        const json_t *choice = json_array_get(json_object_get(event, "choices"), 0);
        const json_t *delta = json_object_get(choice, "delta");
        found += json_string_length(json_object_get(delta, "content"));
        json_decref(event);
    }
    return found;
}

int main(void)
{
    static const struct {
        const char *name;
        size_t (*run)(void);
    } ways[] = {{"scanner", scan}, {"reading", read_events}, {"jansson", parse_with_jansson}};
    double best[ARRAY_LEN(ways)] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
            int64_t start = now_ns();
            if (ways[i].run() != CHUNKS * sizeof(" hello") - CHUNKS)
                abort();
            double each = (double)(now_ns() - start) / CHUNKS;
            if (round == 0 || each < best[i])
                best[i] = each;
        }
    }
    printf("{\"bench\":\"json\",\"bytes\":%zu", sizeof(chunk) - 1);
    for (size_t i = 0; i < ARRAY_LEN(ways); i++)
        printf(",\"%s_ns\":%.0f", ways[i].name, best[i]);
    printf(",\"jansson_per_scanner\":%.1f}\n", best[2] / best[0]);
    return 0;
}
