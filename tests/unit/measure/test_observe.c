#include "exchange.h"

static const struct exchange whole = {
    .end_ms = 230,
    .feeds = {{60, ROLE},
              {100, WORD("One")},
              {120, WORD(" two")},
              {160, WORD(" three")},
              {200, FINISH},
              {210, USAGE(3)},
              {220, DONE}},
};

static void a_stream_gives_each_instant(void **state UNUSED)
{
    struct record r;
    play(&whole, 0, &r);
    assert_outcome(&r, "complete");
    assert_true(r.headers == 50 * MS);
    assert_true(r.first_event == 60 * MS);
    assert_true(r.first_output == 100 * MS);
    assert_true(r.first_answer == 100 * MS);
    assert_true(r.last_output == 160 * MS);
    assert_true(r.terminator == 220 * MS);
    assert_true(r.end == 230 * MS);
    assert_true(r.silence_max == 40 * MS);
    assert_int_equal(r.clock, CLOCK_KIND_KERNEL);
    assert_true(r.lag_max == 3000);
    assert_int_equal(r.reads, 7);
    assert_int_equal(r.coalesced, 0);
    assert_string_equal(r.text, "One two three");
    assert_null(r.body_head);
    record_done(&r);
}

static void the_record_keeps_what_the_server_said(void **state UNUSED)
{
    struct record r;
    play(&whole, 0, &r);
    assert_string_equal(r.response_id, "c-1");
    assert_string_equal(r.served_model, "m-7");
    assert_string_equal(r.system_fingerprint, "fp");
    assert_string_equal(r.finish_reason, "stop");
    assert_string_equal(r.dialect, "openai-chat");
    assert_string_equal(r.content_type, SSE_TYPE);
    assert_int_equal(r.http_status, 200);
    assert_int_equal(r.usage.prompt_tokens, 9);
    assert_int_equal(r.answer_chars, 13);
    assert_int_equal(r.first_output_chars, 3);
    assert_true(r.done && r.finished);
    record_done(&r);
}

/* Popular scripts count every `data:` line: here six, and the error object of a seventh. */
static void role_usage_and_errors_are_no_tokens(void **state UNUSED)
{
    struct record r;
    play(&whole, 0, &r);
    assert_int_equal(r.events, 7); /* with the terminator */
    assert_int_equal(r.output_events, 3);
    assert_int_equal(r.chunks[PIECE_ANSWER], 3);
    assert_int_equal(r.tokens, 3);
    assert_int_equal(r.token_source, TOKENS_USAGE);
    record_done(&r);
    const struct exchange refused = {
        .end_ms = 99,
        .feeds = {{60, ROLE},
                  {70, "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"busy\"}}\n\n"}},
    };
    play(&refused, 0, &r);
    assert_outcome(&r, "stream_error");
    assert_int_equal(r.output_events, 0);
    assert_true(r.first_output == NEVER);
    assert_string_equal(r.error_kind, "busy");
    assert_string_equal(r.error_message, "overloaded");
    record_done(&r);
}

static void the_log_holds_each_event(void **state UNUSED)
{
    struct record r;
    play(&whole, 0, &r);
    assert_int_equal(r.log_len, 7);
    static const double at[] = {60, 100, 120, 160, 200, 210, 220};
    for (size_t i = 0; i < 7; i++) {
        assert_true(r.log[i].at == clock_from_ms(at[i]));
        assert_int_equal(r.log[i].pieces, i >= 1 && i <= 3 ? 1 << PIECE_ANSWER : 0);
        assert_int_equal(r.log[i].flags, i == 6 ? RECORD_EVENT_TERMINATOR : 0);
        assert_int_equal(r.log[i].lag, 30);
        assert_true(r.log[i].bytes > 0);
    }
    record_done(&r);
}

/* An event has the time of its last data line, not of the blank line that dispatches it. */
static void an_event_has_the_time_of_its_last_data_line(void **state UNUSED)
{
    static const struct exchange x = {
        .end_ms = 400,
        .feeds = {{100, "data: {\"choices\":[{\"delta\":{\"content\":\"On"},
                  {150, "e\"}}]}\n"},
                  {200, "\n"},
                  {250, "data: {\"choices\":[{\"delta\":{\"content\":\"Two\"}}]}\r"},
                  {300, "\n\r\n" DONE}},
    };
    struct record r;
    play(&x, 0, &r);
    assert_outcome(&r, "complete");
    assert_true(r.first_output == 150 * MS);
    assert_true(r.last_output == 250 * MS);
    assert_true(r.terminator == 300 * MS);
    assert_int_equal(r.log[0].lag, 30);
    record_done(&r);
}

