#ifndef WEIR_NET_DIAL_H
#define WEIR_NET_DIAL_H

#include "base/str.h"
#include "net/loop.h"

/*
 * Opens TCP connections: name lookup, happy eyeballs and connect are libcurl's (CONNECT_ONLY); the
 * descriptor is then taken away from it and belongs to the caller. No TLS, no proxy, no reuse, no
 * name cache: every dial looks the name up, since that is a phase that people wait for. One per
 * loop, same thread (libcurl runs lookups in threads of its own).
 */
struct dialer;
struct dial; /* under way; gone once its callback was called or dial_cancel returned */

MUST_USE struct dialer *dialer_new(struct loop *l, struct err *err);
void dialer_free(struct dialer *d); /* no dial may be under way */

struct dial_result {
    int fd; /* connected, non-blocking, TCP_NODELAY, receive stamps on; the callee's. -1: failed */
    bool timed_out;       /* the kernel gave the connect up */
    int64_t dns_done;     /* NEVER if the name did not resolve */
    int64_t connect_done; /* when we saw it; NEVER if it failed */
    char peer[64];        /* address:port; empty if failed */
    char detail[160];     /* why it failed */
};
typedef void dial_done_fn(void *arg, const struct dial_result *result);

/* `done` is called from the loop, never from within dial_start. `host` without brackets. */
struct dial *dial_start(struct dialer *d, struct str host, int port, dial_done_fn *done, void *arg);
int64_t dial_dns_done(const struct dial *dial); /* so far: NEVER while the name is looked up */
void dial_cancel(struct dial *dial);            /* `done` is not called; NULL is fine */

#endif
