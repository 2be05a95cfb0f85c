#include "test.h"

#include <string.h>

#include "base/err.h"

/* Every sentence: there, in valid placeholders only, counted from {1} without holes. */
static void sentences_are_well_formed(void **state)
{
    (void)state;
    for (int id = 0; id < TEXT_COUNT; id++) {
        const char *text = text_raw((enum text_id)id);
        assert_non_null(text);
        bool seen[10] = {false};
        int highest = 0;
        for (const char *at = text; (at = strchr(at, '{')) != NULL; at++)
            if (at[1] >= '1' && at[1] <= '9' && at[2] == '}') {
                seen[at[1] - '0'] = true;
                highest = at[1] - '0' > highest ? at[1] - '0' : highest;
            }
        for (int i = 1; i <= highest; i++)
            if (!seen[i])
                fail_msg("placeholder {%d} is missing in: %s", i, text);
    }
}

/* The filler, on whichever sentence has exactly one placeholder. */
static void placeholders_are_filled(void **state)
{
    (void)state;
    for (int id = 0; id < TEXT_COUNT; id++) {
        const char *text = text_raw((enum text_id)id);
        const char *hole = strstr(text, "{1}");
        if (!hole || strstr(text, "{2}") || strstr(hole + 1, "{1}"))
            continue;
        struct buf out = {0}, expected = {0};
        text_add(&out, (enum text_id)id, "<{1}>"); /* what is filled in is not filled again */
        buf_add(&expected, text, (size_t)(hole - text));
        buf_add_text(&expected, "<{1}>");
        buf_add_text(&expected, hole + 3);
        assert_string_equal(buf_text(&out), buf_text(&expected));
        buf_done(&out);
        buf_done(&expected);
        return;
    }
    fail_msg("no sentence with one placeholder");
}

static void errors_have_four_parts(void **state)
{
    (void)state;
    struct err e = {0};
    const char *args[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", NULL};
    assert_false(err_set_args(&e, EXIT_USAGE, "some_id", (enum text_id)0, args));
    err_evidence_raw(&e, STR("GET /"));
    for (int i = 0; i < ERR_FIXES + 2; i++) /* more fixes than fit are left out */
        err_fix_args(&e, (enum text_id)0, args);
    assert_int_equal(e.exit_code, EXIT_USAGE);
    assert_string_equal(e.id, "some_id");
    assert_string_equal(e.evidence, "GET /");
    assert_true(e.what[0] && e.fix[ERR_FIXES - 1][0] && !e.why[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_are_well_formed),
        cmocka_unit_test(placeholders_are_filled),
        cmocka_unit_test(errors_have_four_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
