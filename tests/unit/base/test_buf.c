#include "test.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"

static void grows_and_ends_in_nul(void **state)
{
    (void)state;
    struct buf b = {0};
    assert_string_equal(buf_text(&b), "");
    for (int i = 0; i < 1000; i++)
        assert_true(buf_addf(&b, "%d,", i));
    assert_int_equal(b.len, 10 * 2 + 90 * 3 + 900 * 4);
    assert_int_equal(buf_text(&b)[b.len], '\0');
    buf_drop(&b, 4);
    assert_memory_equal(buf_text(&b), "2,3,", 4);
    buf_drop(&b, 1 << 20);
    assert_string_equal(buf_text(&b), "");
    buf_done(&b);
    buf_done(&b); /* empty is fine */
}

static void the_maximum_is_an_answer(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 5);
    assert_true(buf_add_text(&b, "12345"));
    assert_false(buf_add_byte(&b, '6'));
    assert_true(b.over);
    assert_string_equal(buf_text(&b), "12345");
    assert_false(buf_addf(&b, "%s", "x"));
    assert_null(buf_room(&b, 1));
    buf_clear(&b);
    assert_false(b.over);
    char *room = buf_room(&b, 3);
    memcpy(room, "abc", 3);
    buf_grown(&b, 3);
    char *taken = buf_take(&b);
    assert_string_equal(taken, "abc");
    mem_free(taken);
    assert_false(buf_add(&b, "123456", 6)); /* the maximum outlives buf_take */
    buf_done(&b);
}

static void repeats_and_embedded_nul(void **state)
{
    (void)state;
    struct buf b = {0};
    assert_true(buf_add_repeat(&b, "ab", 3));
    assert_true(buf_add(&b, "\0x", 2));
    assert_int_equal(buf_str(&b).len, 8);
    assert_memory_equal(buf_text(&b), "ababab\0x", 9);
    buf_done(&b);
}

static void arena_gives_zeroed_aligned_memory(void **state)
{
    (void)state;
    struct arena a = {0};
    for (size_t size = 1; size < 20000; size = size * 3 + 1) {
        char *ptr = arena_alloc(&a, size);
        assert_int_equal((uintptr_t)ptr % sizeof(max_align_t) % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(ptr[i], 0);
        memset(ptr, 0xAA, size);
    }
    assert_string_equal(arena_dup(&a, STR("abc")), "abc");
    assert_string_equal(arena_strdup(&a, "weir"), "weir");
    arena_done(&a);
    arena_done(&a);
}

static void vec_keeps_order(void **state)
{
    (void)state;
    VEC(int) squares = {0};
    for (int i = 0; i < 100; i++)
        vec_push(&squares, i * i);
    assert_int_equal(squares.len, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(squares.items[i], i * i);
    vec_done(&squares);
    assert_null(squares.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_ends_in_nul),
        cmocka_unit_test(the_maximum_is_an_answer),
        cmocka_unit_test(repeats_and_embedded_nul),
        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(vec_keeps_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
