#ifndef WEIR_NET_CONTROL_H
#define WEIR_NET_CONTROL_H

#include "net/request.h"

/*
 * One small GET that is not measured (a list of models): by libcurl, blocking, no redirects, no
 * proxy, http and https only. A status is an answer, whatever it says.
 */
struct control_get {
    const char *url;
    struct str key; /* Authorization: Bearer; empty: none */
    const struct request_header *headers;
    size_t header_count;
    bool insecure;
    const char *ca_file; /* or NULL */
    int64_t connect_ns, total_ns;
    size_t body_max;
};

/* False: no answer (`detail` says why in libcurl's words), or a body over body_max. */
MUST_USE bool control_get(const struct control_get *get, int *status, struct buf *body,
                          char detail[256]);

#endif
