#include "test.h"

#include <jansson.h>
#include <math.h>

#include "base/vec.h"
#include "study/probe.h"

/* A driver without a world: each request gets the outcome the test lists for it, in the order of
 * sending, unless the test picks another order. */
struct planned {
    enum outcome outcome;
    int status;
};
struct fake {
    struct driver driver;
    const struct planned *plan; /* of request 0, 1, …; the last one repeats */
    size_t plan_count;
    bool last_first; /* ends the newest request in flight first */
    bool stopped, running;
    int events; /* in the log of each record */
    struct sent {
        struct request request;
        request_done_fn *done;
        void *arg;
        bool ended;
    } sent[64];
    size_t count, in_flight, in_flight_most;
    char *bodies[64];
};

static int64_t fake_now(struct driver *d)
{
    return (int64_t)((struct fake *)d)->count;
}

static void fake_send(struct driver *d, const struct request *request, request_done_fn *done,
                      void *arg)
{
    struct fake *f = (struct fake *)d;
    assert_true(f->count < 64);
    assert_false(f->stopped);
    f->bodies[f->count] = mem_dup(request->body.ptr, request->body.len);
    f->sent[f->count++] = (struct sent){*request, done, arg, false};
    if (++f->in_flight > f->in_flight_most)
        f->in_flight_most = f->in_flight;
}

static void end_one(struct fake *f, size_t i, struct planned how)
{
    struct record r;
    record_init(&r);
    r.number = f->sent[i].request.number;
    r.warmup = f->sent[i].request.warmup;
    r.streamed = f->sent[i].request.observe.streamed;
    r.start = (int64_t)i * 1000;
    r.wall_start = 1700000000000000000 + (int64_t)i;
    r.outcome = how.outcome;
    r.http_status = how.status;
    for (int e = 0; e < f->events; e++)
        record_log_event(&r, &(struct record_event){.at = r.start + e});
    /* the body still is what was given to send: its owner may not reuse it before the end */
    assert_memory_equal(f->sent[i].request.body.ptr, f->bodies[i], f->sent[i].request.body.len);
    f->sent[i].ended = true;
    f->in_flight--;
    f->sent[i].done(f->sent[i].arg, &r);
}

static void fake_run(struct driver *d)
{
    struct fake *f = (struct fake *)d;
    while (f->in_flight) {
        size_t next = f->count;
        for (size_t i = 0; i < f->count; i++)
            if (!f->sent[i].ended && (next == f->count || f->last_first))
                next = i;
        size_t planned = next < f->plan_count ? next : f->plan_count - 1;
        struct planned how = f->stopped ? (struct planned){OUTCOME_ABORTED, 0} : f->plan[planned];
        end_one(f, next, how);
    }
}

static void fake_stop(struct driver *d)
{
    ((struct fake *)d)->stopped = true;
}

static const struct driver_ops fake_ops = {
    .now = fake_now, .send = fake_send, .run = fake_run, .stop = fake_stop, .name = "fake"};

static void fake_done(struct fake *f)
{
    for (size_t i = 0; i < f->count; i++)
        mem_free(f->bodies[i]);
}

static const struct planned good[] = {{OUTCOME_COMPLETE, 200}};

static struct fake fake_with(const struct planned *plan, size_t count)
{
    return (struct fake){.driver = {&fake_ops}, .plan = plan, .plan_count = count};
}

static struct probe_options options(int64_t runs, int64_t warmup, int64_t concurrency)
{
    return (struct probe_options){
        .target = {.url = "http://h/v1/chat/completions", .model = "m", .api = "openai-chat"},
        .runs = runs,
        .warmup = warmup,
        .concurrency = concurrency,
        .max_tokens = 16,
        .temperature = 0,
        .streamed = true,
        .seed = 5,
    };
}

static struct probe_result probe_on(struct fake *f, const struct probe_options *o)
{
    struct probe_result r;
    struct probe *p = probe_start(&f->driver, o, NULL, NULL);
    driver_run(&f->driver);
    probe_finish(p, &r);
    return r;
}

