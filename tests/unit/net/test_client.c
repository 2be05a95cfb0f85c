#include "test.h"

#include "net/client_inside.h"

#include "peer.h"

/* One event of the OpenAI chat dialect, and what surrounds them. */
#define HEAD                                                                                       \
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"         \
    "X-Request-Id: req-7\r\n\r\n"
#define CHUNK_HI   "39\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"h\"}}]}\n\n\r\n"
#define CHUNK_DONE "e\r\ndata: [DONE]\n\n\r\n"
#define CHUNK_PING "8\r\n: ping\n\n\r\n"
#define LAST_CHUNK "0\r\n\r\n"
#define EVENT_HI   "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"h\"}}]}\n\n"
#define EVENT_DONE "data: [DONE]\n\n"
#define WHOLE      HEAD CHUNK_HI CHUNK_HI CHUNK_DONE LAST_CHUNK
#define SECONDS(n) ((int64_t)(n)*1000000000)
#define MILLIS(n)  ((int64_t)(n)*1000000)
#define PLAIN_BODY                                                                                 \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}"

struct world {
    struct loop *loop;
    struct client *client;
    struct peer peer;
    struct loop_timer timer;
    char url[64];
    struct record record;
    int delivered, awaited;
};

static void begin(struct world *w, const script *scripts, int count)
{
    struct err err = {0};
    memset(w, 0, sizeof(*w));
    w->loop = loop_new(&err);
    assert_non_null(w->loop);
    w->client = client_new(w->loop, &(struct client_options){0}, &err);
    assert_non_null(w->client);
    peer_start(&w->peer, NULL, scripts, count);
    snprintf(w->url, sizeof(w->url), "http://127.0.0.1:%d/v1/chat/completions", w->peer.port);
}

static void finish(struct world *w)
{
    client_free(w->client);
    record_done(&w->record);
    loop_free(w->loop);
    peer_stop(&w->peer);
}

static void delivered(void *arg, struct record *r)
{
    struct world *w = arg;
    record_done(&w->record);
    w->record = *r;
    if (++w->delivered == w->awaited)
        loop_stop(w->loop);
}

static struct request request_to(const struct world *w)
{
    const int64_t off = INT64_MAX;
    return (struct request){
        .number = 1,
        .due = NEVER,
        .url = str_of(w->url),
        .key = STR("sk-secret-of-the-test"),
        .body = STR("{\"stream\":true}"),
        /* A deadline so that a broken test ends; never reached by a good one. */
        .timeouts = {off, off, off, off, SECONDS(60)},
        .observe = {.streamed = true, .keep_events = true},
    };
}

static void ask(struct world *w, const struct request *r)
{
    w->awaited = w->delivered + 1;
    client_send(w->client, r, delivered, w);
    loop_run(w->loop);
}

/* What comes back, and what becomes of it. */

struct answer_case {
    const char *name;
    script script;
    enum outcome outcome;
    enum transport_end transport;
    int status;
    int64_t output_events;
    const char *detail; /* part of it; NULL: empty */
    bool plain;         /* stream:false was asked */
};

