#include "report/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "report/phases.h"

json_t *json_text(struct str text)
{
    if (!text.ptr)
        return json_null();
    json_t *j = json_stringn(text.ptr, text.len);
    if (j)
        return j;
    struct buf mended = {0};
    while (text.len) {
        size_t len;
        utf8_add(&mended, utf8_decode(text, &len));
        text = str_from(text, len);
    }
    j = json_stringn(buf_text(&mended), mended.len);
    buf_done(&mended);
    return j;
}

void json_put_text(json_t *to, const char *key, const char *text)
{
    json_object_set_new(to, key, json_text(str_of(text)));
}

void json_put_int(json_t *to, const char *key, int64_t n)
{
    json_object_set_new(to, key, json_integer(n));
}

void json_put_count(json_t *to, const char *key, int64_t n)
{
    json_object_set_new(to, key, n < 0 ? json_null() : json_integer(n));
}

void json_put_number(json_t *to, const char *key, double x)
{
    double rounded = round(x * 1e6) / 1e6;
    json_object_set_new(to, key, isfinite(rounded) ? json_real(rounded) : json_null());
}

void json_put_bool(json_t *to, const char *key, bool b)
{
    json_object_set_new(to, key, json_boolean(b));
}

void json_put_offset(json_t *to, const char *key, int64_t at, int64_t from)
{
    json_put_number(to, key, at == NEVER || from == NEVER ? (double)NAN : clock_ms(at - from));
}

