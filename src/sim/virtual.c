#include "sim/virtual.h"

#include "base/mem.h"
#include "sim/virtual_inside.h"

static struct world *world_of(struct driver *d)
{
    return (struct world *)d;
}

struct appointment {
    struct world *world;
    void (*fire)(void *arg);
    void *arg;
};

static void keep_appointment(void *arg, bool dropped)
{
    struct appointment p = *(struct appointment *)arg;
    mem_free(arg);
    p.world->appointments--;
    if (!dropped && !p.world->stopping)
        p.fire(p.arg);
}

static void virtual_at(struct driver *d, int64_t due, void (*fire)(void *arg), void *arg)
{
    struct world *w = world_of(d);
    struct appointment *p = mem_alloc(sizeof(*p));
    *p = (struct appointment){w, fire, arg};
    w->appointments++;
    agenda_add(&w->agenda, due > w->now ? due : w->now, false, keep_appointment, p);
}

static int64_t virtual_now(struct driver *d)
{
    return world_of(d)->now;
}

static void virtual_send(struct driver *d, const struct request *request, request_done_fn *done,
                         void *arg)
{
    virtual_client_send(world_of(d), request, done, arg);
}

static void virtual_run(struct driver *d)
{
    struct world *w = world_of(d);
    struct agenda_item item;
    while (!w->stopping && (w->in_flight || w->appointments) && agenda_next(&w->agenda, &item)) {
        w->now = item.due;
        item.happen(item.arg, false);
    }
    if (w->stopping) {
        virtual_client_abort_all(w);
        agenda_done(&w->agenda); /* appointments are not kept, and the server starts afresh */
        w->queue = (struct sim_queue){.slots = w->profile.slots};
    }
    w->stopping = false;
}

static void virtual_stop(struct driver *d)
{
    world_of(d)->stopping = true;
}

static void virtual_free(struct driver *d)
{
    struct world *w = world_of(d);
    virtual_client_abort_all(w);
    agenda_done(&w->agenda);
    mem_free(w);
}

struct driver *virtual_driver_new(const struct sim_profile *profile,
                                  const struct virtual_network *network)
{
    static const struct driver_ops ops = {
        .now = virtual_now,
        .send = virtual_send,
        .at = virtual_at,
        .run = virtual_run,
        .stop = virtual_stop,
        .free = virtual_free,
        .name = "virtual",
    };
    struct world *w = mem_zalloc(sizeof(*w));
    w->base.ops = &ops;
    w->profile = *profile;
    if (network)
        w->network = *network;
    w->queue.slots = profile->slots;
    w->now = VIRTUAL_START_NS;
    w->flights_end = &w->flights;
    return &w->base;
}
