#include "test.h"

#include <jansson.h>

#include "base/utf8.h"
#include "report/made.h"

static void fail_all(struct probe_result *r, enum outcome outcome, int status, const char *detail,
                     const char *message, const char *body)
{
    for (size_t i = 0; i < r->record_count; i++) {
        made_fail(&r->records[i], outcome, status, detail, NULL, message);
        r->records[i].body_head = body ? mem_strdup(body) : NULL;
    }
    summary_make(&r->summary, r->records, r->record_count);
}

static void exit_codes_follow_the_outcomes(void **state)
{
    (void)state;
    static const struct {
        enum outcome outcome;
        int status, exit;
    } cases[] = {
        {OUTCOME_UNREACHABLE, 0, EXIT_UNREACHABLE}, {OUTCOME_TIMEOUT_CONNECT, 0, EXIT_UNREACHABLE},
        {OUTCOME_HTTP_ERROR, 401, EXIT_REFUSED},    {OUTCOME_HTTP_ERROR, 403, EXIT_REFUSED},
        {OUTCOME_HTTP_ERROR, 404, EXIT_NONE},       {OUTCOME_HTTP_ERROR, 503, EXIT_NONE},
        {OUTCOME_BROKEN, 200, EXIT_NONE},           {OUTCOME_NOT_A_STREAM, 200, EXIT_NONE},
        {OUTCOME_TIMEOUT_FIRST, 0, EXIT_NONE},      {OUTCOME_COMPLETE, 200, EXIT_OK},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct probe_result r;
        struct err err;
        made_ten(&r);
        fail_all(&r, cases[i].outcome, cases[i].status, "", NULL, NULL);
        assert_int_equal(report_probe_exit(&r), cases[i].exit);
        assert_int_equal(report_probe_failure(&r, &err), cases[i].exit != EXIT_OK);
        assert_int_equal(err.exit_code, cases[i].exit);
        r.interrupted = true;
        assert_int_equal(report_probe_exit(&r), EXIT_SIGINT);
        probe_result_done(&r);
    }
    struct probe_result r; /* one of another kind decides against 3 and 4 */
    made_ten(&r);
    fail_all(&r, OUTCOME_UNREACHABLE, 0, "", NULL, NULL);
    r.records[4].outcome = OUTCOME_EMPTY;
    summary_make(&r.summary, r.records, r.record_count);
    assert_int_equal(report_probe_exit(&r), EXIT_NONE);
    r.records[4].outcome = OUTCOME_COMPLETE;
    summary_make(&r.summary, r.records, r.record_count);
    assert_int_equal(report_probe_exit(&r), EXIT_OK);
    probe_result_done(&r);
}

