#ifndef WEIR_NET_CLIENT_H
#define WEIR_NET_CLIENT_H

#include "net/loop.h"
#include "net/request.h"

/*
 * The measuring HTTP/1.1 client: opens (net/dial), reads with kernel stamps (net/stamp), feeds
 * measure/observe, keeps idle connections per origin. One per loop, same thread. A request always
 * ends in exactly one record, whatever happens.
 */
struct client;

struct client_options {
    bool insecure;       /* -k */
    const char *ca_file; /* --cacert, or NULL for the system's */
    const char *user_agent;
    size_t idle_max; /* idle connections kept per client; 0: 1,024 */
};

MUST_USE struct client *client_new(struct loop *l, const struct client_options *options,
                                   struct err *err);
void client_free(struct client *c); /* aborts what is running: records are delivered as `aborted` */

/*
 * `arg` goes back to `done`, which is called from the loop, never from within client_send. Returns
 * a number for client_abort. Not to be called from a listener within (observe.on_event); aborting
 * is fine anywhere: the record follows at the loop's next turn.
 */
uint64_t client_send(struct client *c, const struct request *request, request_done_fn *done,
                     void *arg);
void client_abort(struct client *c, uint64_t id);
void client_abort_all(struct client *c);
size_t client_in_flight(const struct client *c);

/* What the instrument knows of itself, for the result. */
struct client_facts {
    struct clock_offset offset;
    int64_t reads, dials;
    int64_t late_sends;
};
const struct client_facts *client_facts(struct client *c);

#endif
