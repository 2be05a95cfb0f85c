#include <assert.h>
#include <unistd.h>

#include "base/utf8.h"
#include "net/client_inside.h"

#define LATE_NS ((int64_t)1000000) /* a request that starts so long after it was due is late */

/* The end. */

void attempt_end(struct attempt *a, enum transport_end how, int64_t at)
{
    if (a->state == ATTEMPT_OVER)
        return;
    a->state = ATTEMPT_OVER;
    a->how = how;
    a->ended_at = at;
    attempt_leave_dials(a);
    loop_timer_start(a->client->loop, &a->timer, clock_now());
}

static void end_saying(struct attempt *a, enum transport_end how, const char *detail)
{
    if (a->state == ATTEMPT_OVER)
        return;
    struct buf visible = {0}; /* it may quote the peer: a header, a certificate's name */
    utf8_add_visible(&visible, str_of(detail));
    str_copy(a->record.detail, sizeof(a->record.detail), buf_str(&visible));
    buf_done(&visible);
    attempt_end(a, how, clock_now());
}

void attempt_end_because(struct attempt *a, enum transport_end how, enum text_id why,
                         const char *arg)
{
    struct buf text = {0};
    text_add(&text, why, arg ? arg : "");
    end_saying(a, how, buf_text(&text));
    buf_done(&text);
}

/* Who asks for a fresh connection each time leaves none behind: servers count them. */
static bool may_keep(const struct attempt *a)
{
    return !a->request.fresh && a->how == END_BODY && a->body_whole && a->keep_alive &&
           !a->surplus && !a->out.ptr && !a->conn->over;
}

static void let_go(struct attempt *a)
{
    if (a->dial)
        a->record.dns_done = dial_dns_done(a->dial);
    dial_cancel(a->dial);
    if (!a->conn)
        return;
    if (may_keep(a))
        pool_add(&a->client->pool, a->conn);
    else
        conn_free(a->conn);
}

static void unlink_attempt(struct attempt *a)
{
    *(a->prev ? &a->prev->next : &a->client->attempts) = a->next;
    if (a->next)
        a->next->prev = a->prev;
    a->client->in_flight--;
}

void attempt_finish(struct attempt *a)
{
    assert(a->state == ATTEMPT_OVER);
    struct record record;
    request_done_fn *done = a->done;
    void *arg = a->arg;
    loop_timer_stop(&a->timer);
    let_go(a);
    attempt_wipe_out(a);
    http1_head_done(&a->head);
    observe_end(&a->observe, a->how, a->ended_at);
    observe_done(&a->observe);
    if (a->record.start - a->record.due > LATE_NS)
        a->client->facts.late_sends++;
    unlink_attempt(a);
    record = a->record;
    mem_free(a);
    done(arg, &record);
}

/* Sending. */

static void send_more(struct attempt *a)
{
    if (!a->out.ptr)
        return;
    size_t sent;
    bool ok = conn_write(a->conn, a->out.ptr + a->out_sent, a->out.len - a->out_sent, &sent);
    a->out_sent += sent;
    if (ok && a->out_sent < a->out.len)
        return;
    /* A server that refuses may close before it has read all, but has said why: read on. */
    if (ok)
        a->record.sent = clock_now();
    else
        a->surplus = true;
    attempt_wipe_out(a);
    attempt_arm(a);
}

static void open_for_use(struct attempt *a)
{
    a->state = ATTEMPT_OPEN;
    str_copy(a->record.peer, sizeof(a->record.peer), str_of(a->conn->peer));
    if (a->conn->tls)
        str_copy(a->record.tls, sizeof(a->record.tls), str_of(tls_version(a->conn->tls)));
    send_more(a);
}

/* What the connection says. */

/* Among a thousand streams none is in the near caches when its bytes come; what is fetched while
 * the kernel copies them need not be waited for afterwards. */
static void on_expect(void *owner)
{
    enum { LINE = 64 };
    const struct attempt *a = owner;
    const char *at = (const char *)a, *end = (const char *)(&a->observe + 1);
    for (; at < end; at += LINE)
        __builtin_prefetch(at);
}

static void on_opened(void *owner)
{
    struct attempt *a = owner;
    if (a->state != ATTEMPT_SECURING)
        return;
    a->record.tls_done = clock_now();
    open_for_use(a);
}

static void on_bytes(void *owner, const char *bytes, size_t len, const struct stamp *stamp)
{
    attempt_take(owner, bytes, len, stamp);
}