static void failures_are_explained_in_four_parts(void **state)
{
    (void)state;
    static const struct {
        enum outcome outcome;
        int status;
        const char *detail, *message, *body, *url;
        const char *what, *evidence, *why, *fix;
    } cases[] = {
        {OUTCOME_HTTP_ERROR, 404, "", "Not Found", "{\"detail\":\"Not Found\"}\n",
         "https://h/openai/chat/completions", "answered 404 to all 10 requests",
         "POST https://h/openai/chat/completions\n404  {\"detail\":\"Not Found\"}", "no such path",
         "weir probe https://h/openai/v1 -m qwen3-32b"},
        {OUTCOME_HTTP_ERROR, 404, "", NULL, "<html>", "https://h/v1/chat/completions",
         "answered 404", "404  <html>", "no such path",
         "weir probe https://h/chat/completions -m qwen3-32b"},
        {OUTCOME_HTTP_ERROR, 404, "", NULL, NULL, "https://h/api/v3/chat/completions",
         "answered 404", "404 ", "no such path", "curl https://h/api/v3/models"},
        {OUTCOME_HTTP_ERROR, 401, "", "bad key", "no", "https://h/v1/chat/completions",
         "answered 401", "401  no", "the key from $OPENAI_API_KEY", "OPENAI_API_KEY"},
        {OUTCOME_HTTP_ERROR, 429, "", "slow down", NULL, "https://h/v1/chat/completions",
         "answered 429", "429 slow down", "limits requests", "-n 2 -c 1"},
        {OUTCOME_HTTP_ERROR, 307, "", NULL, NULL, "http://h/v1/chat/completions", "answered 307",
         "307", "follows no redirects", "points to"},
        {OUTCOME_HTTP_ERROR, 400, "", "no such field", NULL, "http://h/v1/chat/completions",
         "answered 400", "400 no such field", "does not take the request", "--dry-run"},
        {OUTCOME_HTTP_ERROR, 502, "", NULL, "<html>", "http://h/v1/chat/completions",
         "answered 502", "502  <html>", "server failed", "-n 1 -v"},
        {OUTCOME_UNREACHABLE, 0, "connection refused", NULL, NULL, "http://h:1/v1/chat/completions",
         "No connection to http://h:1 for all 10 requests", "connection refused", "",
         "server runs"},
        {OUTCOME_UNREACHABLE, 0, "certificate has expired", NULL, NULL,
         "https://h/v1/chat/completions", "No connection to https://h for", "has expired",
         "certificate", "--cacert"},
        {OUTCOME_TIMEOUT_FIRST, 200, "", NULL, NULL, "https://h/v1/chat/completions",
         "all 10 requests ended timeout_first, no output within", "POST", "", "--first-timeout"},
        {OUTCOME_NOT_A_STREAM, 200, "", NULL, "<!doctype html>", "https://h/chat/completions",
         "ended not_a_stream", "<!doctype html>", "web page", "weir probe https://h/v1"},
        {OUTCOME_NOT_A_STREAM, 200, "", NULL, "{\"choices\":[]}", "https://h/v1/chat/completions",
         "ended not_a_stream", "{\"choices\":[]}", "ignores \"stream\": true", "--no-stream"},
        {OUTCOME_EMPTY, 200, "", NULL, NULL, "https://h/v1/chat/completions",
         "ended empty, the body ended without an event", "POST", "then nothing", "-n 1 -v"},
        {OUTCOME_STREAM_ERROR, 200, "", "the engine died", NULL, "https://h/v1/chat/completions",
         "ended stream_error", "the engine died", "", "-n 1 -v"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct probe_result r;
        struct err err;
        made_ten(&r);
        r.target.url = cases[i].url;
        fail_all(&r, cases[i].outcome, cases[i].status, cases[i].detail, cases[i].message,
                 cases[i].body);
        assert_true(report_probe_failure(&r, &err));
        const char *const pairs[][2] = {{err.what, cases[i].what},
                                        {err.evidence, cases[i].evidence},
                                        {err.why, cases[i].why},
                                        {err.fix[0], cases[i].fix}};
        for (size_t k = 0; k < 4; k++)
            if (!strstr(pairs[k][0], pairs[k][1]))
                fail_msg("case %zu: \"%s\" should hold \"%s\"", i, pairs[k][0], pairs[k][1]);
        assert_string_equal(err.id, outcome_name(cases[i].outcome));
        probe_result_done(&r);
    }
}

static void must_hold(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in\n%s", part, text);
}

static void what_is_worth_saying_is_said(void **state)
{
    (void)state;
    struct probe_result r;
    struct buf b = {0};
    made_ten(&r);
    for (size_t i = 0; i < r.record_count; i++) {
        r.records[i].first_answer += made_ns(1000);
        r.records[i].clock = CLOCK_KIND_USER;
        r.records[i].lag_max = 1500000;
        r.records[i].usage.completion_tokens = COUNT_UNKNOWN;
    }
    r.records[2].usage.cached_tokens = 96;
    summary_make(&r.summary, r.records, r.record_count);
    instrument_make(&r.instrument, r.records, r.record_count);
    report_probe_text(&b, &r, NULL);
    must_hold(buf_text(&b), "\n  TTFA              1,610   1,590 .. 1,720");
    must_hold(buf_text(&b), "took up to 96 prompt tokens from its cache");
    must_hold(buf_text(&b), "Instants are weir's own, not the kernel's: up to 1.50 ms late.");
    must_hold(buf_text(&b), " chunk/s\n");
    must_hold(buf_text(&b), "   256 chunks out\n");
    must_hold(buf_text(&b), "then 255 more chunks in");
    buf_clear(&b);
    r.target.key_source = "";
    r.plan.max_tokens = 0;
    r.plan.warmup = 0;
    r.plan.runs = 1;
    report_probe_head(&b, &r, NULL);
    must_hold(buf_text(&b), "no key is sent\n");
    must_hold(buf_text(&b), "to send: 1 request, about 38 tokens in, no limit on tokens out\n");
    buf_clear(&b);
    report_probe_text(&b, &r, &(struct report_style){.headed = true});
    assert_null(strstr(buf_text(&b), "qwen3"));
    must_hold(buf_text(&b), "256 chunks out\n");
    probe_result_done(&r);
    buf_done(&b);
}

static void a_missing_terminator_is_told_from_a_missing_end(void **state)
{
    (void)state;
    struct probe_result r;
    struct err err;
    made_ten(&r);
    fail_all(&r, OUTCOME_INCOMPLETE, 200, "", NULL, NULL);
    report_probe_failure(&r, &err);
    assert_null(strstr(err.fix[0], "--terminator finish"));
    for (size_t i = 0; i < r.record_count; i++)
        r.records[i].finished = true;
    report_probe_failure(&r, &err);
    assert_non_null(strstr(err.fix[0], "--terminator finish"));
    probe_result_done(&r);
}

static void an_error_has_four_parts(void **state)
{
    (void)state;
    struct err e;
    struct buf b = {0};
    err_set(&e, EXIT_NONE, "http_error", TEXT_FAIL_STATUS, "404", "the first request");
    err_evidence_raw(&e, STR("POST https://h/v1\n404  \033[31m{\"detail\":\"Not Found\"}"));
    err_why(&e, TEXT_FAIL_WHY_404);
    err_fix(&e, TEXT_FAIL_FIX_ONE, "https://h/v1");
    err_fix(&e, TEXT_FAIL_FIX_DRY_RUN);
    report_error_text(&b, &e, &(struct report_style){0});
    assert_string_equal(buf_text(&b),
                        "  The endpoint answered 404 to the first request. Nothing was measured.\n"
                        "       POST https://h/v1\n"
                        "       404  \\x1b[31m{\"detail\":\"Not Found\"}\n"
                        "  Why  no such path (with or without /v1?), or no such model\n"
                        "  Fix  weir probe https://h/v1 -n 1 -v\n"
                        "  Fix  weir probe --dry-run ... shows what is sent\n");
    buf_clear(&b);
    report_error_json(&b, &e);
    json_t *j = json_loadb(b.ptr, b.len, 0, NULL), *error = json_object_get(j, "error");
    assert_string_equal(json_string_value(json_object_get(error, "id")), "http_error");
    assert_int_equal(json_integer_value(json_object_get(error, "exit_code")), 5);
    assert_int_equal(json_array_size(json_object_get(error, "fix")), 2);
    json_decref(j);
    buf_done(&b);
}

/* No line is wider than the width, whatever is in it. */
static void check_width(const char *text, size_t width)
{
    struct str rest = str_of(text);
    while (rest.ptr && rest.len) {
        struct str line = str_split(&rest, '\n');
        if (utf8_width(line) > width)
            fail_msg("%zu columns: %.*s", utf8_width(line), (int)line.len, line.ptr);
        assert_false(line.len && line.ptr[line.len - 1] == ' ');
    }
}

static void no_line_is_wider_than_eighty_columns(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 300; round++) {
        size_t count = 1 + (size_t)round % 12;
        struct record *records = mem_array(count, sizeof(*records));
        for (size_t i = 0; i < count; i++) {
            double x[6];
            for (int k = 0; k < 6; k++) { /* from microseconds to an hour */
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                x[k] = pow(10, (double)(seed >> 40) / (double)(1 << 24) * 9.5 - 3);
            }
            struct made_run m = {x[0], x[1], round % 2 ? x[2] : 0,       x[3],
                                 0,    x[4], 2 + (int)(seed >> 33) % 60, 1,
                                 x[5]};
            m.ttft = m.dns + m.connect + m.tls + m.send + x[5];
            records[i] = made_record(i + 1, &m);
            if ((seed >> 20) % 5 == 0)
                made_fail(&records[i], (enum outcome)(1 + (seed >> 24) % (OUTCOME_COUNT - 1)),
                          (int)(seed >> 30) % 600,
                          "字字字字字字字字字字字字字字字字字字字字字字字字字", "kind\033[1m",
                          "a message that\nis rather long and goes on and on, 字字字字");
        }
        struct probe_result r;
        made_result(&r, records, count);
        r.plan.concurrency = round % 3;
        r.plan.same_prompt = round % 2;
        r.target.model = round % 4 ? "一个名字很长很长很长很长的模型/qwen3-32b-instruct" : "";
        r.interrupted = round % 5 == 0;
        for (int style = 0; style < 8; style++) {
            struct report_style s = {.verbose = style & 1, .ascii = style & 2, .quiet = style & 4};
            struct buf b = {0};
            report_probe_head(&b, &r, &s);
            report_probe_text(&b, &r, &s);
            check_width(buf_text(&b), 80);
            assert_null(strchr(buf_text(&b), '\033'));
            assert_null(strstr(buf_text(&b), "nan"));
            for (size_t i = 0; s.ascii && i < b.len; i++)
                assert_true((unsigned char)b.ptr[i] < 0x80);
            buf_done(&b);
        }
        probe_result_done(&r);
    }
}

