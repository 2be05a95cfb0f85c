#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "sim/virtual.h"

/* Records of the virtual world, exact to the nanosecond. */

enum { MS = 1000000, RECORDS = 16 };
#define NO_TIMEOUTS                                                                                \
    {                                                                                              \
        INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX                                      \
    }
#define MESSAGE "\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]"

struct study {
    struct driver *driver;
    struct sim_profile profile;
    struct virtual_network network;
    struct request request; /* the model of those to come */
    struct record records[RECORDS];
    size_t count, to_send;
};

static void setup(struct study *s)
{
    *s = (struct study){0};
    sim_profile_init(&s->profile);
    s->profile.ttft_ns = 100 * MS;
    s->profile.gap_ns = 10 * MS;
    s->profile.tokens = 5;
    s->request = (struct request){
        .due = NEVER,
        .url = STR("http://sim.test/v1/chat/completions"),
        .body = STR("{" MESSAGE ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}"),
        .fresh = true,
        .timeouts = NO_TIMEOUTS,
        .observe = {.streamed = true, .keep_events = true, .keep_text = true},
    };
}

static void on_done(void *arg, struct record *record)
{
    struct study *s = arg;
    assert_true(s->count < RECORDS);
    s->records[s->count++] = *record;
}

static void send(struct study *s)
{
    s->request.number++;
    driver_send(s->driver, &s->request, on_done, s);
}

/* Sends `count` at once and runs to the end. */
static void run(struct study *s, size_t count)
{
    s->driver = virtual_driver_new(&s->profile, &s->network);
    for (size_t i = 0; i < count; i++)
        send(s);
    assert_int_equal(s->count, 0); /* callbacks come from run only */
    driver_run(s->driver);
    assert_int_equal(s->count, count);
}

static void teardown(struct study *s)
{
    driver_free(s->driver);
    for (size_t i = 0; i < s->count; i++)
        record_done(&s->records[i]);
}

static int64_t since(int64_t at, const struct record *r)
{
    return at == NEVER ? -1 : at - r->start;
}

static void write_instants(char *to, size_t size, const struct record *r)
{
    snprintf(to, size,
             "dns %lld connect %lld tls %lld sent %lld headers %lld event %lld output %lld last "
             "%lld term %lld end %lld",
             (long long)since(r->dns_done, r), (long long)since(r->connect_done, r),
             (long long)since(r->tls_done, r), (long long)since(r->sent, r),
             (long long)since(r->headers, r), (long long)since(r->first_event, r),
             (long long)since(r->first_output, r), (long long)since(r->last_output, r),
             (long long)since(r->terminator, r), (long long)since(r->end, r));
}

static void assert_instants(const struct record *r, const char *expect)
{
    char got[400];
    write_instants(got, sizeof(got), r);
    assert_string_equal(got, expect);
}

static void test_a_stream(void **state)
{
    (void)state;
    struct study s;
    setup(&s);
    s.network = (struct virtual_network){1000, 20000, 300000, 4001};
    s.request.url = STR("https://sim.test/v1/chat/completions");
    run(&s, 1);
    const struct record *r = &s.records[0];
    assert_instants(r, "dns 1000 connect 21000 tls 321000 sent 321000 headers 325001 event 325001 "
                       "output 100325001 last 140325001 term 140325001 end 140325001");
    assert_int_equal(r->start, VIRTUAL_START_NS);
    assert_int_equal(r->due, r->start);
    assert_int_equal(r->wall_start, VIRTUAL_WALL_NS);
    assert_int_equal(r->outcome, OUTCOME_COMPLETE);
    assert_int_equal(r->transport, END_BODY);
    assert_int_equal(r->clock, CLOCK_KIND_VIRTUAL);
    assert_int_equal(r->http_status, 200);
    assert_int_equal(r->number, 1);
    assert_int_equal(r->output_events, 5);
    assert_int_equal(r->events, 9);
    assert_int_equal(r->usage.completion_tokens, 5);
    assert_int_equal(r->usage.prompt_tokens, 2);
    assert_int_equal(r->usage.cached_tokens, 0);
    assert_int_equal(r->silence_max, 100 * MS);
    assert_string_equal(r->finish_reason, "stop");
    assert_string_equal(r->content_type, "text/event-stream");
    assert_string_equal(r->request_id, "e28195ddd9ee4956");
    assert_string_equal(r->peer, "virtual");
    assert_string_equal(r->tls, "TLSv1.3");
    assert_string_equal(r->text, "Light light hills listen while");
    assert_false(r->reused);
    for (size_t i = 1; i <= 5; i++)
        assert_int_equal(r->log[i].at, r->first_output + (int64_t)(i - 1) * 10 * MS);
    teardown(&s);
}

