#include "test.h"

#include "study/prompts.h"

static void make(struct buf *b, struct prompt_options o, uint64_t serial)
{
    buf_clear(b);
    prompt_add(b, &o, serial);
}

static void the_default_asks_for_200_words(void **state)
{
    (void)state;
    struct buf b = {0};
    make(&b, (struct prompt_options){.same = true}, 1);
    assert_true(str_contains(buf_str(&b), STR("about 200 words")));
    assert_true(str_starts(buf_str(&b), STR("Explain")));
    buf_done(&b);
}

static void prompts_differ_from_the_start_and_repeat_by_seed(void **state)
{
    (void)state;
    enum { N = 500 };
    static char heads[2 * N][PROMPT_NONCE_CHARS + 2];
    struct buf b = {0}, again = {0};
    for (uint64_t i = 0; i < 2 * N; i++) {
        uint64_t serial = i % N + 1 + (i < N ? 0 : PROMPT_WARMUP);
        make(&b, (struct prompt_options){.seed = 7, .text = "Hello"}, serial);
        make(&again, (struct prompt_options){.seed = 7, .text = "Hello"}, serial);
        assert_string_equal(buf_text(&b), buf_text(&again));
        assert_true(str_ends(buf_str(&b), STR("] Hello")));
        str_copy(heads[i], sizeof(heads[i]), buf_str(&b));
        for (uint64_t j = 0; j < i; j++)
            assert_string_not_equal(heads[i], heads[j]);
    }
    make(&again, (struct prompt_options){.seed = 8, .text = "Hello"}, N + PROMPT_WARMUP);
    assert_string_not_equal(buf_text(&b), buf_text(&again));
    buf_done(&b);
    buf_done(&again);
}

static void same_prompts_are_the_same(void **state)
{
    (void)state;
    struct buf a = {0}, b = {0};
    for (int made_up = 0; made_up < 2; made_up++) {
        struct prompt_options o = {.same = true, .tokens = made_up * 100, .seed = 3};
        make(&a, o, 1);
        make(&b, o, 2 | PROMPT_WARMUP);
        assert_string_equal(buf_text(&a), buf_text(&b));
    }
    buf_done(&a);
    buf_done(&b);
}

/* Words, each with its blank, are tokens but for the instruction. */
static size_t words_of(struct str text)
{
    size_t words = 1;
    for (size_t i = 0; i < text.len; i++)
        words += text.ptr[i] == ' ';
    return words;
}

static void made_up_text_is_about_as_long_as_asked(void **state)
{
    (void)state;
    struct buf b = {0};
    static const int64_t sizes[] = {1, 10, 100, 1000, 10000};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        make(&b, (struct prompt_options){.same = true, .tokens = sizes[i], .seed = 1}, 1);
        size_t words = words_of(buf_str(&b));
        assert_in_range(words, sizes[i] * 85 / 100, sizes[i] + 8);
        assert_int_equal(
            prompt_tokens_about(&(struct prompt_options){.same = true, .tokens = sizes[i]}),
            sizes[i]);
    }
    buf_done(&b);
}

static void a_prompt_is_valid_utf8_whatever_was_given(void **state)
{
    (void)state;
    struct buf b = {0};
    make(&b, (struct prompt_options){.same = true, .text = "a\xff\xe4\xbd"}, 1);
    assert_string_equal(buf_text(&b), "a\xef\xbf\xbd\xef\xbf\xbd");
    make(&b, (struct prompt_options){.same = true, .text = ""}, 1);
    assert_int_equal(b.len, 0);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_asks_for_200_words),
        cmocka_unit_test(prompts_differ_from_the_start_and_repeat_by_seed),
        cmocka_unit_test(same_prompts_are_the_same),
        cmocka_unit_test(made_up_text_is_about_as_long_as_asked),
        cmocka_unit_test(a_prompt_is_valid_utf8_whatever_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