static void csv_quotes_what_it_must(void **state)
{
    (void)state;
    struct probe_result r;
    made_ten(&r);
    made_fail(&r.records[1], OUTCOME_STREAM_ERROR, 200, "", "server_error", "say \"no\",\nthen go");
    made_fail(&r.records[2], OUTCOME_STREAM_ERROR, 200, "", "a\033[31mb", "\xc2\x9b c\xff");
    struct buf b = {0};
    report_probe_csv(&b, &r);
    struct str rest = buf_str(&b);
    struct str head = str_split(&rest, '\n'), first = str_split(&rest, '\n');
    assert_true(str_starts(head, STR("number,warmup,outcome,http_status,")));
    assert_true(str_ends(head, STR(",error_kind,error\r")));
    assert_true(str_starts(first, STR("1,false,complete,200,")));
    assert_true(str_contains(first, STR(",586,"))); /* ttft_ms */
    assert_true(str_contains(buf_str(&b), STR(",server_error,\"say \"\"no\"\",\nthen go\"\r\n")));
    assert_true(str_contains(buf_str(&b), STR(",a\\x1b[31mb,\\u009b c\\xff\r\n")));
    size_t commas = 0, columns = 0;
    for (size_t i = 0; i < head.len; i++)
        columns += head.ptr[i] == ',';
    for (size_t i = 0; i < first.len; i++)
        commas += first.ptr[i] == ',';
    assert_int_equal(commas, columns);
    probe_result_done(&r);
    buf_done(&b);
}