static const struct answer_case answers[] = {
    {"chunked",
     {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_HOLD, 0}},
     OUTCOME_COMPLETE,
     END_BODY,
     200,
     2,
     NULL,
     false},
    {"byte by byte",
     {{STEP_REQUEST, 0}, {STEP_TRICKLE, WHOLE}, {STEP_HOLD, 0}},
     OUTCOME_COMPLETE,
     END_BODY,
     200,
     2,
     NULL,
     false},
    {"until the end of the connection",
     {{STEP_REQUEST, 0},
      {STEP_SEND,
       "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" EVENT_HI EVENT_DONE}},
     OUTCOME_COMPLETE,
     END_BODY,
     200,
     1,
     NULL,
     false},
    {"with a length",
     {{STEP_REQUEST, 0},
      {STEP_SEND,
       "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 71\r\n\r\n" EVENT_HI
           EVENT_DONE},
      {STEP_HOLD, 0}},
     OUTCOME_COMPLETE,
     END_BODY,
     200,
     1,
     NULL,
     false},
    {"informational heads first",
     {{STEP_REQUEST, 0},
      {STEP_SEND,
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" WHOLE},
      {STEP_HOLD, 0}},
     OUTCOME_COMPLETE,
     END_BODY,
     200,
     2,
     NULL,
     false},
    {"half-closed by the server, but whole",
     {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_HALF, 0}, {STEP_HOLD, 0}},
     OUTCOME_COMPLETE,
     END_BODY,
     200,
     2,
     NULL,
     false},
    {"answer over, body never ends",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD CHUNK_HI CHUNK_DONE}, {STEP_HOLD, 0}},
     OUTCOME_COMPLETE,
     END_BODY,
     200,
     1,
     NULL,
     false},
    {"no terminator",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD CHUNK_HI LAST_CHUNK}, {STEP_HOLD, 0}},
     OUTCOME_INCOMPLETE,
     END_BODY,
     200,
     1,
     NULL,
     false},
    {"cut within the body",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD CHUNK_HI "10\r\nda"}},
     OUTCOME_BROKEN,
     END_BROKEN,
     200,
     1,
     "within the body",
     false},
    {"reset within the body",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD CHUNK_HI}, {STEP_RESET, 0}},
     OUTCOME_BROKEN,
     END_BROKEN,
     200,
     -1,
     "reset",
     false},
    {"bad chunk size",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD CHUNK_HI "xyz\r\n"}, {STEP_HOLD, 0}},
     OUTCOME_BROKEN,
     END_BROKEN,
     200,
     1,
     "framing",
     false},
    {"no answer at all",
     {{STEP_REQUEST, 0}, {STEP_END, 0}},
     OUTCOME_UNREACHABLE,
     END_UNREACHABLE,
     0,
     0,
     "before any byte",
     false},
    {"reset before the answer",
     {{STEP_REQUEST, 0}, {STEP_RESET, 0}},
     OUTCOME_UNREACHABLE,
     END_UNREACHABLE,
     0,
     0,
     "reset",
     false},
    {"cut within the head",
     {{STEP_REQUEST, 0}, {STEP_SEND, "HTTP/1.1 200 OK\r\nConte"}},
     OUTCOME_UNREACHABLE,
     END_UNREACHABLE,
     0,
     0,
     "response head",
     false},
    {"not HTTP",
     {{STEP_REQUEST, 0}, {STEP_SEND, "SSH-2.0-OpenSSH_9.2\r\n\r\n"}, {STEP_HOLD, 0}},
     OUTCOME_MALFORMED,
     END_BAD_RESPONSE,
     0,
     0,
     "not valid HTTP/1.1",
     false},
    {"two lengths",
     {{STEP_REQUEST, 0},
      {STEP_SEND, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"},
      {STEP_HOLD, 0}},
     OUTCOME_MALFORMED,
     END_BAD_RESPONSE,
     0,
     0,
     "framing",
     false},
    {"head without end",
     {{STEP_REQUEST, 0},
      {STEP_SEND, "HTTP/1.1 200 OK\r\n"},
      {STEP_FLOOD, "X-Filler: 0123456789012345678901234567890123456789\r\n"}},
     OUTCOME_MALFORMED,
     END_BAD_RESPONSE,
     0,
     0,
     "head_large",
     false},
    {"informational heads without end",
     {{STEP_REQUEST, 0}, {STEP_FLOOD, "HTTP/1.1 100 Continue\r\n\r\n"}},
     OUTCOME_MALFORMED,
     END_BAD_RESPONSE,
     0,
     0,
     "16 informational",
     false},
    {"switching protocols",
     {{STEP_REQUEST, 0},
      {STEP_SEND, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"},
      {STEP_HOLD, 0}},
     OUTCOME_MALFORMED,
     END_BAD_RESPONSE,
     0,
     0,
     "switched",
     false},
    {"compressed",
     {{STEP_REQUEST, 0},
      {STEP_SEND, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"},
      {STEP_HOLD, 0}},
     OUTCOME_MALFORMED,
     END_BAD_RESPONSE,
     200,
     0,
     "compressed (gzip)",
     false},
    {"line without end",
     {{STEP_REQUEST, 0},
      {STEP_SEND, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: "},
      {STEP_FLOOD, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}},
     OUTCOME_MALFORMED,
     END_BAD_RESPONSE,
     200,
     0,
     "over its limit",
     false},
    {"status",
     {{STEP_REQUEST, 0},
      {STEP_SEND,
       "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: "
       "48\r\n\r\n{\"error\":{\"type\":\"rate_limit\",\"message\":\"slow\"}}"},
      {STEP_HOLD, 0}},
     OUTCOME_HTTP_ERROR,
     END_BODY,
     429,
     0,
     NULL,
     false},
    {"redirect",
     {{STEP_REQUEST, 0},
      {STEP_SEND, "HTTP/1.1 308 Permanent Redirect\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"},
      {STEP_HOLD, 0}},
     OUTCOME_HTTP_ERROR,
     END_BODY,
     308,
     0,
     NULL,
     false},
    {"no content",
     {{STEP_REQUEST, 0}, {STEP_SEND, "HTTP/1.1 204 No Content\r\n\r\n"}, {STEP_HOLD, 0}},
     OUTCOME_EMPTY,
     END_BODY,
     204,
     0,
     NULL,
     false},
    {"a web page",
     {{STEP_REQUEST, 0},
      {STEP_SEND,
       "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<html>hi</html>"},
      {STEP_HOLD, 0}},
     OUTCOME_NOT_A_STREAM,
     END_BODY,
     200,
     0,
     NULL,
     false},
    {"refused before the request was asked for",
     {{STEP_SEND,
       "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"},
      {STEP_HOLD, 0}},
     OUTCOME_HTTP_ERROR,
     END_BODY,
     503,
     0,
     NULL,
     false},
    {"plain",
     {{STEP_REQUEST, 0},
      {STEP_SEND, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                  "75\r\n\r\n" PLAIN_BODY},
      {STEP_HOLD, 0}},
     OUTCOME_COMPLETE,
     END_BODY,
     200,
     0,
     NULL,
     true},
};

static void check_answer(const struct answer_case *c, const struct record *r)
{
    if (r->outcome != c->outcome || r->transport != c->transport || r->http_status != c->status)
        fail_msg("%s: expected %s, transport %d, status %d; got %s, %d, %d (%s)", c->name,
                 outcome_name(c->outcome), c->transport, c->status, outcome_name(r->outcome),
                 r->transport, r->http_status, r->detail);
    if (c->output_events >= 0 && r->output_events != c->output_events)
        fail_msg("%s: expected %lld outputs, got %lld", c->name, (long long)c->output_events,
                 (long long)r->output_events);
    if (c->detail ? !strstr(r->detail, c->detail) : r->detail[0] != 0)
        fail_msg("%s: expected detail '%s', got '%s'", c->name, c->detail, r->detail);
}

/* Instants never run backwards, and an answer has all of them. */
static void check_order(const char *name, const struct record *r)
{
    const int64_t order[] = {r->start,       r->dns_done,   r->connect_done, r->proxy_done,
                             r->tls_done,    r->headers,    r->first_event,  r->first_output,
                             r->last_output, r->terminator, r->end};
    int64_t before = r->start;
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        if (order[i] != NEVER && order[i] < before)
            fail_msg("%s: instant %zu is %lld ns before the one before it", name, i,
                     (long long)(before - order[i]));
        before = order[i] != NEVER ? order[i] : before;
    }
    if (r->sent != NEVER)
        assert_true(r->sent >= r->tls_done && r->sent <= r->end);
}

static void answers_become_outcomes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        struct world w;
        begin(&w, &answers[i].script, 1);
        struct request r = request_to(&w);
        r.observe.streamed = !answers[i].plain;
        ask(&w, &r);
        check_answer(&answers[i], &w.record);
        check_order(answers[i].name, &w.record);
        finish(&w);
    }
}

