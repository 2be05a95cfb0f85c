#ifndef WEIR_NET_SERVER_INSIDE_H
#define WEIR_NET_SERVER_INSIDE_H

#include "net/server.h"
#include "net/server_socket.h"

/*
 * What the parts of net/server share: server.c listens and accepts, server_connection.c reads
 * requests and closes, server_exchange.c answers.
 */

enum { SERVER_READ_BYTES = 64 << 10 };

struct exchange; /* a connection: it has one exchange at a time */

struct server {
    struct loop *loop;
    struct server_handler handler;
    struct server_options options; /* with defaults filled in */
    SSL_CTX *tls;                  /* or NULL */
    struct loop_watch listener;
    struct loop_timer retry; /* accept again, after descriptors ran out */
    bool full;               /* connections_max reached, or out of descriptors: not accepting */
    struct exchange *connections;
    size_t connection_count;
    struct buf compose;            /* one write under assembly */
    char input[SERVER_READ_BYTES]; /* one read */
};

enum connection_state {
    CONNECTION_HANDSHAKE,
    CONNECTION_IDLE,    /* no byte of the next request yet */
    CONNECTION_REQUEST, /* head or body is coming */
    CONNECTION_ANSWER,  /* with the handler */
    CONNECTION_FLUSH,   /* answered; bytes are still queued */
    CONNECTION_LINGER,  /* FIN sent; input is read and dropped, so that no RST overtakes the answer
                         */
};

struct exchange {
    struct server *server;
    struct exchange *next, *previous;
    struct server_socket socket;
    struct loop_watch watch;
    struct loop_timer deadline;
    struct loop_timer soon; /* goes on outside the handler's calls */
    enum connection_state state;
    unsigned busy;  /* our own calls on the stack: memory stays until they return */
    bool dead;      /* closed, waiting for busy to fall */
    bool broken;    /* a write failed: the hang-up follows from the loop */
    bool closing;   /* no further request */
    bool cut;       /* ended on purpose without its end */
    bool in_body;   /* of the request */
    bool chunked;   /* the answer is */
    bool bodiless;  /* the answer to HEAD */
    size_t dropped; /* input bytes dropped while lingering */
    struct http1_head head;
    struct http1_body body;
    struct buf body_bytes;
    struct buf ahead; /* input behind the request under way */
    struct buf out;   /* unsent bytes, from out_at on */
    size_t out_at;
    void *data;
};

/* A connection has gone. */
void server_room(struct server *s);

/* Takes over an accepted descriptor. */
void connection_new(struct server *s, int fd);
/* Closes now; in ANSWER the handler's hangup is called first. */
void connection_hang_up(struct exchange *x);
void connection_close(struct exchange *x, bool reset);
/* The answer is complete, or cut: goes on when the queue is empty. */
void connection_answered(struct exchange *x);
/* Watches for what the state wants. */
void connection_rewatch(struct exchange *x);
void connection_go_on_soon(struct exchange *x);

/* Sends or queues; never calls the handler. */
void exchange_send(struct exchange *x, struct str bytes);
enum socket_step exchange_flush(struct exchange *x);
/* weir's own answer to a request it does not pass on; the connection ends after it. */
void exchange_refuse(struct exchange *x, int status, const char *code, enum text_id message);

#endif
