#include "base/mem.h"
#include "sim/virtual_inside.h"

static void send_parcel(struct flight *f)
{
    struct world *w = f->world;
    struct parcel *p = mem_zalloc(sizeof(*p));
    sim_stamp(&f->step, w->now);
    p->flight = f;
    p->step = f->step;
    if (f->step.len)
        p->step.bytes = mem_dup(f->step.bytes, f->step.len);
    f->refs++;
    agenda_add(&w->agenda, w->now + w->network.rtt_ns - w->network.rtt_ns / 2, false,
               virtual_client_arrival, p);
}

static void do_step(void *arg, bool dropped);

static void plan_step(struct flight *f)
{
    sim_script_next(&f->script, &f->step);
    flight_plan(f, f->world->now + f->step.delay_ns, false, do_step);
}

/* The slot, or the place in the queue, goes to whoever waits. */
static void leave(struct flight *f)
{
    struct flight *next = (struct flight *)sim_queue_leave(&f->world->queue, &f->ticket);
    if (next)
        plan_step(next);
}

static void do_step(void *arg, bool dropped)
{
    struct flight *f = arg;
    if (!dropped && !f->gone) {
        bool last = sim_op_is_last(f->step.op);
        send_parcel(f);
        if (last)
            leave(f);
        else
            plan_step(f);
    }
    flight_release(f);
}

static struct str path_of(const struct url *u)
{
    return u->path.len ? u->path : STR("/");
}

void virtual_server_request(void *arg, bool dropped)
{
    struct flight *f = arg;
    struct world *w = f->world;
    if (!dropped && !f->gone) {
        struct str method = f->request.method.len ? f->request.method : STR("POST");
        const struct sim_request request = {method, path_of(&f->url), f->request.body};
        sim_script_start(&f->script, &w->profile, &request, w->serial);
        f->serving = true;
        w->serial += f->script.is_chat;
        if (!f->script.needs_slot || sim_queue_enter(&w->queue, &f->ticket))
            plan_step(f);
    }
    flight_release(f);
}

void virtual_server_gone(void *arg, bool dropped)
{
    struct flight *f = arg;
    f->gone = true;
    if (!dropped)
        leave(f);
    flight_release(f);
}
