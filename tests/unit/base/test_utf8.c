#include "test.h"

#include "base/attr.h"
#include "base/utf8.h"

static void test_decode(void **state)
{
    (void)state;
    /* Bytes, then "code/length" of each part: Unicode 14, tables 3-7 and 3-8. */
    static const struct {
        struct str bytes;
        const char *expect;
    } rows[] = {
        {STR("a"), "61/1 "},
        {STR("\0"), "0/1 "},
        {STR("\xc3\xa9"), "e9/2 "},
        {STR("\xe2\x82\xac"), "20ac/3 "},
        {STR("\xf0\x9f\x98\x80"), "1f600/4 "},
        {STR("\xf4\x8f\xbf\xbf"), "10ffff/4 "},
        {STR("\xf4\x90\x80\x80"), "fffd/1 fffd/1 fffd/1 fffd/1 "},
        {STR("\xc0\x80"), "fffd/1 fffd/1 "},
        {STR("\xe0\x80\x80"), "fffd/1 fffd/1 fffd/1 "},
        {STR("\xed\xa0\x80"), "fffd/1 fffd/1 fffd/1 "},
        {STR("\xe2\x82"), "fffd/2 "},
        {STR("\xe2\x82z"), "fffd/2 7a/1 "},
        {STR("\xf0\x9f\x98"), "fffd/3 "},
        {STR("\xf0\x80\x80\x80"), "fffd/1 fffd/1 fffd/1 fffd/1 "},
        {STR("\xff\x80"), "fffd/1 fffd/1 "},
        {STR("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
         "61/1 fffd/3 fffd/2 fffd/1 62/1 fffd/1 63/1 fffd/1 fffd/1 64/1 "},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf got = {0};
        struct str s = rows[i].bytes;
        size_t len;
        for (; s.len; s = str_from(s, len)) {
            uint32_t code = utf8_decode(s, &len);
            buf_addf(&got, "%x/%zu ", code, len);
        }
        assert_string_equal(buf_text(&got), rows[i].expect);
        assert_int_equal(utf8_valid(rows[i].bytes), !strstr(rows[i].expect, "fffd"));
        buf_done(&got);
    }
}

static void test_encode_and_decode_agree(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        char bytes[4];
        size_t len = utf8_encode(code, bytes), taken;
        uint32_t back = utf8_decode(str_make(bytes, len), &taken);
        uint32_t expect = code >= 0xD800 && code <= 0xDFFF ? UTF8_REPLACEMENT : code;
        if (back != expect || taken != len)
            fail_msg("U+%04X came back as U+%04X, %zu of %zu bytes", code, back, taken, len);
    }
}

static void test_valid_finds_one_bad_byte(void **state)
{
    (void)state;
    char bytes[40];
    for (size_t bad = 0; bad < sizeof(bytes); bad++) {
        memset(bytes, 'x', sizeof(bytes));
        assert_true(utf8_valid(str_make(bytes, sizeof(bytes))));
        bytes[bad] = (char)0xFF;
        assert_false(utf8_valid(str_make(bytes, sizeof(bytes))));
    }
}

static void test_width(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t columns;
    } rows[] = {
        {"", 0},
        {"abc", 3},
        {"h\xc3\xa9", 2},
        {"e\xcc\x81", 1},
        {"\xe4\xb8\xad\xe6\x96\x87", 4},
        {"\xf0\x9f\x98\x80", 2},
        {"\x1b[1m", 3},
        {"\xff", 1},
        {"\xe2\x80\x93", 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_int_equal(utf8_width(str_of(rows[i].text)), rows[i].columns);
}

static void test_fit(void **state)
{
    (void)state;
    struct str s = STR("a\xe4\xb8\xad"
                       "e\xcc\x81z");
    static const size_t bytes[] = {0, 1, 1, 4, 7, 8, 8};
    for (size_t columns = 0; columns < ARRAY_LEN(bytes); columns++)
        assert_int_equal(utf8_fit(s, columns).len, bytes[columns]);
}

static void test_cut(void **state)
{
    (void)state;
    struct str s = STR("a\xe4\xb8\xad"
                       "e\xcc\x81");
    static const size_t lens[] = {0, 1, 1, 1, 4, 5, 5, 7, 7};
    for (size_t bytes = 0; bytes < ARRAY_LEN(lens); bytes++)
        assert_int_equal(utf8_cut(s, bytes).len, lens[bytes]);
}

static void test_visible(void **state)
{
    (void)state;
    static const struct {
        struct str in;
        const char *out;
    } rows[] = {
        {STR("plain \xc3\xa9"), "plain \xc3\xa9"},
        {STR("a\nb\r\tc"), "a\\nb\\r\\tc"},
        {STR("\x1b[31m\x07\0"), "\\x1b[31m\\x07\\x00"},
        {STR("\xc2\x9b"), "\\u009b"},
        {STR("\xe2\x80\xae"
             "evil"),
         "\\u202eevil"},
        {STR("\xff\xc3"), "\\xff\\xc3"},
        {STR("\x7f\xe2\x80\xa8"), "\\x7f\\u2028"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf got = {0};
        assert_true(utf8_add_visible(&got, rows[i].in));
        assert_string_equal(buf_text(&got), rows[i].out);
        buf_done(&got);
    }
}

static void test_visible_json(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", ""},
        {"{\n  \"a\": \"b\"\n}", "{\n  \"a\": \"b\"\n}"}, /* its own line ends stay */
        {"\"\xe5\xad\x97\"", "\"\xe5\xad\x97\""},
        {"\"a\xc2\x9b\xe2\x80\xae\x7f\"", "\"a\\u009b\\u202e\\u007f\""},
        {"\"\xf3\xa0\x80\x81\"", "\"\\udb40\\udc01\""},
        {"\xc2\x9b", "\\u009b"},
        {"\xff\"", "\xff\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf got = {0};
        assert_true(utf8_add_visible_json(&got, str_of(rows[i][0])));
        assert_string_equal(buf_text(&got), rows[i][1]);
        buf_done(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_encode_and_decode_agree),
        cmocka_unit_test(test_valid_finds_one_bad_byte),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_visible),
        cmocka_unit_test(test_visible_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
