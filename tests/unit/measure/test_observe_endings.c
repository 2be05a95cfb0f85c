#include "exchange.h"

#include "base/mem.h"

/* The golden case of each outcome that a body decides. */
static void each_ending_has_its_outcome(void **state UNUSED)
{
    static const struct {
        const char *outcome;
        struct exchange x;
    } cases[] = {
        {"incomplete", {.end_ms = 200, .feeds = {{100, ROLE WORD("a")}}}},
        {"incomplete", {.end_ms = 200, .feeds = {{100, WORD("a") FINISH}}}}, /* no [DONE] check */
        {"complete",
         {.end_ms = 200, .terminator = TERMINATOR_FINISH, .feeds = {{100, WORD("a") FINISH}}}},
        {"complete",
         {.end_ms = 200, .terminator = TERMINATOR_EITHER, .feeds = {{100, WORD("a") FINISH}}}},
        {"complete",
         {.end_ms = 200, .terminator = TERMINATOR_EITHER, .feeds = {{100, WORD("a") DONE}}}},
        {"incomplete",
         {.end_ms = 200, .terminator = TERMINATOR_FINISH, .feeds = {{100, WORD("a") DONE}}}},
        {"incomplete", {.end_ms = 200, .feeds = {{100, WORD("a") "data: {\"choi"}}}},
        {"complete", {.end_ms = 200, .feeds = {{100, WORD("a") "data: [DONE]"}}}},
        {"malformed", {.end_ms = 200, .feeds = {{100, "data: {\"choices\"\n\n" DONE}}}},
        {"empty", {.end_ms = 200}},
        {"empty", {.end_ms = 200, .feeds = {{100, ": hello\n\n"}}}},
        {"empty", {.end_ms = 200, .feeds = {{100, DONE}}}},
        {"not_a_stream", {.type = "text/html", .end_ms = 200, .feeds = {{100, "<html>no</html>"}}}},
        {"not_a_stream", {.type = "application/json", .end_ms = 200, .feeds = {{100, PLAIN}}}},
        {"stream_error",
         {.type = "application/json",
          .end_ms = 200,
          .feeds = {{100, "{\"error\":{\"message\":\"no\"}}"}}}},
        {"broken", {.end = END_BROKEN, .end_ms = 200, .feeds = {{100, WORD("a")}}}},
        {"timeout_gap", {.end = END_TIMEOUT_GAP, .end_ms = 200, .feeds = {{100, WORD("a")}}}},
        {"timeout_first", {.end = END_TIMEOUT_FIRST, .end_ms = 200, .feeds = {{100, ROLE}}}},
        {"aborted", {.end = END_ABORTED, .end_ms = 200, .feeds = {{100, WORD("a")}}}},
        {"complete",
         {.type = "application/x-ndjson",
          .end_ms = 200,
          .feeds = {{100, "{\"message\":{\"content\":\"a\"},\"done\":false}\n"},
                    {150, "{\"message\":{\"content\":\"\"},\"done\":true}\n"}}}},
        {"http_error", {.status = 500, .end_ms = 200, .feeds = {{100, WORD("a") DONE}}}},
        {"http_error", {.status = 302, .end_ms = 200}},
        {"complete",
         {.plain = true, .type = "application/json", .end_ms = 200, .feeds = {{100, PLAIN}}}},
        {"stream_error",
         {.plain = true,
          .type = "application/json",
          .end_ms = 200,
          .feeds = {{100, "{\"error\":{\"message\":\"no\"}}"}}}},
        {"incomplete",
         {.plain = true,
          .type = "application/json",
          .end_ms = 200,
          .feeds = {{100, "{\"choices\":[{\"message\":{\"content\":\"a\"}}]}"}}}},
        {"malformed",
         {.plain = true, .type = "text/html", .end_ms = 200, .feeds = {{100, "<html>"}}}},
        {"broken",
         {.plain = true,
          .type = "application/json",
          .end = END_BROKEN,
          .end_ms = 200,
          .feeds = {{100, "{"}}}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        for (size_t cut = 0; cut < 2; cut++) {
            struct record r;
            play(&cases[i].x, cut, &r);
            if (strcmp(outcome_name(r.outcome), cases[i].outcome) != 0)
                fail_msg("case %zu: expected %s, got %s", i, cases[i].outcome,
                         outcome_name(r.outcome));
            assert_true(r.end == 200 * MS);
            record_done(&r);
        }
    }
}

/* No check for [DONE]: text, then a clean end, looks like an answer to popular scripts. */
static void a_clean_end_without_done_is_no_complete_answer(void **state UNUSED)
{
    static const struct exchange x = {
        .end_ms = 200, .feeds = {{100, ROLE}, {120, WORD("Half an")}, {140, WORD(" ans")}}};
    struct record r;
    play(&x, 0, &r);
    assert_outcome(&r, "incomplete");
    assert_false(r.done);
    assert_true(r.terminator == NEVER && metric_of(METRIC_TOTAL, &r) == 200);
    record_done(&r);
}

/* A 401 page timed as an answer. */
static void an_http_error_is_no_answer(void **state UNUSED)
{
    static const struct exchange x = {
        .status = 401,
        .type = "application/json",
        .end_ms = 80,
        .feeds = {{60, "{\"error\":{\"message\":\"bad key\",\"type\":\"invalid_"},
                  {70, "request_error\",\"code\":\"invalid_api_key\"}}"}},
    };
    struct record r;
    play(&x, 0, &r);
    assert_outcome(&r, "http_error");
    assert_true(r.first_event == NEVER && r.first_output == NEVER);
    assert_true(isnan(metric_of(METRIC_TTFT, &r)));
    assert_string_equal(r.error_message, "bad key");
    assert_non_null(r.error_kind);
    assert_int_equal(r.events, 0);
    assert_true(str_starts(str_of(r.body_head), STR("{\"error\"")));
    record_done(&r);
}

static void a_redirect_is_an_http_error(void **state UNUSED)
{
    static const struct exchange x = {.status = 302, .end_ms = 80, .feeds = {{60, WORD("a") DONE}}};
    struct record r;
    play(&x, 0, &r);
    assert_outcome(&r, "http_error");
    assert_string_equal(r.error_kind, "http_302");
    assert_int_equal(r.output_events, 0);
    record_done(&r);
}

static void a_stream_that_fails_keeps_no_head_of_its_body(void **state UNUSED)
{
    static const struct exchange x = {.end_ms = 200, .feeds = {{100, ROLE}, {150, WORD("a")}}};
    struct record r;
    play(&x, 0, &r);
    assert_outcome(&r, "incomplete");
    assert_null(r.body_head);
    record_done(&r);
}

static void a_plain_answer_has_a_total_and_no_first_token(void **state UNUSED)
{
    static const struct exchange x = {
        .plain = true,
        .type = "application/json",
        .end_ms = 310,
        .feeds = {{300, PLAIN}},
    };
    for (size_t cut = 0; cut < 2; cut++) { /* byte by byte: no first byte is eaten */
        struct record r;
        play(&x, cut, &r);
        assert_outcome(&r, "complete");
        assert_false(r.streamed);
        assert_true(isnan(metric_of(METRIC_TTFT, &r)));
        assert_true(metric_of(METRIC_TTFB, &r) == 50);
        assert_true(metric_of(METRIC_TOTAL, &r) == 310);
        assert_int_equal(r.tokens, 2);
        assert_string_equal(r.text, "Hello");
        assert_string_equal(r.finish_reason, "stop");
        assert_string_equal(r.response_id, "c-2");
        assert_null(r.body_head);
        record_done(&r);
    }
}

static void the_head_of_a_foreign_body_is_kept_as_it_came(void **state UNUSED)
{
    struct exchange x = {.type = "text/html", .end_ms = 200};
    struct observe o;
    struct record r;
    start(&o, &r, &x);
    char bytes[2000];
    memset(bytes, 'x', sizeof(bytes));
    memcpy(bytes, "<\x1b[31m\0>", 8);
    struct stamp stamp = at_ms(100);
    for (size_t i = 0; i < sizeof(bytes); i += 400)
        observe_body(&o, bytes + i, 400, &stamp);
    observe_end(&o, END_BODY, 200 * MS);
    observe_done(&o);
    assert_outcome(&r, "not_a_stream");
    assert_int_equal(strlen(r.body_head), 512);
    assert_memory_equal(r.body_head, "<\x1b[31m\xef\xbf\xbd>xxx", 13);
    record_done(&r);
}

static void bodies_have_a_maximum(void **state UNUSED)
{
    static const struct {
        bool plain;
        int status;
        size_t max, bytes, takes;
        const char *outcome;
    } cases[] = {
        {true, 200, 1000, 1000, 0, "malformed"}, /* not JSON */
        {true, 200, 1000, 1001, 1, "malformed"},
        {true, 200, 0, 100000, 0, "malformed"},
        {true, 404, 0, 1 << 20, 0, "http_error"},
        {true, 404, 0, (1 << 20) + 1, 1, "http_error"},
        {false, 404, 0, (1 << 20) + 1, 1, "http_error"},
        {false, 200, 0, (17 << 20), 1, "malformed"}, /* a line without end */
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct observe o;
        struct record r;
        record_init(&r);
        r.start = 0;
        observe_start(&o, &r,
                      &(struct observe_options){.streamed = !cases[i].plain,
                                                .plain_bytes_max = cases[i].max});
        struct stamp stamp = at_ms(50);
        observe_head(&o, cases[i].status, STR("text/plain"), &stamp);
        char *bytes = mem_array(cases[i].bytes, 1);
        memset(bytes, 'x', cases[i].bytes);
        memcpy(bytes, "data: ", 6);
        unsigned brought = 0;
        for (size_t at = 0; at < cases[i].bytes; at += 1000) {
            size_t left = cases[i].bytes - at;
            brought |= observe_body(&o, bytes + at, left < 1000 ? left : 1000, &stamp);
        }
        assert_int_equal((brought & OBSERVED_OVER_LIMIT) != 0, cases[i].takes);
        observe_end(&o, cases[i].takes ? END_BAD_RESPONSE : END_BODY, 60 * MS);
        observe_done(&o);
        assert_outcome(&r, cases[i].outcome);
        mem_free(bytes);
        record_done(&r);
    }
}

static void a_request_without_a_head_is_settled_too(void **state UNUSED)
{
    static const struct {
        enum transport_end end;
        const char *outcome;
    } cases[] = {
        {END_UNREACHABLE, "unreachable"},     {END_TIMEOUT_CONNECT, "timeout_connect"},
        {END_TIMEOUT_FIRST, "timeout_first"}, {END_TIMEOUT_IDLE, "timeout_idle"},
        {END_TIMEOUT_TOTAL, "timeout_total"}, {END_ABORTED, "aborted"},
        {END_BAD_RESPONSE, "malformed"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct observe o;
        struct record r;
        record_init(&r);
        r.start = 0;
        observe_start(&o, &r, &(struct observe_options){.streamed = true});
        observe_end(&o, cases[i].end, 60 * MS);
        observe_done(&o);
        assert_outcome(&r, cases[i].outcome);
        assert_true(r.end == 60 * MS && r.headers == NEVER && r.silence_max == NEVER);
        assert_int_equal(r.http_status, 0);
        record_done(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_ending_has_its_outcome),
        cmocka_unit_test(a_clean_end_without_done_is_no_complete_answer),
        cmocka_unit_test(an_http_error_is_no_answer),
        cmocka_unit_test(a_redirect_is_an_http_error),
        cmocka_unit_test(a_stream_that_fails_keeps_no_head_of_its_body),
        cmocka_unit_test(a_plain_answer_has_a_total_and_no_first_token),
        cmocka_unit_test(the_head_of_a_foreign_body_is_kept_as_it_came),
        cmocka_unit_test(bodies_have_a_maximum),
        cmocka_unit_test(a_request_without_a_head_is_settled_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
