#include "test.h"

#include <stdio.h>
#include <string.h>

#include <math.h>

#include "base/attr.h"
#include "sim/script.h"

#define CHAT    "/v1/chat/completions"
#define MESSAGE "\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"four\"}]"

static struct sim_profile profile_of(int64_t tokens)
{
    struct sim_profile p;
    sim_profile_init(&p);
    p.tokens = tokens;
    return p;
}

/* One line a step. */
static void write_step(struct buf *out, const struct sim_step *s)
{
    static const char *const ops[] = {"HEAD", "WHOLE", "BYTES", "END", "CUT"};
    buf_addf(out, "+%lld %s", (long long)s->delay_ns, ops[s->op]);
    if (s->status)
        buf_addf(out, " %d %s", s->status, s->content_type);
    if (s->request_id)
        buf_addf(out, " id=%s", s->request_id);
    if (s->retry_after)
        buf_addf(out, " retry=%s", s->retry_after);
    if (s->allow)
        buf_addf(out, " allow=%s", s->allow);
    buf_add_text(out, s->len ? " " : "\n");
    buf_add(out, s->bytes, s->len);
}

static void play(struct buf *out, const struct sim_profile *p, const char *method, const char *path,
                 const char *body, uint64_t serial)
{
    struct sim_script s;
    struct sim_step step;
    const struct sim_request r = {str_of(method), str_of(path), str_of(body)};
    sim_script_start(&s, p, &r, serial);
    bool last = false;
    for (; sim_script_next(&s, &step); last = sim_op_is_last(step.op)) {
        assert_false(last);
        sim_stamp(&step, 42);
        write_step(out, &step);
    }
    assert_true(last);
    sim_script_done(&s);
}

static void assert_play(const struct sim_profile *p, const char *body, uint64_t serial,
                        const char *expect)
{
    struct buf got = {0};
    play(&got, p, "POST", CHAT, body, serial);
    assert_string_equal(buf_text(&got), expect);
    buf_done(&got);
}

#define ID0 "e28195ddd9ee4956"
#define START                                                                                      \
    "data: {\"id\":\"chatcmpl-" ID0 "\",\"object\":\"chat.completion.chunk\","                     \
    "\"created\":1767225600,\"model\":\"m\",\"system_fingerprint\":\"fp_weir_sim\","
#define DELTA(delta, finish)                                                                       \
    "\"choices\":[{\"index\":0,\"delta\":" delta ",\"logprobs\":null,\"finish_reason\":" finish "}]"
#define CHUNK(delta, finish) START DELTA(delta, finish) "}\n\n"
#define ROLE                 "{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}"
#define TEXT(words)          "{\"content\":\"" words "\"}"
#define HEAD                 "+0 HEAD 200 text/event-stream id=" ID0 "\n"
#define DONE                 "+0 BYTES data: [DONE]\n\n+0 END\n"

static void test_stream_to_the_byte(void **state)
{
    (void)state;
    struct sim_profile p = profile_of(3);
    assert_play(
        &p, "{" MESSAGE ",\"stream\":true}", 0,
        HEAD "+0 BYTES " CHUNK(ROLE, "null") "+400000000 BYTES " CHUNK(
            TEXT("Light"),
            "null") "+20000000 BYTES " CHUNK(TEXT(" light"),
                                             "null") "+20000000 BYTES " CHUNK(TEXT(" hills"),
                                                                              "null") "+0 "
                                                                                      "BYTES"
                                                                                      " " CHUNK(
                                                                                          "{"
                                                                                          "}",
                                                                                          "\""
                                                                                          "st"
                                                                                          "op"
                                                                                          "\"")
                                                                                          DONE);
    p.tokens_per_chunk = 2;
    assert_play(&p, "{" MESSAGE ",\"stream\":true,\"max_completion_tokens\":3}", 0,
                HEAD "+0 BYTES " CHUNK(ROLE, "null") "+400000000 BYTES " CHUNK(
                    TEXT("Light light"),
                    "null") "+20000000 BYTES " CHUNK(TEXT(" hills"),
                                                     "null") "+0 BYTES " CHUNK("{}", "\"stop\"")
                    DONE);
    p.tokens = 1;
    assert_play(&p, "{" MESSAGE ",\"stream\":true}", 0,
                HEAD "+0 BYTES " CHUNK(ROLE, "null") "+400000000 BYTES " CHUNK(
                    TEXT("Light"), "null") "+0 BYTES " CHUNK("{}", "\"stop\"") DONE);
    p.tokens = 0;
    assert_play(&p, "{" MESSAGE ",\"stream\":true}", 0,
                HEAD "+0 BYTES " CHUNK(ROLE, "null") "+0 BYTES " CHUNK("{}", "\"stop\"") DONE);
}

