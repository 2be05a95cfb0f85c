#include "test.h"

#include "base/utf8.h"
#include "report/table.h"

static const struct report_style plain = {0};

static void numbers_stand_right_and_ranges_at_their_dots(void **state)
{
    (void)state;
    static const struct table_column columns[] = {
        {"", ALIGN_LEFT, 0, 6, INK_PLAIN},
        {"p50", ALIGN_RIGHT, 1, 5, INK_PLAIN},
        {"interval", ALIGN_RANGE, 2, 0, INK_PLAIN},
        {"max", ALIGN_RIGHT, 2, 0, INK_PLAIN},
    };
    static const char *const cells[] = {
        "TTFT", "612",  "586 .. 720",
        "789", /* */
        "Gap",  "21.4", "–",
        "161", /* */
        "字",   "–",    "20.9 .. 22,000.0",
        "–",
    };
    struct table t = {.columns = columns, .count = ARRAY_LEN(columns)};
    struct buf b = {0};
    for (size_t i = 0; i < ARRAY_LEN(cells); i++)
        table_cell(&t, cells[i]);
    table_add(&b, &t, &plain);
    term_finish(&b, 0, &plain);
    assert_string_equal(buf_text(&b), "         p50  interval          max\n"
                                      "TTFT     612   586 .. 720       789\n"
                                      "Gap     21.4       –            161\n"
                                      "字         –  20.9 .. 22,000.0    –\n");
    table_done(&t);
    buf_done(&b);
}

static void colour_does_not_move_anything(void **state)
{
    (void)state;
    static const struct table_column columns[] = {{"a", ALIGN_RIGHT, 1, 4, INK_BOLD},
                                                  {"b", ALIGN_LEFT, 1, 3, INK_PLAIN}};
    struct table t = {.columns = columns, .count = 2};
    struct buf b = {0};
    table_cell(&t, "1");
    table_cell(&t, NULL);
    table_add(&b, &t, &(struct report_style){.colour = true});
    assert_string_equal(buf_text(&b), "    a b  \n    \033[1m1\033[0m    \n");
    table_done(&t);
    buf_done(&b);
}

static void bars_grow_by_eighths(void **state)
{
    (void)state;
    static const struct {
        double cells;
        bool ascii;
        const char *expected;
    } cases[] = {
        {0, false, ""},    {0.01, false, "▏"}, {0.125, false, "▏"}, {0.25, false, "▎"},
        {0.5, false, "▌"}, {0.99, false, "█"}, {1, false, "█"},     {2.42, false, "██▍"},
        {-1, false, ""},   {0.4, true, ""},    {0.6, true, "#"},    {3, true, "###"},
    };
    struct buf b = {0};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        buf_clear(&b);
        term_bar(&b, &(struct report_style){.ascii = cases[i].ascii}, cases[i].cells);
        assert_string_equal(buf_text(&b), cases[i].expected);
    }
    buf_done(&b);
}

static void long_lines_fold_within_the_width(void **state)
{
    (void)state;
    static const struct {
        int width;
        const char *lead, *text, *expected;
    } cases[] = {
        {20, "  ", "one two three four", "  one two three four\n"},
        {19, "  ", "one two three four", "  one two three\n  four\n"},
        {12, "Fix  ", "weir probe x", "Fix  weir\n     probe x\n"},
        {8, "  ", "abcdefghij", "  abcdef\n  ghij\n"},
        {8, "  ", "", "  \n"},
        {8, "  ", "字字字字 字", "  字字字\n  字 字\n"},
        {3, "  ", "字字", "  字\n  字\n"},
        {12, "", "key sk-abcdefghijklmnopq", "key [hidden]\n"}, /* unfolded, it can be told */
        {12, "  \033[31mx\033[0m  ", "aa bb cc dd", "  \033[31mx\033[0m  aa bb\n     cc dd\n"},
    };
    struct buf b = {0};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        buf_clear(&b);
        term_fold(&b, &(struct report_style){.width = cases[i].width}, cases[i].lead,
                  str_of(cases[i].text));
        assert_string_equal(buf_text(&b), cases[i].expected);
    }
    buf_done(&b);
}

static void ascii_is_pure_and_blanks_at_line_ends_go(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_add_text(&b, "kept –  \n");
    size_t from = b.len;
    buf_add_text(&b, "a – b…  \n  \n2 µs 字 × \xff end");
    term_finish(&b, from, &(struct report_style){.ascii = true});
    assert_string_equal(buf_text(&b), "kept –  \na - b...\n\n2 us ? x ? end");
    term_finish(&b, b.len, &plain); /* nothing there */
    buf_clear(&b);
    term_finish(&b, 0, &plain);
    assert_int_equal(b.len, 0);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stand_right_and_ranges_at_their_dots),
        cmocka_unit_test(colour_does_not_move_anything),
        cmocka_unit_test(bars_grow_by_eighths),
        cmocka_unit_test(long_lines_fold_within_the_width),
        cmocka_unit_test(ascii_is_pure_and_blanks_at_line_ends_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
