#include "test.h"

#include <math.h>

#include "measure/summary.h"

enum { MS = 1000000, RUNS_MAX = 80 };

struct run {
    struct record records[RUNS_MAX];
    size_t count;
    struct summary summary;
};

static void run_done(struct run *run)
{
    for (size_t i = 0; i < run->count; i++)
        record_done(&run->records[i]);
}

/* A streamed request: first output after `ttft_ms`, then an output every `gap_ms`. */
static struct record *add(struct run *run, enum outcome outcome, double ttft_ms, double gap_ms,
                          int outputs)
{
    struct record *r = &run->records[run->count++];
    record_init(r);
    r->number = run->count;
    r->streamed = true;
    r->start = r->due = (int64_t)run->count * 1000 * MS;
    r->outcome = outcome;
    r->reads = 1;
    for (int i = 0; i < outputs; i++) {
        struct record_event e = {.at = r->start + clock_from_ms(ttft_ms + gap_ms * i),
                                 .pieces = 1 << PIECE_ANSWER};
        record_log_event(r, &e);
        if (r->output_events++ == 0)
            r->first_output = r->first_answer = e.at;
        r->last_output = e.at;
        r->output_chars += 4;
    }
    r->first_output_chars = outputs ? 4 : 0;
    r->end = r->start + clock_from_ms(ttft_ms + gap_ms * outputs);
    return r;
}

static void summarise(struct run *run)
{
    summary_make(&run->summary, run->records, run->count);
}

static void latencies_are_over_complete_requests_and_shares_over_all(void **state UNUSED)
{
    struct run run = {0};
    add(&run, OUTCOME_COMPLETE, 9000, 10, 30)->warmup = true;
    for (int i = 1; i <= 9; i++)
        add(&run, OUTCOME_COMPLETE, 100 * i, 10, 30);
    add(&run, OUTCOME_INCOMPLETE, 7000, 10, 30);
    add(&run, OUTCOME_UNREACHABLE, 0, 0, 0);
    summarise(&run);
    const struct summary *s = &run.summary;
    assert_int_equal(s->requests, 11);
    assert_int_equal(s->complete, 9);
    assert_int_equal(s->outcomes[OUTCOME_COMPLETE], 9);
    assert_int_equal(s->outcomes[OUTCOME_INCOMPLETE], 1);
    assert_int_equal(s->outcomes[OUTCOME_UNREACHABLE], 1);
    assert_true(s->complete_share.value == 9.0 / 11 && s->complete_share.n == 11);
    const struct row *ttft = &s->of[METRIC_TTFT];
    assert_int_equal(ttft->n, 9);
    assert_true(ttft->min == 100 && ttft->max == 900);
    assert_true(ttft->p50.value == 500 && ttft->p50.low == 200 && ttft->p50.high == 800);
    assert_true(isnan(ttft->p95.high) && ttft->p95.value > 800);
    run_done(&run);
}

/* 59 runs give p95 an upper bound, 58 do not. */
static void the_upper_bound_of_p95_needs_59_runs(void **state UNUSED)
{
    for (int n = 58; n <= 59; n++) {
        struct run run = {0};
        for (int i = 1; i <= n; i++)
            add(&run, OUTCOME_COMPLETE, i, 10, 2);
        summarise(&run);
        assert_int_equal(isnan(run.summary.of[METRIC_TTFT].p95.high), n == 58);
        assert_true(isnan(run.summary.of[METRIC_TTFT].p99.high));
        run_done(&run);
    }
}

static void nothing_complete_gives_empty_rows(void **state UNUSED)
{
    for (size_t requests = 0; requests <= 2; requests++) {
        struct run run = {0};
        for (size_t i = 0; i < requests; i++)
            add(&run, OUTCOME_HTTP_ERROR, 5, 0, 0);
        summarise(&run);
        const struct summary *s = &run.summary;
        assert_int_equal(s->requests, requests);
        for (size_t id = 0; id < METRIC_COUNT; id++) {
            assert_int_equal(s->of[id].n, 0);
            assert_true(isnan(s->of[id].p50.value) && isnan(s->of[id].max));
        }
        assert_int_equal(s->gap.n, 0);
        assert_true(isnan(s->gap.p50.value) && isnan(s->longest_gap_ms));
        assert_null(s->median);
        assert_null(s->longest_gap_run);
        assert_int_equal(s->tokens_out, COUNT_UNKNOWN);
        assert_int_equal(s->cached_tokens_max, COUNT_UNKNOWN);
        run_done(&run);
    }
}

