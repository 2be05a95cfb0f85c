#include "test.h"

#include <math.h>

#include "measure/slo.h"
#include "measure/summary.h"

enum { MS = 1000000, RUNS_MAX = 400 };

static struct slo parsed(const char *typed)
{
    struct slo slo;
    struct err err = {0};
    if (!slo_parse(&slo, str_of(typed), &err))
        fail_msg("%s: %s", typed, err.what);
    return slo;
}

static void limits_are_read(void **state UNUSED)
{
    static const struct {
        const char *typed, *name;
        enum slo_kind kind;
        enum metric_id metric;
        enum slo_stat stat;
        double q, limit;
        bool at_least;
        size_t runs;
    } table[] = {
        {"ttft.p95:2s", "ttft.p95", SLO_METRIC, METRIC_TTFT, SLO_QUANTILE, 0.95, 2000, false, 59},
        {"ttft.p95<2s", "ttft.p95", SLO_METRIC, METRIC_TTFT, SLO_QUANTILE, 0.95, 2000, false, 59},
        {"ttft.p95 <= 2s", "ttft.p95", SLO_METRIC, METRIC_TTFT, SLO_QUANTILE, 0.95, 2000, false,
         59},
        {"gap.p99:200ms", "gap.p99", SLO_GAP, 0, SLO_QUANTILE, 0.99, 200, false, 6},
        {"gap.max:1", "gap.max", SLO_GAP, 0, SLO_MAX, 0.5, 1000, false, 1},
        {"gap_max.p50:1s", "gap_max.p50", SLO_METRIC, METRIC_GAP_MAX, SLO_QUANTILE, 0.5, 1000,
         false, 6},
        {"total.max:30s", "total.max", SLO_METRIC, METRIC_TOTAL, SLO_MAX, 0.5, 30000, false, 1},
        {"ttft:1.5s", "ttft", SLO_METRIC, METRIC_TTFT, SLO_QUANTILE, 0.5, 1500, false, 6},
        {"tps.p50:20", "tps.p50", SLO_METRIC, METRIC_TPS, SLO_QUANTILE, 0.5, 20, true, 6},
        {"tps.p5>=20", "tps.p5", SLO_METRIC, METRIC_TPS, SLO_QUANTILE, 0.05, 20, true, 59},
        {"tps.p95<100", "tps.p95", SLO_METRIC, METRIC_TPS, SLO_QUANTILE, 0.95, 100, false, 59},
        {"tps.min:20", "tps.min", SLO_METRIC, METRIC_TPS, SLO_MIN, 0.5, 20, true, 1},
        {"flow.p50:0.8", "flow.p50", SLO_METRIC, METRIC_FLOW, SLO_QUANTILE, 0.5, 0.8, true, 6},
        {"ttft.p99:2s", "ttft.p99", SLO_METRIC, METRIC_TTFT, SLO_QUANTILE, 0.99, 2000, false, 299},
        {"ttft.p99.9:2s", "ttft.p99.9", SLO_METRIC, METRIC_TTFT, SLO_QUANTILE, 0.999, 2000, false,
         2995},
        {"complete:99%", "complete", SLO_COMPLETE, 0, SLO_QUANTILE, 0.5, 0.99, true, 299},
        {"complete>=95%", "complete", SLO_COMPLETE, 0, SLO_QUANTILE, 0.5, 0.95, true, 59},
        {"complete:100%", "complete", SLO_COMPLETE, 0, SLO_QUANTILE, 0.5, 1, true, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct slo slo = parsed(table[i].typed);
        assert_string_equal(slo.name, table[i].name);
        bool same = slo.kind == table[i].kind && slo.metric == table[i].metric &&
                    slo.stat == table[i].stat && fabs(slo.q - table[i].q) < 1e-15 &&
                    slo.limit == table[i].limit && slo.at_least == table[i].at_least;
        if (!same || slo_runs_needed(&slo) != table[i].runs)
            fail_msg("%s: kind %d metric %d stat %d q %g limit %g at_least %d runs %zu",
                     table[i].typed, slo.kind, slo.metric, slo.stat, slo.q, slo.limit, slo.at_least,
                     slo_runs_needed(&slo));
    }
}

static void what_is_no_limit_is_refused(void **state UNUSED)
{
    static const char *const table[] = {
        "",
        "ttft",
        "ttft.p95",
        "ttft.p95:",
        ":2s",
        "ttfx.p95:2s",
        "ttft.95:2",
        "ttft.p0:2s",
        "ttft.p100:2s",
        "ttft.:2s",
        "ttft.mean:2s",
        "ttft.p95:2x",
        "ttft:off",
        "ttft.p95:-1s",
        "tps.p50:2s",
        "tps.p50:-1",
        "complete:0.99",
        "complete:%",
        "complete:101%",
        "complete.p50:99%",
        "complete<99%",
        "gap.p99:200ms,",
        "gap.p95x:1s",
        "a_name_that_is_longer_than_any_metric_can_be.p95:2s",
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct slo slo = {.limit = 42};
        struct err err = {0};
        if (slo_parse(&slo, str_of(table[i]), &err))
            fail_msg("%s was taken", table[i]);
        assert_int_equal(err.exit_code, EXIT_USAGE);
        assert_true(err.what[0] && err.fix[0][0]);
        assert_true(slo.limit == 42);
    }
}

static void the_nearest_metric_is_named(void **state UNUSED)
{
    struct slo slo;
    struct err err = {0};
    assert_false(slo_parse(&slo, STR("ttff.p95:2s"), &err));
    assert_non_null(strstr(err.why, "ttf"));
}

struct run {
    struct record records[RUNS_MAX];
    size_t count;
};

/* A streamed request: first output after `ttft_ms`, then 20 gaps of `gap_ms`, one token each. */
static struct record *add(struct run *run, enum outcome outcome, double ttft_ms, double gap_ms)
{
    struct record *r = &run->records[run->count++];
    record_init(r);
    r->streamed = true;
    r->start = r->due = (int64_t)run->count * 1000 * MS;
    r->outcome = outcome;
    if (outcome == OUTCOME_UNREACHABLE)
        return r;
    for (int i = 0; i < 21; i++) {
        struct record_event e = {.at = r->start + clock_from_ms(ttft_ms + gap_ms * i),
                                 .pieces = 1 << PIECE_ANSWER};
        record_log_event(r, &e);
        r->last_output = e.at;
    }
    r->output_events = 21;
    r->first_output = r->log[0].at;
    r->end = r->terminator = r->last_output;
    record_count_tokens(r, 0);
    return r;
}

static void run_done(struct run *run)
{
    for (size_t i = 0; i < run->count; i++)
        record_done(&run->records[i]);
    run->count = 0;
}

/* `good` complete requests with ttft 1, 2 … ms and gaps of 10 ms, `slow` with 5 s and gaps of 100
 * ms, and `failed` ones. */
static void fill(struct run *run, size_t good, size_t slow, size_t failed, enum outcome how)
{
    for (size_t i = 0; i < good; i++)
        add(run, OUTCOME_COMPLETE, (double)i + 1, 10);
    for (size_t i = 0; i < slow; i++)
        add(run, OUTCOME_COMPLETE, 5000, 100);
    for (size_t i = 0; i < failed; i++)
        add(run, how, 1, 10);
}

static struct slo_result judged(const char *typed, const struct run *run)
{
    struct slo slo = parsed(typed);
    struct slo_result r;
    slo_judge(&slo, run->records, run->count, &r);
    return r;
}

static void verdicts_are_as_the_bounds_say(void **state UNUSED)
{
    static const struct {
        const char *typed;
        size_t good, slow, failed;
        enum outcome how;
        enum slo_verdict verdict;
        size_t n;
    } table[] = {
        /* the upper bound of p95 needs 59 requests, all within */
        {"ttft.p95:1s", 59, 0, 0, 0, SLO_HOLDS, 59},
        {"ttft.p95:1s", 58, 0, 0, 0, SLO_UNDECIDED, 58},
        {"ttft.p95:1s", 58, 1, 0, 0, SLO_UNDECIDED, 59},
        {"ttft.p95:1s", 91, 1, 0, 0, SLO_UNDECIDED, 92},
        {"ttft.p95:1s", 92, 1, 0, 0, SLO_HOLDS, 93}, /* from 93 on one may be beyond */
        /* whatever does not complete is beyond */
        {"ttft.p95:1s", 58, 0, 1, OUTCOME_TIMEOUT_FIRST, SLO_UNDECIDED, 59},
        {"ttft.p95:1s", 58, 0, 1, OUTCOME_BROKEN, SLO_UNDECIDED, 59},
        {"ttft.p95:1s", 58, 0, 1, OUTCOME_PENDING, SLO_UNDECIDED, 59},
        {"ttft.p95:1s", 59, 0, 9, OUTCOME_ABORTED, SLO_HOLDS, 59}, /* we ended them */
        {"ttft.p95:1s", 40, 0, 20, OUTCOME_TIMEOUT_TOTAL, SLO_FAILS, 60},
        {"ttft.p95:1s", 0, 0, 1, OUTCOME_UNREACHABLE, SLO_FAILS, 1},
        {"ttft.p95:1s", 0, 1, 0, 0, SLO_FAILS, 1}, /* 1 of 1 beyond: 5 % at p95 */
        {"ttft.p50:1s", 6, 0, 0, 0, SLO_HOLDS, 6},
        {"ttft.p50:1s", 5, 0, 0, 0, SLO_UNDECIDED, 5},
        {"ttft.p50:1s", 5, 5, 0, 0, SLO_UNDECIDED, 10},
        {"ttft.p50:1s", 1, 9, 0, 0, SLO_FAILS, 10},
        {"ttft.p50:1s", 1, 0, 9, OUTCOME_HTTP_ERROR, SLO_FAILS, 10},
        {"ttft.p50:1s", 0, 0, 0, 0, SLO_UNDECIDED, 0},
        /* extremes are of the requests seen */
        {"total.max:30s", 3, 0, 0, 0, SLO_HOLDS, 3},
        {"total.max:5s", 3, 1, 0, 0, SLO_FAILS, 4},
        {"total.max:30s", 3, 0, 1, OUTCOME_TIMEOUT_FIRST, SLO_FAILS, 4},
        {"total.max:30s", 0, 0, 0, 0, SLO_UNDECIDED, 0},
        /* 20 tokens after the first in 0.2 s, or in 2 s: 100 and 10 tokens/s */
        {"tps.p50:50", 10, 0, 0, 0, SLO_HOLDS, 10},
        {"tps.p50:50", 0, 10, 0, 0, SLO_FAILS, 10},
        {"tps.p50:50", 5, 5, 0, 0, SLO_UNDECIDED, 10},
        {"tps.p5:50", 59, 0, 0, 0, SLO_HOLDS, 59},
        {"tps.p5:50", 58, 0, 1, OUTCOME_EMPTY, SLO_UNDECIDED, 59},
        {"tps.min:50", 3, 0, 0, 0, SLO_HOLDS, 3},
        {"tps.min:50", 3, 0, 1, OUTCOME_EMPTY, SLO_FAILS, 4},
        {"tps.p50<50", 10, 0, 0, 0, SLO_FAILS, 10},
        /* shares: 299 of 299 show 99 % */
        {"complete:99%", 299, 0, 0, 0, SLO_HOLDS, 299},
        {"complete:99%", 298, 0, 0, 0, SLO_UNDECIDED, 298},
        {"complete:99%", 298, 0, 1, OUTCOME_BROKEN, SLO_UNDECIDED, 299},
        {"complete:99%", 290, 0, 10, OUTCOME_BROKEN, SLO_FAILS, 300},
        {"complete:90%", 10, 0, 0, 0, SLO_UNDECIDED, 10},
        {"complete:90%", 1, 0, 9, OUTCOME_MALFORMED, SLO_FAILS, 10},
        {"complete:100%", 10, 0, 0, 0, SLO_HOLDS, 10},
        {"complete:100%", 99, 0, 1, OUTCOME_INCOMPLETE, SLO_FAILS, 100},
        {"complete:100%", 0, 0, 1, OUTCOME_ABORTED, SLO_UNDECIDED, 0},
        /* pooled gaps: the interval and four in five requests */
        {"gap.p99:50ms", 10, 0, 0, 0, SLO_HOLDS, 10},
        {"gap.p99:50ms", 5, 0, 0, 0, SLO_UNDECIDED, 5}, /* no interval yet */
        {"gap.p99:50ms", 0, 10, 0, 0, SLO_FAILS, 10},
        {"gap.p99:50ms", 9, 1, 0, 0, SLO_UNDECIDED, 10}, /* p99 is 100 ms, but 9 of 10 keep it */
        {"gap.p99:50ms", 8, 0, 2, OUTCOME_TIMEOUT_GAP, SLO_HOLDS, 10},
        {"gap.p99:50ms", 7, 0, 3, OUTCOME_TIMEOUT_GAP, SLO_UNDECIDED, 10},
        {"gap.p99:50ms", 0, 0, 3, OUTCOME_TIMEOUT_GAP, SLO_FAILS, 3},
        {"gap.max:50ms", 3, 0, 0, 0, SLO_HOLDS, 3},
        {"gap.max:50ms", 3, 1, 0, 0, SLO_FAILS, 4},
        {"gap.max:50ms", 3, 0, 1, OUTCOME_TIMEOUT_GAP, SLO_FAILS, 4},
        {"gap.p99:50ms", 0, 0, 0, 0, SLO_UNDECIDED, 0},
    };
    static struct run run;
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        fill(&run, table[i].good, table[i].slow, table[i].failed, table[i].how);
        struct slo_result r = judged(table[i].typed, &run);
        if (r.verdict != table[i].verdict || r.n != table[i].n)
            fail_msg("%zu: %s, %zu good, %zu slow, %zu failed: expected %s of %zu, got %s of %zu "
                     "(%g, %g .. %g)",
                     i, table[i].typed, table[i].good, table[i].slow, table[i].failed,
                     slo_verdict_name(table[i].verdict), table[i].n, slo_verdict_name(r.verdict),
                     r.n, r.value, r.low, r.high);
        run_done(&run);
    }
}

