#include "test.h"

#include "measure/outcome.h"

static void every_outcome_is_decided_by_its_facts(void **state UNUSED)
{
    static const struct {
        struct outcome_facts facts;
        const char *outcome;
    } cases[] = {
        {{END_BODY, 200, false, READING_COMPLETE}, "complete"},
        {{END_BODY, 201, false, READING_COMPLETE}, "complete"},
        {{END_BODY, 200, false, READING_INCOMPLETE}, "incomplete"},
        {{END_BODY, 200, false, READING_EMPTY}, "empty"},
        {{END_BODY, 200, false, READING_NOT_A_STREAM}, "not_a_stream"},
        {{END_BODY, 200, false, READING_MALFORMED}, "malformed"},
        {{END_BODY, 200, false, READING_ERROR}, "stream_error"},
        {{END_BODY, 200, true, READING_COMPLETE}, "malformed"},
        {{END_BODY, 404, false, READING_ERROR}, "http_error"},
        {{END_BODY, 302, false, READING_ERROR}, "http_error"},
        {{END_BODY, 101, false, READING_EMPTY}, "http_error"},
        {{END_BODY, 503, true, READING_ERROR}, "http_error"},
        {{END_ABORTED, 0, false, READING_EMPTY}, "aborted"},
        {{END_UNREACHABLE, 0, false, READING_EMPTY}, "unreachable"},
        {{END_TIMEOUT_CONNECT, 0, false, READING_EMPTY}, "timeout_connect"},
        {{END_TIMEOUT_FIRST, 0, false, READING_EMPTY}, "timeout_first"},
        {{END_TIMEOUT_FIRST, 200, false, READING_INCOMPLETE}, "timeout_first"},
        {{END_TIMEOUT_GAP, 200, false, READING_INCOMPLETE}, "timeout_gap"},
        {{END_TIMEOUT_IDLE, 200, false, READING_EMPTY}, "timeout_idle"},
        {{END_TIMEOUT_TOTAL, 200, false, READING_INCOMPLETE}, "timeout_total"},
        {{END_BROKEN, 200, false, READING_INCOMPLETE}, "broken"},
        {{END_BAD_RESPONSE, 0, false, READING_EMPTY}, "malformed"},
        {{END_BAD_RESPONSE, 200, false, READING_INCOMPLETE}, "malformed"},
        /* two hold: the earlier in the list is the outcome */
        {{END_ABORTED, 500, false, READING_ERROR}, "aborted"},
        {{END_ABORTED, 200, false, READING_COMPLETE}, "aborted"},
        {{END_BROKEN, 502, false, READING_ERROR}, "http_error"},
        {{END_TIMEOUT_TOTAL, 429, false, READING_ERROR}, "http_error"},
        {{END_TIMEOUT_GAP, 200, false, READING_ERROR}, "stream_error"},
        {{END_BROKEN, 200, false, READING_ERROR}, "stream_error"},
        {{END_TIMEOUT_IDLE, 200, false, READING_COMPLETE}, "timeout_idle"},
        {{END_TIMEOUT_IDLE, 200, false, READING_MALFORMED}, "timeout_idle"},
        {{END_BROKEN, 200, false, READING_COMPLETE}, "broken"},
        {{END_BROKEN, 200, false, READING_MALFORMED}, "broken"},
        {{END_BROKEN, 200, true, READING_INCOMPLETE}, "broken"},
        {{END_BROKEN, 200, false, READING_EMPTY}, "broken"},
        {{END_BAD_RESPONSE, 200, true, READING_NOT_A_STREAM}, "malformed"},
        {{END_BODY, 200, true, READING_ERROR}, "stream_error"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const char *actual = outcome_name(outcome_decide(&cases[i].facts));
        if (strcmp(actual, cases[i].outcome) != 0)
            fail_msg("case %zu: expected %s, got %s", i, cases[i].outcome, actual);
    }
}

static void names_are_parsed_back(void **state UNUSED)
{
    enum outcome parsed;
    for (int o = 0; o < OUTCOME_COUNT; o++) {
        assert_true(outcome_parse(outcome_name((enum outcome)o), &parsed));
        assert_int_equal(parsed, o);
    }
    parsed = OUTCOME_BROKEN;
    assert_false(outcome_parse("", &parsed));
    assert_false(outcome_parse("Complete", &parsed));
    assert_int_equal(parsed, OUTCOME_BROKEN);
}

static void timeouts_are_those_named_so(void **state UNUSED)
{
    for (int o = 0; o < OUTCOME_COUNT; o++)
        assert_int_equal(outcome_is_timeout((enum outcome)o),
                         strncmp(outcome_name((enum outcome)o), "timeout_", 8) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_outcome_is_decided_by_its_facts),
        cmocka_unit_test(names_are_parsed_back),
        cmocka_unit_test(timeouts_are_those_named_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
