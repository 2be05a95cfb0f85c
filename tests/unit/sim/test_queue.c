#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "sim/queue.h"

enum { PEOPLE = 5 };

/* Plays "e0" (ticket 0 enters) and "l0" (leaves) and writes down who runs, then who waits. */
static void test_fifo(void **state)
{
    (void)state;
    static const struct {
        int64_t slots;
        const char *moves, *expect; /* given: tickets that got a slot by another's leaving */
    } rows[] = {
        {0, "e0e1e2e3e4", "run 5 wait 0 given "},
        {1, "e0", "run 1 wait 0 given "},
        {1, "e0e1e2", "run 1 wait 2 given "},
        {1, "e0e1e2l0", "run 1 wait 1 given 1"},
        {1, "e0e1e2l0l1l2", "run 0 wait 0 given 12"},
        {1, "e0e1e2l1l0", "run 1 wait 0 given 2"},
        {1, "e0e1e2e3l2l0l1", "run 1 wait 0 given 13"},
        {1, "e0e1e2e3l3l1l0", "run 1 wait 0 given 2"},
        {2, "e0e1e2e3e4l1l0", "run 2 wait 1 given 23"},
        {2, "e0e1e2l0l0l2e0", "run 2 wait 0 given 2"},
        {1, "e0e1l1l1e1l0", "run 1 wait 0 given 1"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sim_queue q = {.slots = rows[i].slots};
        struct sim_ticket tickets[PEOPLE] = {0};
        char given[16] = "", got[64];
        for (const char *m = rows[i].moves; *m; m += 2) {
            struct sim_ticket *t = &tickets[m[1] - '0'], *next = NULL;
            if (m[0] == 'e')
                sim_queue_enter(&q, t);
            else
                next = sim_queue_leave(&q, t);
            if (next)
                given[strlen(given)] = (char)('0' + (next - tickets));
        }
        snprintf(got, sizeof(got), "run %d wait %d given %s", (int)q.running, (int)q.waiting,
                 given);
        assert_string_equal(got, rows[i].expect);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fifo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
