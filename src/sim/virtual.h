#ifndef WEIR_SIM_VIRTUAL_H
#define WEIR_SIM_VIRTUAL_H

#include "net/driver.h"
#include "sim/script.h"

/*
 * The driver of the virtual world: plays sim/script in virtual time, through the same observe and
 * the same timeouts' meaning as net/client. An hour takes milliseconds; results are exact and
 * repeatable. There is one server, whatever the URL's host; https costs tls_ns. Virtual time begins
 * at VIRTUAL_START_NS, its wall clock at VIRTUAL_WALL_NS.
 */
#define VIRTUAL_START_NS ((int64_t)1000000000000)
#define VIRTUAL_WALL_NS  ((int64_t)1767225600000000000) /* 2026-01-01T00:00:00Z */

struct virtual_network {
    int64_t dns_ns, connect_ns, tls_ns; /* cost of a fresh connection */
    int64_t rtt_ns;                     /* half each way for request and response bytes */
};

/* Both are copied; the profile's `model` must outlive the driver. `network` may be NULL: no cost.
 */
struct driver *virtual_driver_new(const struct sim_profile *profile,
                                  const struct virtual_network *network);

#endif