static void add_dump(struct buf *out, const json_t *j, size_t flags)
{
    char *text = json_dumps(j, flags | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    assert(text); /* every string was made valid */
    utf8_add_visible_json(out, str_of(text));
    free(text);
}

/* One member a line: easy to read, to compare and to cut. */
static void add_members(struct buf *out, json_t *j)
{
    const char *key;
    json_t *value;
    const char *before = "{\n  ";
    json_object_foreach(j, key, value)
    {
        buf_addf(out, "%s\"%s\": ", before, key);
        add_dump(out, value, 0);
        before = ",\n  ";
    }
    buf_add_text(out, "\n}");
}

void json_write(struct buf *out, json_t *j, bool line)
{
    if (line)
        add_dump(out, j, JSON_COMPACT);
    else
        add_members(out, j);
    buf_add_byte(out, '\n');
    json_decref(j);
}

json_t *json_of_usage(const struct wire_usage *u)
{
    json_t *j = json_object();
    json_put_count(j, "prompt_tokens", u->prompt_tokens);
    json_put_count(j, "completion_tokens", u->completion_tokens);
    json_put_count(j, "reasoning_tokens", u->reasoning_tokens);
    json_put_count(j, "cached_tokens", u->cached_tokens);
    return j;
}

json_t *json_of_target(const struct result_target *t)
{
    json_t *j = json_object();
    json_put_text(j, "url", t->url);
    json_put_text(j, "model", t->model && t->model[0] ? t->model : NULL);
    json_put_text(j, "api", t->api);
    json_put_text(j, "key_source", t->key_source && t->key_source[0] ? t->key_source : NULL);
    return j;
}

json_t *json_of_plan(const struct result_plan *p)
{
    static const char *const terminators[] = {
        [TERMINATOR_DONE] = "done", [TERMINATOR_FINISH] = "finish", [TERMINATOR_EITHER] = "either"};
    json_t *j = json_object();
    json_put_int(j, "runs", p->runs);
    json_put_int(j, "warmup", p->warmup);
    json_put_int(j, "concurrency", p->concurrency > 0 ? p->concurrency : 1);
    json_put_bool(j, "streamed", p->streamed);
    json_put_bool(j, "fresh", p->fresh);
    json_put_bool(j, "same_prompt", p->same_prompt);
    json_put_count(j, "prompt_tokens", p->prompt_tokens > 0 ? p->prompt_tokens : COUNT_UNKNOWN);
    json_put_count(j, "max_tokens", p->max_tokens > 0 ? p->max_tokens : COUNT_UNKNOWN);
    json_put_number(j, "temperature", p->temperature);
    json_put_text(j, "terminator", terminators[p->terminator]);
    json_put_int(j, "seed", (int64_t)p->seed);
    return j;
}

static json_t *of_row(const struct row *row, bool gaps)
{
    json_t *j = json_object();
    json_put_int(j, "n", (int64_t)row->n);
    if (gaps) {
        json_put_int(j, "gaps", (int64_t)row->gaps);
        json_put_bool(j, "approximate", row->approximate);
    }
    json_put_number(j, "min", row->min);
    json_put_number(j, "p50", row->p50.value);
    json_put_number(j, "p50_lo", row->p50.low);
    json_put_number(j, "p50_hi", row->p50.high);
    json_put_number(j, "p95", row->p95.value);
    json_put_number(j, "p95_lo", row->p95.low);
    json_put_number(j, "p95_hi", row->p95.high);
    json_put_number(j, "p99", row->p99.value);
    json_put_number(j, "p99_lo", row->p99.low);
    json_put_number(j, "p99_hi", row->p99.high);
    json_put_number(j, "max", row->max);
    return j;
}

static json_t *of_share(const struct summary *s)
{
    json_t *j = json_object();
    json_put_int(j, "count", (int64_t)s->complete);
    json_put_int(j, "of", (int64_t)s->requests);
    json_put_number(j, "share", s->complete_share.value);
    json_put_number(j, "share_lo", s->complete_share.low);
    json_put_number(j, "share_hi", s->complete_share.high);
    return j;
}

static json_t *of_outcomes(const struct summary *s)
{
    json_t *j = json_object();
    for (int o = OUTCOME_PENDING + 1; o < OUTCOME_COUNT; o++)
        if (s->outcomes[o])
            json_put_int(j, outcome_name((enum outcome)o), (int64_t)s->outcomes[o]);
    return j;
}

static json_t *of_phases(const struct record *median)
{
    json_t *list = json_array();
    struct phases p = {0};
    if (median)
        phases_of(&p, median);
    for (size_t i = 0; i < p.count; i++) {
        json_t *j = json_object();
        json_put_text(j, "name", p.part[i].name);
        json_put_number(j, "ms", p.part[i].ms);
        json_put_text(j, "how", "measured");
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *of_run(const struct record *r, const char *key, double ms)
{
    if (!r)
        return json_null();
    json_t *j = json_object();
    json_put_int(j, "run", (int64_t)r->number);
    json_put_number(j, key, ms);
    return j;
}

static json_t *of_instrument(const struct result_instrument *i)
{
    json_t *j = json_object();
    json_put_text(j, "clock", clock_kind_name(i->clock));
    json_put_number(j, "lag_p50_us", i->lag_p50_us);
    json_put_number(j, "lag_p99_us", i->lag_p99_us);
    json_put_number(j, "lag_max_us", i->lag_max_us);
    json_put_int(j, "coalesced_reads", i->coalesced_reads);
    json_put_number(j, "offset_drift_us", i->offset_drift_us);
    json_put_int(j, "late_sends", i->late_sends);
    return j;
}

static json_t *of_limit(const struct limit *l)
{
    static const char *const units[] = {
        [UNIT_MS] = "ms",       [UNIT_COUNT] = "count",
        [UNIT_RATIO] = "ratio", [UNIT_TOKENS_PER_S] = "tokens/s",
        [UNIT_BYTES] = "bytes",
    };
    const struct slo *slo = &l->slo;
    enum metric_unit unit = slo->kind == SLO_COMPLETE ? UNIT_RATIO
                            : slo->kind == SLO_GAP    ? UNIT_MS
                                                      : metrics[slo->metric].unit;
    json_t *j = json_object();
    json_put_text(j, "name", slo->name);
    json_put_text(j, "unit", units[unit]);
    json_put_text(j, "side", slo->at_least ? "least" : "most");
    json_put_number(j, "limit", slo->limit);
    json_put_text(j, "verdict", slo_verdict_name(l->result.verdict));
    json_put_number(j, "value", l->result.value);
    json_put_number(j, "lo", l->result.low);
    json_put_number(j, "hi", l->result.high);
    json_put_int(j, "n", (int64_t)l->result.n);
    json_put_int(j, "failed", (int64_t)l->result.failed);
    if (slo->kind == SLO_GAP)
        json_put_int(j, "gaps", (int64_t)l->result.gaps);
    return j;
}

static json_t *of_limits(const struct result_limits *limits)
{
    json_t *list = json_array();
    for (size_t i = 0; i < limits->count; i++)
        json_array_append_new(list, of_limit(&limits->items[i]));
    return list;
}

void json_put_summary(json_t *to, const struct probe_result *r)
{
    const struct summary *s = &r->summary;
    json_put_bool(to, "interrupted", r->interrupted);
    json_put_bool(to, "stopped_by_warmup", r->stopped_by_warmup);
    json_put_int(to, "requests", (int64_t)s->requests);
    json_object_set_new(to, "complete", of_share(s));
    json_object_set_new(to, "outcomes", of_outcomes(s));
    for (size_t i = 0; i < METRIC_COUNT; i++)
        json_object_set_new(to, metrics[i].key, of_row(&s->of[i], false));
    json_object_set_new(to, "gap_ms", of_row(&s->gap, true));
    json_put_text(to, "token_source", token_source_name(s->token_source));
    json_put_count(to, "tokens_in", s->tokens_in);
    json_put_count(to, "tokens_out", s->tokens_out);
    json_put_count(to, "cached_tokens_max", s->cached_tokens_max);
    json_object_set_new(
        to, "median",
        of_run(s->median, s->median && !s->median->streamed ? "ttfb_ms" : "ttft_ms",
               s->median ? metric_of(s->median->streamed ? METRIC_TTFT : METRIC_TTFB, s->median)
                         : (double)NAN));
    json_object_set_new(to, "phases", of_phases(s->median));
    json_object_set_new(to, "longest_gap", of_run(s->longest_gap_run, "ms", s->longest_gap_ms));
    json_object_set_new(to, "limits", of_limits(&r->limits));
    json_object_set_new(to, "instrument", of_instrument(&r->instrument));
    struct err err;
    if (report_probe_failure(r, &err))
        json_object_set_new(to, "error", json_of_error(&err));
}

void report_probe_json(struct buf *out, const struct probe_result *r)
{
    json_t *j = json_object();
    json_put_int(j, "schema", 1);
    json_put_text(j, "kind", "probe");
    json_put_text(j, "weir", WEIR_VERSION);
    json_put_int(j, "wall_start_ns", r->wall_start);
    json_object_set_new(j, "target", json_of_target(&r->target));
    json_object_set_new(j, "plan", json_of_plan(&r->plan));
    json_put_summary(j, r);
    json_write(out, j, false);
}