static void test_usage_and_stamps(void **state)
{
    (void)state;
#define SENT(rest) START "\"sent_ns\":                  42," rest "}\n\n"
    struct sim_profile p = profile_of(8);
    p.stamp = true;
    assert_play(
        &p,
        "{" MESSAGE ",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
        "\"max_tokens\":1}",
        0,
        HEAD "+0 BYTES " SENT(DELTA(ROLE, "null") ",\"usage\":null") "+400000000 BYTES " SENT(DELTA(
            TEXT("Light"),
            "null") ",\"usage\":null") "+0 BYTES " SENT(DELTA("{}",
                                                              "\"length\"") ",\"usage\":"
                                                                            "null") "+0 "
                                                                                    "BYTES"
                                                                                    " " SENT(
                                                                                        "\"choices"
                                                                                        "\":[],"
                                                                                        "\"usage\":"
                                                                                        "{\"prompt_"
                                                                                        "tokens\":"
                                                                                        "1,"
                                                                                        "\"completi"
                                                                                        "on_"
                                                                                        "tokens\":"
                                                                                        "1,\"total_"
                                                                                        "tokens\":"
                                                                                        "2,"
                                                                                        "\"prompt_"
                                                                                        "tokens_"
                                                                                        "details\":"
                                                                                        "{\"cached_"
                                                                                        "tokens\":"
                                                                                        "0}}")
                                                                                        DONE);
}

#define PLAIN_START                                                                                \
    "{\"id\":\"chatcmpl-" ID0 "\",\"object\":\"chat.completion\",\"created\":1767225600,"          \
    "\"model\":\"m\",\"system_fingerprint\":\"fp_weir_sim\",\"choices\":[{\"index\":0,"            \
    "\"message\":"                                                                                 \
    "{\"role\":\"assistant\",\"content\":\""
#define PLAIN_END(finish)                                                                          \
    "\",\"refusal\":null},\"logprobs\":null,\"finish_reason\":" finish "}],\"usage\":{"            \
    "\"prompt_tokens\":1,\"completion_tokens\":3,\"total_tokens\":4,"                              \
    "\"prompt_tokens_details\":{\"cached_tokens\":0}}}\n"

static void test_plain(void **state)
{
    (void)state;
    struct sim_profile p = profile_of(3);
    assert_play(&p, "{" MESSAGE "}", 0,
                "+440000000 WHOLE 200 application/json id=" ID0 " " PLAIN_START
                "Light light hills" PLAIN_END("\"stop\""));
    p.fail[SIM_FAULT_NODONE] = 1;
    assert_play(&p, "{" MESSAGE ",\"stream\":false}", 0,
                "+440000000 WHOLE 200 application/json id=" ID0 " " PLAIN_START
                "Light light hills" PLAIN_END("null"));
}

static void test_faults(void **state)
{
    (void)state;
    struct sim_profile p = profile_of(3);
    p.fail[SIM_FAULT_NODONE] = 1;
    assert_play(
        &p, "{" MESSAGE ",\"stream\":true}", 0,
        HEAD "+0 BYTES " CHUNK(ROLE, "null") "+400000000 BYTES " CHUNK(
            TEXT("Light"),
            "null") "+20000000 BYTES " CHUNK(TEXT(" light"),
                                             "null") "+20000000 BYTES " CHUNK(TEXT(" hills"),
                                                                              "null") "+0 END\n");
    p = profile_of(2);
    p.fail[SIM_FAULT_DROP] = 1;
    assert_play(&p, "{" MESSAGE ",\"stream\":true}", 0,
                HEAD "+0 BYTES " CHUNK(ROLE, "null") "+400000000 BYTES " CHUNK(
                    TEXT("Light"), "null") "+20000000 CUT\n");
    p = profile_of(2);
    p.fail[SIM_FAULT_429] = 1;
    assert_play(&p, "{" MESSAGE ",\"stream\":true}", 0,
                "+0 WHOLE 429 application/json id=" ID0 " retry=1 {\"error\":{\"message\":\"Rate "
                "limit reached for requests. Please try again in 1 s. (A simulated fault.)\","
                "\"type\":\"requests\",\"param\":null,\"code\":\"rate_limit_exceeded\"}}\n");
    p = profile_of(2);
    p.fail[SIM_FAULT_503] = 1;
    assert_play(&p, "{" MESSAGE "}", 0,
                "+0 WHOLE 503 application/json id=" ID0 " {\"error\":{\"message\":\"The server is "
                "overloaded or not ready yet. (A simulated fault.)\",\"type\":\"server_error\","
                "\"param\":null,\"code\":\"overloaded\"}}\n");
}

