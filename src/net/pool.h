#ifndef WEIR_NET_POOL_H
#define WEIR_NET_POOL_H

#include "net/conn.h"

/*
 * Idle connections, newest first. One that becomes readable or half-closed while idle is dropped
 * (TLS session tickets are swallowed). Reaching the maximum drops the oldest.
 */
struct pool {
    struct conn *newest, *oldest;
    size_t count, max;
};

void pool_init(struct pool *p, size_t max);
void pool_done(struct pool *p);
void pool_add(struct pool *p, struct conn *c); /* takes it over */
/* The newest to that origin that is still whole, or NULL. It is the caller's then. */
struct conn *pool_take(struct pool *p, struct str origin);

#endif
