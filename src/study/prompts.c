#include "study/prompts.h"

#include <assert.h>
#include <math.h>

#include "base/splitmix.h"
#include "base/utf8.h"

/* Not among the sentences of base/text: what is measured must not change with the language. */
static const char default_prompt[] =
    "Explain in about 200 words how a sailing boat can move against the wind. "
    "Write plain prose without headings or lists.";
static const char made_up_task[] =
    "The text above means nothing. Write about 200 words of plain prose "
    "on how a sailing boat can move against the wind.";

/* Short common words: with their leading space nearly every tokenizer has each as one token. */
static const char *const words[] = {
    "time",   "year",   "people", "way",    "day",    "man",    "thing",   "woman",   "life",
    "child",  "world",  "school", "state",  "family", "group",  "hand",    "part",    "place",
    "case",   "week",   "work",   "night",  "point",  "home",   "water",   "room",    "mother",
    "area",   "money",  "story",  "fact",   "month",  "lot",    "right",   "study",   "book",
    "eye",    "job",    "word",   "side",   "kind",   "head",   "house",   "friend",  "father",
    "power",  "hour",   "game",   "line",   "end",    "law",    "car",     "city",    "name",
    "team",   "idea",   "body",   "back",   "face",   "door",   "war",     "party",   "shop",
    "road",   "form",   "air",    "moment", "music",  "food",   "land",    "paper",   "sun",
    "bank",   "table",  "tree",   "river",  "summer", "winter", "morning", "evening", "letter",
    "window", "garden", "street", "market", "bridge", "stone",  "field",   "ship",    "island",
    "bird",   "horse",  "clock",  "glass",  "color",  "voice",  "song",    "light",   "fire",
    "wind",
};

/* A bijection: serials never collide. */
static uint64_t mix(uint64_t x)
{
    return splitmix_next(&x);
}

static void add_nonce(struct buf *out, uint64_t key)
{
    static const char digits[] = "abcdefghijkmnpqrstuvwxyz23456789"; /* 32, none mistaken */
    _Static_assert(sizeof(digits) == 33, "five bits a character");
    buf_add_byte(out, '[');
    for (int i = 0; i < PROMPT_NONCE_CHARS; i++, key >>= 5)
        buf_add_byte(out, digits[key & 31]);
    buf_add_text(out, "] ");
}

static void add_valid(struct buf *out, struct str text)
{
    while (text.len) {
        size_t len = 1;
        utf8_add(out, utf8_decode(text, &len));
        text = str_from(text, len);
    }
}

static int64_t tokens_of(const char *text)
{
    return (int64_t)ceil((double)strlen(text) / 4.0); /* English: about four bytes a token */
}

/* The instruction behind made-up text counts too; a prompt shorter than it goes without. */
static bool made_up_has_task(int64_t tokens)
{
    return tokens >= 2 * tokens_of(made_up_task);
}

static void add_made_up(struct buf *out, int64_t tokens, uint64_t key)
{
    assert(tokens <= PROMPT_TOKENS_MAX);
    int64_t count = made_up_has_task(tokens) ? tokens - tokens_of(made_up_task) : tokens;
    for (int64_t i = 0; i < count; i++) {
        if (i)
            buf_add_byte(out, ' ');
        key = mix(key);
        buf_add_text(out, words[(key >> 32) % ARRAY_LEN(words)]);
    }
    if (made_up_has_task(tokens)) {
        buf_add_text(out, ".\n\n");
        buf_add_text(out, made_up_task);
    }
}

void prompt_add(struct buf *out, const struct prompt_options *o, uint64_t serial)
{
    uint64_t key = mix(o->seed ^ mix(o->same ? 0 : serial));
    if (!o->same)
        add_nonce(out, key);
    if (o->tokens > 0)
        add_made_up(out, o->tokens, key);
    else
        add_valid(out, str_of(o->text ? o->text : default_prompt));
}

int64_t prompt_tokens_about(const struct prompt_options *o)
{
    int64_t own = o->tokens > 0 ? o->tokens : tokens_of(o->text ? o->text : default_prompt);
    return own + (o->same ? 0 : PROMPT_NONCE_CHARS / 2 + 2);
}
