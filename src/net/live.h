#ifndef WEIR_NET_LIVE_H
#define WEIR_NET_LIVE_H

#include "net/client.h"
#include "net/driver.h"

/* The driver of the real world: a loop and a client. */
MUST_USE struct driver *live_driver_new(const struct client_options *options, struct err *err);

/* Registers what runs (on the loop, soon) after live_driver_interrupt, which is safe to call from a
 * signal handler. For Ctrl-C: the study then starts nothing more. */
void live_driver_on_interrupt(struct driver *d, void (*fn)(void *arg), void *arg);
void live_driver_interrupt(struct driver *d);
const struct client_facts *live_driver_facts(struct driver *d);
struct loop *live_driver_loop(struct driver *d);

#endif