static void test_a_plain_answer(void **state)
{
    (void)state;
    struct study s;
    setup(&s);
    s.request.body = STR("{" MESSAGE "}");
    s.request.observe.streamed = false;
    run(&s, 1);
    assert_instants(&s.records[0], "dns 0 connect 0 tls 0 sent 0 headers 140000000 event -1 output "
                                   "-1 last -1 term -1 end 140000000");
    assert_int_equal(s.records[0].outcome, OUTCOME_COMPLETE);
    assert_string_equal(s.records[0].tls, "");
    teardown(&s);
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        enum sim_fault fault;
        bool plain;
        enum outcome outcome;
        int status;
        const char *detail;
    } rows[] = {
        {SIM_FAULT_NONE, false, OUTCOME_COMPLETE, 200, ""},
        {SIM_FAULT_DROP, false, OUTCOME_BROKEN, 200, "connection closed within the body"},
        {SIM_FAULT_NODONE, false, OUTCOME_INCOMPLETE, 200, ""},
        {SIM_FAULT_429, false, OUTCOME_HTTP_ERROR, 429, ""},
        {SIM_FAULT_503, false, OUTCOME_HTTP_ERROR, 503, ""},
        {SIM_FAULT_DROP, true, OUTCOME_BROKEN, 200, "connection closed within the body"},
        {SIM_FAULT_NODONE, true, OUTCOME_INCOMPLETE, 200, ""},
        {SIM_FAULT_429, true, OUTCOME_HTTP_ERROR, 429, ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct study s;
        setup(&s);
        if (rows[i].fault)
            s.profile.fail[rows[i].fault] = 1;
        if (rows[i].plain)
            s.request.body = STR("{" MESSAGE "}");
        s.request.observe.streamed = !rows[i].plain;
        run(&s, 1);
        assert_string_equal(outcome_name(s.records[0].outcome), outcome_name(rows[i].outcome));
        assert_int_equal(s.records[0].http_status, rows[i].status);
        assert_string_equal(s.records[0].detail, rows[i].detail);
        teardown(&s);
    }
}

/* Each limit, met to the nanosecond: what comes at the limit is in time, what comes after is not.
 */
static void test_timeouts(void **state)
{
    (void)state;
    const int64_t off = INT64_MAX;
    const struct {
        struct request_timeouts timeouts;
        enum outcome outcome;
        int64_t end;
    } rows[] = {
        {{3 * MS, off, off, off, off}, OUTCOME_COMPLETE, 143 * MS},
        {{3 * MS - 1, off, off, off, off}, OUTCOME_TIMEOUT_CONNECT, 3 * MS - 1},
        {{off, 103 * MS, off, off, off}, OUTCOME_COMPLETE, 143 * MS},
        {{off, 103 * MS - 1, off, off, off}, OUTCOME_TIMEOUT_FIRST, 103 * MS - 1},
        {{off, off, 10 * MS, off, off}, OUTCOME_COMPLETE, 143 * MS},
        {{off, off, 10 * MS - 1, off, off}, OUTCOME_TIMEOUT_GAP, 113 * MS - 1},
        {{off, off, off, 100 * MS, off}, OUTCOME_COMPLETE, 143 * MS},
        {{off, off, off, 100 * MS - 1, off}, OUTCOME_TIMEOUT_IDLE, 103 * MS - 1},
        {{off, off, off, off, 143 * MS}, OUTCOME_COMPLETE, 143 * MS},
        {{off, off, off, off, 143 * MS - 1}, OUTCOME_TIMEOUT_TOTAL, 143 * MS - 1},
        {{off, off, off, off, 1}, OUTCOME_TIMEOUT_TOTAL, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct study s;
        setup(&s);
        s.network.connect_ns = 3 * MS;
        s.request.timeouts = rows[i].timeouts;
        run(&s, 1);
        assert_string_equal(outcome_name(s.records[0].outcome), outcome_name(rows[i].outcome));
        assert_int_equal(since(s.records[0].end, &s.records[0]), rows[i].end);
        teardown(&s);
    }
}

/* One slot: each waits for those before it; who gives up leaves the queue, and a slot that is given
 * up goes to the next. */
static void test_queueing(void **state)
{
    (void)state;
    struct study s;
    setup(&s);
    s.profile.slots = 1;
    run(&s, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(s.records[i].number, i + 1);
        assert_int_equal(since(s.records[i].first_output, &s.records[i]),
                         (int64_t)i * 140 * MS + 100 * MS);
    }
    teardown(&s);

    setup(&s);
    s.profile.slots = 1;
    s.network.rtt_ns = 2 * MS;
    s.driver = virtual_driver_new(&s.profile, &s.network);
    s.request.timeouts.first_output = 50 * MS;
    send(&s); /* has the slot from 1 ms on; the server hears at 51 ms that it is given up */
    send(&s); /* waits; given up at 50 ms too */
    s.request.timeouts.first_output = INT64_MAX;
    send(&s);
    driver_run(s.driver);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.records[0].outcome, OUTCOME_TIMEOUT_FIRST);
    assert_int_equal(s.records[1].outcome, OUTCOME_TIMEOUT_FIRST);
    assert_int_equal(since(s.records[2].headers, &s.records[2]), 52 * MS);
    assert_int_equal(since(s.records[2].first_output, &s.records[2]), 152 * MS);
    teardown(&s);
}

