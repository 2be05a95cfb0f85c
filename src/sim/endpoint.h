#ifndef WEIR_SIM_ENDPOINT_H
#define WEIR_SIM_ENDPOINT_H

#include "net/loop.h"
#include "sim/script.h"

/*
 * A simulated model server on real sockets: plays sim/script on net/server. The k-th step is due at
 * the slot's instant plus the sum of the delays up to it: lateness of one write never moves the
 * next. A hang-up frees the slot, or leaves the queue. One thread: the loop's.
 */
struct endpoint;

struct endpoint_options {
    const char *listen;               /* "127.0.0.1:0" */
    bool tls;                         /* https, with a certificate of its own making unless … */
    const char *cert_file, *key_file; /* … these (PEM) are given; they imply tls */
    const char *cert_out;       /* where to write the own certificate; NULL: a temporary file */
    struct sim_profile profile; /* copied; `model` must outlive the endpoint */
};

/* What it has seen, for its last line and for tests. */
struct endpoint_facts {
    int64_t requests, hangups; /* chat completions: begun, abandoned by the client */
    int64_t waiting, running;  /* now */
    int64_t late_max_ns;       /* the latest that a step left after its instant */
};

MUST_USE struct endpoint *endpoint_new(struct loop *l, const struct endpoint_options *options,
                                       struct err *err);
void endpoint_free(struct endpoint *e);
int endpoint_port(const struct endpoint *e);
/* The certificate that clients are to trust (--cacert); NULL if plain. A temporary one is removed
 * by endpoint_free. */
const char *endpoint_cert_file(const struct endpoint *e);
struct endpoint_facts endpoint_facts(const struct endpoint *e);

#endif
