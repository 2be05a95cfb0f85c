#include "sim/endpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "measure/clock.h"
#include "net/selfsigned.h"
#include "net/server.h"
#include "sim/queue.h"

enum { STEPS_PER_TURN = 64 };
static const int64_t full_queue_ns = 5000000; /* a slow reader is asked again after this */

struct endpoint {
    struct loop *loop;
    struct server *server;
    struct sim_profile profile;
    struct sim_queue queue;
    uint64_t serial;
    struct endpoint_facts facts;
    char folder[32];                 /* of temporary files; empty: none */
    char own_cert[512], own_key[64]; /* empty: none */
    const char *cert_file;
};

/* One answer under way. */
struct play {
    struct sim_ticket ticket; /* first: the queue gives tickets back */
    struct endpoint *endpoint;
    struct exchange *exchange;
    struct sim_script script;
    struct sim_step step; /* the next to do */
    struct loop_timer timer;
    int64_t due; /* of `step` */
};

static void play_free(struct play *p)
{
    struct endpoint *e = p->endpoint;
    struct play *next = (struct play *)sim_queue_leave(&e->queue, &p->ticket);
    loop_timer_stop(&p->timer);
    sim_script_done(&p->script);
    mem_free(p);
    /* By its timer: answers that take no time would nest. */
    if (next) {
        next->due = clock_now() + next->step.delay_ns;
        loop_timer_start(e->loop, &next->timer, next->due);
    }
}

/* Steps. */

static size_t fields_of(const struct sim_step *s, struct exchange_field fields[5])
{
    const struct exchange_field all[] = {
        {"Content-Type", s->content_type}, {"x-request-id", s->request_id},
        {"Retry-After", s->retry_after},   {"Allow", s->allow},
        {"Cache-Control", "no-cache"},
    };
    size_t count = 0;
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (all[i].value)
            fields[count++] = all[i];
    return count;
}

/* False: the client reads too slowly; the step is to be tried again. The exchange is over after a
 * last step. */
static bool do_step(struct play *p)
{
    const struct sim_step *s = &p->step;
    struct exchange_field fields[5];
    switch (s->op) {
    case SIM_HEAD:
        exchange_start_chunked(p->exchange, s->status, fields, fields_of(s, fields));
        return true;
    case SIM_BYTES:
        sim_stamp(s, clock_now());
        return exchange_write(p->exchange, str_make(s->bytes, s->len));
    case SIM_WHOLE:
        exchange_answer(p->exchange, s->status, fields, fields_of(s, fields),
                        str_make(s->bytes, s->len));
        return true;
    case SIM_END:
        exchange_end(p->exchange);
        return true;
    case SIM_CUT:
        exchange_cut(p->exchange, CUT_FIN);
        return true;
    }
    return true;
}

static void note_lateness(struct endpoint *e, int64_t late_ns)
{
    if (late_ns > e->facts.late_max_ns)
        e->facts.late_max_ns = late_ns;
}

/* All that is due by now, in order; then the timer waits for the next. */
static void play_on(struct play *p)
{
    struct loop *l = p->endpoint->loop;
    int64_t now = clock_now();
    for (int i = 0; i < STEPS_PER_TURN && p->due <= now; i++) {
        note_lateness(p->endpoint, now - p->due);
        if (!do_step(p)) {
            loop_timer_start(l, &p->timer, now + full_queue_ns);
            return;
        }
        if (sim_op_is_last(p->step.op)) {
            play_free(p);
            return;
        }
        sim_script_next(&p->script, &p->step);
        p->due += p->step.delay_ns;
        now = clock_now();
    }
    loop_timer_start(l, &p->timer, p->due);
}

static void fire(struct loop_timer *t)
{
    play_on((struct play *)((char *)t - offsetof(struct play, timer)));
}

/* Requests. */

static void on_request(void *arg, struct exchange *x)
{
    struct endpoint *e = arg;
    const struct http1_head *h = exchange_head(x);
    struct play *p = mem_zalloc(sizeof(*p));
    const struct sim_request request = {h->method, h->target, exchange_body(x)};
    p->endpoint = e;
    p->exchange = x;
    p->timer.fire = fire;
    exchange_set_data(x, p);
    sim_script_start(&p->script, &e->profile, &request, e->serial);
    sim_script_next(&p->script, &p->step);
    e->serial += p->script.is_chat;
    p->due = clock_now() + p->step.delay_ns;
    if (!p->script.needs_slot || sim_queue_enter(&e->queue, &p->ticket))
        play_on(p);
}

static void on_hangup(void *arg, struct exchange *x)
{
    struct endpoint *e = arg;
    e->facts.hangups++;
    play_free(exchange_data(x));
}

/* The certificate. */

static bool make_certificate(struct endpoint *e, const char *cert_out, struct err *err)
{
    strcpy(e->folder, "/tmp/weir-sim-XXXXXX");
    if (!mkdtemp(e->folder)) {
        e->folder[0] = '\0';
        return err_set(err, EXIT_WRITE, "cannot_write", TEXT_SERVER_NO_CERTIFICATE, "/tmp",
                       strerror(errno));
    }
    snprintf(e->own_key, sizeof(e->own_key), "%s/key.pem", e->folder);
    if (!cert_out)
        snprintf(e->own_cert, sizeof(e->own_cert), "%s/cert.pem", e->folder);
    return selfsigned_make(cert_out ? cert_out : e->own_cert, e->own_key, err);
}

static void remove_key(struct endpoint *e)
{
    if (e->own_key[0])
        unlink(e->own_key);
    e->own_key[0] = '\0';
}

static void remove_files(struct endpoint *e)
{
    remove_key(e);
    if (e->own_cert[0])
        unlink(e->own_cert);
    if (e->folder[0])
        rmdir(e->folder);
}

static bool start(struct endpoint *e, const struct endpoint_options *o, struct err *err)
{
    const struct server_handler handler = {on_request, on_hangup, e};
    struct server_options options = {.listen = o->listen};
    bool own = o->tls && !o->cert_file;
    if (own && !make_certificate(e, o->cert_out, err))
        return false;
    if (own)
        e->cert_file = o->cert_out ? o->cert_out : e->own_cert;
    else
        e->cert_file = o->cert_file;
    options.cert_file = e->cert_file;
    options.key_file = own ? e->own_key : o->key_file;
    e->server = server_new(e->loop, &options, &handler, err);
    remove_key(e); /* it is in memory now */
    return e->server != NULL;
}

struct endpoint *endpoint_new(struct loop *l, const struct endpoint_options *options,
                              struct err *err)
{
    struct endpoint *e = mem_zalloc(sizeof(*e));
    e->loop = l;
    e->profile = options->profile;
    e->queue.slots = options->profile.slots;
    if (start(e, options, err))
        return e;
    endpoint_free(e);
    return NULL;
}

void endpoint_free(struct endpoint *e)
{
    if (!e)
        return;
    server_free(e->server); /* hangs up what is open, which frees the plays */
    remove_files(e);
    mem_free(e);
}

int endpoint_port(const struct endpoint *e)
{
    return server_port(e->server);
}

const char *endpoint_cert_file(const struct endpoint *e)
{
    return e->cert_file;
}

struct endpoint_facts endpoint_facts(const struct endpoint *e)
{
    struct endpoint_facts f = e->facts;
    f.requests = (int64_t)e->serial;
    f.waiting = (int64_t)e->queue.waiting;
    f.running = e->queue.running;
    return f;
}
