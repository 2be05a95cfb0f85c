#ifndef WEIR_NET_DRIVER_H
#define WEIR_NET_DRIVER_H

#include "net/request.h"

/*
 * What a study asks of the world. Two worlds: net/live (loop and client) and sim/virtual (an event
 * queue that plays scripts in virtual time). A study written on this interface runs on both.
 * All callbacks come from driver_run, on its thread, never from within driver_send or driver_at.
 */
struct driver;

struct driver_ops {
    int64_t (*now)(struct driver *d);
    void (*send)(struct driver *d, const struct request *request, request_done_fn *done, void *arg);
    /* One-shot timer at an absolute instant. */
    void (*at)(struct driver *d, int64_t due, void (*fire)(void *arg), void *arg);
    /* Until nothing is in flight and no timer runs, or driver_stop. */
    void (*run)(struct driver *d);
    /* run returns soon; requests in flight are aborted first (records delivered). */
    void (*stop)(struct driver *d);
    void (*free)(struct driver *d);
    const char *name; /* "live", "virtual" */
};

/* First member of each driver. */
struct driver {
    const struct driver_ops *ops;
};

static inline int64_t driver_now(struct driver *d)
{
    return d->ops->now(d);
}
static inline void driver_send(struct driver *d, const struct request *request,
                               request_done_fn *done, void *arg)
{
    d->ops->send(d, request, done, arg);
}
static inline void driver_at(struct driver *d, int64_t due, void (*fire)(void *arg), void *arg)
{
    d->ops->at(d, due, fire, arg);
}
static inline void driver_run(struct driver *d)
{
    d->ops->run(d);
}
static inline void driver_stop(struct driver *d)
{
    d->ops->stop(d);
}
static inline void driver_free(struct driver *d)
{
    if (d)
        d->ops->free(d);
}

#endif
