#include "measure/record.h"

#include <math.h>

#include "base/mem.h"

const char *token_source_name(enum token_source source)
{
    static const char *const names[] = {"none", "usage", "ratio", "chunks"};
    return names[source];
}

void record_init(struct record *r)
{
    *r = (struct record){.attempt = 1};
    int64_t *const instants[] = {
        &r->due,          &r->start,       &r->dns_done,   &r->connect_done, &r->proxy_done,
        &r->tls_done,     &r->sent,        &r->headers,    &r->first_event,  &r->first_output,
        &r->first_answer, &r->last_output, &r->terminator, &r->end,          &r->silence_max,
    };
    for (size_t i = 0; i < ARRAY_LEN(instants); i++)
        *instants[i] = NEVER;
    r->usage = (struct wire_usage){COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN};
    r->tokens = COUNT_UNKNOWN;
}

void record_done(struct record *r)
{
    if (!r)
        return;
    char **const owned[] = {
        &r->finish_reason, &r->error_kind,     &r->error_message,
        &r->response_id,   &r->served_model,   &r->system_fingerprint,
        &r->request_id,    &r->content_type,   &r->body_head,
        &r->text,          &r->reasoning_text,
    };
    for (size_t i = 0; i < ARRAY_LEN(owned); i++) {
        mem_free(*owned[i]);
        *owned[i] = NULL;
    }
    mem_free(r->log);
    r->log = NULL;
    r->log_len = r->log_cap = 0;
}

void record_log_event(struct record *r, const struct record_event *event)
{
    if (r->log_len == RECORD_EVENTS_MAX) {
        r->log_dropped++;
        return;
    }
    if (r->log_len == r->log_cap) {
        r->log_cap = r->log_cap ? r->log_cap * 2 : 64;
        r->log = mem_realloc(r->log, r->log_cap, sizeof(*r->log));
    }
    r->log[r->log_len++] = *event;
}

void record_drop_log(struct record *r)
{
    r->log_dropped += (int64_t)r->log_len;
    mem_free(r->log);
    r->log = NULL;
    r->log_len = r->log_cap = 0;
}

/*
 * completion_tokens, less reasoning that was counted but not streamed. Some servers count reasoning
 * beside the completion, not within it: there the difference would leave nothing for the output
 * that came.
 */
static int64_t tokens_by_usage(const struct record *r)
{
    int64_t all = r->usage.completion_tokens, hidden = r->usage.reasoning_tokens;
    if (hidden <= 0 || r->chunks[PIECE_REASONING] > 0 || r->reasoning_chars > 0)
        return all;
    if (hidden > all || (hidden == all && r->output_chars > 0))
        return all;
    return all - hidden;
}

void record_count_tokens(struct record *r, double chars_per_token)
{
    if (r->usage.completion_tokens != COUNT_UNKNOWN) {
        r->tokens = tokens_by_usage(r);
        r->token_source = TOKENS_USAGE;
    } else if (chars_per_token > 0 && r->output_chars > 0) {
        r->tokens = llround((double)r->output_chars / chars_per_token);
        r->token_source = TOKENS_RATIO;
    } else if (r->output_events > 0) { /* never of a plain answer */
        r->tokens = r->output_events;
        r->token_source = TOKENS_CHUNKS;
    } else {
        r->tokens = COUNT_UNKNOWN;
        r->token_source = TOKENS_NONE;
    }
}