/* A limit is kept at its very value. */
static void the_limit_itself_is_within(void **state UNUSED)
{
    static struct run run;
    for (int i = 0; i < 10; i++)
        add(&run, OUTCOME_COMPLETE, 250, 10);
    assert_int_equal(judged("ttft.p50:250ms", &run).verdict, SLO_HOLDS);
    assert_int_equal(judged("ttft.p50:249ms", &run).verdict, SLO_FAILS);
    assert_int_equal(judged("ttft.max:250ms", &run).verdict, SLO_HOLDS);
    assert_int_equal(judged("ttft.min>250ms", &run).verdict, SLO_HOLDS);
    run_done(&run);
}

static void figures_are_those_of_the_table_where_all_complete(void **state UNUSED)
{
    static struct run run;
    fill(&run, 40, 2, 0, 0);
    struct summary s;
    summary_make(&s, run.records, run.count);
    struct slo_result r = judged("ttft.p95:1s", &run);
    assert_true(r.value == s.of[METRIC_TTFT].p95.value && r.low == s.of[METRIC_TTFT].p95.low);
    assert_true(isnan(r.high) && isnan(s.of[METRIC_TTFT].p95.high));
    r = judged("gap.p50:1s", &run);
    assert_true(r.value == s.gap.p50.value && r.low == s.gap.p50.low && r.high == s.gap.p50.high);
    assert_true(r.gaps == s.gap.gaps && r.n == s.gap.n);
    r = judged("gap.p99:1s", &run);
    assert_true(r.value == s.gap.p99.value && r.high == s.gap.p99.high);
    run_done(&run);
}

