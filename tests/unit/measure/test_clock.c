#include "test.h"

#include "measure/clock.h"

static void now_never_runs_backwards(void **state)
{
    (void)state;
    int64_t before = clock_now();
    for (int i = 0; i < 100000; i++) {
        int64_t now = clock_now();
        assert_true(now >= before);
        before = now;
    }
}

static void milliseconds(void **state)
{
    (void)state;
    assert_true(clock_from_ms(1.5) == 1500000);
    assert_true(clock_ms(2500000) == 2.5);
}

/* A wall instant between two monotonic ones lies between them once it is mapped, but for the
 * stated uncertainty. */
static void the_offset_maps_wall_instants(void **state)
{
    (void)state;
    struct clock_offset o = {.taken_at = NEVER};
    clock_offset_refresh(&o);
    assert_int_equal(clock_offset_drift(&o), 0);
    int inside = 0, tries = 1000;
    for (int i = 0; i < tries; i++) {
        clock_offset_refresh(&o);
        assert_true(o.uncertainty_ns >= 0);
        int64_t before = clock_now(), wall = clock_wall(), after = clock_now();
        int64_t mapped = wall + o.offset_ns;
        inside += mapped >= before - o.uncertainty_ns && mapped <= after + o.uncertainty_ns;
    }
    /* Somebody may set the wall clock while this runs, but not all the time. */
    assert_true(inside >= tries / 2);
}

static void the_first_offset_is_kept_for_drift(void **state)
{
    (void)state;
    struct clock_offset o = {.taken_at = NEVER};
    clock_offset_refresh(&o);
    o.first_ns -= 1000; /* as if the wall clock had been put back since */
    int64_t first = o.first_ns;
    clock_offset_refresh(&o);
    assert_true(o.first_ns == first);
    assert_true(clock_offset_drift(&o) == o.offset_ns - first);
}

static void kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(clock_kind_name(CLOCK_KIND_NONE), "none");
    assert_string_equal(clock_kind_name(CLOCK_KIND_KERNEL), "kernel");
    assert_string_equal(clock_kind_name(CLOCK_KIND_USER), "user");
    assert_string_equal(clock_kind_name(CLOCK_KIND_VIRTUAL), "virtual");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(now_never_runs_backwards),
        cmocka_unit_test(milliseconds),
        cmocka_unit_test(the_offset_maps_wall_instants),
        cmocka_unit_test(the_first_offset_is_kept_for_drift),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