static void a_record_tells_of_its_connection(void **state)
{
    (void)state;
    struct world w;
    char peer[64];
    begin(&w, &(script){{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_HOLD, 0}}, 1);
    struct request r = request_to(&w);
    ask(&w, &r);
    snprintf(peer, sizeof(peer), "127.0.0.1:%d", w.peer.port);
    assert_string_equal(w.record.peer, peer);
    assert_string_equal(w.record.tls, "");
    assert_string_equal(w.record.request_id, "req-7");
    assert_int_equal(w.record.clock, CLOCK_KIND_KERNEL);
    assert_false(w.record.reused);
    assert_int_equal(w.record.number, 1);
    assert_int_equal(w.record.attempt, 1);
    assert_true(w.record.due == w.record.start);
    assert_true(w.record.sent >= w.record.connect_done);
    assert_true(w.record.headers >= w.record.connect_done);
    assert_int_equal(client_facts(w.client)->dials, 1);
    assert_true(client_facts(w.client)->reads >= 1);
    finish(&w);
}

static void a_request_is_written_as_asked(void **state)
{
    (void)state;
    struct world w;
    char expected[1024];
    begin(&w, &(script){{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_HOLD, 0}}, 1);
    struct request r = request_to(&w);
    const struct request_header headers[] = {{STR("X-Team"), STR("seven")},
                                             {STR("user-agent"), STR("mine/1")}};
    r.headers = headers;
    r.header_count = 2;
    ask(&w, &r);
    snprintf(
        expected, sizeof(expected),
        "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
        "Accept: text/event-stream, application/x-ndjson\r\nAccept-Encoding: identity\r\n"
        "Authorization: Bearer sk-secret-of-the-test\r\nX-Team: seven\r\nuser-agent: mine/1\r\n"
        "Content-Type: application/json\r\nContent-Length: 15\r\n\r\n{\"stream\":true}",
        w.peer.port);
    finish(&w);
    assert_string_equal(w.peer.seen, expected);
}

