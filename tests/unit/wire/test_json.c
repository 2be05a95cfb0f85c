#include "test.h"

#include "json_beside_jansson.h"
#include "page_edge.h"

static struct page_edge edge;

static int make_edge(void **state)
{
    (void)state;
    page_edge_init(&edge, 512);
    return 0;
}

static int drop_edge(void **state)
{
    (void)state;
    page_edge_done(&edge);
    return 0;
}

/* Both verdicts agree, and no beginning of a text makes the scanner read behind it. */
static void check(struct str text)
{
    const char *at = page_edge_put(&edge, text.ptr, text.len);
    const char *differs = beside_jansson(str_make(at, text.len));
    if (differs)
        fail_msg("%s: %.*s", differs, (int)(text.len < 300 ? text.len : 300), text.ptr);
}

static bool is_json(struct str text)
{
    struct json_value whole;
    return json_read(text, NULL, &whole, NULL);
}

/* Texts, and whether RFC 8259 calls them JSON. */
static const struct {
    struct str text;
    bool valid;
} texts[] = {
    {STR("{}"), true},
    {STR(" \t\r\n[ ] \n"), true},
    {STR("null"), true},
    {STR("true"), true},
    {STR("false"), true},
    {STR("\"\""), true},
    {STR("0"), true},
    {STR("-0"), true},
    {STR("-0.0e-0"), true},
    {STR("10E+2"), true},
    {STR("1.5"), true},
    {STR("{\"a\":1,\"b\":[1,{\"a\":[]},\"x\"],\"in\":{\"a\":\"i\",\"b\":{}}}"), true},
    {STR("{ \"a\" : 1 , \"in\" : [ { \"a\" : 2 } , { \"a\" : 3 } ] }"), true},
    {STR("{\"in\":[1,{\"a\":2}]}"), true},
    {STR("{\"in\":[[{\"a\":2}]]}"), true},
    {STR("{\"fifteen_letters\":1,\"sixteen_letters_\":2,\"seventeen_letters\":3,"
         "\"seventeen_letterz\":4,\"seventeen_lettery\":5}"),
     true},
    {STR("{\"q\\\"\\/\\n\":1,\"\\u0061\":2,\"\\u0061c\":3,\"\":4,\"\\u0000\":5}"), true},
    {STR("{\"\\u00e9\":1,\"\\u0161\":2,\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\u0061\":3}"),
     true},
    {STR("{\"a\":1,\"a\":2,\"\\u0061\":3}"), true},
    {STR("{\"in\":{\"a\":1},\"in\":{\"b\":2}}"), true},
    {STR("{\"in\":{\"a\":1},\"in\":2}"), true},
    {STR("{\"in\":[{\"a\":1}],\"in\":[]}"), true},
    {STR("{\"in\":{\"a\":1,\"a\":[2]},\"b\":1,\"in\":{\"b\":1,\"b\":2}}"), true},
    {STR("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\""), true},
    {STR("\"\x7f\xc3\xa9\xe2\x80\xa8\""), true},
    {STR("1e999"), true},
    {STR("123456789012345678901234567890"), true},
    {STR("\"\\ud800\""), true},
    {STR("\"\\udc00\\ud800x\""), true},
    {STR("\"a\\u0000b\""), true},
    {STR("\"\xff\xc3\""), true},
    {STR(""), false},
    {STR(" "), false},
    {STR("\xEF\xBB\xBF{}"), false},
    {STR("nul"), false},
    {STR("nulll"), false},
    {STR("NaN"), false},
    {STR("-Infinity"), false},
    {STR("+1"), false},
    {STR("-"), false},
    {STR("01"), false},
    {STR("1."), false},
    {STR(".5"), false},
    {STR("1e"), false},
    {STR("1e+"), false},
    {STR("0x1"), false},
    {STR("1 2"), false},
    {STR("{}{}"), false},
    {STR("{} x"), false},
    {STR("{\"a\"}"), false},
    {STR("{\"a\":}"), false},
    {STR("{\"a\":1,}"), false},
    {STR("{,}"), false},
    {STR("{a:1}"), false},
    {STR("{'a':1}"), false},
    {STR("{1:1}"), false},
    {STR("{\"a\" 1}"), false},
    {STR("{\"a\":1 \"b\":2}"), false},
    {STR("{\"a\":1]"), false},
    {STR("{\"in\":{\"a\":1]}"), false},
    {STR("{\"in\":[{\"a\":1}}"), false},
    {STR("[1,]"), false},
    {STR("[,1]"), false},
    {STR("[1 2]"), false},
    {STR("[1}"), false},
    {STR("[[1]"), false},
    {STR("]"), false},
    {STR("\""), false},
    {STR("\"\\\""), false},
    {STR("\"\\x\""), false},
    {STR("\"\\u12g4\""), false},
    {STR("\"\\u123"), false},
    {STR("\"\\u12\""), false},
    {STR("\"a\nb\""), false},
    {STR("\"a\0b\""), false},
    {STR("\"\x1f\""), false},
    {STR("{\"a\tb\":1}"), false},
    {STR("{\"a\":1/**/}"), false},
    {STR("1\0"), false},
};

