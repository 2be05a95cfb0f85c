#ifndef WEIR_NET_REQUEST_H
#define WEIR_NET_REQUEST_H

#include "measure/observe.h"

/*
 * What a study asks to have sent. Plain data; views are borrowed from the asker and must live until
 * the request's record was delivered. Driver-independent: the live driver sends it, the virtual one
 * plays it.
 */

struct request_header {
    struct str name, value;
};

/*
 * Durations in ns; INT64_MAX is off. Output alone feeds `gap`: it runs from the first output until
 * the answer ends, whatever comments come.
 */
struct request_timeouts {
    int64_t connect;      /* start → connection and TLS ready */
    int64_t first_output; /* start → first output, or the headers of a plain answer, or the end of
                             an error's body */
    int64_t gap;          /* between outputs */
    int64_t idle;         /* without any byte, from sent on */
    int64_t total;        /* start → end */
};

struct request {
    uint64_t number;
    bool warmup;
    int64_t due;       /* NEVER: now */
    struct str method; /* empty: POST */
    struct str url;    /* resolved, http or https: see config/target */
    /* Besides Host, Content-Type, Content-Length, Accept, Accept-Encoding and User-Agent. */
    const struct request_header *headers;
    size_t header_count;
    struct str key;  /* sent as Authorization: Bearer; empty: none. Never logged. */
    struct str body; /* JSON */
    bool fresh;      /* open a new connection; else reuse an idle one if there is one */
    struct request_timeouts timeouts;
    struct observe_options observe;
};

/* Called once, when the request is over. The callee takes the record over (moves the struct). */
typedef void request_done_fn(void *arg, struct record *record);

#endif