static void what_cannot_be_sent_is_said(void **state)
{
    (void)state;
    const struct request_header bad[] = {{STR("X-A"), STR("1\r\nX-B: 2")},
                                         {STR("bad name"), STR("1")},
                                         {STR("Content-Length"), STR("1")}};
    static const char *const details[] = {"X-A", "bad name", "Content-Length"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct world w;
        begin(&w, &(script){{STEP_HOLD, 0}}, 1);
        struct request r = request_to(&w);
        r.headers = &bad[i];
        r.header_count = 1;
        ask(&w, &r);
        assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
        assert_non_null(strstr(w.record.detail, details[i]));
        r.header_count = 0;
        r.url = STR("gopher://x");
        ask(&w, &r);
        assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
        assert_int_equal(w.delivered, 2);
        finish(&w);
        assert_int_equal(w.peer.accepted, 0);
    }
}

static void a_large_body_goes_out_whole(void **state)
{
    (void)state;
    enum { LARGE = 60000 };
    struct world w;
    begin(&w, &(script){{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_HOLD, 0}}, 1);
    struct request r = request_to(&w);
    char *body = mem_alloc(LARGE);
    memset(body, 'x', LARGE);
    r.body = str_make(body, LARGE);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
    assert_true(w.record.sent != NEVER);
    finish(&w);
    mem_free(body);
    const char *end = strstr(w.peer.seen, "\r\n\r\n");
    assert_non_null(end);
    assert_int_equal(strlen(end + 4), LARGE);
}

static void a_refusal_is_heard_while_the_body_still_leaves(void **state)
{
    (void)state;
    enum { HUGE_BODY = 32 << 20 };
    struct world w;
    begin(&w,
          &(script){{STEP_SEND, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"},
                    {STEP_HOLD, 0}},
          1);
    struct request r = request_to(&w);
    char *body = mem_zalloc(HUGE_BODY);
    r.body = str_make(body, HUGE_BODY);
    ask(&w, &r);
    assert_int_equal(w.record.http_status, 413);
    assert_int_equal(w.record.outcome, OUTCOME_HTTP_ERROR);
    assert_int_equal(w.client->pool.count, 0); /* half a request was sent on it */
    finish(&w);
    mem_free(body);
}

/* Connections. */

static void connections_are_reused(void **state)
{
    (void)state;
    struct world w;
    begin(&w,
          &(script){{STEP_REQUEST, 0},
                    {STEP_SEND, WHOLE},
                    {STEP_REQUEST, 0},
                    {STEP_SEND, WHOLE},
                    {STEP_HOLD, 0}},
          1);
    struct request r = request_to(&w);
    ask(&w, &r);
    assert_false(w.record.reused);
    assert_int_equal(w.client->pool.count, 1);
    ask(&w, &r);
    assert_true(w.record.reused);
    assert_false(w.record.resent);
    assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
    assert_true(w.record.tls_done == w.record.start && w.record.dns_done == w.record.start);
    assert_int_equal(client_facts(w.client)->dials, 1);
    finish(&w);
    assert_int_equal(w.peer.accepted, 1);
}

static void a_fresh_request_dials(void **state)
{
    (void)state;
    struct world w;
    const script scripts[] = {{{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}}};
    begin(&w, scripts, 1);
    struct request r = request_to(&w);
    r.fresh = true;
    ask(&w, &r);
    ask(&w, &r);
    assert_false(w.record.reused);
    assert_int_equal(client_facts(w.client)->dials, 2);
    finish(&w);
}

struct keep_case {
    const char *name, *answer;
    bool kept;
};
static const struct keep_case keeps[] = {
    {"1.1", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true},
    {"close", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", false},
    {"1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", false},
    {"1.0 keep-alive", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}",
     true},
    {"surplus bytes", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}x", false},
    {"surplus answer", WHOLE WHOLE, false},
};

static void only_whole_connections_are_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(keeps); i++) {
        struct world w;
        begin(&w, &(script){{STEP_REQUEST, 0}, {STEP_SEND, keeps[i].answer}, {STEP_HOLD, 0}}, 1);
        struct request r = request_to(&w);
        ask(&w, &r);
        if (w.client->pool.count != (keeps[i].kept ? 1 : 0))
            fail_msg("%s: expected %skept", keeps[i].name, keeps[i].kept ? "" : "not ");
        finish(&w);
    }
}

