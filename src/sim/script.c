#include "sim/script.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "sim/chat.h"
#include "sim/script_inside.h"

/* Random streams, apart so that an option changes only what it is about. */
enum { STREAM_ID, STREAM_WORDS, STREAM_DELAYS, STREAM_FAULT };

bool sim_op_is_last(enum sim_op op)
{
    return op == SIM_WHOLE || op == SIM_END || op == SIM_CUT;
}

/* Blanks before a number are JSON, zeros are not. */
void sim_stamp(const struct sim_step *step, int64_t ns)
{
    char digits[SIM_STAMP_DIGITS + 1];
    if (step->stamp_at == 0)
        return;
    snprintf(digits, sizeof(digits), "%*lld", SIM_STAMP_DIGITS, (long long)ns);
    memcpy(step->bytes + step->stamp_at, digits, SIM_STAMP_DIGITS);
}

/* Errors and the list of models. */

static void answer_error(struct sim_script *s, int status, enum text_id message,
                         const char *const *args, const char *type, const char *code)
{
    struct buf text = {0};
    text_add_args(&text, message, args);
    s->phase = PHASE_WHOLE;
    s->status = status;
    sim_add_error(&s->bytes, buf_str(&text), type, NULL, code);
    buf_done(&text);
}

static void answer_models(struct sim_script *s)
{
    json_t *root =
        json_pack("{s:s,s:[{s:s,s:s,s:i,s:s}]}", "object", "list", "data", "id", s->profile->model,
                  "object", "model", "created", (int)CREATED_S, "owned_by", "weir");
    char *json = json_dumps(root, JSON_COMPACT);
    s->phase = PHASE_WHOLE;
    s->status = 200;
    buf_addf(&s->bytes, "%s\n", json ? json : "{}");
    free(json);
    json_decref(root);
}

static void answer_elsewhere(struct sim_script *s, const struct sim_request *r, struct str path,
                             const char *allowed)
{
    char method[40], shown[200];
    str_copy(method, sizeof(method), r->method);
    str_copy(shown, sizeof(shown), path);
    s->allow = allowed;
    if (allowed)
        answer_error(s, 405, TEXT_SIM_ERROR_METHOD, ERR_ARGS(method, shown, allowed),
                     "invalid_request_error", "method_not_allowed");
    else
        answer_error(s, 404, TEXT_SIM_ERROR_NOT_FOUND, ERR_ARGS(shown), "invalid_request_error",
                     "not_found");
}

/* Chat completions: what is settled before the first step. */

static enum sim_fault draw_fault(const struct sim_profile *p, uint64_t serial)
{
    struct sim_random r = sim_random_of(p->seed, serial, STREAM_FAULT);
    double at = sim_random_unit(&r);
    for (int i = SIM_FAULT_NONE + 1; i < SIM_FAULT_COUNT; i++) {
        if (at < p->fail[i])
            return (enum sim_fault)i;
        at -= p->fail[i];
    }
    return SIM_FAULT_NONE;
}

/* Cut behind the first chunk and before the last, if there are so many. */
static int64_t draw_cut(const struct sim_script *s, uint64_t serial)
{
    struct sim_random r = sim_random_of(s->profile->seed, serial, STREAM_FAULT);
    int64_t step = s->profile->tokens_per_chunk;
    int64_t chunks = (s->tokens + step - 1) / step;
    sim_random_next(&r); /* it decided on the fault */
    if (chunks <= 1)
        return s->tokens;
    return step * (1 + (int64_t)sim_random_below(&r, (uint64_t)chunks - 1));
}

