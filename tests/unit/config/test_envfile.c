#include "config/envfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/attr.h"
#include "test.h"

/* Expected values are python-dotenv 1.2.2's (dotenv_values with an empty environment), but for the
 * BOM. */
static void values(UNUSED void **state)
{
    static const struct {
        const char *text, *name, *value;
    } cases[] = {
        {"A=b", "A", "b"},
        {"A=b\r\n", "A", "b"},
        {"  export A = b c  # d\n", "A", "b c"},
        {"exported=1", "exported", "1"},
        {"A=#b", "A", "#b"},
        {"A=b#c", "A", "b#c"},
        {"A=b #c", "A", "b"},
        {"A=", "A", NULL},
        {"A", "A", NULL},
        {"# A=b", "A", NULL},
        {"A='b # c' # d", "A", "b # c"},
        {"A='b\\'c'", "A", "b'c"},
        {"A='b\\nc'", "A", "b\\nc"},
        {"A=\"b\\nc\\t\\\"d\\\"\"", "A", "b\nc\t\"d\""},
        {"A=\"b\nc\"\nB=2", "A", "b\nc"},
        {"A=\"b\nc\"\nB=2", "B", "2"},
        {"A=\"never closed\nB=2", "A", NULL},
        {"A=\"never closed\nB=2", "B", "2"},
        {"A='b' c\nB=2", "A", NULL},
        {"A='b' c\nB=2", "B", "2"},
        {"A='b\\'\n", "A", "b\\"},
        {"'A'=b", "A", "b"},
        {"'A b'=c", "A b", "c"},
        {"=b\nB=2", "B", "2"},
        {"A b=c\nB=2", "B", "2"},
        {"A=1\nA=2", "A", "2"},
        {"A=1\nB=${A}2", "B", "12"},
        {"A=1\nB='${A}2'", "B", "12"},
        {"B=${A:-x}y", "B", "xy"},
        {"B=${A}y", "B", "y"},
        {"A=1\nB=${A:+x}", "B", "${A:+x}"},
        {"A=$1 ${", "A", "$1 ${"},
        {"A\nB=${A:-d}x", "B", "x"},
        {"\xEF\xBB\xBF"
         "A=b",
         "A", "b"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct envfile e = {0};
        envfile_parse(&e, str_of(cases[i].text));
        const char *value = envfile_get(&e, cases[i].name);
        if (!value != !cases[i].value || (value && strcmp(value, cases[i].value) != 0))
            fail_msg("%s: %s is %s, expected %s", cases[i].text, cases[i].name,
                     value ? value : "none", cases[i].value ? cases[i].value : "none");
        envfile_done(&e);
    }
}

/* A file that somebody else wrote must not be able to read the environment. */
static void never_the_environment(UNUSED void **state)
{
    struct envfile e = {0};
    setenv("WEIR_TEST_SECRET", "tangerine", 1);
    envfile_parse(&e, STR("A=x${WEIR_TEST_SECRET}y${WEIR_TEST_SECRET:-z}"));
    assert_string_equal(envfile_get(&e, "A"), "xyz");
    assert_null(envfile_get(&e, "WEIR_TEST_SECRET"));
    envfile_done(&e);
}

static void bounds(UNUSED void **state)
{
    struct buf text = {0};
    struct envfile e = {0};
    buf_add_text(&text, "A=");
    buf_add_repeat(&text, "x", ENVFILE_VALUE_MAX + 1);
    buf_add_text(&text, "\nB=2\n");
    envfile_parse(&e, buf_str(&text));
    assert_null(envfile_get(&e, "A"));
    assert_string_equal(envfile_get(&e, "B"), "2");
    envfile_done(&e);
    /* Doubling: 2^40 bytes, were there no limit. */
    buf_clear(&text);
    buf_add_text(&text, "V0=xxxxxxxx\n");
    for (int i = 1; i < 40; i++)
        buf_addf(&text, "V%d=${V%d}${V%d}\n", i, i - 1, i - 1);
    envfile_parse(&e, buf_str(&text));
    assert_non_null(envfile_get(&e, "V5"));
    assert_null(envfile_get(&e, "V20"));
    assert_true(e.over);
    envfile_done(&e);
    /* A value that fits, again and again. */
    buf_clear(&text);
    buf_add_text(&text, "V=");
    buf_add_repeat(&text, "x", ENVFILE_VALUE_MAX);
    for (int i = 0; i < ENVFILE_PAIRS_MAX - 1; i++)
        buf_add_text(&text, "\nW=${V}");
    envfile_parse(&e, buf_str(&text));
    assert_true(e.over);
    assert_true(e.bytes <= ENVFILE_FILLED_MAX + ENVFILE_VALUE_MAX);
    envfile_done(&e);
    for (int more = 0; more < 2; more++) {
        buf_clear(&text);
        for (int i = 0; i < ENVFILE_PAIRS_MAX + more; i++)
            buf_add_text(&text, "a=1\n");
        envfile_parse(&e, buf_str(&text));
        assert_int_equal(e.over, more);
        envfile_done(&e);
    }
    buf_done(&text);
}

static void files(UNUSED void **state)
{
    char path[] = "/tmp/weir-test-envfile-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    struct envfile e = {0};
    struct err err = {0};
    assert_int_equal(write(fd, "A=b\0\n", 5), 5);
    assert_false(envfile_read(&e, path, &err));
    assert_string_equal(err.id, "not_a_text");
    assert_int_equal(ftruncate(fd, 3), 0);
    assert_true(envfile_read(&e, path, &err));
    assert_string_equal(envfile_get(&e, "A"), "b");
    envfile_done(&e);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    for (int i = 0; i <= ENVFILE_PAIRS_MAX; i++)
        assert_int_equal(write(fd, "A=b\n", 4), 4);
    assert_false(envfile_read(&e, path, &err));
    assert_string_equal(err.id, "env_file_too_large");
    assert_int_equal(ftruncate(fd, ENVFILE_BYTES_MAX + 1), 0);
    assert_false(envfile_read(&e, path, &err));
    assert_string_equal(err.id, "file_too_large");
    close(fd);
    unlink(path);
    assert_false(envfile_read(&e, path, &err));
    assert_string_equal(err.id, "cannot_read");
    assert_int_equal(err.exit_code, EXIT_USAGE);
    envfile_done(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(never_the_environment),
        cmocka_unit_test(bounds),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
