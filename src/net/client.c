#include "net/client.h"

#include <stddef.h>

#include "net/client_inside.h"

enum { IDLE_MAX = 1024, DIALS_A_TURN = 16 };

static void dial_next_turn(struct loop_timer *t);

struct client *client_new(struct loop *l, const struct client_options *options, struct err *err)
{
    struct tls_options tls = {options->insecure, options->ca_file};
    struct tls_context *context = tls_context_new(&tls, err);
    if (!context)
        return NULL;
    struct dialer *dialer = dialer_new(l, err);
    if (!dialer) {
        tls_context_free(context);
        return NULL;
    }
    struct client *c = mem_zalloc(sizeof(*c));
    c->loop = l;
    c->dialer = dialer;
    c->user_agent = mem_strdup(options->user_agent ? options->user_agent : "weir/" WEIR_VERSION);
    pool_init(&c->pool, options->idle_max ? options->idle_max : IDLE_MAX);
    c->dial_timer.fire = dial_next_turn;
    c->shared.loop = l;
    c->shared.tls = context;
    stamper_init(&c->shared.stamper);
    return c;
}

void client_free(struct client *c)
{
    if (!c)
        return;
    while (c->attempts) {
        attempt_end(c->attempts, END_ABORTED, clock_now());
        attempt_finish(c->attempts);
    }
    loop_timer_stop(&c->dial_timer);
    pool_done(&c->pool);
    dialer_free(c->dialer);
    tls_context_free(c->shared.tls);
    stamper_done(&c->shared.stamper);
    mem_free(c->user_agent);
    mem_free(c);
}

void attempt_begin(struct attempt *a)
{
    struct record *r = &a->record;
    r->start = clock_now();
    r->due = a->request.due == NEVER ? r->start : a->request.due;
}

static void init_record(struct attempt *a)
{
    struct record *r = &a->record;
    record_init(r);
    r->number = a->request.number;
    r->attempt = 1;
    r->warmup = a->request.warmup;
    r->wall_start = clock_wall();
    attempt_begin(a);
    observe_start(&a->observe, r, &a->request.observe);
}

/*
 * Who asks for a thousand connections in one go gets so many in each turn of the loop: it stays
 * responsive, and libcurl's 12 KiB for each dial are needed by those under way only. A request
 * starts when its dial does.
 */

static void dial_next_turn(struct loop_timer *t)
{
    struct client *c = (struct client *)((char *)t - offsetof(struct client, dial_timer));
    c->dials_this_turn = 0;
    for (struct attempt *a; c->dials_this_turn < DIALS_A_TURN && (a = c->dials_first);) {
        attempt_leave_dials(a);
        if (!a->record.resent)
            attempt_begin(a);
        attempt_want_dial(a);
    }
}

static void join_dials(struct attempt *a)
{
    struct client *c = a->client;
    a->state = ATTEMPT_WAITING;
    a->dials_before = c->dials_last;
    *(c->dials_last ? &c->dials_last->dials_after : &c->dials_first) = a;
    c->dials_last = a;
}

void attempt_leave_dials(struct attempt *a)
{
    struct client *c = a->client;
    if (c->dials_first != a && !a->dials_before)
        return;
    *(a->dials_before ? &a->dials_before->dials_after : &c->dials_first) = a->dials_after;
    *(a->dials_after ? &a->dials_after->dials_before : &c->dials_last) = a->dials_before;
    a->dials_before = a->dials_after = NULL;
}

void attempt_want_dial(struct attempt *a)
{
    struct client *c = a->client;
    if (!c->dial_timer.loop)
        loop_timer_start(c->loop, &c->dial_timer, clock_now());
    if (c->dials_this_turn >= DIALS_A_TURN) {
        join_dials(a);
        return;
    }
    c->dials_this_turn++;
    attempt_dial(a);
}

uint64_t client_send(struct client *c, const struct request *request, request_done_fn *done,
                     void *arg)
{
    struct attempt *a = mem_zalloc(sizeof(*a));
    a->client = c;
    a->id = ++c->next_id;
    a->request = *request;
    a->done = done;
    a->arg = arg;
    a->last_byte = NEVER;
    a->timer.fire = attempt_timer_fires;
    a->next = c->attempts;
    if (a->next)
        a->next->prev = a;
    c->attempts = a;
    c->in_flight++;
    init_record(a);
    attempt_start(a);
    return a->id;
}

void client_abort(struct client *c, uint64_t id)
{
    for (struct attempt *a = c->attempts; a; a = a->next)
        if (a->id == id)
            attempt_end(a, END_ABORTED, clock_now());
}

void client_abort_all(struct client *c)
{
    for (struct attempt *a = c->attempts; a; a = a->next)
        attempt_end(a, END_ABORTED, clock_now());
}

size_t client_in_flight(const struct client *c)
{
    return c->in_flight;
}

const struct client_facts *client_facts(struct client *c)
{
    c->facts.offset = c->shared.stamper.offset;
    c->facts.reads = c->shared.stamper.reads;
    return &c->facts;
}