static void look_at_pool(struct loop_timer *t)
{
    struct world *w = (struct world *)((char *)t - offsetof(struct world, timer));
    if (w->client->pool.count == 0)
        loop_stop(w->loop);
    else
        loop_timer_start(w->loop, t, clock_now() + MILLIS(1));
}

static void a_dead_idle_connection_is_dropped(void **state)
{
    (void)state;
    static const struct step deaths[] = {
        {STEP_END, 0}, {STEP_RESET, 0}, {STEP_HALF, 0}, {STEP_SEND, "junk"}};
    for (size_t i = 0; i < ARRAY_LEN(deaths); i++) {
        struct world w;
        const script scripts[] = {
            {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, deaths[i], {STEP_HOLD, 0}},
            {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_HOLD, 0}}};
        begin(&w, scripts, 2);
        struct request r = request_to(&w);
        ask(&w, &r);
        w.timer.fire = look_at_pool;
        loop_timer_start(w.loop, &w.timer, clock_now());
        loop_run(w.loop); /* until the pool has let it go */
        ask(&w, &r);
        assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
        assert_false(w.record.reused);
        assert_false(w.record.resent);
        finish(&w);
    }
}

static void a_reused_connection_that_dies_unanswered_is_replaced_once(void **state)
{
    (void)state;
    static const struct step deaths[] = {{STEP_END, 0}, {STEP_RESET, 0}};
    for (size_t i = 0; i < ARRAY_LEN(deaths); i++) {
        struct world w;
        const script scripts[] = {
            {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_REQUEST, 0}, deaths[i]},
            {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_HOLD, 0}}};
        begin(&w, scripts, 2);
        struct request r = request_to(&w);
        ask(&w, &r);
        ask(&w, &r);
        assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
        assert_true(w.record.resent);
        assert_false(w.record.reused);
        check_order("resent", &w.record);
        finish(&w);
    }
}

static void it_is_not_replaced_twice_nor_after_a_byte(void **state)
{
    (void)state;
    struct world w;
    const script twice[] = {{{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_REQUEST, 0}},
                            {{STEP_REQUEST, 0}}};
    begin(&w, twice, 2);
    struct request r = request_to(&w);
    ask(&w, &r);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
    assert_true(w.record.resent);
    finish(&w);
    assert_int_equal(w.peer.accepted, 2);

    const script byte[] = {
        {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_REQUEST, 0}, {STEP_SEND, "H"}}};
    begin(&w, byte, 1);
    r = request_to(&w);
    ask(&w, &r);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
    assert_false(w.record.resent);
    finish(&w);
    assert_int_equal(w.peer.accepted, 1);
}

static void the_pool_keeps_no_more_than_its_maximum(void **state)
{
    (void)state;
    struct err err = {0};
    struct world w;
    const script scripts[] = {{{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_HALF, 0}}};
    begin(&w, scripts, 1);
    client_free(w.client);
    w.client = client_new(w.loop, &(struct client_options){.idle_max = 1}, &err);
    struct request r = request_to(&w);
    r.fresh = true;
    for (int i = 0; i < 3; i++) {
        ask(&w, &r);
        assert_true(w.client->pool.count <= 1);
    }
    finish(&w);
}

