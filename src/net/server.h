#ifndef WEIR_NET_SERVER_H
#define WEIR_NET_SERVER_H

#include "net/loop.h"
#include "wire/http1.h"

/*
 * Our own HTTP/1.1 server on the loop: accept, keep-alive, request bodies, chunked answers, limits,
 * hang-up seen at once. One thread. TLS if a certificate is given. Callers answer an exchange when
 * they like; writes are queued up to a limit and sent as the socket allows.
 */
struct server;
struct exchange; /* one request and its answer; owned by the server */

struct server_handler {
    /* The request is whole (head and body). Views are valid until the exchange ends. */
    void (*request)(void *arg, struct exchange *x);
    /* The client is gone before the answer ended: give up; `x` is freed when this returns. Also
     * called for every open exchange by server_free. Not called after exchange_end or exchange_cut.
     */
    void (*hangup)(void *arg, struct exchange *x);
    void *arg;
};

struct server_options {
    const char *listen;               /* "127.0.0.1:0", "[::1]:8089" */
    const char *cert_file, *key_file; /* PEM; NULL: plain */
    struct http1_limits limits;       /* zeroed: http1_limits_request */
    size_t connections_max;           /* 0: 16,384 */
    int64_t head_timeout;             /* whole request within; 0: 30 s */
    int64_t idle_timeout;             /* keep-alive; 0: 75 s */
    size_t
        queue_bytes_max; /* unsent answer bytes per connection; 0: 8 MiB; beyond it writes fail */
};

MUST_USE struct server *server_new(struct loop *l, const struct server_options *options,
                                   const struct server_handler *handler, struct err *err);
void server_free(struct server *s);
int server_port(const struct server *s); /* the one the kernel chose */
size_t server_connections(const struct server *s);

/* The request. */
const struct http1_head *exchange_head(const struct exchange *x);
struct str exchange_body(const struct exchange *x);
void exchange_set_data(struct exchange *x, void *data); /* the handler's own pointer */
void *exchange_data(const struct exchange *x);

/* The answer. start_chunked: more exchange_write calls follow, then exchange_end. */
struct exchange_field {
    const char *name, *value;
};
void exchange_start_chunked(struct exchange *x, int status, const struct exchange_field *fields,
                            size_t count);
/* The head alone first, at once, without body bytes (llama.cpp's habit). Already what start does.
 */
MUST_USE bool exchange_write(struct exchange *x,
                             struct str bytes); /* one chunk, one write; false: queue full */
void exchange_end(struct exchange *x);          /* last chunk; keep-alive goes on */
void exchange_answer(struct exchange *x, int status, const struct exchange_field *fields,
                     size_t count, struct str body); /* whole, with Content-Length */
/* Raw bytes as they are, without framing: for faults. */
void exchange_write_raw(struct exchange *x, struct str bytes);
/* Closes without the final chunk: FIN after what is queued was sent (unread input is read first, so
 * that FIN does not become RST), or RST at once. */
enum exchange_cut { CUT_FIN, CUT_RESET };
void exchange_cut(struct exchange *x, enum exchange_cut how);

#endif
