#include "base/scrub.h"

#include "base/attr.h"
#include "test.h"

static void check(const struct scrub *s, const char *in, const char *expected)
{
    struct buf out = {0};
    assert_true(scrub_text(s, str_of(in), &out));
    assert_string_equal(buf_text(&out), expected);
    buf_done(&out);
}

static void patterns(UNUSED void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"nothing here", "nothing here"},
        {"sk-abcdefgh12", "[hidden]"},
        {"key sk-proj-a_b-c123, bad", "key [hidden], bad"},
        {"provided: sk-abc*********xyz9.", "provided: [hidden]"},
        {"{\"m\":\"\\nsk-abcdefgh\"}", "{\"m\":\"\\n[hidden]\"}"},
        {"task-forceful", "task-forceful"},
        {"risk-averse sk-x", "risk-averse sk-x"},
        {"Authorization: Bearer abc.def-1", "Authorization: Bearer [hidden]"},
        {"bearer   a", "bearer   [hidden]"},
        {"Bearer%20abc", "Bearer%20[hidden]"},
        {"Bearer Bearer abc", "Bearer Bearer [hidden]"},
        {"Bearer $OPENAI_API_KEY", "Bearer $OPENAI_API_KEY"},
        {"Missing Bearer token in header.", "Missing Bearer token in header."},
        {"a forbearer said", "a forbearer said"},
        {"Basic dXNlcjpwYXNz", "Basic [hidden]"},
        {"Basic authentication", "Basic authentication"},
        {"authorization: Token abc def", "authorization: [hidden]"},
        {"{\"Authorization\":\"raw key\",\"b\":1}", "{\"Authorization\":\"[hidden]\",\"b\":1}"},
        {"https://h/v1?key=AIza55&alt=sse", "https://h/v1?key=[hidden]&alt=sse"},
        {"?api-version=1&token=abc", "?api-version=1&token=[hidden]"},
        {"\"key\":\"value\"", "\"key\":\"value\""},
        {"api_key=abc def", "api_key=[hidden] def"},
        {"OPENAI_API_KEY=abc", "OPENAI_API_KEY=[hidden]"},
        {"x-api-key: abc", "x-api-key: [hidden]"},
        {"{\"api_key\": \"abc\", \"x\": 1}", "{\"api_key\": \"[hidden]\", \"x\": 1}"},
        {"{\"api_key\": \"$KEY\"}", "{\"api_key\": \"$KEY\"}"},
        {"\"param\":\"api_key\",\"code\":1", "\"param\":\"api_key\",\"code\":1"},
        {"https://user:pass@h/v1", "https://[hidden]@h/v1"},
        {"https://user:p@ss@h/v1", "https://[hidden]@h/v1"},
        {"https://user@h/v1", "https://[hidden]@h/v1"},
        {"user:pass@h", "[hidden]@h"},
        {"me@example.com", "me@example.com"},
        {"https://h/a:b@c", "https://h/a:b@c"},
        {"api_key=[hidden]", "api_key=[hidden]"},
        {"export OPENAI_API_KEY=...", "export OPENAI_API_KEY=..."},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        check(NULL, cases[i][0], cases[i][1]);
        check(NULL, cases[i][1], cases[i][1]); /* twice is as once */
    }
}

static void known_values(UNUSED void **state)
{
    struct scrub s = {0};
    scrub_add(&s, STR("abc"));
    check(&s, "abc", "abc"); /* too short to be told from a word */
    scrub_add(&s, STR("EMPTY"));
    check(&s, "EMPTY", "EMPTY"); /* a placeholder is no secret */
    scrub_add(&s, STR("tangerine"));
    scrub_add(&s, STR("tangerine-dream"));
    scrub_add(&s, STR("q\"u/o te"));
    check(&s, "a tangerine!", "a [hidden]!");
    check(&s, "tangerinetangerine", "[hidden][hidden]");
    check(&s, "tangerine-dream", "[hidden]");
    check(&s, "tangerine-dre", "[hidden]"); /* cut at a limit, 12 bytes or more */
    check(&s, "tangerin", "tangerin");      /* a shorter beginning is a word */
    check(&s, "Bearer tangerine x", "Bearer [hidden] x");
    check(&s, "q\"u/o te", "[hidden]");
    check(&s, "{\"k\":\"q\\\"u/o te\"}", "{\"k\":\"[hidden]\"}");
    check(&s, "{\"k\":\"q\\\"u\\/o te\"}", "{\"k\":\"[hidden]\"}");
    check(&s, "?x=q%22u%2Fo%20te", "?x=[hidden]");
    scrub_done(&s);
    check(&s, "tangerine", "tangerine");
}

