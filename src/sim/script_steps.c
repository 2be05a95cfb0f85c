#include <assert.h>

#include "sim/script_inside.h"

/* Words. A token is a word with the blank before it and the punctuation behind it. */

static void add_word(struct sim_script *s)
{
    static const char *const words[] = {
        "the",    "water", "runs",   "over",    "a",      "low",   "wall",   "and",
        "each",   "drop",  "keeps",  "its",     "time",   "while", "small",  "stones",
        "turn",   "below", "some",   "days",    "it",     "falls", "slowly", "then",
        "again",  "with",  "more",   "weight",  "people", "stand", "near",   "to",
        "listen", "for",   "steady", "sound",   "of",     "river", "moving", "down",
        "valley", "past",  "fields", "where",   "mills",  "once",  "stood",  "in",
        "light",  "that",  "comes",  "from",    "hills",  "clear", "cold",   "as",
        "glass",  "so",    "quiet",  "morning", "after",  "rain",  "stops",  "slow",
    };
    bool first = s->words_left == 0;
    if (first)
        s->words_left = (uint8_t)(5 + sim_random_below(&s->words, 8));
    const char *word = words[sim_random_below(&s->words, ARRAY_LEN(words))];
    if (s->given > 0)
        buf_add_byte(&s->bytes, ' ');
    buf_add_byte(&s->bytes, first ? (char)(word[0] - 'a' + 'A') : word[0]);
    buf_add_text(&s->bytes, word + 1);
    if (--s->words_left == 0)
        buf_add_byte(&s->bytes, '.');
    s->given++;
}

static int64_t add_words(struct sim_script *s, int64_t most)
{
    int64_t until = s->given + most < s->tokens ? s->given + most : s->tokens;
    while (s->given < until)
        add_word(s);
    return s->given;
}

static int64_t next_delay(struct sim_script *s, bool first)
{
    const struct sim_profile *p = s->profile;
    return sim_random_duration(&s->delays, first ? p->ttft_ns : p->gap_ns, p->jitter);
}

/* Steps. */

static void give_bytes(struct sim_script *s, struct sim_step *step, int64_t delay_ns)
{
    step->op = SIM_BYTES;
    step->delay_ns = delay_ns;
    step->bytes = s->bytes.ptr;
    step->len = s->bytes.len;
    step->stamp_at = s->stamp_at;
}

static void begin_chunk(struct sim_script *s, const char *delta)
{
    s->bytes.len = s->shared_bytes;
    buf_add_text(&s->bytes, "{\"index\":0,\"delta\":");
    buf_add_text(&s->bytes, delta);
}

static void end_chunk(struct sim_script *s, struct sim_step *step, const char *finish,
                      int64_t delay_ns)
{
    buf_add_text(&s->bytes, ",\"logprobs\":null,\"finish_reason\":");
    buf_add_text(&s->bytes, finish);
    buf_add_text(&s->bytes, s->usage ? "}],\"usage\":null}\n\n" : "}]}\n\n");
    give_bytes(s, step, delay_ns);
}

static const char *finish_reason(const struct sim_script *s)
{
    return s->cut_short ? "\"length\"" : "\"stop\"";
}

static void add_usage(struct sim_script *s)
{
    buf_addf(&s->bytes,
             "\"usage\":{\"prompt_tokens\":%lld,\"completion_tokens\":%lld,\"total_tokens\":%lld,"
             "\"prompt_tokens_details\":{\"cached_tokens\":0}}}",
             (long long)s->prompt_tokens, (long long)s->tokens,
             (long long)(s->prompt_tokens + s->tokens));
}

static uint8_t phase_after_tokens(const struct sim_script *s)
{
    if (s->given >= s->cut_at)
        return PHASE_CUT;
    if (s->given < s->tokens)
        return PHASE_TOKENS;
    return s->fault == SIM_FAULT_NODONE ? PHASE_END : PHASE_FINISH;
}

static void give_role(struct sim_script *s, struct sim_step *step)
{
    begin_chunk(s, "{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}");
    end_chunk(s, step, "null", 0);
    s->phase = phase_after_tokens(s);
}

