#ifndef WEIR_BASE_SPLITMIX_H
#define WEIR_BASE_SPLITMIX_H

#include <stdint.h>

/*
 * splitmix64 (Steele, Lea, Flood 2014): small repeatable random numbers, the same on every machine.
 * One step is a bijection of the state. Not for secrets.
 */
static inline uint64_t splitmix_next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

#endif
