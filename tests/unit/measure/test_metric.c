#include "test.h"

#include <math.h>

#include "measure/metric.h"

static const double none = (double)NAN;

enum { MS = 1000000 };

/* Output events at these instants (ms), each of `chars` characters. */
static void add_outputs(struct record *r, const double *at_ms, size_t count, int64_t chars)
{
    for (size_t i = 0; i < count; i++) {
        struct record_event e = {.at = clock_from_ms(at_ms[i]), .pieces = 1 << PIECE_ANSWER};
        record_log_event(r, &e);
        if (r->output_events++ == 0) {
            r->first_output = r->first_answer = e.at;
            r->first_output_chars = chars;
        }
        r->last_output = e.at;
        r->output_chars += chars;
    }
    r->events += (int64_t)count;
}

/* A request of known instants: 40 ms set-up, first output at 500 ms, five outputs, done at 620. */
static void whole_request(struct record *r)
{
    record_init(r);
    r->streamed = true;
    r->due = -5 * MS;
    r->start = 0;
    r->dns_done = 4 * MS;
    r->connect_done = 21 * MS;
    r->tls_done = 40 * MS;
    r->sent = 41 * MS;
    r->headers = 480 * MS;
    r->silence_max = 439 * MS;
    add_outputs(r, (double[]){500, 520, 520, 560, 600}, 5, 4);
    r->terminator = 620 * MS;
    r->end = 650 * MS;
    r->outcome = OUTCOME_COMPLETE;
    r->usage.completion_tokens = 5;
    record_count_tokens(r, 0);
}

