#include "study/probe.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "base/vec.h"
#include "measure/summary.h"
#include "study/prompts.h"

enum {
    BODY_BYTES_MAX = 512 << 20, /* the longest prompt with every character escaped */
    LOG_EVENTS_MAX = 64 << 20,
};

/* One place for a request in flight. */
struct slot {
    struct probe *probe;
    struct buf body;
    bool busy;
};

struct probe {
    struct driver *driver;
    struct probe_options options;
    probe_progress_fn *progress;
    void *arg;
    struct slot *slots;
    size_t slot_count;
    int64_t warmups_sent, warmups_done, runs_sent, runs_done;
    bool interrupted, stopped_by_warmup;
    size_t logged;              /* events in the logs of all records */
    VEC(struct record) records; /* in order of their ends */
};

static struct prompt_options prompt_options_of(const struct probe_options *o)
{
    return (struct prompt_options){o->prompt, o->prompt_tokens, o->same_prompt, o->seed};
}

static json_t *text_json(struct str s)
{
    json_t *j = json_stringn(s.ptr, s.len);
    assert(j); /* valid UTF-8 by construction */
    return j;
}

static json_t *number_json(double x)
{
    return x == trunc(x) && fabs(x) < 1e15 ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *valid_json(const char *text)
{
    struct buf b = {0};
    for (struct str rest = str_of(text); rest.len;) {
        size_t len = 1;
        utf8_add(&b, utf8_decode(rest, &len));
        rest = str_from(rest, len);
    }
    json_t *j = text_json(buf_str(&b));
    buf_done(&b);
    return j;
}

static void body_make(const struct probe_options *o, uint64_t serial, struct buf *out)
{
    const struct prompt_options asked = prompt_options_of(o);
    struct buf prompt = {0};
    prompt_add(&prompt, &asked, serial);

    json_t *body = json_object();
    if (o->target.model && o->target.model[0])
        json_object_set_new(body, "model", valid_json(o->target.model));
    json_object_set_new(
        body, "messages",
        json_pack("[{s:s, s:o}]", "role", "user", "content", text_json(buf_str(&prompt))));
    json_object_set_new(body, "stream", json_boolean(o->streamed));
    if (o->streamed)
        json_object_set_new(body, "stream_options", json_pack("{s:b}", "include_usage", 1));
    if (o->max_tokens > 0)
        json_object_set_new(body, "max_tokens", json_integer(o->max_tokens));
    if (!isnan(o->temperature))
        json_object_set_new(body, "temperature", number_json(o->temperature));

    char *text = json_dumps(body, JSON_COMPACT | JSON_REAL_PRECISION(15));
    assert(text);
    buf_add_text(out, text);
    free(text);
    json_decref(body);
    buf_done(&prompt);
}

void probe_body(const struct probe_options *o, uint64_t number, struct buf *out)
{
    body_make(o, number, out);
}

void probe_plan(const struct probe_options *o, struct probe_result *out)
{
    const struct prompt_options prompt = prompt_options_of(o);
    *out = (struct probe_result){
        .target = o->target,
        .plan = {.runs = o->runs,
                 .warmup = o->warmup,
                 .max_tokens = o->max_tokens,
                 .prompt_tokens = o->prompt_tokens,
                 .prompt_tokens_about = prompt_tokens_about(&prompt),
                 .concurrency = o->concurrency > 0 ? o->concurrency : 1,
                 .temperature = o->temperature,
                 .seed = o->seed,
                 .streamed = o->streamed,
                 .fresh = o->fresh,
                 .same_prompt = o->same_prompt,
                 .quick = o->quick,
                 .terminator = o->terminator},
    };
}

static bool would_repeat(const struct record *r)
{
    return r->outcome == OUTCOME_UNREACHABLE || r->outcome == OUTCOME_TIMEOUT_CONNECT ||
           (r->outcome == OUTCOME_HTTP_ERROR &&
            (r->http_status == 401 || r->http_status == 403 || r->http_status == 404));
}

static request_done_fn ended;

static void send_one(struct probe *p, struct slot *slot, bool warmup)
{
    const struct probe_options *o = &p->options;
    uint64_t number = (uint64_t)(warmup ? ++p->warmups_sent : ++p->runs_sent);
    buf_clear(&slot->body);
    body_make(o, warmup ? number | PROMPT_WARMUP : number, &slot->body);
    slot->busy = true;
    const struct request request = {
        .number = number,
        .warmup = warmup,
        .due = NEVER,
        .url = str_of(o->target.url),
        .headers = o->headers,
        .header_count = o->header_count,
        .key = o->key,
        .body = buf_str(&slot->body),
        .fresh = o->fresh,
        .timeouts = o->timeouts,
        .observe = {.streamed = o->streamed,
                    .terminator = o->terminator,
                    .keep_events = o->streamed, /* gaps need the log */
                    .keep_text = o->keep_text},
    };
    driver_send(p->driver, &request, ended, slot);
}

/* What may be sent now: the first warm-up alone, then the other warm-ups, then the runs. */
static bool next_is_warmup(const struct probe *p)
{
    return p->warmups_sent < p->options.warmup;
}
static bool may_send(const struct probe *p)
{
    if (p->interrupted || p->stopped_by_warmup)
        return false;
    if (next_is_warmup(p))
        return p->warmups_sent == 0 || p->warmups_done > 0;
    return p->warmups_done == p->options.warmup && p->runs_sent < p->options.runs;
}

static void send_more(struct probe *p)
{
    for (size_t i = 0; i < p->slot_count && may_send(p); i++)
        if (!p->slots[i].busy)
            send_one(p, &p->slots[i], next_is_warmup(p));
}

/* A server that answers without end must not fill the memory, run for run. */
static void keep_log_within_bounds(struct probe *p, struct record *r)
{
    size_t max = p->options.log_events_max ? p->options.log_events_max : LOG_EVENTS_MAX;
    if (r->log_len > max - p->logged)
        record_drop_log(r);
    p->logged += r->log_len;
}

static void ended(void *arg, struct record *record)
{
    struct slot *slot = arg;
    struct probe *p = slot->probe;
    slot->busy = false;
    if (record->warmup) {
        p->warmups_done++;
        if (record->number == 1)
            p->stopped_by_warmup = would_repeat(record);
    } else {
        p->runs_done++;
    }
    if (p->progress)
        p->progress(p->arg, &p->options, (size_t)p->runs_done, record);
    keep_log_within_bounds(p, record);
    vec_push(&p->records, *record);
    send_more(p);
}

struct probe *probe_start(struct driver *d, const struct probe_options *o,
                          probe_progress_fn *progress, void *arg)
{
    assert(o->prompt_tokens <= PROMPT_TOKENS_MAX);
    struct probe *p = mem_zalloc(sizeof(*p));
    p->driver = d;
    p->options = *o;
    p->progress = progress;
    p->arg = arg;
    int64_t most = o->runs > o->warmup ? o->runs : o->warmup;
    int64_t at_once = o->concurrency > 0 ? o->concurrency : 1;
    p->slot_count = (size_t)(at_once < most ? at_once : most);
    p->slots = mem_array(p->slot_count, sizeof(*p->slots));
    for (size_t i = 0; i < p->slot_count; i++) {
        p->slots[i].probe = p;
        buf_init(&p->slots[i].body, BODY_BYTES_MAX);
    }
    send_more(p);
    return p;
}

void probe_interrupt(struct probe *p)
{
    p->interrupted = true;
    driver_stop(p->driver);
}

/* Warm-ups first, then by number. */
static int by_number(const void *left, const void *right)
{
    const struct record *a = left, *b = right;
    if (a->warmup != b->warmup)
        return a->warmup ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void probe_finish(struct probe *p, struct probe_result *out)
{
    probe_plan(&p->options, out);
    out->interrupted = p->interrupted;
    out->stopped_by_warmup = p->stopped_by_warmup;
    if (p->records.len)
        qsort(p->records.items, p->records.len, sizeof(*p->records.items), by_number);
    out->records = p->records.items;
    out->record_count = p->records.len;
    out->wall_start = out->record_count ? out->records[0].wall_start : clock_wall();
    summary_make(&out->summary, out->records, out->record_count);
    instrument_make(&out->instrument, out->records, out->record_count);
    for (size_t i = 0; i < p->slot_count; i++)
        buf_done(&p->slots[i].body);
    mem_free(p->slots);
    mem_free(p);
}