/* What every chunk begins with, made once. */
static void make_shared(struct sim_script *s, const char *model_json)
{
    struct buf *b = &s->bytes;
    buf_addf(b,
             "data: {\"id\":\"chatcmpl-%s\",\"object\":\"chat.completion.chunk\",\"created\":%d,",
             s->id, CREATED_S);
    buf_addf(b, "\"model\":%s,\"system_fingerprint\":\"" FINGERPRINT "\",", model_json);
    if (s->profile->stamp) {
        buf_add_text(b, "\"sent_ns\":");
        s->stamp_at = b->len;
        buf_add_repeat(b, " ", SIM_STAMP_DIGITS);
        buf_add_text(b, ",");
    }
    buf_add_text(b, "\"choices\":[");
    s->shared_bytes = b->len;
}

/* A plain answer begins so; content and the rest follow when its time has come. */
static void make_plain_shared(struct sim_script *s, const char *model_json)
{
    buf_addf(&s->bytes,
             "{\"id\":\"chatcmpl-%s\",\"object\":\"chat.completion\",\"created\":%d,\"model\":%s,"
             "\"system_fingerprint\":\"" FINGERPRINT "\",\"choices\":[{\"index\":0,\"message\":{"
             "\"role\":\"assistant\",\"content\":\"",
             s->id, CREATED_S, model_json);
}

static void begin_answer(struct sim_script *s, const struct sim_chat *c, uint64_t serial)
{
    const struct sim_profile *p = s->profile;
    s->needs_slot = true;
    s->stream = c->stream;
    s->usage = c->usage;
    s->prompt_tokens = c->prompt_tokens;
    s->cut_short = c->max_tokens < p->tokens;
    s->tokens = s->cut_short ? c->max_tokens : p->tokens;
    s->cut_at = s->fault == SIM_FAULT_DROP ? draw_cut(s, serial) : INT64_MAX;
    s->phase = c->stream ? PHASE_HEAD : PHASE_PLAIN;
    s->status = 200;
    if (c->stream)
        make_shared(s, c->model_json);
    else
        make_plain_shared(s, c->model_json);
}

static void answer_chat(struct sim_script *s, const struct sim_request *r, uint64_t serial)
{
    struct sim_chat chat;
    struct buf why = {0};
    const char *param;
    s->is_chat = true;
    s->fault = draw_fault(s->profile, serial);
    if (!sim_chat_read(r->body, &chat, &why, &param)) {
        s->phase = PHASE_WHOLE;
        s->status = 400;
        sim_add_error(&s->bytes, buf_str(&why), "invalid_request_error", param, NULL);
        buf_done(&why);
        return;
    }
    if (s->fault == SIM_FAULT_429)
        answer_error(s, 429, TEXT_SIM_ERROR_RATE_LIMIT, ERR_ARGS(RETRY_AFTER_S), "requests",
                     "rate_limit_exceeded");
    else if (s->fault == SIM_FAULT_503)
        answer_error(s, 503, TEXT_SIM_ERROR_OVERLOADED, ERR_ARGS(), "server_error", "overloaded");
    else
        begin_answer(s, &chat, serial);
    sim_chat_done(&chat);
}

void sim_script_start(struct sim_script *s, const struct sim_profile *p,
                      const struct sim_request *r, uint64_t serial)
{
    *s = (struct sim_script){.profile = p,
                             .words = sim_random_of(p->seed, serial, STREAM_WORDS),
                             .delays = sim_random_of(p->seed, serial, STREAM_DELAYS)};
    struct sim_random id = sim_random_of(p->seed, serial, STREAM_ID);
    snprintf(s->id, sizeof(s->id), "%016llx", (unsigned long long)sim_random_next(&id));
    struct str path = str_upto(r->path, str_find(r->path, '?'));
    bool chat = str_eq(path, STR("/v1/chat/completions")), list = str_eq(path, STR("/v1/models"));
    if (chat && str_eq(r->method, STR("POST")))
        answer_chat(s, r, serial);
    else if (list && str_eq(r->method, STR("GET")))
        answer_models(s);
    else
        answer_elsewhere(s, r, path, chat ? "POST" : list ? "GET" : NULL);
}

void sim_script_done(struct sim_script *s)
{
    buf_done(&s->bytes);
}