static json_t *get(json_t *j, const char *key)
{
    json_t *value = json_object_get(j, key);
    if (!value)
        fail_msg("no member %s", key);
    return value;
}

static void json_says_unknown_as_null_and_known_exactly(void **state)
{
    (void)state;
    struct probe_result r;
    made_ten(&r);
    struct buf b = {0};
    report_probe_json(&b, &r);
    json_t *j = json_loadb(b.ptr, b.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(j);
    assert_int_equal(json_integer_value(get(j, "schema")), 1);
    json_t *ttft = get(j, "ttft_ms");
    assert_int_equal(json_integer_value(get(ttft, "n")), 10);
    assert_true(json_real_value(get(ttft, "p50")) == 612.2);
    assert_true(json_is_null(get(ttft, "p95_hi")));
    assert_true(json_real_value(get(ttft, "max")) == 789);
    assert_int_equal(json_integer_value(get(get(j, "outcomes"), "complete")), 10);
    assert_true(json_is_null(get(get(j, "silence_max_ms"), "p50")));
    assert_int_equal(json_integer_value(get(get(j, "gap_ms"), "gaps")), 2550);
    double sum = 0;
    size_t i;
    json_t *phase;
    json_array_foreach(get(j, "phases"), i, phase) sum += json_real_value(get(phase, "ms"));
    assert_true(fabs(sum - json_real_value(get(get(j, "median"), "ttft_ms"))) < 1e-6);
    assert_null(json_object_get(j, "error"));
    json_decref(j);
    probe_result_done(&r);
    buf_done(&b);
}

static void the_longest_line_has_room(void **state)
{
    (void)state;
    struct record r;
    struct buf b = {0};
    size_t len[2];
    record_init(&r);
    r.start = 0;
    for (int i = 0; i < 2; i++) {
        record_log_event(&r, &(struct record_event){.at = INT64_MAX,
                                                    .bytes = UINT32_MAX,
                                                    .pieces = (1 << PIECE_COUNT) - 1});
        buf_clear(&b);
        report_line_request(&b, &r, true);
        len[i] = b.len;
    }
    size_t index_digits = 6; /* more than here */
    assert_true((len[1] - len[0] + index_digits) * RECORD_EVENTS_MAX + (1 << 20) <
                REPORT_LINE_BYTES_MAX);
    record_done(&r);
    buf_done(&b);
}

static void json_lines_carry_instants_ids_and_events(void **state)
{
    (void)state;
    struct made_run m = {4, 17, 37, 0.1, 612, 20, 3, 0, 0};
    struct record r = made_record(7, &m);
    r.request_id = mem_strdup("req-\xff\"1\"");
    r.log[1].pieces = 1 << PIECE_REASONING | 1 << PIECE_TOOL;
    record_log_event(
        &r, &(struct record_event){.at = r.terminator,
                                   .bytes = 6,
                                   .flags = RECORD_EVENT_TERMINATOR | RECORD_EVENT_COALESCED});
    struct buf b = {0};
    report_line_request(&b, &r, false);
    json_t *j = json_loadb(b.ptr, b.len, JSON_REJECT_DUPLICATES, NULL);
    assert_null(json_object_get(j, "events"));
    assert_int_equal(json_integer_value(get(j, "start_monotonic_ns")), 1000000000);
    assert_true(json_real_value(get(j, "ttft_ms")) == 612);
    assert_true(json_real_value(get(j, "sent_ms")) == 58.1);
    assert_true(json_is_null(get(j, "proxy_done_ms")));
    assert_string_equal(json_string_value(get(j, "outcome")), "complete");
    assert_string_equal(json_string_value(get(j, "request_id")), "req-\xef\xbf\xbd\"1\"");
    assert_int_equal(b.ptr[b.len - 1], '\n');
    assert_int_equal(str_find(buf_str(&b), '\n'), b.len - 1);
    json_decref(j);

    buf_clear(&b);
    report_line_request(&b, &r, true);
    j = json_loadb(b.ptr, b.len, JSON_REJECT_DUPLICATES, NULL);
    json_t *events = get(j, "events");
    static const struct {
        const char *kind;
        int64_t at_ns;
        int bytes;
    } expected[] = {{"answer", 612000000, 100},
                    {"reasoning+tool", 632000000, 100},
                    {"answer", 652000000, 100},
                    {"terminator", 652200000, 6}};
    assert_int_equal(json_array_size(events), ARRAY_LEN(expected));
    for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
        json_t *e = json_array_get(events, i);
        assert_int_equal(json_integer_value(get(e, "index")), i);
        assert_string_equal(json_string_value(get(e, "kind")), expected[i].kind);
        assert_int_equal(json_integer_value(get(e, "at_ns")), expected[i].at_ns);
        assert_int_equal(json_integer_value(get(e, "bytes")), expected[i].bytes);
        assert_string_equal(json_string_value(get(e, "clock")), "kernel");
    }
    json_decref(j);
    record_done(&r);
    buf_done(&b);
}