static void test_verdicts(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (is_json(texts[i].text) != texts[i].valid)
            fail_msg("row %zu is %s: %s", i, texts[i].valid ? "JSON" : "no JSON",
                     texts[i].text.ptr);
        for (size_t len = 0; len <= texts[i].text.len; len++)
            check(str_upto(texts[i].text, len));
    }
}

/* Fixed for ever, so that a failure can be had again. */
static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static void test_mutated_texts_beside_jansson(void **state)
{
    (void)state;
    static const char alphabet[] = "{}[]\",:\\u0 1-.eEdDa8inbtrulfs/\n\t\x01\x7f\x80\xc3\xe2\xff";
    enum { ROUNDS = 400000 };
    uint64_t seed = 20261130;
    for (size_t n = 0; n < ROUNDS; n++) {
        char text[512];
        struct str from = texts[next_random(&seed) % ARRAY_LEN(texts)].text;
        struct str also = texts[next_random(&seed) % ARRAY_LEN(texts)].text;
        size_t len = from.len;
        memcpy(text, from.ptr, len);
        for (uint32_t changes = next_random(&seed) % 4; changes; changes--) {
            size_t at = next_random(&seed) % (len + 1);
            char c = alphabet[next_random(&seed) % (sizeof(alphabet) - 1)];
            switch (next_random(&seed) % 4) {
            case 0: /* another byte */
                text[at < len ? at : 0] = c;
                break;
            case 1: /* one more */
                memmove(text + at + 1, text + at, len - at);
                text[at] = c;
                len++;
                break;
            case 2: /* one less */
                if (at < len)
                    memmove(text + at, text + at + 1, --len - at);
                break;
            default: /* a whole text put in */
                if (len + also.len > sizeof(text) - 8)
                    break;
                memmove(text + at + also.len, text + at, len - at);
                memcpy(text + at, also.ptr, also.len);
                len += also.len;
            }
        }
        check(str_make(text, len));
    }
}

static void test_depth(void **state)
{
    (void)state;
    static const struct {
        const char *open, *close;
    } kinds[] = {{"[", "]"}, {"{\"a\":", "}"}, {"{\"in\":", "}"}};
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        static const size_t depths[] = {
            1, 63, 64, 65, 128, 1000, 2048, JSON_DEPTH_MAX, JSON_DEPTH_MAX + 1};
        for (size_t d = 0; d < ARRAY_LEN(depths); d++) {
            struct buf b = {0};
            buf_add_repeat(&b, kinds[k].open, depths[d]);
            buf_add_text(&b, "1");
            buf_add_repeat(&b, kinds[k].close, depths[d]);
            assert_int_equal(is_json(buf_str(&b)), depths[d] <= JSON_DEPTH_MAX);
            if (depths[d] > 1) { /* the wrong bracket at one level is seen */
                b.ptr[b.len - depths[d] / 2 - 1] ^= ']' ^ '}';
                assert_false(is_json(buf_str(&b)));
            }
            buf_done(&b);
        }
    }
}

static void test_every_string_length_and_stop(void **state)
{
    (void)state;
    char text[80];
    for (size_t len = 0; len < 70; len++)
        for (size_t at = 0; at < len; at++)
            for (const char *stop = "x\"\\\n\x1f\x80"; *stop; stop++) {
                text[0] = '"';
                memset(text + 1, 'n', len);
                text[len + 1] = '"';
                text[at + 1] = *stop;
                check(str_make(text, len + 2));
                bool valid = *stop == 'x' || *stop == '\x80' || (*stop == '\\' && at + 1 < len);
                assert_int_equal(is_json(str_make(text, len + 2)), valid);
            }
}

