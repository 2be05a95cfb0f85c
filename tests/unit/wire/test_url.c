#include "test.h"

#include "base/buf.h"
#include "wire/url.h"

static void add_view(struct buf *out, struct str s)
{
    buf_add_text(out, s.ptr ? "" : "~");
    buf_add_str(out, s);
    buf_add_text(out, "|");
}

static void test_parse(void **state)
{
    (void)state;
    /* scheme|userinfo|host|port, + if stated, 6 if IPv6|path|query|, ~ for none; NULL: refused */
    static const struct {
        struct str in;
        const char *out;
    } rows[] = {
        {STR("http://h"), "http|~|h|80||~|"},
        {STR("HTTPS://Api.Example.com/v1?x=1#f"), "HTTPS|~|Api.Example.com|443|/v1|x=1|"},
        {STR("http://h:8080/"), "http|~|h|8080+|/|~|"},
        {STR("http://h:/a"), "http|~|h|80|/a|~|"},
        {STR("http://h?q"), "http|~|h|80||q|"},
        {STR("http://h/?"), "http|~|h|80|/||"},
        {STR("http://h#a/b"), "http|~|h|80||~|"},
        {STR("http://u:p@w@h:1/"), "http|u:p@w|h|1+|/|~|"},
        {STR("http://[::1]:9/a"), "http|~|::1|9+6|/a|~|"},
        {STR("http://[fe80::1%eth0]"), "http|~|fe80::1%eth0|806||~|"},
        {STR("http://127.0.0.1:65535"), "http|~|127.0.0.1|65535+||~|"},
        {STR("http://m\xc3\xbcller.de"), "http|~|m\xc3\xbcller.de|80||~|"},
        {STR("http://host."), "http|~|host.|80||~|"},
        {STR("http://a_b"), "http|~|a_b|80||~|"},
        {STR(""), NULL},
        {STR("h"), NULL},
        {STR("h:8080"), NULL},
        {STR("ftp://h"), NULL},
        {STR("http:h"), NULL},
        {STR("http:/h"), NULL},
        {STR("http://"), NULL},
        {STR("http:///path"), NULL},
        {STR("http://:80"), NULL},
        {STR("http://u@"), NULL},
        {STR("http://h:65536"), NULL},
        {STR("http://h:0"), NULL},
        {STR("http://h:99999999999999"), NULL},
        {STR("http://h:8a"), NULL},
        {STR("http://h:-1"), NULL},
        {STR("http://a..b"), NULL},
        {STR("http://.a"), NULL},
        {STR("http://a\\b"), NULL},
        {STR("http://h /"), NULL},
        {STR("http://h/a\r\nHost: x"), NULL},
        {STR("http://h/\0"), NULL},
        {STR("http://\0/"), NULL},
        {STR("http://[::1"), NULL},
        {STR("http://[::1]x"), NULL},
        {STR("http://[1.2.3.4]"), NULL},
        {STR("http://[]"), NULL},
        {STR("http://[::1%]"), NULL},
        {STR("http://::1"), NULL},
        {STR(" http://h"), NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct url u = {.port = -7};
        struct buf got = {0};
        if (!url_parse(rows[i].in, &u)) {
            if (rows[i].out)
                fail_msg("%s was refused", rows[i].in.ptr);
            assert_int_equal(u.port, -7); /* untouched on failure */
            continue;
        }
        add_view(&got, u.scheme);
        add_view(&got, u.userinfo);
        add_view(&got, u.host);
        buf_addf(&got, "%d%s%s|", u.port, u.port_stated ? "+" : "", u.ipv6 ? "6" : "");
        add_view(&got, u.path);
        add_view(&got, u.query);
        assert_string_equal(buf_text(&got), rows[i].out ? rows[i].out : "to be refused");
        buf_done(&got);
    }
}

static void test_label_lengths(void **state)
{
    (void)state;
    char text[400] = "http://";
    struct url u;
    for (size_t label = 1; label < 80; label++) {
        memset(text + 7, 'a', label);
        assert_int_equal(url_parse(str_make(text, 7 + label), &u), label <= 63);
    }
    for (size_t i = 7; i < sizeof(text); i++)
        text[i] = i % 2 ? 'a' : '.';
    assert_true(url_parse(str_make(text, 7 + 253), &u));
    assert_false(url_parse(str_make(text, 7 + 255), &u));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_label_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
