#include "sim/queue.h"

#include <assert.h>

static void append(struct sim_queue *q, struct sim_ticket *t)
{
    t->state = SIM_TICKET_WAITING;
    t->next = NULL;
    t->previous = q->last;
    *(q->last ? &q->last->next : &q->first) = t;
    q->last = t;
    q->waiting++;
}

static void take_out(struct sim_queue *q, struct sim_ticket *t)
{
    *(t->previous ? &t->previous->next : &q->first) = t->next;
    *(t->next ? &t->next->previous : &q->last) = t->previous;
    t->next = t->previous = NULL;
    t->state = SIM_TICKET_OUT;
    q->waiting--;
}

bool sim_queue_enter(struct sim_queue *q, struct sim_ticket *t)
{
    assert(t->state == SIM_TICKET_OUT);
    if (q->slots > 0 && q->running >= q->slots) {
        append(q, t);
        return false;
    }
    t->state = SIM_TICKET_RUNNING;
    q->running++;
    return true;
}

struct sim_ticket *sim_queue_leave(struct sim_queue *q, struct sim_ticket *t)
{
    if (t->state == SIM_TICKET_WAITING)
        take_out(q, t);
    if (t->state != SIM_TICKET_RUNNING)
        return NULL;
    t->state = SIM_TICKET_OUT;
    q->running--;
    struct sim_ticket *next = q->first;
    if (!next)
        return NULL;
    take_out(q, next);
    next->state = SIM_TICKET_RUNNING;
    q->running++;
    return next;
}