/* More failures than 1 - q: the quantile is one of them, and no number. */
static void a_quantile_among_failures_is_infinite(void **state UNUSED)
{
    static struct run run;
    fill(&run, 88, 0, 12, OUTCOME_TIMEOUT_TOTAL);
    struct slo_result r = judged("ttft.p95:1s", &run);
    assert_true(r.value == (double)INFINITY && r.failed == 12 && r.n == 100);
    assert_true(judged("ttft.p50:1s", &run).value == 50.5);
    assert_true(judged("tps.p5:1", &run).value == -(double)INFINITY);
    run_done(&run);
}

static void warmups_and_retries_are_not_judged(void **state UNUSED)
{
    static struct run run;
    fill(&run, 10, 0, 0, 0);
    add(&run, OUTCOME_BROKEN, 1, 1)->warmup = true;
    add(&run, OUTCOME_BROKEN, 1, 1)->attempt = 2;
    assert_int_equal(judged("complete:100%", &run).n, 10);
    assert_int_equal(judged("ttft.p50:1s", &run).n, 10);
    assert_int_equal(judged("gap.p50:1s", &run).n, 10);
    run_done(&run);
}

/* Plain answers have no first token: nothing is decided, whatever failed. */
static void a_metric_that_no_answer_has_decides_nothing(void **state UNUSED)
{
    static struct run run;
    fill(&run, 10, 0, 2, OUTCOME_BROKEN);
    for (size_t i = 0; i < run.count; i++) {
        run.records[i].streamed = false;
        run.records[i].first_output = NEVER;
    }
    struct slo_result r = judged("ttft.p95:1s", &run);
    assert_true(r.verdict == SLO_UNDECIDED && r.n == 0 && isnan(r.value));
    r = judged("gap.p95:1s", &run);
    assert_true(r.verdict == SLO_UNDECIDED && r.n == 0 && isnan(r.value));
    run_done(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_read),
        cmocka_unit_test(what_is_no_limit_is_refused),
        cmocka_unit_test(the_nearest_metric_is_named),
        cmocka_unit_test(verdicts_are_as_the_bounds_say),
        cmocka_unit_test(the_limit_itself_is_within),
        cmocka_unit_test(figures_are_those_of_the_table_where_all_complete),
        cmocka_unit_test(a_quantile_among_failures_is_infinite),
        cmocka_unit_test(warmups_and_retries_are_not_judged),
        cmocka_unit_test(a_metric_that_no_answer_has_decides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