/* A popular script crashes here and loses the other nine. */
static void one_answer_without_a_token_loses_no_other(void **state UNUSED)
{
    struct run run = {0};
    for (int i = 0; i < 8; i++)
        add(&run, OUTCOME_COMPLETE, 100, 10, 30);
    add(&run, OUTCOME_COMPLETE, 100, 10, 0);
    add(&run, OUTCOME_COMPLETE, 100, 10, 1);
    summarise(&run);
    assert_int_equal(run.summary.complete, 10);
    assert_int_equal(run.summary.of[METRIC_TTFT].n, 9);
    assert_int_equal(run.summary.of[METRIC_GAP_MAX].n, 8);
    assert_int_equal(run.summary.of[METRIC_TOTAL].n, 10);
    run_done(&run);
}

/* A failure is left out of the latencies: not -1, not 0. */
static void a_failed_request_is_not_sorted_in_as_a_latency(void **state UNUSED)
{
    struct run run = {0};
    add(&run, OUTCOME_TIMEOUT_FIRST, 0, 0, 0);
    add(&run, OUTCOME_BROKEN, 1, 1, 5);
    add(&run, OUTCOME_COMPLETE, 100, 10, 30);
    summarise(&run);
    for (size_t id = 0; id < METRIC_COUNT; id++)
        assert_false(run.summary.of[id].min < 0);
    assert_true(run.summary.of[METRIC_TTFT].min == 100);
    assert_true(run.summary.of[METRIC_TOTAL].min == 400);
    run_done(&run);
}

static void gaps_are_pooled(void **state UNUSED)
{
    struct run run = {0};
    for (int i = 0; i < 3; i++)
        add(&run, OUTCOME_COMPLETE, 100, 10, 21);
    add(&run, OUTCOME_COMPLETE, 100, 40, 20);
    add(&run, OUTCOME_COMPLETE, 100, 90, 30)->log_dropped = 1; /* not all its gaps are known */
    add(&run, OUTCOME_COMPLETE, 100, 500, 19); /* too few events to say anything of pace */
    add(&run, OUTCOME_BROKEN, 100, 900, 30);
    summarise(&run);
    const struct row *gap = &run.summary.gap;
    assert_int_equal(gap->n, 4);
    assert_int_equal(gap->gaps, 79);
    assert_int_equal(run.summary.few_outputs, 1);
    assert_true(gap->p50.value == 10 && gap->p95.value == 40 && gap->max == 40 && gap->min == 10);
    assert_true(isnan(gap->p50.low) && isnan(gap->p50.high) && isnan(gap->p95.high));
    assert_false(gap->approximate);
    assert_int_equal(gap->p50.n, 4);
    assert_true(run.summary.longest_gap_ms == 500);
    assert_ptr_equal(run.summary.longest_gap_run, &run.records[5]);
    run_done(&run);
}

/* From 6 requests on there is an interval, and it is one of requests: one slow request in 8 is
 * drawn in most resamples, and left out of some. */
static void pooled_gaps_have_an_approximate_interval(void **state UNUSED)
{
    struct run run = {0};
    for (int i = 0; i < 8; i++)
        add(&run, OUTCOME_COMPLETE, 100, i == 3 ? 40 : 10, 21);
    summarise(&run);
    const struct row *gap = &run.summary.gap;
    assert_true(gap->approximate && gap->n == 8 && gap->gaps == 160);
    assert_true(gap->p50.value == 10 && gap->p50.low == 10 && gap->p50.high == 10);
    assert_true(gap->p95.value == 40 && gap->p95.low == 10 && gap->p95.high == 40);
    assert_false(run.summary.of[METRIC_TTFT].approximate);
    run_done(&run);
}

static void under_20_outputs_the_gap_row_is_empty(void **state UNUSED)
{
    struct run run = {0};
    for (int i = 0; i < 5; i++)
        add(&run, OUTCOME_COMPLETE, 100, 10, 19);
    summarise(&run);
    assert_int_equal(run.summary.gap.n, 0);
    assert_int_equal(run.summary.gap.gaps, 0);
    assert_int_equal(run.summary.few_outputs, 5);
    assert_true(isnan(run.summary.gap.p50.value));
    run_done(&run);
}

static void the_median_run_is_the_one_nearest_p50(void **state UNUSED)
{
    struct run run = {0};
    static const double ttft[] = {900, 100, 310, 290, 200, 290};
    for (size_t i = 0; i < ARRAY_LEN(ttft); i++)
        add(&run, i == 0 ? OUTCOME_BROKEN : OUTCOME_COMPLETE, ttft[i], 10, 30)->usage =
            (struct wire_usage){50 + (int64_t)i, 40, COUNT_UNKNOWN, (int64_t)i};
    summarise(&run);
    assert_true(run.summary.of[METRIC_TTFT].p50.value == 290);
    assert_ptr_equal(run.summary.median, &run.records[3]); /* the first of two */
    assert_int_equal(run.summary.tokens_in, 53);
    assert_int_equal(run.summary.tokens_out, 40);
    assert_int_equal(run.summary.cached_tokens_max, 5);
    run_done(&run);
}

