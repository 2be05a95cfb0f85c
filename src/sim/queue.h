#ifndef WEIR_SIM_QUEUE_H
#define WEIR_SIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A server's slots: so many answers at a time, the others wait in order of coming. Pure; shared by
 * sim/endpoint and sim/virtual. Tickets are embedded in their owners; zeroed: outside.
 */
struct sim_ticket {
    enum { SIM_TICKET_OUT, SIM_TICKET_WAITING, SIM_TICKET_RUNNING } state;
    struct sim_ticket *next, *previous; /* while waiting */
};

struct sim_queue {
    int64_t slots; /* 0: no limit */
    int64_t running;
    size_t waiting;
    struct sim_ticket *first, *last; /* waiting */
};

/* True: a slot was free and is taken. False: the ticket waits. */
bool sim_queue_enter(struct sim_queue *q, struct sim_ticket *t);
/* Gives the slot or the place in the queue up; a ticket that is outside stays so. Returns the
 * ticket that was given the slot, now running, or NULL. */
struct sim_ticket *sim_queue_leave(struct sim_queue *q, struct sim_ticket *t);

#endif
