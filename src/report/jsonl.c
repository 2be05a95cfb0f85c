#include "report/json.h"

#include <assert.h>
#include <math.h>

void report_line_run(struct buf *out, const struct probe_result *r)
{
    json_t *j = json_object();
    json_put_int(j, "schema", 1);
    json_put_text(j, "kind", "run");
    json_put_text(j, "command", "probe");
    json_put_text(j, "weir", WEIR_VERSION);
    json_object_set_new(j, "target", json_of_target(&r->target));
    json_object_set_new(j, "plan", json_of_plan(&r->plan));
    json_write(out, j, true);
}

void report_line_summary(struct buf *out, const struct probe_result *r)
{
    json_t *j = json_object();
    json_put_int(j, "schema", 1);
    json_put_text(j, "kind", "summary");
    json_put_summary(j, r);
    json_write(out, j, true);
}

static void put_instants(json_t *j, const struct record *r)
{
    const struct {
        const char *key;
        int64_t at;
    } instants[] = {
        {"due_ms", r->due},
        {"dns_done_ms", r->dns_done},
        {"connect_done_ms", r->connect_done},
        {"proxy_done_ms", r->proxy_done},
        {"tls_done_ms", r->tls_done},
        {"sent_ms", r->sent},
        {"headers_ms", r->headers},
        {"first_event_ms", r->first_event},
        {"first_output_ms", r->first_output},
        {"first_answer_ms", r->first_answer},
        {"last_output_ms", r->last_output},
        {"terminator_ms", r->terminator},
        {"end_ms", r->end},
    };
    for (size_t i = 0; i < ARRAY_LEN(instants); i++)
        json_put_offset(j, instants[i].key, instants[i].at, r->start);
}

static json_t *error_of(const struct record *r)
{
    if (!r->error_kind && !r->error_message && !r->detail[0] && !r->body_head)
        return json_null();
    json_t *j = json_object();
    json_put_text(j, "kind", r->error_kind);
    json_put_text(j, "message", r->error_message);
    json_put_text(j, "detail", r->detail[0] ? r->detail : NULL);
    json_put_text(j, "body_head", r->body_head);
    return j;
}

static json_t *chunks_of(const struct record *r)
{
    json_t *j = json_object();
    for (int p = 0; p < PIECE_COUNT; p++)
        if (r->chunks[p])
            json_put_int(j, piece_name((enum piece)p), r->chunks[p]);
    return j;
}

/* What an event carried: "answer", "answer+tool", "terminator", "error", "malformed", "none". */
static void put_kind(json_t *j, const struct record_event *e)
{
    struct buf b = {0};
    for (int p = 0; p < PIECE_COUNT; p++)
        if (e->pieces & (1 << p)) {
            if (b.len)
                buf_add_byte(&b, '+');
            buf_add_text(&b, piece_name((enum piece)p));
        }
    if (!b.len)
        buf_add_text(&b, e->flags & RECORD_EVENT_TERMINATOR  ? "terminator"
                         : e->flags & RECORD_EVENT_ERROR     ? "error"
                         : e->flags & RECORD_EVENT_MALFORMED ? "malformed"
                                                             : "none");
    json_put_text(j, "kind", buf_text(&b));
    buf_done(&b);
}

static json_t *event_of(const struct record *r, size_t i)
{
    const struct record_event *e = &r->log[i];
    json_t *j = json_object();
    json_put_int(j, "index", (int64_t)i);
    put_kind(j, e);
    json_put_int(j, "at_ns", e->at - r->start);
    json_put_text(j, "clock",
                  clock_kind_name(e->flags & RECORD_EVENT_USER_CLOCK ? CLOCK_KIND_USER : r->clock));
    json_put_int(j, "bytes", e->bytes);
    json_put_bool(j, "coalesced", e->flags & RECORD_EVENT_COALESCED);
    return j;
}

static void cut_end(struct buf *out, const char *end)
{
    size_t len = strlen(end);
    if (out->over)
        return;
    assert(out->len >= len && memcmp(out->ptr + out->len - len, end, len) == 0);
    out->len -= len;
}

/* Into the object that ends `out`. One event at a time: there may be a million, and as a tree of
 * values they would take a gigabyte. */
static void add_events(struct buf *out, const struct record *r)
{
    cut_end(out, "}\n");
    buf_add_text(out, ",\"events\":[");
    for (size_t i = 0; i < r->log_len; i++) {
        json_write(out, event_of(r, i), true);
        cut_end(out, "\n");
        if (i + 1 < r->log_len)
            buf_add_byte(out, ',');
    }
    buf_add_text(out, "]}\n");
}

static void put_how_it_ended(json_t *j, const struct record *r)
{
    json_put_text(j, "outcome", outcome_name(r->outcome));
    json_put_count(j, "http_status", r->http_status ? r->http_status : COUNT_UNKNOWN);
    json_put_text(j, "finish_reason", r->finish_reason);
    json_put_bool(j, "done", r->done);
    json_put_bool(j, "finished", r->finished);
    json_object_set_new(j, "error", error_of(r));
}

static void put_what_came(json_t *j, const struct record *r)
{
    json_put_int(j, "event_count", r->events);
    json_put_int(j, "output_events", r->output_events);
    json_put_int(j, "comments", r->comments);
    json_put_int(j, "malformed_events", r->malformed_events);
    json_put_int(j, "body_bytes", r->body_bytes);
    json_put_int(j, "reads", r->reads);
    json_put_int(j, "coalesced", r->coalesced);
    json_object_set_new(j, "chunks", chunks_of(r));
    json_put_int(j, "output_chars", r->output_chars);
    json_object_set_new(j, "usage", json_of_usage(&r->usage));
    json_put_text(j, "token_source", token_source_name(r->token_source));
}

static void put_who_answered(json_t *j, const struct record *r)
{
    json_put_text(j, "peer", r->peer[0] ? r->peer : NULL);
    json_put_text(j, "tls", r->tls[0] ? r->tls : NULL);
    json_put_bool(j, "reused", r->reused);
    json_put_bool(j, "resent", r->resent);
    json_put_text(j, "dialect", r->dialect);
    json_put_text(j, "response_id", r->response_id);
    json_put_text(j, "request_id", r->request_id);
    json_put_text(j, "served_model", r->served_model);
    json_put_text(j, "system_fingerprint", r->system_fingerprint);
}

static void put_metric(json_t *j, const struct metric *m, const struct record *r)
{
    double x = m->of(r);
    if (m->unit == UNIT_COUNT && isfinite(x))
        json_put_int(j, m->key, (int64_t)x);
    else
        json_put_number(j, m->key, x);
}

void report_line_request(struct buf *out, const struct record *r, bool events)
{
    json_t *j = json_object();
    json_put_int(j, "schema", 1);
    json_put_text(j, "kind", "request");
    json_put_int(j, "number", (int64_t)r->number);
    json_put_int(j, "attempt", r->attempt);
    json_put_bool(j, "warmup", r->warmup);
    json_put_bool(j, "streamed", r->streamed);
    json_put_int(j, "wall_start_ns", r->wall_start);
    json_put_int(j, "start_monotonic_ns", r->start);
    json_put_text(j, "clock", clock_kind_name(r->clock));
    put_how_it_ended(j, r);
    put_instants(j, r);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        put_metric(j, &metrics[i], r);
    put_what_came(j, r);
    put_who_answered(j, r);
    if (events)
        json_put_int(j, "events_dropped", r->log_dropped);
    json_write(out, j, true);
    if (events)
        add_events(out, r);
}