static void send_again(void *arg)
{
    struct study *s = arg;
    send(s);
}

static void on_done_send_next(void *arg, struct record *record)
{
    struct study *s = arg;
    on_done(s, record);
    if (s->to_send-- > 0)
        driver_send(s->driver, &s->request, on_done_send_next, s);
}

static void test_connections_are_reused(void **state)
{
    (void)state;
    struct study s;
    setup(&s);
    s.network.connect_ns = 7 * MS;
    s.request.fresh = false;
    s.to_send = 2;
    s.driver = virtual_driver_new(&s.profile, &s.network);
    driver_send(s.driver, &s.request, on_done_send_next, &s);
    driver_run(s.driver);
    assert_int_equal(s.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct record *r = &s.records[i];
        assert_int_equal(r->reused, i > 0);
        assert_int_equal(since(r->connect_done, r), i > 0 ? 0 : 7 * MS);
        assert_int_equal(since(r->end, r), i > 0 ? 140 * MS : 147 * MS);
    }
    assert_int_equal(driver_now(s.driver) - VIRTUAL_START_NS, 427 * MS);
    s.request.url = STR("https://sim.test/v1/chat/completions"); /* another origin */
    send(&s);
    driver_run(s.driver);
    assert_false(s.records[3].reused);
    teardown(&s);
}

static void stop(void *arg)
{
    driver_stop(((struct study *)arg)->driver);
}

static void test_timers_and_stop(void **state)
{
    (void)state;
    struct study s;
    setup(&s);
    s.profile.slots = 1;
    s.driver = virtual_driver_new(&s.profile, &s.network);
    assert_string_equal(s.driver->ops->name, "virtual");
    driver_at(s.driver, VIRTUAL_START_NS + 5 * MS, send_again, &s);
    driver_at(s.driver, VIRTUAL_START_NS + 6 * MS, send_again, &s);
    driver_at(s.driver, VIRTUAL_START_NS + 110 * MS, stop, &s);
    driver_at(s.driver, VIRTUAL_START_NS + 120 * MS, send_again, &s); /* no longer kept */
    driver_run(s.driver);
    assert_int_equal(s.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(s.records[i].outcome, OUTCOME_ABORTED);
        assert_int_equal(s.records[i].start - VIRTUAL_START_NS, (int64_t)(5 + i) * MS);
        assert_int_equal(s.records[i].end - VIRTUAL_START_NS, 110 * MS);
    }
    send(&s); /* the driver can be used again, and its server is free */
    driver_run(s.driver);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.records[2].outcome, OUTCOME_COMPLETE);
    assert_int_equal(since(s.records[2].end, &s.records[2]), 140 * MS);
    send(&s);
    teardown(&s); /* with one in flight: it is delivered as aborted */
    assert_int_equal(s.count, 4);
}

static void test_bad_url(void **state)
{
    (void)state;
    struct study s;
    setup(&s);
    s.request.url = STR("ftp://x");
    run(&s, 1);
    assert_int_equal(s.records[0].outcome, OUTCOME_UNREACHABLE);
    teardown(&s);
}

/* Requests, jittered and failing: two worlds of one seed agree in every record. */
static void test_repeatable(void **state)
{
    (void)state;
    char got[2][RECORDS][400];
    for (int world = 0; world < 2; world++) {
        struct study s;
        setup(&s);
        s.profile.jitter = 0.7;
        s.profile.slots = 3;
        s.profile.fail[SIM_FAULT_DROP] = s.profile.fail[SIM_FAULT_429] = 0.2;
        s.request.timeouts.total = 600 * MS;
        run(&s, RECORDS);
        for (size_t i = 0; i < RECORDS; i++)
            write_instants(got[world][i], sizeof(got[world][i]), &s.records[i]);
        teardown(&s);
    }
    for (size_t i = 0; i < RECORDS; i++)
        assert_string_equal(got[0][i], got[1][i]);
    size_t different = 0;
    for (size_t i = 1; i < RECORDS; i++)
        different += strcmp(got[0][i], got[0][i - 1]) != 0;
    assert_in_range(different, RECORDS / 2, RECORDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stream),        cmocka_unit_test(test_a_plain_answer),
        cmocka_unit_test(test_faults),          cmocka_unit_test(test_timeouts),
        cmocka_unit_test(test_queueing),        cmocka_unit_test(test_connections_are_reused),
        cmocka_unit_test(test_timers_and_stop), cmocka_unit_test(test_bad_url),
        cmocka_unit_test(test_repeatable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
