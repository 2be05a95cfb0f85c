#include "test.h"

#include "world.h"

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

/* clang-format off */
static const struct answer_case answers[] = {
    {"chunked",
     {ASKED, SEND(WHOLE), HOLD},
     OUTCOME_COMPLETE, END_BODY, 200, 2, NULL, false},
    {"byte by byte",
     {ASKED, TRICKLE(WHOLE), HOLD},
     OUTCOME_COMPLETE, END_BODY, 200, 2, NULL, false},
    {"until the end of the connection",
     {ASKED, SEND("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" EVENT_HI EVENT_DONE)},
     OUTCOME_COMPLETE, END_BODY, 200, 1, NULL, false},
    {"with a length",
     {ASKED, SEND("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 71\r\n\r\n" EVENT_HI EVENT_DONE), HOLD},
     OUTCOME_COMPLETE, END_BODY, 200, 1, NULL, false},
    {"informational heads first",
     {ASKED, SEND("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" WHOLE), HOLD},
     OUTCOME_COMPLETE, END_BODY, 200, 2, NULL, false},
    {"half-closed by the server, but whole",
     {ASKED, SEND(WHOLE), HALF, HOLD},
     OUTCOME_COMPLETE, END_BODY, 200, 2, NULL, false},
    {"answer over, body never ends",
     {ASKED, SEND(HEAD CHUNK_HI CHUNK_DONE), HOLD},
     OUTCOME_COMPLETE, END_BODY, 200, 1, NULL, false},
    {"no terminator",
     {ASKED, SEND(HEAD CHUNK_HI LAST_CHUNK), HOLD},
     OUTCOME_INCOMPLETE, END_BODY, 200, 1, NULL, false},
    {"cut within the body",
     {ASKED, SEND(HEAD CHUNK_HI "10\r\nda")},
     OUTCOME_BROKEN, END_BROKEN, 200, 1, "within the body", false},
    {"reset within the body",
     {ASKED, SEND(HEAD CHUNK_HI), RESET},
     OUTCOME_BROKEN, END_BROKEN, 200, -1, "reset", false},
    {"bad chunk size",
     {ASKED, SEND(HEAD CHUNK_HI "xyz\r\n"), HOLD},
     OUTCOME_BROKEN, END_BROKEN, 200, 1, "framing", false},
    {"no answer at all",
     {ASKED, END},
     OUTCOME_UNREACHABLE, END_UNREACHABLE, 0, 0, "before any byte", false},
    {"reset before the answer",
     {ASKED, RESET},
     OUTCOME_UNREACHABLE, END_UNREACHABLE, 0, 0, "reset", false},
    {"cut within the head",
     {ASKED, SEND("HTTP/1.1 200 OK\r\nConte")},
     OUTCOME_UNREACHABLE, END_UNREACHABLE, 0, 0, "response head", false},
    {"not HTTP",
     {ASKED, SEND("SSH-2.0-OpenSSH_9.2\r\n\r\n"), HOLD},
     OUTCOME_MALFORMED, END_BAD_RESPONSE, 0, 0, "not valid HTTP/1.1", false},
    {"two lengths",
     {ASKED, SEND("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"), HOLD},
     OUTCOME_MALFORMED, END_BAD_RESPONSE, 0, 0, "framing", false},
    {"head without end",
     {ASKED, SEND("HTTP/1.1 200 OK\r\n"), FLOOD("X-Filler: 0123456789012345678901234567890123456789\r\n")},
     OUTCOME_MALFORMED, END_BAD_RESPONSE, 0, 0, "head_large", false},
    {"informational heads without end",
     {ASKED, FLOOD("HTTP/1.1 100 Continue\r\n\r\n")},
     OUTCOME_MALFORMED, END_BAD_RESPONSE, 0, 0, "16 informational", false},
    {"switching protocols",
     {ASKED, SEND("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"), HOLD},
     OUTCOME_MALFORMED, END_BAD_RESPONSE, 0, 0, "switched", false},
    {"compressed",
     {ASKED, SEND("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"), HOLD},
     OUTCOME_MALFORMED, END_BAD_RESPONSE, 200, 0, "compressed (gzip)", false},
    {"line without end",
     {ASKED, SEND("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: "), FLOOD("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")},
     OUTCOME_MALFORMED, END_BAD_RESPONSE, 200, 0, "over its limit", false},
    {"status",
     {ASKED, SEND("HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nContent-Length: 48\r\n\r\n{\"error\":{\"type\":\"rate_limit\",\"message\":\"slow\"}}"), HOLD},
     OUTCOME_HTTP_ERROR, END_BODY, 429, 0, NULL, false},
    {"redirect",
     {ASKED, SEND("HTTP/1.1 308 Permanent Redirect\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n"), HOLD},
     OUTCOME_HTTP_ERROR, END_BODY, 308, 0, NULL, false},
    {"no content",
     {ASKED, SEND("HTTP/1.1 204 No Content\r\n\r\n"), HOLD},
     OUTCOME_EMPTY, END_BODY, 204, 0, NULL, false},
    {"a web page",
     {ASKED, SEND("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<html>hi</html>"), HOLD},
     OUTCOME_NOT_A_STREAM, END_BODY, 200, 0, NULL, false},
    {"refused before the request was asked for",
     {SEND("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), HOLD},
     OUTCOME_HTTP_ERROR, END_BODY, 503, 0, NULL, false},
    {"plain",
     {ASKED, SEND("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 75\r\n\r\n" PLAIN_BODY), HOLD},
     OUTCOME_COMPLETE, END_BODY, 200, 0, NULL, true},
};
/* clang-format on */

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
        "Accept: text/event-stream, application/x-ndjson, "
        "application/json;q=0.9\r\nAccept-Encoding: identity\r\n"
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

/* More than the kernel takes at once. */
static void a_large_body_goes_out_whole(void **state)
{
    (void)state;
    enum { LARGE = 16 << 20 };
    struct world w;
    begin(&w, &(script){SWALLOW, SEND(WHOLE), HOLD}, 1);
    struct request r = request_to(&w);
    char *body = mem_alloc(LARGE);
    memset(body, 'x', LARGE);
    body[LARGE - 1] = '!';
    r.body = str_make(body, LARGE);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
    assert_true(w.record.sent != NEVER);
    assert_int_equal(w.client->pool.count, 1);
    finish(&w);
    mem_free(body);
}

static void a_refusal_is_heard_while_the_body_still_leaves(void **state)
{
    (void)state;
    enum { HUGE_BODY = 32 << 20 };
    struct world w;
    begin(
        &w,
        &(script){SEND("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"), PAUSE, HOLD},
        1);
    struct request r = request_to(&w);
    char *body = mem_zalloc(HUGE_BODY);
    r.body = str_make(body, HUGE_BODY);
    ask(&w, &r);
    assert_int_equal(w.record.http_status, 413);
    assert_int_equal(w.record.outcome, OUTCOME_HTTP_ERROR);
    assert_true(w.record.sent == NEVER);
    assert_int_equal(w.client->pool.count, 0); /* half a request was sent on it */
    peer_go(&w.peer);
    finish(&w);
    mem_free(body);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
