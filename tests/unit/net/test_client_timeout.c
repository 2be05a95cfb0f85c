#include "test.h"

#include "world.h"

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
    {"first, an error whose body does not end",
     {{STEP_REQUEST, 0}, {STEP_SEND, "HTTP/1.1 500 Oops\r\n\r\n{"}, {STEP_HOLD, 0}},
     {OFF, MILLIS(20), OFF, OFF, OFF},
     OUTCOME_HTTP_ERROR,
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
        cmocka_unit_test(timeouts_end_requests),
        cmocka_unit_test(a_connect_timeout),
        cmocka_unit_test(aborted_at_once_and_in_flight),
        cmocka_unit_test(freeing_the_client_delivers_what_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