static void a_closed_port_is_unreachable(void **state)
{
    (void)state;
    struct world w;
    begin(&w, &(script){{STEP_HOLD, 0}}, 1);
    struct request r = request_to(&w);
    int spare = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(a);
    assert_int_equal(bind(spare, (struct sockaddr *)&a, size), 0); /* taken, but nobody listens */
    assert_int_equal(getsockname(spare, (struct sockaddr *)&a, &size), 0);
    snprintf(w.url, sizeof(w.url), "http://127.0.0.1:%d/", ntohs(a.sin_port));
    r.url = str_of(w.url);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
    assert_string_equal(w.record.detail, "connection refused");
    assert_true(w.record.dns_done != NEVER);
    assert_true(w.record.connect_done == NEVER);
    close(spare);
    finish(&w);
}

static void a_name_that_is_none_is_unreachable(void **state)
{
    (void)state;
    struct world w;
    begin(&w, &(script){{STEP_HOLD, 0}}, 1);
    struct request r = request_to(&w);
    r.url = STR("http://weir-has-no-such-host.invalid/");
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
    assert_string_equal(w.record.detail, "the name does not resolve");
    assert_true(w.record.dns_done == NEVER);
    finish(&w);
}

/* The five timeouts. */

struct timeout_case {
    const char *name;
    script script;
    struct request_timeouts timeouts;
    enum outcome outcome;
    int64_t output_events;
};
#define OFF INT64_MAX
static const struct timeout_case timeouts[] = {
    {"first, no head",
     {{STEP_REQUEST, 0}, {STEP_HOLD, 0}},
     {OFF, MILLIS(20), OFF, OFF, OFF},
     OUTCOME_TIMEOUT_FIRST,
     0},
    {"first, only pings",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD}, {STEP_FLOOD, CHUNK_PING}},
     {OFF, MILLIS(20), OFF, OFF, OFF},
     OUTCOME_TIMEOUT_FIRST,
     0},
    {"gap, silence",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD CHUNK_HI}, {STEP_HOLD, 0}},
     {OFF, SECONDS(50), MILLIS(20), OFF, OFF},
     OUTCOME_TIMEOUT_GAP,
     1},
    {"gap, only pings",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD CHUNK_HI}, {STEP_FLOOD, CHUNK_PING}},
     {OFF, OFF, MILLIS(20), OFF, OFF},
     OUTCOME_TIMEOUT_GAP,
     1},
    {"idle, no head",
     {{STEP_REQUEST, 0}, {STEP_HOLD, 0}},
     {OFF, OFF, OFF, MILLIS(20), OFF},
     OUTCOME_TIMEOUT_IDLE,
     0},
    {"idle",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD CHUNK_HI}, {STEP_HOLD, 0}},
     {OFF, OFF, SECONDS(50), MILLIS(20), OFF},
     OUTCOME_TIMEOUT_IDLE,
     1},
    {"total, in spite of output",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD}, {STEP_FLOOD, CHUNK_HI}},
     {OFF, SECONDS(50), SECONDS(50), SECONDS(50), MILLIS(30)},
     OUTCOME_TIMEOUT_TOTAL,
     -1},
    {"none of them once the answer is over",
     {{STEP_REQUEST, 0}, {STEP_SEND, HEAD CHUNK_HI CHUNK_DONE}, {STEP_HOLD, 0}},
     {OFF, SECONDS(50), MILLIS(20), MILLIS(20), SECONDS(50)},
     OUTCOME_COMPLETE,
     1},
};

static void timeouts_end_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(timeouts); i++) {
        const struct timeout_case *c = &timeouts[i];
        struct world w;
        begin(&w, &c->script, 1);
        struct request r = request_to(&w);
        r.timeouts = c->timeouts;
        ask(&w, &r);
        if (w.record.outcome != c->outcome)
            fail_msg("%s: expected %s, got %s (%s)", c->name, outcome_name(c->outcome),
                     outcome_name(w.record.outcome), w.record.detail);
        if (c->output_events >= 0)
            assert_int_equal(w.record.output_events, c->output_events);
        finish(&w);
    }
}

