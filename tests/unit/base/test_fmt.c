#include "test.h"

#include <math.h>

#include "base/fmt.h"

static void numbers_have_three_significant_digits(void **state UNUSED)
{
    static const struct {
        double x;
        const char *text;
    } cases[] = {
        {612, "612"},
        {611.7, "612"},
        {21.4, "21.4"},
        {21.44, "21.4"},
        {6.18, "6.18"},
        {46, "46.0"},
        {1180, "1,180"},
        {1184, "1,180"},
        {1186, "1,190"},
        {123456, "123,000"},
        {1234567, "1,230,000"},
        {0.1, "0.1"},
        {0.0873, "0.0873"},
        {0.12345, "0.123"},
        {0.5, "0.5"},
        {0.000123, "0.000123"},
        {1, "1.00"},
        {10, "10.0"},
        {100, "100"},
        {0.9996, "1.00"},
        {9.996, "10.0"},
        {99.96, "100"},
        {999.6, "1,000"},
        {9996, "10,000"},
        {0, "0"},
        {-0.0, "0"},
        {1e-12, "0"},
        {-21.4, "-21.4"},
        {-1180, "-1,180"},
        {(double)NAN, "–"},
        {(double)INFINITY, "–"},
        {1e300, "–"},
        {999999999999999.0, "1,000,000,000,000,000"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(fmt_sig(cases[i].x).text, cases[i].text);
}

static void counts_have_their_thousands_separated(void **state UNUSED)
{
    static const struct {
        int64_t n;
        const char *plain, *count;
    } cases[] = {
        {0, "0", "0"},
        {7, "7", "7"},
        {999, "999", "999"},
        {1000, "1000", "1,000"},
        {2550, "2550", "2,550"},
        {-2550, "-2550", "-2,550"},
        {-255, "-255", "-255"},
        {1234567, "1234567", "1,234,567"},
        {INT64_MAX, "9223372036854775807", "9,223,372,036,854,775,807"},
        {INT64_MIN, "-9223372036854775808", "-9,223,372,036,854,775,808"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_string_equal(fmt_int(cases[i].n).text, cases[i].plain);
        assert_string_equal(fmt_count(cases[i].n).text, cases[i].count);
    }
}

static void fixed_numbers_and_shares(void **state UNUSED)
{
    assert_string_equal(fmt_fixed(1.005, 1).text, "1.0");
    assert_string_equal(fmt_fixed(12345.678, 2).text, "12345.68");
    assert_string_equal(fmt_fixed(0.5, 0).text, "0");
    assert_string_equal(fmt_fixed((double)NAN, 3).text, "–");
    assert_string_equal(fmt_share(0.134).text, "13 %");
    assert_string_equal(fmt_share(0).text, "0 %");
    assert_string_equal(fmt_share(1).text, "100 %");
    assert_string_equal(fmt_share((double)NAN).text, "–");
}

static void durations_choose_their_unit(void **state UNUSED)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {100, "100 ns"},
        {10000, "0.01 ms"},
        {100000, "0.1 ms"},
        {78000000, "78 ms"},
        {78300000, "78.3 ms"},
        {300000000, "300 ms"},
        {999400000, "999 ms"},
        {999700000, "1 s"},
        {1500000000, "1.5 s"},
        {6180000000, "6.18 s"},
        {59900000000, "59.9 s"},
        {59960000000, "1m"},
        {60000000000, "1m"},
        {125000000000, "2m 5s"},
        {900000000000, "15m"},
        {3599600000000, "1h"},
        {5400000000000, "1h 30m"},
        {90000000000000, "1d 1h"},
        {604800000000000, "7d"},
        {INT64_MAX, "off"},
        {-1, "–"},
        {INT64_MIN, "–"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(fmt_duration(cases[i].ns).text, cases[i].text);
}

static void bytes_choose_their_unit(void **state UNUSED)
{
    static const struct {
        int64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 B"},
        {512, "512 B"},
        {999, "999 B"},
        {1000, "0.977 KiB"},
        {1024, "1 KiB"},
        {1536, "1.5 KiB"},
        {1048576, "1 MiB"},
        {83 << 20, "83 MiB"},
        {(int64_t)5 << 40, "5 TiB"},
        {-1, "–"},
        {INT64_MAX, "8,390,000 TiB"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(fmt_bytes(cases[i].bytes).text, cases[i].text);
}

static void integers_are_whole_texts_within_bounds(void **state UNUSED)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t n;
    } cases[] = {
        {"0", true, 0},
        {"10", true, 10},
        {"-5", true, -5},
        {"007", true, 7},
        {"100", true, 100},
        {"101", false, 0},
        {"-6", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1x", false, 0},
        {"0x10", false, 0},
        {"1.0", false, 0},
        {"1e2", false, 0},
        {"99999999999999999999", false, 0},
        {"99999999999999999999999999999", false, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t n = 77;
        assert_int_equal(fmt_parse_int(str_of(cases[i].text), -5, 100, &n), cases[i].ok);
        assert_int_equal(n, cases[i].ok ? cases[i].n : 77);
    }
    int64_t n;
    assert_true(fmt_parse_int(STR("-9223372036854775808"), INT64_MIN, INT64_MAX, &n));
    assert_true(n == INT64_MIN);
    assert_false(fmt_parse_int(STR("9223372036854775808"), INT64_MIN, INT64_MAX, &n));
    assert_false(fmt_parse_int(STR("1\0"), 0, 10, &n));
}

static void doubles_are_plain_decimals(void **state UNUSED)
{
    static const struct {
        const char *text;
        bool ok;
        double x;
    } cases[] = {
        {"0", true, 0},      {"0.7", true, 0.7},   {".5", true, 0.5},    {"5.", true, 5},
        {"1e2", true, 100},  {"1E-2", true, 0.01}, {"-1.5", true, -1.5}, {"", false, 0},
        {".", false, 0},     {"-", false, 0},      {"nan", false, 0},    {"inf", false, 0},
        {"0x1p3", false, 0}, {" 1", false, 0},     {"1,5", false, 0},    {"1e", false, 0},
        {"1e+", false, 0},   {"1.2.3", false, 0},  {"101", false, 0},    {"1e999", false, 0},
        {"--1", false, 0},   {"1f", false, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        double x = 77;
        assert_int_equal(fmt_parse_double(str_of(cases[i].text), -2, 100, &x), cases[i].ok);
        assert_true(x == (cases[i].ok ? cases[i].x : 77));
    }
}

static void durations_are_read_with_and_without_a_unit(void **state UNUSED)
{
    static const struct {
        const char *text;
        int64_t ns; /* -1: refused */
    } cases[] = {
        {"500ms", 500000000},
        {"2s", 2000000000},
        {"2", 2000000000},
        {"0.5", 500000000},
        {"1.5s", 1500000000},
        {"15m", 900000000000},
        {"1h", 3600000000000},
        {"7d", 604800000000000},
        {"10us", 10000},
        {"100ns", 100},
        {"0", 0},
        {"0ms", 0},
        {"off", INT64_MAX},
        {"1e3s", -1},
        {"-1s", -1},
        {"", -1},
        {"s", -1},
        {"ms", -1},
        {"1 s", -1},
        {"1x", -1},
        {"1S", -1},
        {"1m30s", -1},
        {"Off", -1},
        {"1..5s", -1},
        {"99999999999999d", -1},
        {"nan", -1},
        {"infs", -1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t ns = -1;
        assert_int_equal(fmt_parse_duration(str_of(cases[i].text), &ns), cases[i].ns != -1);
        assert_true(ns == cases[i].ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_three_significant_digits),
        cmocka_unit_test(counts_have_their_thousands_separated),
        cmocka_unit_test(fixed_numbers_and_shares),
        cmocka_unit_test(durations_choose_their_unit),
        cmocka_unit_test(bytes_choose_their_unit),
        cmocka_unit_test(integers_are_whole_texts_within_bounds),
        cmocka_unit_test(doubles_are_plain_decimals),
        cmocka_unit_test(durations_are_read_with_and_without_a_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
