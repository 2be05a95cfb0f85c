#include "net/live.h"

#include <assert.h>
#include <stddef.h>

#include "base/mem.h"

/* A timer of driver_at. */
struct appointment {
    struct loop_timer timer; /* first */
    struct live *live;
    struct appointment *prev, *next;
    void (*fire)(void *arg);
    void *arg;
};

/* A request under way: who asked for it. */
struct errand {
    struct live *live;
    request_done_fn *done;
    void *arg;
};

struct live {
    struct driver base; /* first */
    struct loop *loop;
    struct client *client;
    struct appointment *appointments;
    struct loop_timer stop_timer;
    bool stopping, running;
};

static bool nothing_left(const struct live *v)
{
    return client_in_flight(v->client) == 0 && (v->stopping || !v->appointments);
}

static void stop_if_done(struct live *v)
{
    if (v->running && nothing_left(v))
        loop_stop(v->loop);
}

/* Requests. */

static void errand_done(void *arg, struct record *record)
{
    struct errand e = *(struct errand *)arg;
    mem_free(arg);
    e.done(e.arg, record);
    stop_if_done(e.live);
}

static void stop_all(struct loop_timer *t)
{
    struct live *v = (struct live *)((char *)t - offsetof(struct live, stop_timer));
    client_abort_all(v->client);
    stop_if_done(v);
}

static void live_send(struct driver *d, const struct request *request, request_done_fn *done,
                      void *arg)
{
    struct live *v = (struct live *)d;
    struct errand *e = mem_zalloc(sizeof(*e));
    *e = (struct errand){v, done, arg};
    client_send(v->client, request, errand_done, e);
    if (v->stopping) /* nothing starts any more: it is aborted like the others */
        loop_timer_start(v->loop, &v->stop_timer, clock_now());
}

/* Timers. */

static void appointment_free(struct appointment *p)
{
    *(p->prev ? &p->prev->next : &p->live->appointments) = p->next;
    if (p->next)
        p->next->prev = p->prev;
    loop_timer_stop(&p->timer);
    mem_free(p);
}

static void appointment_fires(struct loop_timer *t)
{
    struct appointment p = *(struct appointment *)t;
    appointment_free((struct appointment *)t);
    if (!p.live->stopping)
        p.fire(p.arg);
    stop_if_done(p.live);
}

static void live_at(struct driver *d, int64_t due, void (*fire)(void *arg), void *arg)
{
    struct live *v = (struct live *)d;
    struct appointment *p = mem_zalloc(sizeof(*p));
    *p = (struct appointment){.timer.fire = appointment_fires,
                              .live = v,
                              .next = v->appointments,
                              .fire = fire,
                              .arg = arg};
    if (p->next)
        p->next->prev = p;
    v->appointments = p;
    loop_timer_start(v->loop, &p->timer, due);
}

static void drop_appointments(struct live *v)
{
    while (v->appointments)
        appointment_free(v->appointments);
}

/* Running. */

static int64_t live_now(struct driver *d)
{
    (void)d;
    return clock_now();
}

static void live_run(struct driver *d)
{
    struct live *v = (struct live *)d;
    assert(!v->running);
    v->running = true;
    if (!nothing_left(v))
        loop_run(v->loop);
    if (v->stopping)
        drop_appointments(v);
    loop_timer_stop(&v->stop_timer);
    v->running = v->stopping = false;
}

static void live_stop(struct driver *d)
{
    struct live *v = (struct live *)d;
    v->stopping = true;
    loop_timer_start(v->loop, &v->stop_timer, clock_now());
}

static void live_free(struct driver *d)
{
    struct live *v = (struct live *)d;
    client_free(v->client);
    drop_appointments(v);
    loop_timer_stop(&v->stop_timer);
    loop_free(v->loop);
    mem_free(v);
}

static const struct driver_ops live_ops = {
    .now = live_now,
    .send = live_send,
    .at = live_at,
    .run = live_run,
    .stop = live_stop,
    .free = live_free,
    .name = "live",
};

struct driver *live_driver_new(const struct client_options *options, struct err *err)
{
    struct loop *loop = loop_new(err);
    if (!loop)
        return NULL;
    struct client *client = client_new(loop, options, err);
    if (!client) {
        loop_free(loop);
        return NULL;
    }
    struct live *v = mem_zalloc(sizeof(*v));
    v->base.ops = &live_ops;
    v->loop = loop;
    v->client = client;
    v->stop_timer.fire = stop_all;
    return &v->base;
}

const struct client_facts *live_driver_facts(struct driver *d)
{
    return client_facts(((struct live *)d)->client);
}

struct loop *live_driver_loop(struct driver *d)
{
    return ((struct live *)d)->loop;
}
