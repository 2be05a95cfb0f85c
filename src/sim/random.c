#include "sim/random.h"

#include <math.h>

#include "base/splitmix.h"

uint64_t sim_random_next(struct sim_random *r)
{
    return splitmix_next(&r->state);
}

struct sim_random sim_random_of(uint64_t seed, uint64_t serial, uint64_t stream)
{
    struct sim_random r = {seed};
    r.state = sim_random_next(&r) ^ serial;
    r.state = sim_random_next(&r) ^ stream;
    r.state = sim_random_next(&r);
    return r;
}

double sim_random_unit(struct sim_random *r)
{
    return (double)(sim_random_next(r) >> 11) * 0x1p-53;
}

/* The bias of the remainder is end/2^64: of no account for the small ends used here. */
uint64_t sim_random_below(struct sim_random *r, uint64_t end)
{
    return sim_random_next(r) % end;
}

/* Box–Muller; exp(σz − σ²/2) has mean 1 and variance exp(σ²) − 1, which is cv². */
int64_t sim_random_duration(struct sim_random *r, int64_t mean_ns, double cv)
{
    if (cv <= 0 || mean_ns <= 0)
        return mean_ns;
    double u = 1 - sim_random_unit(r), v = sim_random_unit(r);
    double z = sqrt(-2 * log(u)) * cos(2 * M_PI * v);
    double variance = log1p(cv * cv);
    double ns = (double)mean_ns * exp(sqrt(variance) * z - variance / 2);
    return ns < 0x1p62 ? (int64_t)llround(ns) : INT64_MAX / 2;
}