static void warmups_come_first_and_apart(void **state)
{
    (void)state;
    struct fake f = fake_with(good, 1);
    struct probe_options o = options(3, 2, 1);
    struct probe_result r = probe_on(&f, &o);
    static const struct {
        uint64_t number;
        bool warmup;
    } expected[] = {{1, true}, {2, true}, {1, false}, {2, false}, {3, false}};
    assert_int_equal(f.count, 5);
    assert_int_equal(f.in_flight_most, 1);
    assert_int_equal(r.record_count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(f.sent[i].request.number, expected[i].number);
        assert_int_equal(f.sent[i].request.warmup, expected[i].warmup);
        assert_int_equal(r.records[i].number, expected[i].number);
        assert_int_equal(r.records[i].warmup, expected[i].warmup);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(f.bodies[i], f.bodies[j]);
    }
    assert_int_equal(r.summary.requests, 3);
    assert_int_equal(r.summary.complete, 3);
    assert_int_equal(r.wall_start, 1700000000000000000);
    assert_false(r.interrupted || r.stopped_by_warmup);
    probe_result_done(&r);
    fake_done(&f);
}

static void so_many_are_in_flight_and_no_more(void **state)
{
    (void)state;
    for (int64_t c = 1; c <= 8; c++)
        for (int order = 0; order < 2; order++) {
            struct fake f = fake_with(good, 1);
            f.last_first = order;
            struct probe_options o = options(6, c, c);
            struct probe_result r = probe_on(&f, &o);
            assert_int_equal(f.count, 6 + c);
            assert_int_equal(f.in_flight_most, c < 6 ? c : c > 7 ? 7 : 6);
            assert_int_equal(r.record_count, 6 + c);
            for (size_t i = 0; i < r.record_count;
                 i++) { /* in order of number however they ended */
                assert_int_equal(r.records[i].warmup, i < (size_t)c);
                assert_int_equal(r.records[i].number, i < (size_t)c ? i + 1 : i + 1 - (size_t)c);
            }
            probe_result_done(&r);
            fake_done(&f);
        }
}