static void events_of_one_read_share_an_instant(void **state UNUSED)
{
    static const struct exchange x = {
        .end_ms = 400,
        .feeds = {{100, ROLE WORD("a") WORD("b")}, {200, WORD("c")}, {300, FINISH DONE}},
    };
    for (size_t cut = 0; cut < 3; cut++) { /* HTTP chunks of one read come as feeds of one stamp */
        struct record r;
        play(&x, cut * 40, &r);
        assert_int_equal(r.coalesced, 3);
        assert_int_equal(r.reads, 3);
        assert_true(r.first_output == 100 * MS && r.last_output == 200 * MS);
        assert_true(metric_of(METRIC_GAP_MAX, &r) == 100);
        assert_int_equal(r.log[0].flags, 0);
        assert_int_equal(r.log[1].flags, RECORD_EVENT_COALESCED);
        record_done(&r);
    }
}

/* The whole answer in one read is a replay; its gaps are 0, not absent. */
static void a_replay_has_gaps_of_zero(void **state UNUSED)
{
    static const struct exchange x = {
        .end_ms = 900,
        .feeds = {{900, ROLE WORD("a") WORD("b") WORD("c") FINISH DONE}},
    };
    struct record r;
    play(&x, 0, &r);
    assert_outcome(&r, "complete");
    assert_true(metric_of(METRIC_GAP_P50, &r) == 0 && metric_of(METRIC_GAP_MAX, &r) == 0);
    assert_true(metric_of(METRIC_FLOW, &r) == 0);
    assert_true(isnan(metric_of(METRIC_TPS, &r)));
    record_done(&r);
}

static void data_without_a_space_is_seen(void **state UNUSED)
{
    static const struct exchange x = {
        .end_ms = 200,
        .feeds = {{100, "data:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"},
                  {150, "data:[DONE]\n\n"}},
    };
    struct record r;
    play(&x, 0, &r);
    assert_outcome(&r, "complete");
    assert_int_equal(r.output_events, 1);
    record_done(&r);
}

static void reasoning_is_output_but_no_answer(void **state UNUSED)
{
    static const struct exchange x = {
        .end_ms = 400,
        .feeds = {{100, THOUGHT("hm")}, {200, THOUGHT("!")}, {300, WORD("Yes")}, {350, DONE}},
    };
    struct record r;
    play(&x, 0, &r);
    assert_true(r.first_output == 100 * MS && r.first_answer == 300 * MS);
    assert_int_equal(r.output_events, 3);
    assert_int_equal(r.reasoning_chars, 3);
    assert_string_equal(r.reasoning_text, "hm!");
    record_done(&r);
}

static void comments_end_a_silence_but_no_gap(void **state UNUSED)
{
    static const struct exchange x = {
        .end_ms = 1000,
        .feeds = {{100, WORD("a")},
                  {300, ": wait\n\n"},
                  {500, ": wait\n\n"},
                  {700, WORD("b")},
                  {710, DONE}},
    };
    struct record r;
    play(&x, 0, &r);
    assert_int_equal(r.comments, 2);
    assert_true(metric_of(METRIC_GAP_MAX, &r) == 600);
    assert_true(metric_of(METRIC_SILENCE_MAX, &r) == 290); /* from the last byte to the end */
    assert_true(metric_of(METRIC_TAIL, &r) == 300);
    record_done(&r);
}

static void what_follows_the_terminator_changes_nothing(void **state UNUSED)
{
    static const struct exchange x = {
        .end_ms = 900,
        .feeds = {{100, WORD("a")},
                  {200, DONE},
                  {300, WORD("b")},
                  {400, "data: {\"error\":{\"message\":\"late\"}}\n\n"},
                  {500, DONE}},
    };
    struct record r;
    play(&x, 0, &r);
    assert_outcome(&r, "complete");
    assert_true(r.terminator == 200 * MS && r.last_output == 100 * MS);
    assert_int_equal(r.output_events, 1);
    assert_int_equal(r.after_done, 3);
    assert_int_equal(metric_gaps(&r, NULL, 0), 0);
    assert_null(r.error_message);
    record_done(&r);
}

/* The lag of an event is that of the read that ended its data, even if the next one gives it. */
static void an_event_has_the_lag_of_its_read(void **state UNUSED)
{
    struct exchange x = {0};
    struct observe o;
    struct record r;
    start(&o, &r, &x);
    const struct stamp late = {100 * MS, 100 * MS + 50000, CLOCK_KIND_KERNEL};
    const struct stamp prompt = {200 * MS, 200 * MS + 1000, CLOCK_KIND_USER};
    const char *first = "data: {\"a\":1}\n", *rest = "\n" DONE;
    observe_body(&o, first, strlen(first), &late);
    observe_body(&o, rest, strlen(rest), &prompt);
    observe_end(&o, END_BODY, 300 * MS);
    observe_done(&o);
    assert_int_equal(r.log_len, 2);
    assert_int_equal(r.log[0].lag, 500);
    assert_int_equal(r.log[1].lag, 10);
    assert_int_equal(r.log[1].flags, RECORD_EVENT_TERMINATOR | RECORD_EVENT_USER_CLOCK);
    assert_true(r.lag_max == 50000);
    record_done(&r);
}

