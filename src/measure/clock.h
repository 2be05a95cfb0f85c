#ifndef WEIR_MEASURE_CLOCK_H
#define WEIR_MEASURE_CLOCK_H

#include <stdint.h>

/*
 * The one place that reads clocks. Instants are int64_t nanoseconds on CLOCK_MONOTONIC; wall time
 * is for labels only.
 */

#define NEVER INT64_MIN /* an instant that did not come, a duration that could not be measured */

static inline int64_t clock_from_ms(double ms)
{
    return (int64_t)(ms * 1e6);
}
static inline double clock_ms(int64_t ns)
{
    return (double)ns / 1e6;
}

int64_t clock_now(void);  /* CLOCK_MONOTONIC */
int64_t clock_wall(void); /* CLOCK_REALTIME, ns since 1970 */

/* Maps CLOCK_REALTIME stamps of the kernel onto CLOCK_MONOTONIC, from bracketed readings. */
struct clock_offset {
    int64_t offset_ns;      /* monotonic = realtime + offset */
    int64_t uncertainty_ns; /* half the narrowest bracket */
    int64_t first_ns;       /* the first offset taken, for drift */
    int64_t taken_at;       /* monotonic; NEVER before the first refresh */
};
void clock_offset_refresh(struct clock_offset *o);
int64_t clock_offset_drift(const struct clock_offset *o); /* offset now - first, ns */

enum clock_kind { CLOCK_KIND_NONE, CLOCK_KIND_KERNEL, CLOCK_KIND_USER, CLOCK_KIND_VIRTUAL };
const char *clock_kind_name(enum clock_kind kind);

#endif
