#include "net/client.h"

#include <assert.h>

#include "net/client_inside.h"

#define LATE_NS ((int64_t)1000000) /* a request that leaves so long after it was due is late */
enum { IDLE_MAX = 1024 };

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
    pool_done(&c->pool);
    dialer_free(c->dialer);
    tls_context_free(c->shared.tls);
    stamper_done(&c->shared.stamper);
    mem_free(c->user_agent);
    mem_free(c);
}

static void begin_record(struct attempt *a)
{
    struct record *r = &a->record;
    const struct request *q = &a->request;
    record_init(r);
    r->number = q->number;
    r->attempt = 1;
    r->warmup = q->warmup;
    r->wall_start = clock_wall();
    r->start = clock_now();
    r->due = q->due == NEVER ? r->start : q->due;
    if (r->start - r->due > LATE_NS)
        a->client->facts.late_sends++;
    observe_start(&a->observe, r, &q->observe);
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
    begin_record(a);
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
