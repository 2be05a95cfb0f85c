#ifndef WEIR_NET_CLIENT_INSIDE_H
#define WEIR_NET_CLIENT_INSIDE_H

#include "base/mem.h"
#include "net/client.h"
#include "net/conn.h"
#include "net/dial.h"
#include "net/pool.h"
#include "wire/http1.h"
#include "wire/url.h"

/* What the files of net/client share: client.c (all requests), client_attempt.c (the life of one),
 * client_head.c (what is sent), client_response.c (what comes back), client_timeout.c. */

enum attempt_state {
    ATTEMPT_WAITING, /* for its turn to dial */
    ATTEMPT_DIALING,
    ATTEMPT_SECURING, /* TLS handshake */
    ATTEMPT_OPEN,     /* request on its way, or answered */
    ATTEMPT_OVER,     /* `how` is known; the record leaves from the loop */
};

/* One attempt of one request. What every read touches stands first, close together. */
struct attempt {
    struct client *client;
    struct conn *conn;
    enum attempt_state state;
    bool in_body;  /* the final head came */
    bool any_byte; /* some byte of an answer came */
    bool any_output;
    bool body_whole;  /* as framed */
    bool answer_over; /* terminator came: the rest is only waited for to keep the connection */
    bool surplus;     /* bytes behind the answer: the connection is not kept */
    bool keep_alive;
    bool redial;       /* a reused connection had died: sent again on a fresh one at settle */
    int informational; /* 1xx heads so far */
    int64_t last_byte; /* NEVER */
    struct http1_body body;
    struct record record;
    struct observe observe;

    struct attempt *prev, *next;
    struct attempt *dials_before, *dials_after; /* while WAITING */
    uint64_t id;
    struct request request; /* views borrowed from the asker */
    request_done_fn *done;
    void *arg;
    struct loop_timer timer; /* the nearest deadline, or the delivery */
    struct url url;
    struct dial *dial;
    struct buf out; /* what is still to be sent, wiped and freed once it was */
    size_t out_sent;
    struct http1_head head;
    struct stamp head_stamp; /* of the first byte of the head under way */
    int64_t drain_until;     /* once answer_over */
    enum transport_end how;
    int64_t ended_at;
};

struct client {
    struct loop *loop;
    char *user_agent;
    struct dialer *dialer;
    struct pool pool;
    struct attempt *attempts; /* newest first */
    size_t in_flight;
    uint64_t next_id;
    struct attempt *dials_first, *dials_last; /* wait for the next turn of the loop */
    struct loop_timer dial_timer;             /* the next turn */
    int dials_this_turn;
    struct client_facts facts;
    struct conn_shared shared;
};

/* client.c */
void attempt_begin(struct attempt *a); /* stamps the start: now */
/* Dials now, or at one of the loop's next turns if many want to. */
void attempt_want_dial(struct attempt *a);
void attempt_leave_dials(struct attempt *a); /* no-op if it does not wait */

/* client_head.c */
/* False: a header cannot be sent; its name is in `*bad`. */
MUST_USE bool attempt_write_head(struct attempt *a, struct str *bad);
void attempt_wipe_out(struct attempt *a);
void origin_add(struct buf *out, const struct url *url);

/* client_attempt.c */
void attempt_start(struct attempt *a);
void attempt_dial(struct attempt *a);
/* The end is known: the record leaves at the next settle or turn of the loop. The first counts. */
void attempt_end(struct attempt *a, enum transport_end how, int64_t at);
void attempt_end_because(struct attempt *a, enum transport_end how, enum text_id why,
                         const char *arg);
/* Closes or keeps the connection, delivers the record and frees `a`. */
void attempt_finish(struct attempt *a);
/* After anything happened, when no callback of the connection is under way: finishes what is over,
 * dials again what must be. Returns whether `a` is gone. */
bool attempt_settle(struct attempt *a);

/* client_response.c */
void attempt_take(struct attempt *a, const char *bytes, size_t len, const struct stamp *stamp);
void attempt_take_end(struct attempt *a, bool in_order);

/* client_timeout.c */
void attempt_arm(struct attempt *a); /* after any change that may bring a nearer deadline */
void attempt_timer_fires(struct loop_timer *t);

#endif