static void instants_never_run_backwards(void **state UNUSED)
{
    static const struct exchange x = {
        .end_ms = 99,
        .feeds = {{49.999, WORD("a")}, {100, WORD("b")}, {99.998, WORD("c")}, {100.001, DONE}},
    };
    struct record r;
    play(&x, 0, &r);
    assert_true(r.first_output == 50 * MS && r.last_output == 100 * MS);
    assert_true(r.end == r.terminator);
    assert_true(metric_of(METRIC_GAP_P50, &r) == 25);
    record_done(&r);
}

static void each_feed_says_what_it_brought(void **state UNUSED)
{
    static const struct {
        const char *bytes;
        unsigned done, finish;
    } feeds[] = {
        {": ping\n\n", 0, 0},
        {ROLE, OBSERVED_EVENT, OBSERVED_EVENT},
        {"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"", 0, 0},
        {"}}]}\n\n", OBSERVED_EVENT | OBSERVED_OUTPUT, OBSERVED_EVENT | OBSERVED_OUTPUT},
        {FINISH, OBSERVED_EVENT, OBSERVED_EVENT | OBSERVED_TERMINATOR},
        {DONE, OBSERVED_EVENT | OBSERVED_TERMINATOR, OBSERVED_EVENT | OBSERVED_TERMINATOR},
    };
    for (int policy = TERMINATOR_DONE; policy <= TERMINATOR_FINISH; policy++) {
        struct exchange x = {.terminator = (enum terminator_policy)policy};
        struct observe o;
        struct record r;
        start(&o, &r, &x);
        for (size_t i = 0; i < ARRAY_LEN(feeds); i++) {
            struct stamp stamp = at_ms(100 + (double)i);
            unsigned brought = observe_body(&o, feeds[i].bytes, strlen(feeds[i].bytes), &stamp);
            assert_int_equal(brought, policy == TERMINATOR_DONE ? feeds[i].done : feeds[i].finish);
        }
        observe_end(&o, END_BODY, 300 * MS);
        observe_done(&o);
        record_done(&r);
    }
}

static void count_events(void *arg, const struct reading_event *event)
{
    size_t *counts = arg;
    counts[0]++;
    counts[1] += event->data.len;
}

static void a_listener_hears_each_event(void **state UNUSED)
{
    struct observe o;
    struct record r;
    size_t counts[2] = {0};
    record_init(&r);
    r.start = 0;
    observe_start(
        &o, &r,
        &(struct observe_options){.streamed = true, .on_event = count_events, .arg = counts});
    struct stamp stamp = at_ms(50);
    observe_head(&o, 200, STR(SSE_TYPE), &stamp);
    const char *body = ROLE WORD("a") DONE;
    observe_body(&o, body, strlen(body), &stamp);
    observe_end(&o, END_BODY, 60 * MS);
    assert_int_equal(counts[0], 3);
    assert_true(counts[1] > 20);
    assert_null(r.log); /* not asked to keep events */
    assert_null(r.text);
    assert_int_equal(r.reads, 1); /* head and body in one */
    observe_done(&o);
    observe_done(NULL);
    record_done(&r);
}

/* Any split of the bytes gives the same record but for its number of reads. */
static void any_split_gives_the_same_record(void **state UNUSED)
{
    struct record expected, r;
    play(&whole, 0, &expected);
    for (size_t cut = 1; cut <= 150; cut++) {
        play(&whole, cut, &r);
        assert_int_equal(r.outcome, expected.outcome);
        assert_int_equal(r.log_len, expected.log_len);
        assert_memory_equal(r.log, expected.log, r.log_len * sizeof(*r.log));
        assert_true(r.first_output == expected.first_output && r.terminator == expected.terminator);
        assert_true(r.silence_max == expected.silence_max);
        assert_int_equal(r.reads, expected.reads);
        assert_string_equal(r.text, expected.text);
        record_done(&r);
    }
    record_done(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_gives_each_instant),
        cmocka_unit_test(the_record_keeps_what_the_server_said),
        cmocka_unit_test(role_usage_and_errors_are_no_tokens),
        cmocka_unit_test(the_log_holds_each_event),
        cmocka_unit_test(an_event_has_the_time_of_its_last_data_line),
        cmocka_unit_test(events_of_one_read_share_an_instant),
        cmocka_unit_test(a_replay_has_gaps_of_zero),
        cmocka_unit_test(data_without_a_space_is_seen),
        cmocka_unit_test(reasoning_is_output_but_no_answer),
        cmocka_unit_test(comments_end_a_silence_but_no_gap),
        cmocka_unit_test(what_follows_the_terminator_changes_nothing),
        cmocka_unit_test(an_event_has_the_lag_of_its_read),
        cmocka_unit_test(instants_never_run_backwards),
        cmocka_unit_test(each_feed_says_what_it_brought),
        cmocka_unit_test(a_listener_hears_each_event),
        cmocka_unit_test(any_split_gives_the_same_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
