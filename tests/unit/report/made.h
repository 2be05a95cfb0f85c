#ifndef WEIR_TEST_REPORT_MADE_H
#define WEIR_TEST_REPORT_MADE_H

#include <math.h>

#include "base/mem.h"
#include "measure/summary.h"
#include "report/report.h"

/* Results made by hand: what a study would give, without one. Times in ms. */

static inline int64_t made_ns(double ms)
{
    return (int64_t)llround(ms * 1e6);
}

struct made_run {
    double dns, connect, tls, send, ttft, gap;
    int events, longest_at; /* the gap before event longest_at is `longest` */
    double longest;
};

static inline struct record made_record(uint64_t number, const struct made_run *m)
{
    struct record r;
    record_init(&r);
    r.number = number;
    r.streamed = true;
    r.start = r.due = 1000000000;
    r.dns_done = r.start + made_ns(m->dns);
    r.connect_done = r.dns_done + made_ns(m->connect);
    r.tls_done = m->tls > 0 ? r.connect_done + made_ns(m->tls) : NEVER;
    r.sent = (m->tls > 0 ? r.tls_done : r.connect_done) + made_ns(m->send);
    r.first_event = r.first_output = r.first_answer = r.start + made_ns(m->ttft);
    r.headers = r.first_output - made_ns(1);
    int64_t at = r.first_output;
    for (int i = 0; i < m->events; i++) {
        if (i)
            at += made_ns(i == m->longest_at ? m->longest : m->gap);
        record_log_event(&r, &(struct record_event){.at = at, .bytes = 100, .pieces = 1});
    }
    r.last_output = at;
    r.terminator = at + made_ns(0.2);
    r.end = at + made_ns(0.3);
    r.events = m->events + 1;
    r.output_events = m->events;
    r.chunks[PIECE_ANSWER] = m->events;
    r.output_chars = r.answer_chars = 4 * m->events;
    r.first_output_chars = 4;
    r.reads = m->events;
    r.body_bytes = 100 * m->events;
    r.usage.prompt_tokens = 412;
    r.usage.completion_tokens = m->events;
    r.clock = CLOCK_KIND_KERNEL;
    r.http_status = 200;
    r.done = r.finished = true;
    r.transport = END_BODY;
    r.outcome = OUTCOME_COMPLETE;
    r.finish_reason = mem_strdup("stop");
    r.dialect = "chat";
    str_copy(r.peer, sizeof(r.peer), STR("192.0.2.7:443"));
    if (m->tls > 0)
        str_copy(r.tls, sizeof(r.tls), STR("TLSv1.3"));
    return r;
}

/* `r` becomes an attempt that ended otherwise, with what was measured up to there. */
static inline void made_fail(struct record *r, enum outcome outcome, int status, const char *detail,
                             const char *kind, const char *message)
{
    r->outcome = outcome;
    r->http_status = status;
    r->done = r->finished = false;
    str_copy(r->detail, sizeof(r->detail), str_of(detail));
    r->error_kind = kind ? mem_strdup(kind) : NULL;
    r->error_message = message ? mem_strdup(message) : NULL;
}

/* Records are handed over. */
static inline void made_result(struct probe_result *r, struct record *records, size_t count)
{
    *r = (struct probe_result){
        .target = {.url = "https://llm.example.com/v1/chat/completions",
                   .model = "qwen3-32b",
                   .api = "openai-chat",
                   .key_source = "$OPENAI_API_KEY"},
        .plan = {.runs = (int64_t)count,
                 .warmup = 1,
                 .max_tokens = 256,
                 .prompt_tokens_about = 38,
                 .concurrency = 1,
                 .streamed = true,
                 .fresh = true},
        .records = records,
        .record_count = count,
    };
    summary_make(&r->summary, records, count);
    instrument_make(&r->instrument, records, count);
}

/* Ten runs of one endpoint over TLS, much like an evening's. */
static inline void made_ten(struct probe_result *r)
{
    static const double ttft[] = {586, 612, 598, 720, 604, 789, 612.4, 590, 640, 655};
    struct record *records = mem_array(10, sizeof(*records));
    for (int i = 0; i < 10; i++) {
        struct made_run m = {4, 17, 37, 0.1, ttft[i], 21.4 + 0.1 * i, 256, 90, i == 2 ? 161 : 40};
        records[i] = made_record((uint64_t)i + 1, &m);
    }
    made_result(r, records, 10);
}

#endif