static void plain_answers_have_a_median_run_by_their_total(void **state UNUSED)
{
    struct run run = {0};
    for (int i = 1; i <= 3; i++)
        add(&run, OUTCOME_COMPLETE, 100 * i, 0, 0)->streamed = false;
    summarise(&run);
    assert_int_equal(run.summary.of[METRIC_TTFT].n, 0);
    assert_ptr_equal(run.summary.median, &run.records[1]);
    assert_int_equal(run.summary.few_outputs, 0);
    run_done(&run);
}

static void answers_without_usage_are_counted_by_the_ratio_of_those_with(void **state UNUSED)
{
    struct run run = {0};
    add(&run, OUTCOME_COMPLETE, 100, 10, 30)->usage.completion_tokens = 40; /* 120 characters */
    add(&run, OUTCOME_BROKEN, 100, 10, 30)->usage.completion_tokens = 1;    /* not a whole answer */
    add(&run, OUTCOME_COMPLETE, 100, 10, 60);
    summarise(&run);
    assert_int_equal(run.records[2].tokens, 80);
    assert_int_equal(run.records[2].token_source, TOKENS_RATIO);
    assert_int_equal(run.summary.token_source, TOKENS_RATIO);
    run_done(&run);
}

static void without_any_usage_chunks_are_the_unit(void **state UNUSED)
{
    struct run run = {0};
    add(&run, OUTCOME_COMPLETE, 100, 10, 30);
    summarise(&run);
    assert_int_equal(run.records[0].tokens, 30);
    assert_int_equal(run.summary.token_source, TOKENS_CHUNKS);
    run_done(&run);
}

static void reasoning_before_the_answer_sets_ttfa_apart(void **state UNUSED)
{
    struct run run = {0};
    struct record *r = add(&run, OUTCOME_COMPLETE, 100, 10, 30);
    summarise(&run);
    assert_false(run.summary.ttfa_differs);
    r->first_answer = r->first_output + MS;
    summarise(&run);
    assert_true(run.summary.ttfa_differs);
    run_done(&run);
}

static void the_instrument_reports_its_own_lag(void **state UNUSED)
{
    struct run run = {0};
    struct result_instrument i;
    instrument_make(&i, run.records, 0);
    assert_true(isnan(i.lag_p50_us) && isnan(i.lag_max_us) && i.clock == CLOCK_KIND_NONE);
    add(&run, OUTCOME_COMPLETE, 100, 10, 30)->warmup = true;
    run.records[0].lag_max = 99 * MS;
    struct record *r = add(&run, OUTCOME_COMPLETE, 100, 10, 21);
    for (size_t e = 0; e < r->log_len; e++)
        r->log[e].lag = (uint16_t)(e * 10); /* 0 … 20 µs */
    r->clock = CLOCK_KIND_KERNEL;
    r->lag_max = 20500;
    r->coalesced = 3;
    add(&run, OUTCOME_UNREACHABLE, 0, 0, 0)->reads = 0;
    instrument_make(&i, run.records, run.count);
    assert_int_equal(i.clock, CLOCK_KIND_KERNEL);
    assert_true(i.lag_p50_us == 10 && i.lag_max_us == 20.5);
    assert_true(fabs(i.lag_p99_us - 19.8) < 1e-9);
    assert_int_equal(i.coalesced_reads, 3);
    run_done(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_are_over_complete_requests_and_shares_over_all),
        cmocka_unit_test(the_upper_bound_of_p95_needs_59_runs),
        cmocka_unit_test(nothing_complete_gives_empty_rows),
        cmocka_unit_test(one_answer_without_a_token_loses_no_other),
        cmocka_unit_test(a_failed_request_is_not_sorted_in_as_a_latency),
        cmocka_unit_test(gaps_are_pooled),
        cmocka_unit_test(pooled_gaps_have_an_approximate_interval),
        cmocka_unit_test(under_20_outputs_the_gap_row_is_empty),
        cmocka_unit_test(the_median_run_is_the_one_nearest_p50),
        cmocka_unit_test(plain_answers_have_a_median_run_by_their_total),
        cmocka_unit_test(answers_without_usage_are_counted_by_the_ratio_of_those_with),
        cmocka_unit_test(without_any_usage_chunks_are_the_unit),
        cmocka_unit_test(reasoning_before_the_answer_sets_ttfa_apart),
        cmocka_unit_test(the_instrument_reports_its_own_lag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
