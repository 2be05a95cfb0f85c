#ifndef WEIR_NET_LIVE_H
#define WEIR_NET_LIVE_H

#include "net/client.h"
#include "net/driver.h"

/* The driver of the real world: a loop and a client. */
MUST_USE struct driver *live_driver_new(const struct client_options *options, struct err *err);

const struct client_facts *live_driver_facts(struct driver *d);
struct loop *live_driver_loop(struct driver *d);

#endif
