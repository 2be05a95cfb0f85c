#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "net/client.h"
#include "sim/endpoint.h"

/* The endpoint on real sockets, asked by weir's own client on the same loop. */

enum { MS = 1000000, RECORDS = 64 };
#define MESSAGE "\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]"
#define STREAM  "{" MESSAGE ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}"

struct world {
    struct loop *loop;
    struct endpoint *endpoint;
    struct client *client;
    struct endpoint_options options;
    struct request request;
    char url[80];
    struct record records[RECORDS];
    size_t count, expected;
    void (*on_event)(struct world *w);
    size_t stamped;
    int64_t first_sent, last_sent;
    bool sent_backwards, sent_late;
};

static void look_at_stamp(struct world *w, const struct reading_event *event)
{
    char json[1024];
    assert_true(str_copy(json, sizeof(json), event->data));
    const char *at = strstr(json, "\"sent_ns\":");
    if (!at)
        return;
    int64_t sent = strtoll(at + strlen("\"sent_ns\":"), NULL, 10);
    if (w->stamped++ == 0)
        w->first_sent = sent;
    w->sent_backwards |= sent < w->last_sent;
    w->sent_late |= sent > event->mark + MS;
    w->last_sent = sent;
}

static void listener(void *arg, const struct reading_event *event)
{
    struct world *w = arg;
    look_at_stamp(w, event);
    if (w->on_event && event->pieces)
        w->on_event(w);
}

static void setup(struct world *w)
{
    *w = (struct world){.options = {.listen = "127.0.0.1:0"}};
    sim_profile_init(&w->options.profile);
    w->options.profile.ttft_ns = 2 * MS;
    w->options.profile.gap_ns = MS / 2;
    w->options.profile.tokens = 5;
    w->request = (struct request){
        .due = NEVER,
        .body = STR(STREAM),
        .timeouts = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, 20000LL * MS},
        .observe = {.streamed = true,
                    .keep_events = true,
                    .keep_text = true,
                    .on_event = listener,
                    .arg = w},
    };
}

static void begin(struct world *w)
{
    struct err err = {0};
    w->loop = loop_new(&err);
    w->endpoint = endpoint_new(w->loop, &w->options, &err);
    if (!w->endpoint)
        fail_msg("%s", err.what);
    const struct client_options options = {.ca_file = endpoint_cert_file(w->endpoint)};
    w->client = client_new(w->loop, &options, &err);
    if (!w->client)
        fail_msg("%s", err.what);
    snprintf(w->url, sizeof(w->url), "%s://127.0.0.1:%d/v1/chat/completions",
             options.ca_file ? "https" : "http", endpoint_port(w->endpoint));
    w->request.url = str_of(w->url);
}

static void end(struct world *w)
{
    client_free(w->client);
    endpoint_free(w->endpoint);
    loop_free(w->loop);
    for (size_t i = 0; i < w->count; i++)
        record_done(&w->records[i]);
}

static void on_done(void *arg, struct record *record)
{
    struct world *w = arg;
    assert_true(w->count < RECORDS);
    w->records[w->count++] = *record;
    if (w->count == w->expected)
        loop_stop(w->loop);
}

static void run(struct world *w, size_t count)
{
    w->expected = w->count + count;
    for (size_t i = 0; i < count; i++) {
        w->request.number++;
        client_send(w->client, &w->request, on_done, w);
    }
    loop_run(w->loop);
}

static void check_stream(struct world *w)
{
    const struct record *r = &w->records[w->count - 1];
    if (r->outcome != OUTCOME_COMPLETE)
        fail_msg("%s: %s", outcome_name(r->outcome), r->detail);
    assert_string_equal(r->text, "Light light hills listen while");
    assert_string_equal(r->request_id, "e28195ddd9ee4956");
    assert_int_equal(r->output_events, 5);
    assert_int_equal(r->usage.completion_tokens, 5);
    assert_in_range(r->first_output - r->sent, 2 * MS, INT64_MAX);
    assert_in_range(r->last_output - r->sent, 4 * MS, INT64_MAX);
}

static void test_stream(void **state)
{
    (void)state;
    struct world w;
    setup(&w);
    begin(&w);
    assert_null(endpoint_cert_file(w.endpoint));
    run(&w, 1);
    check_stream(&w);
    assert_int_equal(endpoint_facts(w.endpoint).requests, 1);
    end(&w);
}

static void test_stream_over_tls(void **state)
{
    (void)state;
    struct world w;
    setup(&w);
    w.options.tls = true;
    begin(&w);
    run(&w, 1);
    check_stream(&w);
    assert_string_equal(w.records[0].tls, "TLSv1.3");
    char kept[512];
    snprintf(kept, sizeof(kept), "%s", endpoint_cert_file(w.endpoint));
    end(&w);
    assert_null(fopen(kept, "r")); /* what it made it removes */
}

/* Send instants do not run backwards, nor lie behind the kernel's receive stamps (but for the
 * mapping of clocks, microseconds). */