/* A cut comes behind some text and before the last of it; a plain answer is cut in two. */
static void test_drop_is_in_the_middle(void **state)
{
    (void)state;
    struct sim_profile p = profile_of(10);
    p.fail[SIM_FAULT_DROP] = 1;
    unsigned seen = 0;
    for (uint64_t serial = 0; serial < 200; serial++) {
        struct buf got = {0};
        play(&got, &p, "POST", CHAT, "{" MESSAGE ",\"stream\":true}", serial);
        unsigned chunks = 0;
        for (const char *at = buf_text(&got); (at = strstr(at, "{\"content\":\"")); at++)
            chunks++;
        assert_in_range(chunks, 1, 9);
        assert_true(str_ends(buf_str(&got), STR("+20000000 CUT\n")));
        seen |= 1u << chunks;
        buf_done(&got);
    }
    assert_int_equal(seen, 0x3FE);

    struct buf got = {0};
    play(&got, &p, "POST", CHAT, "{" MESSAGE "}", 0);
    assert_true(str_starts(buf_str(&got), STR("+580000000 HEAD 200 application/json")));
    assert_true(str_ends(buf_str(&got), STR("+0 CUT\n")));
    assert_null(strstr(buf_text(&got), "finish_reason"));
    buf_done(&got);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path, *body, *expect; /* how it begins, and what it holds */
        const char *holds;
    } rows[] = {
        {"GET", CHAT, "", "+0 WHOLE 405 application/json", " allow=POST {"},
        {"POST", "/v1/models", "{}", "+0 WHOLE 405 application/json", " allow=GET {"},
        {"GET", "/", "", "+0 WHOLE 404 application/json", "nothing at /. "},
        {"GET", "/\"\xff", "", "+0 WHOLE 404 application/json", "\"code\":\"not_found\""},
        {"POST", CHAT "?a=b", "", "+0 WHOLE 400 application/json", "is not JSON"},
        {"POST", CHAT, "{", "+0 WHOLE 400 application/json", "is not JSON"},
        {"POST", CHAT, "[]", "+0 WHOLE 400 application/json", "not a JSON object"},
        {"POST", CHAT, "7", "+0 WHOLE 400 application/json", "not a JSON object"},
        {"POST", CHAT, "{}", "+0 WHOLE 400 application/json", "\"param\":\"model\""},
        {"POST", CHAT, "{\"model\":\"\"}", "+0 WHOLE 400 application/json", "\"param\":\"model\""},
        {"POST", CHAT, "{\"model\":\"m\"}", "+0 WHOLE 400 application/json",
         "\"param\":\"messages\""},
        {"POST", CHAT, "{\"model\":\"m\",\"messages\":[]}", "+0 WHOLE 400 application/json",
         "\"param\":\"messages\""},
        {"POST", CHAT, "{\"model\":\"m\",\"messages\":[{\"role\":\"user\"}]}",
         "+0 WHOLE 400 application/json", "\"param\":\"messages\""},
        {"POST", CHAT, "{" MESSAGE ",\"max_tokens\":0}", "+0 WHOLE 400 application/json",
         "\"param\":\"max_tokens\""},
        {"POST", CHAT, "{" MESSAGE ",\"max_completion_tokens\":1.5}",
         "+0 WHOLE 400 application/json", "\"param\":\"max_completion_tokens\""},
        {"POST", CHAT, "{" MESSAGE ",\"stream\":1}", "+0 WHOLE 400 application/json",
         "\"param\":\"stream\""},
        {"POST", CHAT, "{" MESSAGE ",\"stream_options\":1}", "+0 WHOLE 400 application/json",
         "\"param\":\"stream_options\""},
        {"GET", "/v1/models?x", "", "+0 WHOLE 200 application/json",
         " {\"object\":\"list\",\"data\":[{\"id\":\"weir-sim\",\"object\":\"model\","
         "\"created\":1767225600,\"owned_by\":\"weir\"}]}\n"},
        {"POST", CHAT,
         "{\"model\":\"a\\\"b\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\","
         "\"text\":\"h\\u00e9llo\"}]},{\"role\":\"assistant\",\"content\":null}],\"stream\":null,"
         "\"max_tokens\":null,\"stream_options\":null}",
         "+2940000000 WHOLE 200", "\"prompt_tokens\":2,"},
    };
    struct sim_profile p = profile_of(128);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf got = {0};
        play(&got, &p, rows[i].method, rows[i].path, rows[i].body, 0);
        if (!str_starts(buf_str(&got), str_of(rows[i].expect)) ||
            !strstr(buf_text(&got), rows[i].holds))
            fail_msg("row %zu: expected %s … %s, got %s", i, rows[i].expect, rows[i].holds,
                     buf_text(&got));
        buf_done(&got);
    }
}