static void the_first_warmup_decides(void **state)
{
    (void)state;
    static const struct {
        struct planned first;
        bool stops;
    } cases[] = {
        {{OUTCOME_HTTP_ERROR, 401}, true},    {{OUTCOME_HTTP_ERROR, 403}, true},
        {{OUTCOME_HTTP_ERROR, 404}, true},    {{OUTCOME_UNREACHABLE, 0}, true},
        {{OUTCOME_HTTP_ERROR, 429}, false},   {{OUTCOME_HTTP_ERROR, 503}, false},
        {{OUTCOME_BROKEN, 200}, false},       {{OUTCOME_TIMEOUT_FIRST, 0}, false},
        {{OUTCOME_TIMEOUT_CONNECT, 0}, true}, {{OUTCOME_COMPLETE, 200}, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fake f = fake_with(&cases[i].first, 1);
        struct probe_options o = options(4, 3, 3);
        struct probe_result r = probe_on(&f, &o);
        assert_int_equal(f.count, cases[i].stops ? 1 : 7);
        assert_int_equal(r.stopped_by_warmup, cases[i].stops);
        assert_int_equal(r.summary.requests, cases[i].stops ? 0 : 4);
        probe_result_done(&r);
        fake_done(&f);
    }
}

static void a_later_failure_stops_nothing(void **state)
{
    (void)state;
    static const struct planned plan[] = {{OUTCOME_COMPLETE, 200},
                                          {OUTCOME_HTTP_ERROR, 401},
                                          {OUTCOME_UNREACHABLE, 0},
                                          {OUTCOME_COMPLETE, 200}};
    struct fake f = fake_with(plan, ARRAY_LEN(plan));
    struct probe_options o = options(5, 1, 1);
    struct probe_result r = probe_on(&f, &o);
    assert_int_equal(f.count, 6);
    assert_int_equal(r.summary.complete, 3);
    assert_int_equal(r.summary.outcomes[OUTCOME_HTTP_ERROR], 1);
    assert_int_equal(r.summary.outcomes[OUTCOME_UNREACHABLE], 1);
    probe_result_done(&r);
    fake_done(&f);
}

struct stopper {
    struct probe *probe;
    size_t at, calls;
};
static void interrupt_after(void *arg, const struct probe_options *o, size_t done,
                            const struct record *last)
{
    struct stopper *s = arg;
    (void)o;
    assert_non_null(last);
    s->calls++;
    if (done == s->at)
        probe_interrupt(s->probe);
}

static void an_interrupt_keeps_what_was_measured(void **state)
{
    (void)state;
    struct fake f = fake_with(good, 1);
    struct probe_options o = options(10, 1, 2);
    struct stopper s = {.at = 6};
    s.probe = probe_start(&f.driver, &o, interrupt_after, &s);
    driver_run(&f.driver);
    struct probe_result r;
    probe_finish(s.probe, &r);
    assert_true(r.interrupted);
    assert_int_equal(r.record_count, 8); /* a warm-up, six, and the one in flight */
    assert_int_equal(s.calls, 8);
    assert_int_equal(r.summary.complete, 6);
    assert_int_equal(r.summary.outcomes[OUTCOME_ABORTED], 1);
    probe_result_done(&r);
    fake_done(&f);
}

static json_t *body_of(const struct probe_options *o, uint64_t number)
{
    struct buf b = {0};
    probe_body(o, number, &b);
    json_t *j = json_loadb(b.ptr, b.len, 0, NULL);
    assert_non_null(j);
    buf_done(&b);
    return j;
}

static void the_body_says_what_was_asked(void **state)
{
    (void)state;
    struct probe_options o = options(1, 1, 1);
    o.prompt = "say \"hi\"\n\xe4\xbd\xa0";
    o.same_prompt = true;
    struct buf b = {0};
    probe_body(&o, 1, &b);
    assert_string_equal(buf_text(&b),
                        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"say "
                        "\\\"hi\\\"\\n\xe4\xbd\xa0\"}],\"stream\":true,\"stream_options\":"
                        "{\"include_usage\":true},\"max_tokens\":16,\"temperature\":0}");
    buf_done(&b);

    o.streamed = false;
    o.max_tokens = 0;
    o.temperature = (double)NAN;
    o.target.model = "";
    json_t *j = body_of(&o, 1);
    assert_false(json_is_true(json_object_get(j, "stream")));
    assert_null(json_object_get(j, "stream_options"));
    assert_null(json_object_get(j, "max_tokens"));
    assert_null(json_object_get(j, "temperature"));
    assert_null(json_object_get(j, "model"));
    json_decref(j);

    o.temperature = 0.7;
    j = body_of(&o, 1);
    assert_true(json_real_value(json_object_get(j, "temperature")) == 0.7);
    json_decref(j);
}

static void what_is_sent_is_what_probe_body_says(void **state)
{
    (void)state;
    struct fake f = fake_with(good, 1);
    struct probe_options o = options(2, 1, 1);
    o.prompt_tokens = 50;
    struct probe_result r = probe_on(&f, &o);
    for (uint64_t number = 1; number <= 2; number++) {
        struct buf b = {0};
        probe_body(&o, number, &b);
        assert_string_equal(f.bodies[number], buf_text(&b));
        buf_done(&b);
    }
    probe_result_done(&r);
    fake_done(&f);
}

static void see_log(void *arg, const struct probe_options *o, size_t done,
                    const struct record *last)
{
    (void)o;
    (void)done;
    assert_int_equal(last->log_len, 5); /* whole, though it may be dropped after */
    ++*(int *)arg;
}

static void logs_stay_within_their_bound(void **state)
{
    (void)state;
    static const size_t kept[] = {5, 5, 0, 0};
    struct fake f = fake_with(good, 1);
    struct probe_options o = options(4, 0, 1);
    struct probe_result r;
    int seen = 0;
    f.events = 5;
    o.log_events_max = 14;
    struct probe *p = probe_start(&f.driver, &o, see_log, &seen);
    driver_run(&f.driver);
    probe_finish(p, &r);
    assert_int_equal(seen, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(r.records[i].log_len, kept[i]);
        assert_int_equal(r.records[i].log_dropped, 5 - kept[i]);
    }
    probe_result_done(&r);
    fake_done(&f);
}

static void the_plan_is_known_before_anything_is_sent(void **state)
{
    (void)state;
    struct probe_options o = options(10, 1, 0);
    struct probe_result r;
    probe_plan(&o, &r);
    assert_int_equal(r.plan.runs, 10);
    assert_int_equal(r.plan.concurrency, 1);
    assert_int_equal(r.plan.max_tokens, 16);
    assert_in_range(r.plan.prompt_tokens_about, 20, 60);
    assert_string_equal(r.target.model, "m");
    assert_int_equal(r.record_count, 0);
    probe_result_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warmups_come_first_and_apart),
        cmocka_unit_test(so_many_are_in_flight_and_no_more),
        cmocka_unit_test(the_first_warmup_decides),
        cmocka_unit_test(a_later_failure_stops_nothing),
        cmocka_unit_test(an_interrupt_keeps_what_was_measured),
        cmocka_unit_test(the_body_says_what_was_asked),
        cmocka_unit_test(what_is_sent_is_what_probe_body_says),
        cmocka_unit_test(logs_stay_within_their_bound),
        cmocka_unit_test(the_plan_is_known_before_anything_is_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