static void test_last_key_counts(void **state)
{
    (void)state;
    struct json_value whole, slots[BESIDE_SLOTS];
    assert_true(json_read(STR("{\"in\":{\"a\":1,\"b\":2},\"a\":3,\"in\":{\"a\":4},\"\\u0061\":5}"),
                          &beside_shape, &whole, slots));
    assert_memory_equal(slots[BESIDE_A].ptr, "5", 1);
    assert_memory_equal(slots[BESIDE_KEYS_END + INNER_A].ptr, "4", 1);
    assert_int_equal(slots[BESIDE_KEYS_END + INNER_B].type, JSON_TYPE_NONE);
    assert_int_equal(slots[BESIDE_IN].count, 1);
    assert_int_equal(whole.count, 4);
}

static void test_front(void **state)
{
    (void)state;
    static const struct {
        struct str text;
        const char *front;
    } rows[] = {
        {STR("[[ [{\"a\":1},2],3]]"), "{\"a\":1}"},
        {STR("[1]"), "1"},
        {STR("[[],1]"), NULL},
        {STR("[]"), NULL},
        {STR("{}"), NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct json_value whole, front = {0};
        assert_true(json_read(rows[i].text, NULL, &whole, NULL));
        assert_int_equal(json_front(&whole, &front), rows[i].front != NULL);
        if (rows[i].front)
            assert_true(str_eq(json_raw(&front), str_of(rows[i].front)));
    }
}

static struct json_value value_of(struct str text)
{
    struct json_value whole;
    assert_true(json_read(text, NULL, &whole, NULL));
    return whole;
}

static void test_counts(void **state)
{
    (void)state;
    /* R24 */
    static const struct {
        struct str text;
        int64_t count;
        bool nonzero;
    } rows[] = {
        {STR("0"), 0, false},
        {STR("-0"), 0, false},
        {STR("0e99"), 0, false},
        {STR("0.000"), 0, false},
        {STR("12"), 12, true},
        {STR("12.0"), 12, true},
        {STR("1.2e1"), 12, true},
        {STR("1200e-2"), 12, true},
        {STR("12.5"), -1, true},
        {STR("0.5"), -1, true},
        {STR("5e-1"), -1, true},
        {STR("-1"), -1, true},
        {STR("100"), 100, true},
        {STR("1e2"), 100, true},
        {STR("0.01e4"), 100, true},
        {STR("1e15"), 1000000000000000, true},
        {STR("9007199254740992"), 9007199254740992, true},
        {STR("9007199254740993"), -1, true},
        {STR("9007199254740992.0000000000000000000001"), -1, true},
        {STR("1e16"), -1, true},
        {STR("1e999"), -1, true},
        {STR("1e99999999999999999999"), -1, true},
        {STR("1e-99999999999999999999"), -1, true},
        {STR("123456789012345678901234567890"), -1, true},
        {STR("\"12\""), -1, false},
        {STR("null"), -1, false},
        {STR("true"), -1, false},
        {STR("[1]"), -1, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct json_value v = value_of(rows[i].text);
        if (json_count(&v) != rows[i].count || json_nonzero(&v) != rows[i].nonzero)
            fail_msg("%s counts %ld, nonzero %d", rows[i].text.ptr, (long)json_count(&v),
                     json_nonzero(&v));
    }
}

static void test_texts(void **state)
{
    (void)state;
    /* Strings joined as UTF-16, to UTF-8; the sum of their units. */
    static const struct {
        struct str parts[3];
        const char *joined;
        size_t units;
    } rows[] = {
        {{STR("\"plain\"")}, "plain", 5},
        {{STR("\"\"")}, "", 0},
        {{STR("\"\\n\\u00e9\\/\"")}, "\n\xc3\xa9/", 3},
        {{STR("\"\xf0\x9f\x98\x80\"")}, "\xf0\x9f\x98\x80", 2},
        {{STR("\"\\ud83d\\ude00\"")}, "\xf0\x9f\x98\x80", 2},
        {{STR("\"\\ud83d\""), STR("\"\\ude00\"")}, "\xf0\x9f\x98\x80", 2},
        {{STR("\"\\ud83d\""), STR("\"\""), STR("\"\\ude00!\"")}, "\xf0\x9f\x98\x80!", 3},
        {{STR("\"\\ud83d\""), STR("\"x\\ude00\"")}, "\xef\xbf\xbdx\xef\xbf\xbd", 3},
        {{STR("\"\\ud83d\""), STR("\"plain\"")}, "\xef\xbf\xbdplain", 6},
        {{STR("\"\\ud83d\\ud83d\""), STR("\"\\ude00\"")}, "\xef\xbf\xbd\xf0\x9f\x98\x80", 3},
        {{STR("\"\\ude00\\ud83d\"")}, "\xef\xbf\xbd\xef\xbf\xbd", 2},
        {{STR("\"\\ud83d\xf0\x9f\x98\x80\"")}, "\xef\xbf\xbd\xf0\x9f\x98\x80", 3},
        {{STR("\"\xe2\x82\""), STR("\"\xac\"")}, "\xef\xbf\xbd\xef\xbf\xbd", 2},
        {{STR("\"\xff\xff\"")}, "\xef\xbf\xbd\xef\xbf\xbd", 2},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct json_text t = {0};
        struct buf out = {0};
        size_t units = 0;
        for (size_t k = 0; k < ARRAY_LEN(rows[i].parts) && rows[i].parts[k].ptr; k++) {
            struct json_value v = value_of(rows[i].parts[k]);
            json_text_add(&t, &v, &out);
            units += json_units(&v);
        }
        json_text_end(&t, &out);
        assert_string_equal(buf_text(&out), rows[i].joined);
        assert_int_equal(units, rows[i].units);
        buf_done(&out);
    }
}

/* Text that is no JSON is decoded too (R18: the data of an error event): a backslash is a
 * backslash. */
static void test_text_without_escapes(void **state)
{
    (void)state;
    struct str bytes = STR("a\\x\xff\\");
    struct json_value v = {.ptr = bytes.ptr, .len = (uint32_t)bytes.len, .type = JSON_TYPE_STRING};
    struct buf out = {0};
    json_decode(&v, &out);
    assert_string_equal(buf_text(&out), "a\\x\xef\xbf\xbd\\");
    assert_int_equal(json_units(&v), 5);
    buf_done(&out);
}

static void test_comparing(void **state)
{
    (void)state;
    static const struct {
        struct str text;
        const char *what; /* i: is "abc", s: starts, e: ends, d: digits */
    } rows[] = {
        {STR("\"abc\""), "ise"},   {STR("\"ab\\u0063\""), "ise"},
        {STR("\"abcd\""), "s"},    {STR("\"\\u0061bcd\""), "s"},
        {STR("\"xabc\""), "e"},    {STR("\"x\\u0061bc\""), "e"},
        {STR("\"abcabc\""), "se"}, {STR("\"\\nabc\""), "e"},
        {STR("\"ab\""), ""},       {STR("\"\""), ""},
        {STR("\"012\""), "d"},     {STR("\"0\\u0031\""), "d"},
        {STR("\"0x\""), ""},       {STR("123"), ""},
        {STR("null"), ""},         {STR("\"\\u0000abc\""), "e"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct json_value v = value_of(rows[i].text);
        char got[5] = "";
        size_t n = 0;
        got[n] = json_is(&v, STR("abc")) ? 'i' : 0;
        n += got[n] != 0;
        got[n] = json_starts(&v, STR("abc")) ? 's' : 0;
        n += got[n] != 0;
        got[n] = json_ends(&v, STR("abc")) ? 'e' : 0;
        n += got[n] != 0;
        got[n] = json_is_digits(&v) ? 'd' : 0;
        if (strcmp(got, rows[i].what) != 0)
            fail_msg("%s: %s, expected %s", rows[i].text.ptr, got, rows[i].what);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_mutated_texts_beside_jansson),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_every_string_length_and_stop),
        cmocka_unit_test(test_last_key_counts),
        cmocka_unit_test(test_front),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_text_without_escapes),
        cmocka_unit_test(test_comparing),
    };
    return cmocka_run_group_tests(tests, make_edge, drop_edge);
}