/* A text may be folded, cut or quoted before it comes here. */
static void pieces(UNUSED void **state)
{
    static const char *const cases[][2] = {
        {"key 0aZ1bY2cX3dW4eV5fU6gT bad", "key [hidden] bad"},
        {"key 0aZ1bY2cX3\n       dW4eV5fU6gT bad", "key [hidden] bad"},
        {"key 0aZ1bY2\r\ncX3dW4eV\n5fU6gT\nbad", "key [hidden]\nbad"},
        {"\"0aZ1bY2cX\\n3dW4eV5fU6gT\"", "\"[hidden]\""},
        {"0aZ1bY2cX3dW...X3dW4eV5fU6gT", "[hidden]...[hidden]"},
        {"Y2cX3dW4eV5f", "[hidden]"},
        {"Y2cX3dW4eV5", "Y2cX3dW4eV5"},
        {"0aZ1 bY2cX3dW4eV5", "0aZ1 [hidden]"}, /* a blank alone breaks no line */
        {"0aZ1\nother", "0aZ1\nother"},
        {"\n0aZ\n1bY", "\n0aZ\n1bY"},
    };
    struct scrub s = {0};
    scrub_add(&s, STR("0aZ1bY2cX3dW4eV5fU6gT"));
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        check(&s, cases[i][0], cases[i][1]);
    scrub_done(&s);
    scrub_add(&s, STR("first\"second-and-third\"rest-of-it-all"));
    check(&s, "{\"a\":\"rest-of-it-all\"}", "{\"a\":\"[hidden]\"}");
    check(&s, "{\"a\":\"second-and-third\"}", "{\"a\":\"[hidden]\"}");
    scrub_done(&s);
}

static void json(UNUSED void **state)
{
    static const char *const cases[][2] = {
        {"", ""},
        {"{\"n\":100012,\"m\":[1000,\"1000\"]}\n{}\n",
         "{\"n\":100012,\"m\":[1000,\"[hidden]\"]}\n{}\n"},
        {"{\"1000\": \"a\\\\\", \"b\": \"\\\"1000\"}",
         "{\"1000\": \"a\\\\\", \"b\": \"\\\"[hidden]\"}"},
        {"{\"a\":\"Bearer x sk-12345678\"}", "{\"a\":\"Bearer [hidden] [hidden]\"}"},
        {"{\"a\":\"1000", "{\"a\":\"[hidden]"},
        {"{\"a\":\"1000\\", "{\"a\":\"[hidden]\\"},
    };
    struct scrub s = {0};
    scrub_add(&s, STR("1000"));
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf out = {0};
        assert_true(scrub_json(&s, str_of(cases[i][0]), &out));
        assert_string_equal(buf_text(&out), cases[i][1]);
        buf_done(&out);
    }
    scrub_done(&s);
}

/* Beginnings without end must not cost a look at all that follows, each. */
static void long_runs(UNUSED void **state)
{
    struct buf in = {0}, out = {0};
    buf_add_repeat(&in, "(", 4 << 20);
    buf_add_text(&in, "user:pass@h");
    assert_true(scrub_text(NULL, buf_str(&in), &out));
    assert_true(str_ends(buf_str(&out), STR("([hidden]@h")));
    buf_done(&in);
    buf_done(&out);
}

static void any_bytes(UNUSED void **state)
{
    struct scrub s = {0};
    scrub_add(&s, STR("tangerine"));
    struct buf out = {0};
    assert_true(scrub_text(&s, STR("a\0tangerine\0\xff?"), &out));
    assert_true(str_eq(buf_str(&out), STR("a\0[hidden]\0\xff?")));
    buf_done(&out);
    buf_init(&out, 4);
    assert_false(scrub_text(&s, STR("longer than four"), &out));
    buf_done(&out);
    scrub_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns), cmocka_unit_test(known_values), cmocka_unit_test(pieces),
        cmocka_unit_test(json),     cmocka_unit_test(long_runs),    cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
