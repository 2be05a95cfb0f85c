#include <assert.h>

#include "base/mem.h"
#include "net/deadline.h"
#include "sim/virtual_inside.h"

/* Flights. */

void flight_plan(struct flight *f, int64_t due, bool deadline,
                 void (*happen)(void *arg, bool dropped))
{
    f->refs++;
    agenda_add(&f->world->agenda, due, deadline, happen, f);
}

void flight_release(struct flight *f)
{
    if (--f->refs)
        return;
    assert(f->over);
    if (f->serving)
        sim_script_done(&f->script);
    mem_free(f);
}

static void link_flight(struct world *w, struct flight *f)
{
    f->at = w->flights_end;
    *f->at = f;
    w->flights_end = &f->next;
    w->in_flight++;
}

static void unlink_flight(struct flight *f)
{
    struct world *w = f->world;
    *f->at = f->next;
    *(f->next ? &f->next->at : &w->flights_end) = f->at;
    w->in_flight--;
}

/* The record leaves; the server hears of it half a round trip later. */
static void end(struct flight *f, enum transport_end how, enum text_id why)
{
    struct world *w = f->world;
    if (f->over)
        return;
    f->over = true;
    if (how == END_BROKEN || how == END_BAD_RESPONSE)
        str_copy(f->record.detail, sizeof(f->record.detail), str_of(text_raw(why)));
    if (how == END_BODY && f->whole)
        w->idle_connections[f->secure]++;
    else if (f->open)
        flight_plan(f, w->now + w->network.rtt_ns / 2, false, virtual_server_gone);
    observe_end(&f->observe, how, w->now);
    observe_done(&f->observe);
    unlink_flight(f);
    f->done(f->arg, &f->record);
    flight_release(f);
}

static struct deadline deadline(const struct flight *f)
{
    const struct deadline_state state = {
        .open = f->open,
        .answer_over = f->answer_over,
        .last_byte = f->last_byte,
        .drain_until = f->drain_until,
    };
    return deadline_of(&f->request.timeouts, &f->record, &state);
}

static void look_at_deadlines(void *arg, bool dropped);

static void arm(struct flight *f)
{
    if (f->over)
        return;
    int64_t due = deadline(f).due;
    if (due >= f->watched)
        return;
    f->watched = due;
    flight_plan(f, due, true, look_at_deadlines);
}

static void look_at_deadlines(void *arg, bool dropped)
{
    struct flight *f = arg;
    if (!dropped && !f->over && f->watched == f->world->now) {
        f->watched = INT64_MAX;
        struct deadline nearest = deadline(f);
        if (nearest.due <= f->world->now)
            end(f, nearest.how, TEXT_COUNT);
        else
            arm(f);
    }
    flight_release(f);
}

/* The way there. */

static void open_connection(void *arg, bool dropped)
{
    struct flight *f = arg;
    struct world *w = f->world;
    struct record *r = &f->record;
    if (!dropped && !f->over) {
        const struct virtual_network *n = &w->network;
        f->open = true;
        r->dns_done = r->reused ? r->start : r->start + n->dns_ns;
        r->connect_done = r->proxy_done = r->dns_done + (r->reused ? 0 : n->connect_ns);
        r->tls_done = r->sent = w->now;
        str_copy(r->peer, sizeof(r->peer), STR("virtual"));
        if (f->secure)
            str_copy(r->tls, sizeof(r->tls), STR("TLSv1.3"));
        arm(f);
        flight_plan(f, w->now + n->rtt_ns / 2, false, virtual_server_request);
    }
    flight_release(f);
}

static void refuse(void *arg, bool dropped)
{
    struct flight *f = arg;
    if (!dropped && !f->over) {
        str_copy(f->record.detail, sizeof(f->record.detail), str_of(text_raw(TEXT_NET_BAD_URL)));
        end(f, END_UNREACHABLE, TEXT_COUNT);
    }
    flight_release(f);
}

static void begin_record(struct flight *f)
{
    struct world *w = f->world;
    struct record *r = &f->record;
    const struct request *q = &f->request;
    record_init(r);
    r->number = q->number;
    r->attempt = 1;
    r->warmup = q->warmup;
    r->wall_start = VIRTUAL_WALL_NS + (w->now - VIRTUAL_START_NS);
    r->start = w->now;
    r->due = q->due == NEVER ? w->now : q->due;
    observe_start(&f->observe, r, &q->observe);
}

void virtual_client_send(struct world *w, const struct request *request, request_done_fn *done,
                         void *arg)
{
    const struct virtual_network *n = &w->network;
    struct flight *f = mem_zalloc(sizeof(*f));
    f->world = w;
    f->request = *request;
    f->done = done;
    f->arg = arg;
    f->refs = 1;
    f->last_byte = NEVER;
    f->watched = INT64_MAX;
    begin_record(f);
    link_flight(w, f);
    if (!url_parse(request->url, &f->url)) {
        flight_plan(f, w->now, false, refuse);
        return;
    }
    f->secure = str_eq_nocase(f->url.scheme, STR("https"));
    f->record.reused = !request->fresh && w->idle_connections[f->secure] > 0;
    w->idle_connections[f->secure] -= f->record.reused;
    int64_t cost = f->record.reused ? 0 : n->dns_ns + n->connect_ns + (f->secure ? n->tls_ns : 0);
    flight_plan(f, w->now + cost, false, open_connection);
    arm(f);
}

/* The way back. */

static void take_head(struct flight *f, const struct sim_step *s, const struct stamp *stamp)
{
    if (s->request_id)
        f->record.request_id = mem_strdup(s->request_id);
    observe_head(&f->observe, s->status, str_of(s->content_type), stamp);
}

static void take_body(struct flight *f, const struct sim_step *s, const struct stamp *stamp)
{
    unsigned what = s->len ? observe_body(&f->observe, s->bytes, s->len, stamp) : 0;
    if (what & OBSERVED_OVER_LIMIT)
        end(f, END_BAD_RESPONSE, TEXT_NET_OVER_LIMIT);
    if (what & OBSERVED_TERMINATOR && !f->answer_over) {
        f->answer_over = true;
        f->drain_until = f->last_byte + DEADLINE_DRAIN_NS;
    }
}

static void take(struct flight *f, const struct sim_step *s)
{
    int64_t now = f->world->now;
    const struct stamp stamp = {now, now, CLOCK_KIND_VIRTUAL};
    if (s->op != SIM_CUT)
        f->last_byte = now;
    if (s->op == SIM_HEAD || s->op == SIM_WHOLE)
        take_head(f, s, &stamp);
    if (s->op == SIM_BYTES || s->op == SIM_WHOLE)
        take_body(f, s, &stamp);
    f->whole = s->op == SIM_END || s->op == SIM_WHOLE;
    if (f->whole)
        end(f, END_BODY, TEXT_COUNT);
    if (s->op == SIM_CUT)
        end(f, END_BROKEN, TEXT_NET_CLOSED_IN_BODY);
    arm(f);
}

void virtual_client_arrival(void *arg, bool dropped)
{
    struct parcel *p = arg;
    struct flight *f = p->flight;
    if (!dropped && !f->over)
        take(f, &p->step);
    mem_free(p->step.bytes);
    mem_free(p);
    flight_release(f);
}

void virtual_client_abort_all(struct world *w)
{
    while (w->flights)
        end(w->flights, END_ABORTED, TEXT_COUNT);
}
