#include "net/pool.h"

#include <assert.h>

static void unlink_conn(struct pool *p, struct conn *c)
{
    *(c->prev ? &c->prev->next : &p->newest) = c->next;
    *(c->next ? &c->next->prev : &p->oldest) = c->prev;
    c->prev = c->next = NULL;
    p->count--;
}

/* The owner of an idle connection is the connection itself, in the pool it remembers. */

static void on_bytes(void *owner, const char *bytes, size_t len, const struct stamp *stamp)
{
    (void)bytes, (void)len, (void)stamp;
    ((struct conn *)owner)->over = true; /* nobody asked */
}

static void on_closed(void *owner, bool in_order)
{
    (void)owner, (void)in_order;
}

static void on_failed(void *owner, const char *detail)
{
    (void)owner, (void)detail;
}

static void on_event(void *owner)
{
    (void)owner;
}

static void on_settle(void *owner)
{
    struct conn *c = owner;
    if (!c->over)
        return;
    unlink_conn(c->pool, c);
    conn_free(c);
}

static const struct conn_owner_ops idle_ops = {
    .expect = on_event,
    .opened = on_event,
    .bytes = on_bytes,
    .closed = on_closed,
    .failed = on_failed,
    .writable = on_event,
    .settle = on_settle,
};

void pool_init(struct pool *p, size_t max)
{
    assert(max > 0);
    *p = (struct pool){.max = max};
}

void pool_done(struct pool *p)
{
    while (p->newest) {
        struct conn *c = p->newest;
        unlink_conn(p, c);
        conn_free(c);
    }
}

void pool_add(struct pool *p, struct conn *c)
{
    if (p->count == p->max) {
        struct conn *oldest = p->oldest;
        unlink_conn(p, oldest);
        conn_free(oldest);
    }
    c->pool = p;
    c->prev = NULL;
    c->next = p->newest;
    *(c->next ? &c->next->prev : &p->oldest) = c;
    p->newest = c;
    p->count++;
    conn_give(c, &idle_ops, c);
}

struct conn *pool_take(struct pool *p, struct str origin)
{
    for (struct conn *c = p->newest, *next; c; c = next) {
        next = c->next;
        if (!str_eq(str_of(c->origin), origin))
            continue;
        conn_poll(c); /* what came since the loop last looked */
        unlink_conn(p, c);
        if (!c->over)
            return c;
        conn_free(c);
    }
    return NULL;
}