/* Kept-alive connections die of old age just as they are used: not the endpoint's answer to us. */
static bool worth_a_fresh_one(const struct attempt *a)
{
    return a->state == ATTEMPT_OPEN && a->record.reused && !a->any_byte && !a->record.resent;
}

static void on_closed(void *owner, bool in_order)
{
    struct attempt *a = owner;
    if (worth_a_fresh_one(a))
        a->redial = true;
    else if (a->state == ATTEMPT_SECURING)
        attempt_end_because(a, END_UNREACHABLE, TEXT_NET_TLS_CLOSED, NULL);
    else
        attempt_take_end(a, in_order);
}

static void on_failed(void *owner, const char *detail)
{
    struct attempt *a = owner;
    a->surplus = true;
    if (worth_a_fresh_one(a))
        a->redial = true;
    else
        end_saying(a, a->in_body ? END_BROKEN : END_UNREACHABLE, detail);
}

static void on_writable(void *owner)
{
    send_more(owner);
}

static void on_settle(void *owner)
{
    attempt_settle(owner);
}

static const struct conn_owner_ops conn_ops = {
    .expect = on_expect,
    .opened = on_opened,
    .bytes = on_bytes,
    .closed = on_closed,
    .failed = on_failed,
    .writable = on_writable,
    .settle = on_settle,
};

/* Opening. */

static bool is_tls(const struct attempt *a)
{
    return str_eq_nocase(a->url.scheme, STR("https"));
}

static void dialled(void *arg, const struct dial_result *d)
{
    struct attempt *a = arg;
    struct record *r = &a->record;
    a->dial = NULL;
    r->dns_done = d->dns_done;
    r->connect_done = r->proxy_done = d->connect_done;
    if (a->state == ATTEMPT_OVER) { /* aborted meanwhile: the record leaves by its timer */
        if (d->fd >= 0)
            close(d->fd);
        return;
    }
    if (d->fd < 0) {
        end_saying(a, d->timed_out ? END_TIMEOUT_CONNECT : END_UNREACHABLE, d->detail);
        attempt_finish(a);
        return;
    }
    struct buf origin = {0};
    origin_add(&origin, &a->url);
    a->conn = conn_new(&a->client->shared, d->fd, is_tls(a), a->url.host, buf_str(&origin), d->peer,
                       &conn_ops, a);
    buf_done(&origin);
    a->state = ATTEMPT_SECURING;
    if (is_tls(a))
        return;
    r->tls_done = d->connect_done;
    open_for_use(a);
}

void attempt_dial(struct attempt *a)
{
    a->state = ATTEMPT_DIALING;
    a->client->facts.dials++;
    a->dial = dial_start(a->client->dialer, a->url.host, a->url.port, dialled, a);
    attempt_arm(a);
}

static bool use_idle(struct attempt *a)
{
    struct record *r = &a->record;
    struct buf origin = {0};
    origin_add(&origin, &a->url);
    a->conn = pool_take(&a->client->pool, buf_str(&origin));
    buf_done(&origin);
    if (!a->conn)
        return false;
    conn_give(a->conn, &conn_ops, a);
    r->reused = true;
    r->dns_done = r->connect_done = r->proxy_done = r->tls_done = r->start;
    open_for_use(a);
    attempt_arm(a);
    return true;
}

static bool prepare(struct attempt *a)
{
    struct str bad = {0};
    char name[80];
    if (!url_parse(a->request.url, &a->url)) {
        attempt_end_because(a, END_UNREACHABLE, TEXT_NET_BAD_URL, NULL);
        return false;
    }
    if (attempt_write_head(a, &bad))
        return true;
    str_copy(name, sizeof(name), bad);
    attempt_end_because(a, END_UNREACHABLE, TEXT_NET_BAD_HEADER, name);
    return false;
}

void attempt_start(struct attempt *a)
{
    http1_head_init(&a->head, true, &http1_limits_response);
    if (prepare(a) && (a->request.fresh || !use_idle(a)))
        attempt_want_dial(a);
}

static void send_again(struct attempt *a)
{
    struct record *r = &a->record;
    conn_free(a->conn);
    a->conn = NULL;
    a->redial = a->surplus = false;
    r->reused = false;
    r->resent = true;
    r->dns_done = r->connect_done = r->proxy_done = r->tls_done = r->sent = NEVER;
    attempt_wipe_out(a);
    if (prepare(a))
        attempt_want_dial(a);
}

bool attempt_settle(struct attempt *a)
{
    if (a->redial && a->state != ATTEMPT_OVER)
        send_again(a);
    if (a->state != ATTEMPT_OVER)
        return false;
    attempt_finish(a);
    return true;
}
