#include "measure/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_wall(void)
{
    return read_clock(CLOCK_REALTIME);
}

/* The narrowest of a few brackets: an interrupt between two readings widens one, seldom all. */
void clock_offset_refresh(struct clock_offset *o)
{
    int64_t narrowest = INT64_MAX;
    for (int i = 0; i < 5; i++) {
        int64_t before = clock_now(), wall = clock_wall(), after = clock_now();
        if (after - before < narrowest) {
            narrowest = after - before;
            o->offset_ns = before + (after - before) / 2 - wall;
        }
    }
    o->uncertainty_ns = (narrowest + 1) / 2;
    if (o->taken_at == 0 || o->taken_at == NEVER)
        o->first_ns = o->offset_ns;
    o->taken_at = clock_now();
}

int64_t clock_offset_drift(const struct clock_offset *o)
{
    return o->offset_ns - o->first_ns;
}

const char *clock_kind_name(enum clock_kind kind)
{
    static const char *const names[] = {"none", "kernel", "user", "virtual"};
    return names[kind];
}
