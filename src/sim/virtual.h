#ifndef WEIR_SIM_VIRTUAL_H
#define WEIR_SIM_VIRTUAL_H

#include "net/driver.h"
#include "sim/script.h"

/*
 * The driver of the virtual world: plays sim/script in virtual time, through the same observe and
 * the same timeouts' meaning as net/client. An hour takes milliseconds; results are exact and
 * repeatable.
 */
struct virtual_network {
    int64_t dns_ns, connect_ns, tls_ns; /* cost of a fresh connection */
    int64_t rtt_ns;                     /* half each way for request and response bytes */
};

struct driver *virtual_driver_new(const struct sim_profile *profile,
                                  const struct virtual_network *network);

#endif
