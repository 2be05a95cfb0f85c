#ifndef WEIR_SIM_RANDOM_H
#define WEIR_SIM_RANDOM_H

#include <stdint.h>

/*
 * Small repeatable random numbers (base/splitmix.h). Not for secrets. The same seed, serial number
 * and stream give the same numbers on every machine.
 */
struct sim_random {
    uint64_t state;
};

struct sim_random sim_random_of(uint64_t seed, uint64_t serial, uint64_t stream);
uint64_t sim_random_next(struct sim_random *r);
double sim_random_unit(struct sim_random *r);                  /* [0, 1) */
uint64_t sim_random_below(struct sim_random *r, uint64_t end); /* 0 … end - 1; end > 0 */

/* A duration around `mean_ns`, log-normal with this coefficient of variation; 0: the mean itself.
 */
int64_t sim_random_duration(struct sim_random *r, int64_t mean_ns, double cv);

#endif
