#include "test.h"

#include "base/mem.h"
#include "measure/record.h"

static void a_new_record_knows_nothing(void **state UNUSED)
{
    struct record r;
    record_init(&r);
    const int64_t instants[] = {r.due,         r.start,        r.dns_done,     r.connect_done,
                                r.proxy_done,  r.tls_done,     r.sent,         r.headers,
                                r.first_event, r.first_output, r.first_answer, r.last_output,
                                r.terminator,  r.end,          r.silence_max};
    for (size_t i = 0; i < ARRAY_LEN(instants); i++)
        assert_true(instants[i] == NEVER);
    assert_int_equal(r.usage.prompt_tokens, COUNT_UNKNOWN);
    assert_int_equal(r.usage.cached_tokens, COUNT_UNKNOWN);
    assert_int_equal(r.tokens, COUNT_UNKNOWN);
    assert_int_equal(r.attempt, 1);
    assert_int_equal(r.outcome, OUTCOME_PENDING);
    record_done(&r);
}

static void done_frees_and_may_come_twice(void **state UNUSED)
{
    struct record r;
    record_init(&r);
    r.error_message = mem_strdup("x");
    r.text = mem_strdup("y");
    record_log_event(&r, &(struct record_event){.at = 1});
    record_done(&r);
    record_done(&r);
    assert_null(r.text);
    assert_int_equal(r.log_len, 0);
    record_done(NULL);
}

static void the_log_has_a_maximum_and_counts_what_it_drops(void **state UNUSED)
{
    struct record r;
    record_init(&r);
    for (int64_t i = 0; i < RECORD_EVENTS_MAX + 3; i++)
        record_log_event(&r, &(struct record_event){.at = i});
    assert_int_equal(r.log_len, RECORD_EVENTS_MAX);
    assert_int_equal(r.log_dropped, 3);
    assert_true(r.log[RECORD_EVENTS_MAX - 1].at == RECORD_EVENTS_MAX - 1);
    record_done(&r);
}

static void tokens_are_counted_by_the_best_source(void **state UNUSED)
{
    enum { NO = COUNT_UNKNOWN };
    static const struct {
        const char *what;
        int64_t completion, reasoning, reasoning_chunks, output_chars, outputs;
        bool streamed;
        double ratio;
        int64_t tokens;
        const char *source;
    } cases[] = {
        {"usage", 64, NO, 0, 256, 60, true, 0, 64, "usage"},
        {"usage beats ratio", 64, NO, 0, 256, 60, true, 3.5, 64, "usage"},
        {"usage of a plain answer", 64, NO, 0, 256, 0, false, 0, 64, "usage"},
        {"usage says none", 0, NO, 0, 0, 0, true, 0, 0, "usage"},
        {"hidden reasoning", 164, 100, 0, 256, 60, true, 0, 64, "usage"},
        {"streamed reasoning", 164, 100, 90, 656, 150, true, 0, 164, "usage"},
        {"no reasoning", 64, 0, 0, 256, 60, true, 0, 64, "usage"},
        {"reasoning counted beside", 64, 100, 0, 256, 60, true, 0, 64, "usage"},
        {"reasoning counted beside, equal", 64, 64, 0, 256, 60, true, 0, 64, "usage"},
        {"nothing but hidden reasoning", 64, 64, 0, 0, 0, true, 0, 0, "usage"},
        {"ratio", NO, NO, 0, 256, 60, true, 4, 64, "ratio"},
        {"ratio, rounded", NO, NO, 0, 10, 3, true, 4, 3, "ratio"},
        {"ratio of a plain answer", NO, NO, 0, 256, 0, false, 4, 64, "ratio"},
        {"no text to apply the ratio to", NO, NO, 0, 0, 7, true, 4, 7, "chunks"},
        {"chunks", NO, NO, 0, 256, 60, true, 0, 60, "chunks"},
        {"a plain answer has no chunks", NO, NO, 0, 256, 0, false, 0, NO, "none"},
        {"nothing came", NO, NO, 0, 0, 0, true, 4, NO, "none"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct record r;
        record_init(&r);
        r.streamed = cases[i].streamed;
        r.usage.completion_tokens = cases[i].completion;
        r.usage.reasoning_tokens = cases[i].reasoning;
        r.chunks[PIECE_REASONING] = cases[i].reasoning_chunks;
        r.output_chars = cases[i].output_chars;
        r.output_events = cases[i].outputs;
        record_count_tokens(&r, cases[i].ratio);
        if (r.tokens != cases[i].tokens ||
            strcmp(token_source_name(r.token_source), cases[i].source) != 0)
            fail_msg("%s: expected %d by %s, got %d by %s", cases[i].what, (int)cases[i].tokens,
                     cases[i].source, (int)r.tokens, token_source_name(r.token_source));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_record_knows_nothing),
        cmocka_unit_test(done_frees_and_may_come_twice),
        cmocka_unit_test(the_log_has_a_maximum_and_counts_what_it_drops),
        cmocka_unit_test(tokens_are_counted_by_the_best_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
