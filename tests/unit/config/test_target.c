#include "config/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/attr.h"
#include "test.h"

/* Each case runs in an empty folder, with only the variables named. */
struct target_case {
    const char *name;
    const char *environment; /* "A=b C=d" */
    const char *dotenv;      /* content of ./.env, or NULL */
    struct target_asked asked;
    const char *url; /* expected, or NULL: then `error` is the id */
    const char *key, *key_source;
    const char *error;
};

#define PUBLIC     "https://api.example.com"
#define PUBLIC_URL PUBLIC "/v1/chat/completions"
#define LOCAL      "http://127.0.0.1:1"
#define LOCAL_URL  LOCAL "/v1/chat/completions"

static const struct target_case cases[] = {
    {"nothing at all", "", NULL, {0}, NULL, NULL, NULL, "no_url"},
    {"local without key", "", NULL, {.url = LOCAL}, LOCAL_URL, "", "", NULL},
    {"public without key", "", NULL, {.url = PUBLIC}, NULL, NULL, NULL, "no_key"},
    {"public, --no-key", "", NULL, {.url = PUBLIC, .no_key = true}, PUBLIC_URL, "", "", NULL},
    {"key of the shell",
     "OPENAI_API_KEY=k1",
     NULL,
     {.url = PUBLIC},
     PUBLIC_URL,
     "k1",
     "$OPENAI_API_KEY",
     NULL},
    {"ours first",
     "OPENAI_API_KEY=k1 WEIR_API_KEY=k2",
     NULL,
     {.url = PUBLIC},
     PUBLIC_URL,
     "k2",
     "$WEIR_API_KEY",
     NULL},
    {"empty is unset",
     "OPENAI_API_KEY=k1 WEIR_API_KEY=",
     NULL,
     {.url = PUBLIC},
     PUBLIC_URL,
     "k1",
     "$OPENAI_API_KEY",
     NULL},
    {"--no-key wins over the shell",
     "OPENAI_API_KEY=k1",
     NULL,
     {.url = PUBLIC, .no_key = true},
     PUBLIC_URL,
     "",
     "",
     NULL},
    {"option over shell",
     "OPENAI_API_KEY=k1",
     NULL,
     {.url = PUBLIC, .api_key = "k3"},
     PUBLIC_URL,
     "k3",
     "--api-key",
     NULL},
    {"named variable",
     "MY=k4 OPENAI_API_KEY=k1",
     NULL,
     {.url = PUBLIC, .api_key_env = "MY"},
     PUBLIC_URL,
     "k4",
     "$MY",
     NULL},
    {"named variable unset",
     "OPENAI_API_KEY=k1",
     NULL,
     {.url = PUBLIC, .api_key_env = "MY"},
     NULL,
     NULL,
     NULL,
     "no_key"},
    {"two ways",
     "",
     NULL,
     {.url = PUBLIC, .api_key = "k", .no_key = true},
     NULL,
     NULL,
     NULL,
     "conflict"},
    {"empty --api-key", "", NULL, {.url = LOCAL, .api_key = ""}, NULL, NULL, NULL, "no_key"},
    {"url of the shell", "OPENAI_BASE_URL=" LOCAL, NULL, {0}, LOCAL_URL, "", "", NULL},
    {"argument over shell",
     "OPENAI_BASE_URL=" PUBLIC,
     NULL,
     {.url = LOCAL},
     LOCAL_URL,
     "",
     "",
     NULL},
    {"old variable", "OPENAI_API_BASE=" LOCAL, NULL, {0}, LOCAL_URL, "", "", NULL},
    {"our variable first",
     "OPENAI_BASE_URL=" PUBLIC " WEIR_URL=" LOCAL,
     NULL,
     {0},
     LOCAL_URL,
     "",
     "",
     NULL},
    {"key in clear",
     "OPENAI_API_KEY=k1",
     NULL,
     {.url = "http://api.example.com"},
     NULL,
     NULL,
     NULL,
     "key_in_clear"},
    {"header in clear",
     "",
     NULL,
     {.url = "http://api.example.com", .key_in_header = true},
     NULL,
     NULL,
     NULL,
     "key_in_clear"},
    {"clear without key",
     "",
     NULL,
     {.url = "http://api.example.com", .no_key = true},
     "http://api.example.com/v1/chat/completions",
     "",
     "",
     NULL},
    {"key to local http",
     "OPENAI_API_KEY=k1",
     NULL,
     {.url = LOCAL},
     LOCAL_URL,
     "k1",
     "$OPENAI_API_KEY",
     NULL},
    {"header has the key",
     "OPENAI_API_KEY=k1",
     NULL,
     {.url = PUBLIC, .key_in_header = true},
     PUBLIC_URL,
     "",
     "",
     NULL},
    {"line break in key",
     "OPENAI_API_KEY=k1\n",
     NULL,
     {.url = PUBLIC},
     NULL,
     NULL,
     NULL,
     "bad_key"},
    {"control byte in key",
     "OPENAI_API_KEY=k\x01z",
     NULL,
     {.url = PUBLIC},
     NULL,
     NULL,
     NULL,
     "bad_key"},
    {"not ASCII",
     "OPENAI_API_KEY=k\xE2\x80\xA6",
     NULL,
     {.url = PUBLIC},
     NULL,
     NULL,
     NULL,
     "bad_key"},
    /* env files */
    {"both of the file",
     "",
     "OPENAI_BASE_URL=" PUBLIC "\nOPENAI_API_KEY=k5\n",
     {0},
     PUBLIC_URL,
     "k5",
     ".env: OPENAI_API_KEY",
     NULL},
    {"key of the file, URL typed",
     "",
     "OPENAI_API_KEY=k5\n",
     {.url = PUBLIC},
     PUBLIC_URL,
     "k5",
     ".env: OPENAI_API_KEY",
     NULL},
    {"shell over file",
     "OPENAI_API_KEY=k1",
     "OPENAI_API_KEY=k5\n",
     {.url = PUBLIC},
     PUBLIC_URL,
     "k1",
     "$OPENAI_API_KEY",
     NULL},
    {"file steers, shell key stays",
     "OPENAI_API_KEY=k1",
     "OPENAI_BASE_URL=" PUBLIC "\n",
     {0},
     NULL,
     NULL,
     NULL,
     "no_key"},
    {"same, named key",
     "MY=k4",
     "OPENAI_BASE_URL=" PUBLIC "\n",
     {.api_key_env = "MY"},
     NULL,
     NULL,
     NULL,
     "key_of_shell"},
    {"same, local host",
     "OPENAI_API_KEY=k1",
     "OPENAI_BASE_URL=" LOCAL "\n",
     {0},
     LOCAL_URL,
     "",
     "",
     NULL},
    {"same, interpolated",
     "OPENAI_API_KEY=k1",
     "OPENAI_BASE_URL=" LOCAL "/${OPENAI_API_KEY}x\n",
     {0},
     LOCAL "/x/chat/completions",
     "",
     "",
     NULL},
    {"same, typed key",
     "",
     "OPENAI_BASE_URL=" PUBLIC "\n",
     {.api_key = "k3"},
     PUBLIC_URL,
     "k3",
     "--api-key",
     NULL},
    {"file key beats shell there",
     "OPENAI_API_KEY=k1",
     "OPENAI_BASE_URL=" PUBLIC "\nOPENAI_API_KEY=k5\n",
     {0},
     PUBLIC_URL,
     "k5",
     ".env: OPENAI_API_KEY",
     NULL},
    {"no env file",
     "",
     "OPENAI_BASE_URL=" LOCAL "\n",
     {.no_env_file = true},
     NULL,
     NULL,
     NULL,
     "no_url"},
    {"named env file missing",
     "",
     NULL,
     {.url = LOCAL, .env_file = "none.env"},
     NULL,
     NULL,
     NULL,
     "cannot_read"},
    {"bad url", "", NULL, {.url = "ftp://x"}, NULL, NULL, NULL, "bad_url"},
};

