#ifndef WEIR_SIM_VIRTUAL_INSIDE_H
#define WEIR_SIM_VIRTUAL_INSIDE_H

#include "sim/agenda.h"
#include "sim/queue.h"
#include "sim/virtual.h"
#include "wire/url.h"

/* What the parts of the virtual world share: virtual.c (the driver), virtual_client.c (a request as
 * net/client would see it), virtual_server.c (the server at the other end). */

struct world {
    struct driver base; /* first */
    struct sim_profile profile;
    struct virtual_network network;
    struct agenda agenda;
    struct sim_queue queue;
    uint64_t serial;
    int64_t now;
    struct flight *flights; /* oldest first: in flight */
    struct flight **flights_end;
    size_t in_flight, appointments;
    size_t idle_connections[2]; /* plain, secure */
    bool stopping;
};

/* One request, at both ends of the wire. */
struct flight {
    struct sim_ticket ticket; /* first: the queue gives tickets back */
    struct world *world;
    struct flight *next, **at; /* in world's list while not over */
    unsigned refs;             /* items of the agenda, and one while it is in flight */

    /* the client's end */
    struct request request;
    request_done_fn *done;
    void *arg;
    struct url url;
    bool secure, over, open, answer_over, whole;
    int64_t last_byte, drain_until;
    int64_t watched; /* the instant its nearest deadline item is at; INT64_MAX: none */
    struct record record;
    struct observe observe;

    /* the server's end */
    bool serving; /* the script was started */
    bool gone;    /* the client gave up, and the server knows */
    struct sim_script script;
    struct sim_step step; /* the next */
};

/* An item of the agenda that holds the flight. */
void flight_plan(struct flight *f, int64_t due, bool deadline,
                 void (*happen)(void *arg, bool dropped));
void flight_release(struct flight *f);

/* The request has arrived; or the news that the client is gone. `happen`s of the agenda. */
void virtual_server_request(void *arg, bool dropped);
void virtual_server_gone(void *arg, bool dropped);

void virtual_client_send(struct world *w, const struct request *request, request_done_fn *done,
                         void *arg);
void virtual_client_abort_all(struct world *w);

/* Bytes on their way to the client. */
struct parcel {
    struct flight *flight;
    struct sim_step step; /* its bytes are owned by the parcel */
};
void virtual_client_arrival(void *arg, bool dropped); /* of a parcel, which it frees */

#endif