static void run_and_summary_lines_say_what_they_are(void **state)
{
    (void)state;
    struct probe_result r;
    made_ten(&r);
    struct buf b = {0};
    report_line_run(&b, &r);
    report_line_summary(&b, &r);
    struct str rest = buf_str(&b);
    static const char *const kinds[] = {"run", "summary"};
    for (size_t i = 0; i < 2; i++) {
        struct str line = str_split(&rest, '\n');
        json_t *j = json_loadb(line.ptr, line.len, JSON_REJECT_DUPLICATES, NULL);
        assert_string_equal(json_string_value(get(j, "kind")), kinds[i]);
        assert_int_equal(json_integer_value(get(j, "schema")), 1);
        json_decref(j);
    }
    assert_int_equal(rest.len, 0);
    probe_result_done(&r);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_codes_follow_the_outcomes),
        cmocka_unit_test(failures_are_explained_in_four_parts),
        cmocka_unit_test(what_is_worth_saying_is_said),
        cmocka_unit_test(a_missing_terminator_is_told_from_a_missing_end),
        cmocka_unit_test(an_error_has_four_parts),
        cmocka_unit_test(no_line_is_wider_than_eighty_columns),
        cmocka_unit_test(csv_quotes_what_it_must),
        cmocka_unit_test(json_says_unknown_as_null_and_known_exactly),
        cmocka_unit_test(json_lines_carry_instants_ids_and_events),
        cmocka_unit_test(the_longest_line_has_room),
        cmocka_unit_test(run_and_summary_lines_say_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
