#ifndef WEIR_STUDY_PROMPTS_H
#define WEIR_STUDY_PROMPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * What is asked. Pure: the same options and serial give the same text, byte for byte, on every
 * machine. Prompts of a run differ from their first characters on, so that no server cache answers
 * for them, unless `same`.
 */
struct prompt_options {
    const char *text; /* what to ask; NULL: the default, an answer of about 200 words */
    int64_t tokens;   /* > 0: made-up text of about so many tokens instead; at most the maximum */
    bool same;        /* every serial asks the same, without a nonce */
    uint64_t seed;    /* of nonces and made-up text */
};

enum { PROMPT_TOKENS_MAX = 2000000, PROMPT_NONCE_CHARS = 10 };

/* Serials are request numbers; those of warm-ups carry this bit, so that they share no prompt. */
#define PROMPT_WARMUP ((uint64_t)1 << 63)

/* Adds the first (and only) user message of request `serial`: valid UTF-8, whatever `text` holds.
 */
void prompt_add(struct buf *out, const struct prompt_options *o, uint64_t serial);

/* About how many tokens one such message costs, for the price shown before anything is sent. */
int64_t prompt_tokens_about(const struct prompt_options *o);

#endif