static void test_stamps(void **state)
{
    (void)state;
    struct world w;
    setup(&w);
    w.options.profile.stamp = true;
    begin(&w);
    run(&w, 1);
    check_stream(&w);
    assert_int_equal(w.stamped, 8); /* all chunks but [DONE] */
    assert_in_range(w.first_sent, w.records[0].start, w.records[0].end);
    assert_in_range(w.last_sent, w.first_sent, w.records[0].end + MS);
    assert_false(w.sent_backwards);
    assert_false(w.sent_late);
    end(&w);
}

static void test_plain_and_faults(void **state)
{
    (void)state;
    static const struct {
        enum sim_fault fault;
        bool plain;
        enum outcome outcome;
        int status;
    } rows[] = {
        {SIM_FAULT_NONE, true, OUTCOME_COMPLETE, 200},
        {SIM_FAULT_DROP, false, OUTCOME_BROKEN, 200},
        {SIM_FAULT_NODONE, false, OUTCOME_INCOMPLETE, 200},
        {SIM_FAULT_429, false, OUTCOME_HTTP_ERROR, 429},
        {SIM_FAULT_503, false, OUTCOME_HTTP_ERROR, 503},
        {SIM_FAULT_DROP, true, OUTCOME_BROKEN, 200},
        {SIM_FAULT_NODONE, true, OUTCOME_INCOMPLETE, 200},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows) * 2; i++) {
        struct world w;
        setup(&w);
        w.options.tls = i % 2;
        w.options.profile.fail[rows[i / 2].fault] = rows[i / 2].fault != SIM_FAULT_NONE;
        if (rows[i / 2].plain)
            w.request.body = STR("{" MESSAGE "}");
        w.request.observe.streamed = !rows[i / 2].plain;
        begin(&w);
        run(&w, 2);
        for (size_t k = 0; k < 2; k++) {
            assert_string_equal(outcome_name(w.records[k].outcome),
                                outcome_name(rows[i / 2].outcome));
            assert_int_equal(w.records[k].http_status, rows[i / 2].status);
        }
        end(&w);
    }
}

/* With one slot no two answers overlap, and none is forgotten. */
static void test_slots(void **state)
{
    (void)state;
    struct world w;
    setup(&w);
    w.options.profile.slots = 1;
    begin(&w);
    run(&w, 20);
    for (size_t i = 1; i < 20; i++) {
        assert_int_equal(w.records[i].outcome, OUTCOME_COMPLETE);
        assert_in_range(w.records[i].first_output - w.records[i - 1].last_output, MS, INT64_MAX);
    }
    assert_int_equal(endpoint_facts(w.endpoint).running, 0);
    end(&w);
}

static void abort_all(struct world *w)
{
    w->on_event = NULL;
    client_abort_all(w->client);
}

/* The client goes in mid-stream, another while it waits: both places become free. */
static void test_hangup_frees_the_slot(void **state)
{
    (void)state;
    struct world w;
    setup(&w);
    w.options.profile.slots = 1;
    w.options.profile.tokens = 100000;
    w.on_event = abort_all;
    begin(&w);
    run(&w, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(w.records[i].outcome, OUTCOME_ABORTED);
    w.request.body = STR("{" MESSAGE ",\"stream\":true,\"max_tokens\":1}");
    run(&w, 1);
    assert_int_equal(w.records[3].outcome, OUTCOME_COMPLETE);
    assert_string_equal(w.records[3].finish_reason, "length");
    assert_int_equal(endpoint_facts(w.endpoint).hangups, 3);
    end(&w);
}

/* All of a long answer at once, to a client that reads: bounded queues do not lose a byte. */
static void test_no_pacing(void **state)
{
    (void)state;
    struct world w;
    setup(&w);
    w.options.profile.ttft_ns = w.options.profile.gap_ns = 0;
    w.options.profile.tokens = 50000;
    w.request.observe.keep_text = false;
    begin(&w);
    run(&w, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(w.records[i].outcome, OUTCOME_COMPLETE);
        assert_int_equal(w.records[i].output_events, 50000);
    }
    end(&w);
}

static void test_bad_options(void **state)
{
    (void)state;
    struct err err = {0};
    struct loop *loop = loop_new(&err);
    struct endpoint_options options = {
        .listen = "127.0.0.1:0", .tls = true, .cert_out = "/nowhere/cert.pem"};
    sim_profile_init(&options.profile);
    assert_null(endpoint_new(loop, &options, &err));
    assert_int_equal(err.exit_code, EXIT_WRITE);
    options = (struct endpoint_options){.listen = "nonsense"};
    assert_null(endpoint_new(loop, &options, &err));
    assert_string_equal(err.id, "bad_listen");
    loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream),    cmocka_unit_test(test_stream_over_tls),
        cmocka_unit_test(test_stamps),    cmocka_unit_test(test_plain_and_faults),
        cmocka_unit_test(test_slots),     cmocka_unit_test(test_hangup_frees_the_slot),
        cmocka_unit_test(test_no_pacing), cmocka_unit_test(test_bad_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