static void set_environment(const char *list)
{
    clearenv();
    char *copy = mem_strdup(list);
    for (char *at = strtok(copy, " "); at; at = strtok(NULL, " ")) {
        char *eq = strchr(at, '=');
        *eq = '\0';
        setenv(at, eq + 1, 1);
    }
    mem_free(copy);
}

static void run(const struct target_case *c)
{
    struct target t = {0};
    struct scrub secrets = {0};
    struct err err = {0};
    set_environment(c->environment);
    unlink(".env");
    if (c->dotenv) {
        FILE *f = fopen(".env", "w");
        assert_non_null(f);
        fputs(c->dotenv, f);
        fclose(f);
    }
    bool ok = target_resolve(&t, &c->asked, &secrets, &err);
    if (ok != (c->url != NULL))
        fail_msg("%s: %s", c->name, ok ? "no error" : err.what);
    if (ok) {
        assert_string_equal(t.url, c->url);
        assert_string_equal(t.key, c->key);
        assert_string_equal(t.key_source, c->key_source);
    } else {
        if (strcmp(err.id, c->error) != 0)
            fail_msg("%s: expected %s, got %s", c->name, c->error, err.id);
        assert_int_equal(err.exit_code, EXIT_USAGE);
        assert_null(t.url);
    }
    target_done(&t);
    scrub_done(&secrets);
}

static void resolve(UNUSED void **state)
{
    char dir[] = "/tmp/weir-test-target-XXXXXX";
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        run(&cases[i]);
    unlink(".env");
    assert_int_equal(chdir("/"), 0);
    rmdir(dir);
}

static void sources(UNUSED void **state)
{
    struct target t = {0};
    struct scrub secrets = {0};
    struct err err = {0};
    set_environment("WEIR_MODEL=m1 OPENAI_BASE_URL=" LOCAL " OPENAI_API_KEY=tangerine");
    assert_true(target_resolve(&t, &(struct target_asked){.no_env_file = true}, &secrets, &err));
    assert_string_equal(t.url_source, "$OPENAI_BASE_URL");
    assert_string_equal(t.model, "m1");
    assert_string_equal(t.model_source, "$WEIR_MODEL");
    assert_true(t.local);
    struct buf out = {0};
    scrub_text(&secrets, STR("it is tangerine"), &out);
    assert_string_equal(buf_text(&out), "it is [hidden]");
    buf_done(&out);
    target_done(&t);
    target_done(&t); /* accepts an empty one */
    scrub_done(&secrets);
}

static void key_file(UNUSED void **state)
{
    static const struct {
        const char *content;
        const char *key; /* NULL: an error */
    } files[] = {{"abc\n", "abc"},  {"abc\r\n", "abc"}, {"abc", "abc"},
                 {"abc\n\n", NULL}, {"\n", NULL},       {"", NULL}};
    char path[] = "/tmp/weir-test-key-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct target t = {0};
        struct scrub secrets = {0};
        struct err err = {0};
        struct target_asked asked = {.url = PUBLIC, .api_key_file = path, .no_env_file = true};
        size_t len = strlen(files[i].content);
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, files[i].content, len, 0), (ssize_t)len);
        assert_int_equal(target_resolve(&t, &asked, &secrets, &err), files[i].key != NULL);
        if (files[i].key)
            assert_string_equal(t.key, files[i].key);
        else
            assert_null(strstr(err.what, "abc"));
        target_done(&t);
        scrub_done(&secrets);
    }
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolve),
        cmocka_unit_test(sources),
        cmocka_unit_test(key_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
