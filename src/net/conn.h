#ifndef WEIR_NET_CONN_H
#define WEIR_NET_CONN_H

#include "net/loop.h"
#include "net/stamp.h"
#include "net/tls.h"

/*
 * One open connection to an origin, plain or TLS: one recvmsg per readiness, its bytes handed on
 * with the instant at which they came. It belongs to one owner at a time: a request, or the pool.
 * It knows nothing of HTTP.
 */
struct conn;
struct pool;

/* What the owner hears. None of these may close the connection or change its owner; `settle`,
 * called last each time, may do both. */
struct conn_owner_ops {
    void (*expect)(void *owner); /* before a read: a time to fetch memory from afar */
    void (*opened)(void *owner); /* TLS established */
    void (*bytes)(void *owner, const char *bytes, size_t len, const struct stamp *stamp);
    void (*closed)(void *owner, bool in_order); /* the peer's end; in_order: not cut within TLS */
    void (*failed)(void *owner, const char *detail); /* reset, TLS failure … */
    void (*writable)(void *owner);
    void (*settle)(void *owner);
};

/* What the connections of one client share. */
enum { CONN_IN_BYTES = 64 << 10, CONN_PLAIN_BYTES = 17 << 10 };
struct conn_shared {
    struct loop *loop;
    struct stamper stamper;
    struct tls_context *tls;
    char in[CONN_IN_BYTES];       /* what one recvmsg brings */
    char plain[CONN_PLAIN_BYTES]; /* what one TLS record holds */
};

struct conn {
    struct loop_watch watch; /* first: conn of its watch */
    struct conn_shared *shared;
    const struct conn_owner_ops *ops;
    void *owner;
    struct tls *tls;   /* NULL: plain */
    bool established;  /* TLS is; plain: from the start */
    bool over;         /* closed or failed: was said */
    struct pool *pool; /* while idle */
    struct conn *prev, *next;
    char *origin; /* owned: "https://host:443" */
    char peer[64];
};

/* Takes `fd` over. With TLS the handshake starts at once: `opened` or `failed` follow, later. */
struct conn *conn_new(struct conn_shared *shared, int fd, bool tls, struct str host,
                      struct str origin, const char *peer, const struct conn_owner_ops *ops,
                      void *owner);
void conn_free(struct conn *c);  /* closes; NULL is fine */
void conn_reset(struct conn *c); /* as conn_free, but the peer sees a reset */
void conn_give(struct conn *c, const struct conn_owner_ops *ops, void *owner);

/* Writes what the socket takes now; `*sent` bytes. False: it failed, reading will tell why. If not
 * all was taken, `writable` follows. */
MUST_USE bool conn_write(struct conn *c, const char *bytes, size_t len, size_t *sent);

/* Reads what waits, as readiness would, but does not call `settle`. True if anything came. */
bool conn_poll(struct conn *c);

#endif
