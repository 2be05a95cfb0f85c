#ifndef WEIR_SIM_AGENDA_H
#define WEIR_SIM_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * What is to happen when, in virtual time. Items come out in order of their instant; at one instant
 * deadlines come last (what arrives just in time is in time), else in order of asking. A zeroed
 * agenda is empty.
 */
struct agenda_item {
    int64_t due;
    uint64_t order;
    bool deadline;
    /* `dropped`: the agenda ends without it: only frees what `arg` owns. */
    void (*happen)(void *arg, bool dropped);
    void *arg;
};

struct agenda {
    VEC(struct agenda_item) heap;
    uint64_t asked;
};

void agenda_add(struct agenda *a, int64_t due, bool deadline,
                void (*happen)(void *arg, bool dropped), void *arg);
/* Takes the next item out. False: none. */
bool agenda_next(struct agenda *a, struct agenda_item *item);
void agenda_done(struct agenda *a); /* drops what is left */

#endif
