#include "test.h"

#include "report/made.h"
#include "report/phases.h"

static double sum_of(const struct phases *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++)
        sum += p->part[i].ms;
    return sum;
}

static void parts_sum_to_the_whole(void **state)
{
    (void)state;
    static const struct made_run runs[] = {
        {4, 17, 37, 0.1, 612, 20, 30, 0, 0}, {0.02, 0.05, 0, 0.01, 0.4, 20, 30, 0, 0},
        {0, 0, 0, 0, 1, 20, 30, 0, 0},       {300, 1, 1, 900, 700, 20, 30, 0, 0},
        {1, 2, 3, 4, 10, 20, 1, 0, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
        struct record r = made_record(1, &runs[i]);
        struct phases p;
        phases_of(&p, &r);
        assert_true(fabs(sum_of(&p) - runs[i].ttft) < 1e-9);
        for (size_t k = 0; k < p.count; k++)
            assert_true(p.part[k].ms >= 0); /* even where the server answered before all was sent */
        assert_string_equal(p.part[0].name, "dns");
        assert_string_equal(p.part[p.count - 1].name, "wait");
        assert_int_equal(p.count, runs[i].tls > 0 ? 5 : 4);
        record_done(&r);
    }
}

static void a_reused_connection_shows_no_set_up(void **state)
{
    (void)state;
    struct record r = made_record(1, &(struct made_run){0, 0, 0, 0.5, 100, 20, 30, 0, 0});
    r.reused = true;
    r.dns_done = r.connect_done = r.start;
    struct phases p;
    phases_of(&p, &r);
    for (size_t i = 0; i < p.count; i++)
        assert_int_equal(p.part[i].shown, strcmp(p.part[i].name, "send") == 0 ||
                                              strcmp(p.part[i].name, "wait") == 0);
    record_done(&r);
}

static void nothing_known_gives_no_parts(void **state)
{
    (void)state;
    struct record r;
    record_init(&r);
    struct phases p;
    phases_of(&p, &r);
    assert_int_equal(p.count, 0);
}

static void rounded_parts_sum_to_the_rounded_whole(void **state)
{
    (void)state;
    static const struct {
        double parts[4];
        int64_t whole, expected[4];
    } cases[] = {
        {{4, 17, 37, 554.4}, 612, {4, 17, 37, 554}},
        {{1.0 / 3, 1.0 / 3, 1.0 / 3, 0}, 100, {34, 33, 33, 0}},
        {{0.5, 0.5, 0.5, 0.5}, 2, {1, 1, 0, 0}},
        {{0, 0, 0, 0}, 100, {0, 0, 0, 0}},
        {{0.04, 0, 0, 99.96}, 100, {0, 0, 0, 100}},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        int64_t out[4];
        phases_apportion(cases[i].parts, 4, cases[i].whole, out);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(out[k], cases[i].expected[k]);
    }
    uint64_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        double parts[PHASES_MAX], sum = 0;
        int64_t out[PHASES_MAX], total = 0;
        for (int k = 0; k < PHASES_MAX; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            parts[k] = (double)(seed >> 40) / 1000;
            sum += parts[k];
        }
        int64_t whole = llround(sum);
        phases_apportion(parts, PHASES_MAX, whole, out);
        for (int k = 0; k < PHASES_MAX; k++) {
            assert_true(fabs((double)out[k] - parts[k] / sum * (double)whole) < 1);
            total += out[k];
        }
        assert_int_equal(total, whole);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_sum_to_the_whole),
        cmocka_unit_test(a_reused_connection_shows_no_set_up),
        cmocka_unit_test(nothing_known_gives_no_parts),
        cmocka_unit_test(rounded_parts_sum_to_the_rounded_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
