#include "test.h"

#include "base/str.h"

static void views_compare(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool eq, nocase, starts, ends;
    } rows[] = {
        {"", "", true, true, true, true},          {"abc", "abc", true, true, true, true},
        {"abc", "ABC", false, true, false, false}, {"abc", "ab", false, false, true, false},
        {"abc", "bc", false, false, false, true},  {"abc", "abcd", false, false, false, false},
        {"abc", "", false, false, true, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct str a = str_of(rows[i].a), b = str_of(rows[i].b);
        assert_int_equal(str_eq(a, b), rows[i].eq);
        assert_int_equal(str_eq_nocase(a, b), rows[i].nocase);
        assert_int_equal(str_starts(a, b), rows[i].starts);
        assert_int_equal(str_ends(a, b), rows[i].ends);
    }
    assert_true(str_starts_nocase(STR("Bearer x"), STR("bearer ")));
    assert_false(str_eq_nocase(STR("a\0b"), STR("a\0c")));
    assert_false(str_eq_nocase(STR("\xC3\x84"), STR("\xC3\xA4")));
    assert_true(str_contains(STR("a:b"), STR(":")));
    assert_false(str_contains(STR("ab"), STR("abc")));
}

static void trims_and_cuts(void **state)
{
    (void)state;
    assert_true(str_eq(str_trim(STR(" \t a b\r\n")), STR("a b")));
    assert_int_equal(str_trim(STR(" \n")).len, 0);
    assert_true(str_eq(str_from(STR("abc"), 1), STR("bc")));
    assert_int_equal(str_from(STR("abc"), 9).len, 0);
    assert_true(str_eq(str_upto(STR("abc"), 9), STR("abc")));
    assert_int_equal(str_find(STR("abc"), 'c'), 2);
    assert_int_equal(str_find(STR("abc"), 'x'), 3);
}

static void splits_to_the_end(void **state)
{
    (void)state;
    static const char *const expected[] = {"a", "", "b", ""};
    struct str rest = STR("a,,b,");
    size_t n = 0;
    while (rest.ptr) {
        struct str part = str_split(&rest, ',');
        assert_true(n < 4);
        assert_true(str_eq(part, str_of(expected[n++])));
    }
    assert_int_equal(n, 4);
}

static void copies_cut_to_fit(void **state)
{
    (void)state;
    char small[4];
    assert_false(str_copy(small, sizeof(small), STR("abcdef")));
    assert_string_equal(small, "abc");
    assert_true(str_copy(small, sizeof(small), STR("abc")));
    assert_false(str_copy(small, 0, STR("")));
}

static void nearest_finds_typos_not_guesses(void **state)
{
    (void)state;
    static const char *const words[] = {"probe", "sim", "read", "help", "version"};
    static const struct {
        const char *typed, *nearest;
    } rows[] = {
        {"prbe", "probe"}, {"porbe", "probe"}, {"verison", "version"}, {"halp", "help"},
        {"xyzzy", NULL},   {"", NULL},         {"sim", "sim"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *got = str_nearest(str_of(rows[i].typed), words, 5);
        if (rows[i].nearest)
            assert_string_equal(got, rows[i].nearest);
        else
            assert_null(got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_compare),
        cmocka_unit_test(trims_and_cuts),
        cmocka_unit_test(splits_to_the_end),
        cmocka_unit_test(copies_cut_to_fit),
        cmocka_unit_test(nearest_finds_typos_not_guesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
