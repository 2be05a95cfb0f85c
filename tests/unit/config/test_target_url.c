#include "base/attr.h"
#include "config/target.h"
#include "test.h"

static void urls(UNUSED void **state)
{
    static const struct {
        const char *typed, *url, *base;
    } cases[] = {
        /* a: a known endpoint */
        {"https://h/v1/chat/completions", "https://h/v1/chat/completions", "https://h/v1"},
        {"https://h/v1/chat/completions/", "https://h/v1/chat/completions", "https://h/v1"},
        {"https://h/chat/completions", "https://h/chat/completions", "https://h"},
        {"https://h/v1/completions", "https://h/v1/completions", "https://h/v1"},
        {"https://h/v1/responses", "https://h/v1/responses", "https://h/v1"},
        {"https://h/v1/messages", "https://h/v1/messages", "https://h/v1"},
        {"http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434/api/chat",
         "http://127.0.0.1:11434"},
        {"https://h/d/chat/completions?api-version=1", "https://h/d/chat/completions?api-version=1",
         "https://h/d"},
        /* b: no path */
        {"https://h", "https://h/v1/chat/completions", "https://h/v1"},
        {"https://h/", "https://h/v1/chat/completions", "https://h/v1"},
        {"http://127.0.0.1:8089", "http://127.0.0.1:8089/v1/chat/completions",
         "http://127.0.0.1:8089/v1"},
        {"https://h?a=1", "https://h/v1/chat/completions?a=1", "https://h/v1"},
        /* c: any other path, never a second /v1 */
        {"https://h/v1", "https://h/v1/chat/completions", "https://h/v1"},
        {"https://h/v1/", "https://h/v1/chat/completions", "https://h/v1"},
        {"https://h/v1//", "https://h/v1/chat/completions", "https://h/v1"},
        {"https://h/api/v3", "https://h/api/v3/chat/completions", "https://h/api/v3"},
        {"https://h/api/paas/v4/", "https://h/api/paas/v4/chat/completions",
         "https://h/api/paas/v4"},
        {"https://h/v1beta/openai", "https://h/v1beta/openai/chat/completions",
         "https://h/v1beta/openai"},
        {"https://h/openai", "https://h/openai/chat/completions", "https://h/openai"},
        {"https://h/mycompletions", "https://h/mycompletions/chat/completions",
         "https://h/mycompletions"},
        {"https://h/v1?k=1", "https://h/v1/chat/completions?k=1", "https://h/v1"},
        /* d: # at the end */
        {"https://h/odd/path#", "https://h/odd/path", "https://h/odd/path"},
        {"https://h/odd/#", "https://h/odd/", "https://h/odd"},
        {"https://h/x/chat/completions#", "https://h/x/chat/completions", "https://h/x"},
        {"https://h#", "https://h", "https://h"},
        /* no scheme */
        {"localhost:8089", "http://localhost:8089/v1/chat/completions", "http://localhost:8089/v1"},
        {"10.1.2.3:8000/v1", "http://10.1.2.3:8000/v1/chat/completions", "http://10.1.2.3:8000/v1"},
        {"[::1]:8089", "http://[::1]:8089/v1/chat/completions", "http://[::1]:8089/v1"},
        {"gpubox:8000", "http://gpubox:8000/v1/chat/completions", "http://gpubox:8000/v1"},
        {"api.example.com", "https://api.example.com/v1/chat/completions",
         "https://api.example.com/v1"},
        {"8.8.8.8", "https://8.8.8.8/v1/chat/completions", "https://8.8.8.8/v1"},
        {"HTTPS://h/v1", "https://h/v1/chat/completions", "https://h/v1"},
        {"  https://h/v1\n", "https://h/v1/chat/completions", "https://h/v1"},
        /* not URLs */
        {"", NULL, NULL},
        {"#", NULL, NULL},
        {"ftp://h", NULL, NULL},
        {"https://", NULL, NULL},
        {"https://h:99999", NULL, NULL},
        {"https://h/a b", NULL, NULL},
        {"https://h/v1#part", NULL, NULL},
        {"https://user:pass@h/v1", NULL, NULL},
        {"https://h/\x01", NULL, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct buf url = {0}, base = {0};
        struct err err = {0};
        bool ok = target_url(str_of(cases[i].typed), &url, &err);
        if (ok != (cases[i].url != NULL))
            fail_msg("%s: %s", cases[i].typed, ok ? buf_text(&url) : err.what);
        if (ok) {
            target_base(buf_str(&url), &base);
            assert_string_equal(buf_text(&url), cases[i].url);
            assert_string_equal(buf_text(&base), cases[i].base);
        } else {
            assert_int_equal(err.exit_code, EXIT_USAGE);
            assert_int_equal(url.len, 0);
        }
        buf_done(&url);
        buf_done(&base);
    }
}

static void too_long(UNUSED void **state)
{
    char typed[TARGET_URL_MAX + 2];
    memset(typed, 'a', sizeof(typed));
    memcpy(typed, "https://h/", 10);
    struct buf url = {0};
    struct err err = {0};
    assert_false(target_url(str_make(typed, TARGET_URL_MAX + 1), &url, &err));
    assert_true(target_url(str_make(typed, TARGET_URL_MAX), &url, &err));
    buf_done(&url);
}

static void local_hosts(UNUSED void **state)
{
    static const struct {
        const char *host;
        bool local;
    } cases[] = {
        {"localhost", true},
        {"LOCALHOST", true},
        {"localhost.", true},
        {"a.localhost", true},
        {"printer.local", true},
        {"host.docker.internal", true},
        {"nas.home.arpa", true},
        {"vllm", true},
        {"127.0.0.1", true},
        {"127.8.8.8", true},
        {"10.0.0.1", true},
        {"172.16.0.1", true},
        {"172.31.255.255", true},
        {"192.168.1.1", true},
        {"169.254.1.1", true},
        {"0.0.0.0", true},
        {"::1", true},
        {"::", true},
        {"fe80::1", true},
        {"fe80::1%eth0", true},
        {"fd00::1", true},
        {"fc00::1", true},
        {"::ffff:10.0.0.1", true},
        {"", false},
        {"example.com", false},
        {"8.8.8.8", false},
        {"172.32.0.1", false},
        {"172.15.0.1", false},
        {"192.169.0.1", false},
        {"11.0.0.1", false},
        {"2001:db8::1", false},
        {"::ffff:8.8.8.8", false},
        {"2130706433", false},
        {"0x7f000001", false},
        {"127.1", false},
        {"localhost.evil.com", false},
        {"127.0.0.1.evil.com", false},
        {"10.evil.com", false},
        {"notlocal", true},
        {"x.notlocal", false},
        {".local", false},
        {"local.example", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (target_is_local(str_of(cases[i].host)) != cases[i].local)
            fail_msg("%s: expected %s", cases[i].host, cases[i].local ? "local" : "public");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls),
        cmocka_unit_test(too_long),
        cmocka_unit_test(local_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