static void assert_metric(const struct record *r, const char *name, double expected)
{
    const struct metric *m = metric_find(str_of(name));
    assert_non_null(m);
    double actual = m->of(r);
    if (isnan(expected) ? !isnan(actual) : !(fabs(actual - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%s: expected %g, got %g", name, expected, actual);
}

struct expected {
    const char *name;
    double value;
};

static void assert_metrics(const struct record *r, const struct expected *e, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_metric(r, e[i].name, e[i].value);
}

static void a_whole_request_has_every_metric(void **state UNUSED)
{
    static const struct expected expected[] = {
        {"ttfb", 480},   {"ttft", 500},        {"ttfa", 500},
        {"setup", 40},   {"ttft_open", 460},   {"dns", 4},
        {"connect", 17}, {"proxy", none},      {"tls", 19},
        {"send", 1},     {"gap_p50", 30},      {"gap_p95", 40},
        {"gap_max", 40}, {"tokens", 5},        {"tokens_per_chunk", 1},
        {"tpot", 25},    {"tps", 40},          {"tps_total", 5 / 0.62},
        {"total", 620},  {"tail", 50},         {"flow", 100.0 / 620},
        {"lateness", 5}, {"silence_max", 439},
    };
    struct record r;
    whole_request(&r);
    assert_int_equal(ARRAY_LEN(expected), METRIC_COUNT);
    assert_metrics(&r, expected, ARRAY_LEN(expected));
    record_done(&r);
}

/* The parts that are measured add up: set-up, send and what follows are the whole of ttft. */
static void the_measured_parts_sum_to_ttft(void **state UNUSED)
{
    struct record r;
    whole_request(&r);
    r.proxy_done = 30 * MS;
    static const char *const parts[] = {"dns", "connect", "proxy", "tls"};
    double sum = 0;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        sum += metric_find(str_of(parts[i]))->of(&r);
    assert_metric(&r, "setup", sum);
    assert_metric(&r, "ttft", sum + metric_of(METRIC_TTFT_OPEN, &r));
    record_done(&r);
}

static void a_reused_connection_costs_no_setup(void **state UNUSED)
{
    static const struct expected expected[] = {
        {"setup", 0}, {"ttft_open", 500}, {"ttft", 500}, {"send", 41}, {"dns", 0}, {"tls", 0},
    };
    struct record r;
    whole_request(&r);
    r.reused = true;
    r.dns_done = r.connect_done = r.proxy_done = r.tls_done = r.start;
    assert_metrics(&r, expected, ARRAY_LEN(expected));
    r.dns_done = r.connect_done = r.proxy_done = r.tls_done = NEVER;
    assert_metric(&r, "setup", 0);
    assert_metric(&r, "send", 41);
    record_done(&r);
}

static void the_connection_is_open_after_its_last_phase(void **state UNUSED)
{
    struct record r;
    whole_request(&r);
    r.tls_done = NEVER;
    assert_metric(&r, "setup", 21);
    r.proxy_done = 33 * MS;
    assert_metric(&r, "setup", 33);
    assert_metric(&r, "send", 8);
    record_done(&r);
}

/* -1 sorted in as a latency, 0 for unknown: what popular scripts print for a request that failed.
 */
static void what_did_not_come_is_not_a_number(void **state UNUSED)
{
    struct record r;
    record_init(&r);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        assert_metric(&r, metrics[i].name, none);
    r.start = r.due = 0;
    r.end = 30 * MS;
    r.outcome = OUTCOME_UNREACHABLE;
    record_count_tokens(&r, 4);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        assert_metric(&r, metrics[i].name,
                      i == METRIC_TOTAL      ? 30
                      : i == METRIC_LATENESS ? 0
                                             : none);
}

static void a_plain_answer_has_no_first_token(void **state UNUSED)
{
    static const struct expected expected[] = {
        {"ttfb", 480},      {"ttft", none},
        {"ttfa", none},     {"ttft_open", none},
        {"gap_p50", none},  {"gap_max", none},
        {"tpot", none},     {"tps", none},
        {"flow", none},     {"tail", none},
        {"total", 500},     {"tokens", 64},
        {"tps_total", 128}, {"tokens_per_chunk", none},
    };
    struct record r;
    record_init(&r);
    r.start = 0;
    r.headers = 480 * MS;
    r.end = 500 * MS;
    r.usage.completion_tokens = 64;
    record_count_tokens(&r, 0);
    assert_metrics(&r, expected, ARRAY_LEN(expected));
}

static void zero_and_one_token_divide_by_nothing(void **state UNUSED)
{
    static const struct expected one_token[] = {
        {"tokens", 1},     {"tokens_per_chunk", 1}, {"ttft", 500},    {"tpot", none}, {"tps", none},
        {"gap_p50", none}, {"gap_max", none},       {"tps_total", 2}, {"flow", 0},
    };
    static const struct expected no_token[] = {
        {"tokens", 0}, {"tokens_per_chunk", none}, {"ttft", none}, {"tpot", none},
        {"tps", none}, {"tps_total", 0},           {"flow", none},
    };
    struct record r;
    record_init(&r);
    r.streamed = true;
    r.start = 0;
    r.terminator = r.end = 500 * MS;
    r.usage.completion_tokens = 0;
    record_count_tokens(&r, 0);
    assert_metrics(&r, no_token, ARRAY_LEN(no_token));
    add_outputs(&r, (double[]){500}, 1, 3);
    r.usage.completion_tokens = 1;
    record_count_tokens(&r, 0);
    assert_metrics(&r, one_token, ARRAY_LEN(one_token));
    add_outputs(&r, (double[]){510}, 1, 3); /* one token in two pieces */
    assert_metric(&r, "tpot", none);
    record_done(&r);
}

/* A replay: everything in one read. Dropping gaps of 0 as "falsy" would hide it. */
static void a_gap_of_zero_counts(void **state UNUSED)
{
    static const struct expected expected[] = {
        {"gap_p50", 0}, {"gap_p95", 0}, {"gap_max", 0}, {"flow", 0}, {"tps", none},
    };
    struct record r;
    record_init(&r);
    r.streamed = true;
    r.start = 0;
    add_outputs(&r, (double[]){900, 900, 900, 900}, 4, 5);
    r.terminator = r.end = 900 * MS;
    record_count_tokens(&r, 0);
    assert_metrics(&r, expected, ARRAY_LEN(expected));
    assert_int_equal(metric_gaps(&r, NULL, 0), 3);
    record_done(&r);
}

/* Role-only, usage, comment and terminator events stand in the log without a piece. */
static void events_without_output_are_no_tokens_and_no_gaps(void **state UNUSED)
{
    struct record r;
    record_init(&r);
    r.streamed = true;
    r.start = 0;
    r.first_event = 10 * MS;
    record_log_event(&r, &(struct record_event){.at = 10 * MS});
    add_outputs(&r, (double[]){100, 130}, 2, 2);
    record_log_event(&r, &(struct record_event){.at = 131 * MS});
    add_outputs(&r, (double[]){170}, 1, 2);
    record_log_event(&r, &(struct record_event){.at = 171 * MS, .flags = RECORD_EVENT_TERMINATOR});
    record_count_tokens(&r, 0);
    double gaps[8];
    assert_int_equal(metric_gaps(&r, gaps, 8), 2);
    assert_true(gaps[0] == 30 && gaps[1] == 40);
    assert_metric(&r, "ttft", 100);
    assert_metric(&r, "tokens", 3);
    gaps[1] = -7;
    assert_int_equal(metric_gaps(&r, gaps, 1), 2);
    assert_true(gaps[1] == -7); /* no more than asked for */
    record_done(&r);
}

static void several_tokens_a_chunk_forbid_tpot(void **state UNUSED)
{
    struct record r;
    whole_request(&r);
    r.usage.completion_tokens = 7;
    record_count_tokens(&r, 0);
    assert_metric(&r, "tokens_per_chunk", 1.4);
    assert_metric(&r, "tpot", 100.0 / 6);
    r.usage.completion_tokens = 8;
    record_count_tokens(&r, 0);
    assert_metric(&r, "tokens_per_chunk", 1.6);
    assert_metric(&r, "tpot", none);
    record_done(&r);
}

/* The first event's tokens are older than the interval: 10 of 20 characters, so 4 of 8 tokens. */
static void speed_leaves_out_the_first_event(void **state UNUSED)
{
    struct record r;
    record_init(&r);
    r.streamed = true;
    r.start = 0;
    add_outputs(&r, (double[]){100}, 1, 10);
    add_outputs(&r, (double[]){150, 200}, 2, 5);
    r.terminator = r.end = 200 * MS;
    r.usage.completion_tokens = 8;
    record_count_tokens(&r, 0);
    assert_metric(&r, "tps", 40);
    r.usage.completion_tokens = COUNT_UNKNOWN;
    record_count_tokens(&r, 0);
    assert_metric(&r, "tps", 20); /* chunks: 2 of 3 */
    assert_metric(&r, "tokens_per_chunk", none);
    record_done(&r);
}

static void without_terminator_the_body_ends_the_answer(void **state UNUSED)
{
    struct record r;
    whole_request(&r);
    r.terminator = NEVER;
    assert_metric(&r, "total", 650);
    record_done(&r);
}

static void a_log_that_dropped_events_gives_no_gaps(void **state UNUSED)
{
    struct record r;
    whole_request(&r);
    r.log_dropped = 1;
    assert_metric(&r, "gap_max", none);
    record_done(&r);
}

static void names_and_keys_are_a_table_without_doubles(void **state UNUSED)
{
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        assert_ptr_equal(metric_find(str_of(metrics[i].name)), &metrics[i]);
        assert_true(text_raw(metrics[i].about)[0] != 0);
        assert_int_equal(str_ends(str_of(metrics[i].key), STR("_ms")), metrics[i].unit == UNIT_MS);
        assert_true(str_starts(str_of(metrics[i].key), str_of(metrics[i].name)));
    }
    assert_null(metric_find(STR("itl")));
    assert_null(metric_find(STR("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_request_has_every_metric),
        cmocka_unit_test(the_measured_parts_sum_to_ttft),
        cmocka_unit_test(a_reused_connection_costs_no_setup),
        cmocka_unit_test(the_connection_is_open_after_its_last_phase),
        cmocka_unit_test(what_did_not_come_is_not_a_number),
        cmocka_unit_test(a_plain_answer_has_no_first_token),
        cmocka_unit_test(zero_and_one_token_divide_by_nothing),
        cmocka_unit_test(a_gap_of_zero_counts),
        cmocka_unit_test(events_without_output_are_no_tokens_and_no_gaps),
        cmocka_unit_test(several_tokens_a_chunk_forbid_tpot),
        cmocka_unit_test(speed_leaves_out_the_first_event),
        cmocka_unit_test(without_terminator_the_body_ends_the_answer),
        cmocka_unit_test(a_log_that_dropped_events_gives_no_gaps),
        cmocka_unit_test(names_and_keys_are_a_table_without_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