static void give_tokens(struct sim_script *s, struct sim_step *step)
{
    int64_t delay_ns = next_delay(s, s->given == 0);
    begin_chunk(s, "{\"content\":\"");
    add_words(s, s->profile->tokens_per_chunk);
    buf_add_text(&s->bytes, "\"}");
    end_chunk(s, step, "null", delay_ns);
    s->phase = phase_after_tokens(s);
}

static void give_finish(struct sim_script *s, struct sim_step *step)
{
    begin_chunk(s, "{}");
    end_chunk(s, step, finish_reason(s), 0);
    s->phase = s->usage ? PHASE_USAGE : PHASE_DONE;
}

static void give_usage(struct sim_script *s, struct sim_step *step)
{
    s->bytes.len = s->shared_bytes;
    buf_add_text(&s->bytes, "],");
    add_usage(s);
    buf_add_text(&s->bytes, "\n\n");
    give_bytes(s, step, 0);
    s->phase = PHASE_DONE;
}

static void give_done(struct sim_script *s, struct sim_step *step)
{
    buf_clear(&s->bytes);
    buf_add_text(&s->bytes, "data: [DONE]\n\n");
    s->stamp_at = 0;
    give_bytes(s, step, 0);
    s->phase = PHASE_END;
}

static void give_head(struct sim_script *s, struct sim_step *step, const char *content_type)
{
    step->op = SIM_HEAD;
    step->status = s->status;
    step->content_type = content_type;
    step->request_id = s->id;
}

static void give_whole(struct sim_script *s, struct sim_step *step, int64_t delay_ns)
{
    give_bytes(s, step, delay_ns);
    give_head(s, step, "application/json");
    step->op = SIM_WHOLE;
    step->allow = s->allow;
    step->retry_after = s->status == 429 ? RETRY_AFTER_S : NULL;
    s->phase = PHASE_OVER;
}

/* Unstreamed: as long as the stream would have taken, then all at once, or half of it. */
static void give_plain(struct sim_script *s, struct sim_step *step)
{
    int64_t delay_ns = 0;
    while (s->given < s->tokens) {
        delay_ns += next_delay(s, s->given == 0);
        add_words(s, s->profile->tokens_per_chunk);
    }
    bool unfinished = s->fault == SIM_FAULT_NODONE;
    buf_addf(&s->bytes, "\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":%s}],",
             unfinished ? "null" : finish_reason(s));
    add_usage(s);
    buf_add_byte(&s->bytes, '\n');
    if (s->fault != SIM_FAULT_DROP) {
        give_whole(s, step, delay_ns);
        return;
    }
    step->delay_ns = delay_ns;
    give_head(s, step, "application/json");
    s->phase = PHASE_PLAIN_HALF;
}

static void give_plain_half(struct sim_script *s, struct sim_step *step)
{
    give_bytes(s, step, 0);
    step->len /= 2;
    s->phase = PHASE_CUT;
}

static void give_last(struct sim_script *s, struct sim_step *step, enum sim_op op, int64_t delay_ns)
{
    step->op = op;
    step->delay_ns = delay_ns;
    s->phase = PHASE_OVER;
}

bool sim_script_next(struct sim_script *s, struct sim_step *step)
{
    *step = (struct sim_step){0};
    switch (s->phase) {
    case PHASE_WHOLE:
        give_whole(s, step, 0);
        break;
    case PHASE_HEAD:
        give_head(s, step, "text/event-stream");
        s->phase = PHASE_ROLE;
        break;
    case PHASE_ROLE:
        give_role(s, step);
        break;
    case PHASE_TOKENS:
        give_tokens(s, step);
        break;
    case PHASE_FINISH:
        give_finish(s, step);
        break;
    case PHASE_USAGE:
        give_usage(s, step);
        break;
    case PHASE_DONE:
        give_done(s, step);
        break;
    case PHASE_END:
        give_last(s, step, SIM_END, 0);
        break;
    case PHASE_CUT:
        give_last(s, step, SIM_CUT, s->stream ? next_delay(s, s->given == 0) : 0);
        break;
    case PHASE_PLAIN:
        give_plain(s, step);
        break;
    case PHASE_PLAIN_HALF:
        give_plain_half(s, step);
        break;
    default:
        assert(s->phase == PHASE_OVER);
        return false;
    }
    return true;
}