/* What must not depend on what: text on timing, the choice of faults on either. */
static void test_draws(void **state)
{
    (void)state;
    struct sim_profile p = profile_of(4000), calm = p;
    struct sim_script s, t;
    struct sim_step step, other;
    const struct sim_request r = {STR("POST"), STR(CHAT), STR("{" MESSAGE ",\"stream\":true}")};
    double sum = 0, squares = 0;
    int64_t n = 0;
    p.jitter = 0.5;
    sim_script_start(&s, &p, &r, 7);
    sim_script_start(&t, &calm, &r, 7);
    while (sim_script_next(&s, &step)) {
        assert_true(sim_script_next(&t, &other));
        assert_int_equal(step.len, other.len);
        assert_memory_equal(step.bytes ? step.bytes : "", other.bytes ? other.bytes : "", step.len);
        if (other.delay_ns != calm.gap_ns)
            continue;
        n++;
        sum += (double)step.delay_ns;
        squares += (double)step.delay_ns * (double)step.delay_ns;
    }
    assert_int_equal(n, 3999);
    double mean = sum / (double)n, cv = sqrt(squares / (double)n - mean * mean) / mean;
    /* Five standard errors each. */
    assert_true(fabs(mean / (double)p.gap_ns - 1) < 5 * 0.5 / sqrt(3999));
    assert_true(fabs(cv / 0.5 - 1) < 0.1);
    sim_script_done(&s);
    sim_script_done(&t);
}

static void test_shares_of_faults(void **state)
{
    (void)state;
    enum { N = 20000 };
    static const char *const marks[SIM_FAULT_COUNT] = {"[DONE]", " CUT\n", "", "E 429 ", "E 503 "};
    struct sim_profile p = profile_of(2);
    struct err err = {0};
    int64_t seen[SIM_FAULT_COUNT] = {0};
    assert_true(sim_fail_parse(STR("drop:0.1,nodone:0.2,429:0.3,503:0.05"), p.fail, &err));
    for (uint64_t serial = 0; serial < N; serial++) {
        struct buf got = {0};
        play(&got, &p, "POST", CHAT, "{" MESSAGE ",\"stream\":true}", serial);
        int kind = SIM_FAULT_NODONE;
        for (int i = 0; i < SIM_FAULT_COUNT; i++)
            if (marks[i][0] && strstr(buf_text(&got), marks[i]))
                kind = i;
        seen[kind]++;
        buf_done(&got);
    }
    static const double shares[SIM_FAULT_COUNT] = {0.35, 0.1, 0.2, 0.3, 0.05};
    for (int i = 0; i < SIM_FAULT_COUNT; i++) {
        double error = sqrt(shares[i] * (1 - shares[i]) / N);
        if (fabs((double)seen[i] / N - shares[i]) > 5 * error)
            fail_msg("fault %d: expected %g of %d, got %d", i, shares[i], N, (int)seen[i]);
    }
}

static void test_fail_option(void **state)
{
    (void)state;
    static const char *const bad[] = {"",          "drop",     "drop:",         "drop:x",
                                      "drop:1.01", "drop:-1",  "none:0.1",      "drop:0.6,429:0.5",
                                      "drop:0.1,", "Drop:0.1", "drop:0.1 429:0"};
    struct sim_profile p = profile_of(1);
    struct err err = {0};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        if (sim_fail_parse(str_of(bad[i]), p.fail, &err))
            fail_msg("%s was accepted", bad[i]);
        assert_int_equal(err.exit_code, EXIT_USAGE);
        assert_true(p.fail[SIM_FAULT_DROP] == 0 && p.fail[SIM_FAULT_429] == 0);
    }
    assert_true(sim_fail_parse(STR("429:1"), p.fail, &err));
    assert_true(p.fail[SIM_FAULT_429] == 1);
}

/* Sentences: capitals where one begins, and only there. */
static void test_words(void **state)
{
    (void)state;
    struct sim_profile p = profile_of(30);
    struct buf got = {0};
    play(&got, &p, "POST", CHAT, "{" MESSAGE "}", 3);
    const char *text = strstr(buf_text(&got), "\"content\":\"") + strlen("\"content\":\"");
    struct str words = str_make(text, (size_t)(strchr(text, '"') - text));
    size_t count = 0;
    bool starts = true;
    for (struct str rest = words; rest.ptr; count++) {
        struct str word = str_split(&rest, ' ');
        assert_true(word.len >= 1 && word.len <= 8);
        assert_int_equal(word.ptr[0] >= 'A' && word.ptr[0] <= 'Z', starts);
        starts = word.ptr[word.len - 1] == '.';
    }
    assert_int_equal(count, 30);
    buf_done(&got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream_to_the_byte),
        cmocka_unit_test(test_usage_and_stamps),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_drop_is_in_the_middle),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_shares_of_faults),
        cmocka_unit_test(test_fail_option),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