/* A backlog that is full answers no SYN. */
static void a_connect_timeout(void **state)
{
    (void)state;
    struct world w;
    begin(&w, &(script){{STEP_HOLD, 0}}, 1);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(a);
    int full = socket(AF_INET, SOCK_STREAM, 0), filler[8];
    assert_int_equal(bind(full, (struct sockaddr *)&a, size), 0);
    assert_int_equal(listen(full, 0), 0);
    assert_int_equal(getsockname(full, (struct sockaddr *)&a, &size), 0);
    for (size_t i = 0; i < ARRAY_LEN(filler); i++) {
        filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connect(filler[i], (struct sockaddr *)&a, size);
    }
    snprintf(w.url, sizeof(w.url), "http://127.0.0.1:%d/", ntohs(a.sin_port));
    struct request r = request_to(&w);
    r.timeouts.connect = MILLIS(30);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_TIMEOUT_CONNECT);
    assert_true(w.record.dns_done != NEVER);
    assert_true(w.record.connect_done == NEVER);
    assert_true(w.record.end - w.record.start >= MILLIS(30));
    for (size_t i = 0; i < ARRAY_LEN(filler); i++)
        close(filler[i]);
    close(full);
    finish(&w);
}

/* Aborting. */

static void abort_now(struct loop_timer *t)
{
    struct world *w = (struct world *)((char *)t - offsetof(struct world, timer));
    client_abort_all(w->client);
}

static void aborted_at_once_and_in_flight(void **state)
{
    (void)state;
    struct world w;
    begin(&w, &(script){{STEP_REQUEST, 0}, {STEP_SEND, HEAD CHUNK_HI}, {STEP_HOLD, 0}}, 1);
    struct request r = request_to(&w);
    w.awaited = 1;
    uint64_t id = client_send(w.client, &r, delivered, &w);
    client_abort(w.client, id + 1); /* no such request: nothing */
    client_abort(w.client, id);
    assert_int_equal(w.delivered, 0); /* from the loop only */
    loop_run(w.loop);
    assert_int_equal(w.record.outcome, OUTCOME_ABORTED);
    assert_int_equal(client_in_flight(w.client), 0);

    w.timer.fire = abort_now;
    loop_timer_start(w.loop, &w.timer, clock_now() + MILLIS(5));
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_ABORTED);
    finish(&w);
}

static void freeing_the_client_delivers_what_runs(void **state)
{
    (void)state;
    struct world w;
    begin(&w, &(script){{STEP_REQUEST, 0}, {STEP_HOLD, 0}}, 1);
    struct request r = request_to(&w);
    for (int i = 0; i < 3; i++)
        client_send(w.client, &r, delivered, &w);
    assert_int_equal(client_in_flight(w.client), 3);
    client_free(w.client);
    w.client = NULL;
    assert_int_equal(w.delivered, 3);
    assert_int_equal(w.record.outcome, OUTCOME_ABORTED);
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_become_outcomes),
        cmocka_unit_test(a_record_tells_of_its_connection),
        cmocka_unit_test(a_request_is_written_as_asked),
        cmocka_unit_test(what_cannot_be_sent_is_said),
        cmocka_unit_test(a_large_body_goes_out_whole),
        cmocka_unit_test(a_refusal_is_heard_while_the_body_still_leaves),
        cmocka_unit_test(connections_are_reused),
        cmocka_unit_test(a_fresh_request_dials),
        cmocka_unit_test(only_whole_connections_are_kept),
        cmocka_unit_test(a_dead_idle_connection_is_dropped),
        cmocka_unit_test(a_reused_connection_that_dies_unanswered_is_replaced_once),
        cmocka_unit_test(it_is_not_replaced_twice_nor_after_a_byte),
        cmocka_unit_test(the_pool_keeps_no_more_than_its_maximum),
        cmocka_unit_test(a_closed_port_is_unreachable),
        cmocka_unit_test(a_name_that_is_none_is_unreachable),
        cmocka_unit_test(timeouts_end_requests),
        cmocka_unit_test(a_connect_timeout),
        cmocka_unit_test(aborted_at_once_and_in_flight),
        cmocka_unit_test(freeing_the_client_delivers_what_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
