#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "measure/clock.h"
#include "net/server_inside.h"

enum {
    READS_PER_TURN = 16,      /* then others have their turn */
    AHEAD_MAX = 64 << 10,     /* input kept while a request is answered */
    LINGER_BYTES = 4 << 20,   /* input dropped after FIN before the connection is closed anyway */
    KEEP_OUT_BYTES = 4 << 10, /* a queue buffer up to this size is kept while streaming */
};
static const int64_t linger_ns = 2000000000;

static void enter(struct exchange *x)
{
    x->busy++;
}

static void leave(struct exchange *x)
{
    if (--x->busy == 0 && x->dead)
        mem_free(x);
}

static void set_deadline(struct exchange *x, int64_t after)
{
    if (after == INT64_MAX)
        loop_timer_stop(&x->deadline);
    else
        loop_timer_start(x->server->loop, &x->deadline, clock_now() + after);
}

static void unlink_connection(struct exchange *x)
{
    struct exchange **to_me = x->previous ? &x->previous->next : &x->server->connections;
    *to_me = x->next;
    if (x->next)
        x->next->previous = x->previous;
    x->server->connection_count--;
}

void connection_close(struct exchange *x, bool reset)
{
    if (x->dead)
        return;
    struct server *s = x->server;
    loop_timer_stop(&x->deadline);
    loop_timer_stop(&x->soon);
    loop_watch_stop(&x->watch);
    server_socket_close(&x->socket, reset);
    unlink_connection(x);
    http1_head_done(&x->head);
    buf_done(&x->body_bytes);
    buf_done(&x->ahead);
    buf_done(&x->out);
    x->dead = true;
    if (x->busy == 0)
        mem_free(x);
    server_room(s);
}

void connection_hang_up(struct exchange *x)
{
    enter(x);
    if (x->state == CONNECTION_ANSWER)
        x->server->handler.hangup(x->server->handler.arg, x);
    connection_close(x, false);
    leave(x);
}

void connection_rewatch(struct exchange *x)
{
    bool reads = x->state != CONNECTION_FLUSH && x->ahead.len < AHEAD_MAX;
    bool writes = x->socket.want || x->out.len > 0;
    unsigned what = (reads ? LOOP_READ : 0u) | (writes ? LOOP_WRITE : 0u);
    loop_watch_start(x->server->loop, &x->watch, what);
}

void connection_go_on_soon(struct exchange *x)
{
    loop_timer_start(x->server->loop, &x->soon, clock_now());
}

/* Reading requests. */

static void refuse_bad(struct exchange *x, enum http1_bad bad)
{
    static const enum text_id texts[] = {
        [HTTP1_BAD_SYNTAX] = TEXT_SERVER_REFUSED_SYNTAX,
        [HTTP1_BAD_VERSION] = TEXT_SERVER_REFUSED_VERSION,
        [HTTP1_BAD_FRAMING] = TEXT_SERVER_REFUSED_FRAMING,
        [HTTP1_BAD_HOST] = TEXT_SERVER_REFUSED_HOST,
        [HTTP1_BAD_CODING] = TEXT_SERVER_REFUSED_CODING,
        [HTTP1_BAD_TARGET_LONG] = TEXT_SERVER_REFUSED_TARGET,
        [HTTP1_BAD_HEAD_LARGE] = TEXT_SERVER_REFUSED_HEAD,
        [HTTP1_BAD_BODY_LARGE] = TEXT_SERVER_REFUSED_BODY,
        [HTTP1_BAD_TRAILER_LARGE] = TEXT_SERVER_REFUSED_TRAILER,
    };
    exchange_refuse(x, http1_bad_status(bad), http1_bad_name(bad), texts[bad]);
}

static void hand_over(struct exchange *x)
{
    x->state = CONNECTION_ANSWER;
    x->data = NULL;
    x->chunked = false;
    x->bodiless = str_eq(x->head.method, STR("HEAD"));
    loop_timer_stop(&x->deadline);
    x->server->handler.request(x->server->handler.arg, x);
}

/* The head is whole. False: refused. `more`: bytes of the body have come with it. */
static bool begin_body(struct exchange *x, bool more)
{
    struct str expect = http1_get(&x->head, "expect");
    if (expect.ptr && !str_eq_nocase(expect, STR("100-continue"))) {
        exchange_refuse(x, 417, "expectation", TEXT_SERVER_REFUSED_EXPECT);
        return false;
    }
    x->in_body = true;
    http1_body_init(&x->body, &x->head, false);
    bool waits = expect.ptr && x->head.minor > 0 && !http1_body_eof(&x->body) && !more;
    if (waits)
        exchange_send(x, STR("HTTP/1.1 100 Continue\r\n\r\n"));
    return true;
}

static bool feed_head(struct exchange *x, struct str *in)
{
    size_t used;
    enum http1_step step = http1_head_feed(&x->head, in->ptr, in->len, &used);
    *in = str_from(*in, used);
    if (step == HTTP1_BAD)
        refuse_bad(x, x->head.bad);
    return step == HTTP1_DONE && begin_body(x, in->len > 0);
}

static bool feed_body(struct exchange *x, struct str *in)
{
    size_t used;
    struct str data;
    enum http1_step step = http1_body_feed(&x->body, in->ptr, in->len, &used, &data);
    *in = str_from(*in, used);
    buf_add_str(&x->body_bytes, data);
    if (step == HTTP1_BAD)
        refuse_bad(x, x->body.bad);
    if (step == HTTP1_DONE)
        hand_over(x);
    return step == HTTP1_DATA;
}

static bool wants_input(const struct exchange *x)
{
    return !x->dead && (x->state == CONNECTION_IDLE || x->state == CONNECTION_REQUEST);
}

/* Requests from `in`, one after another, as far as each is answered at once. */
static struct str feed(struct exchange *x, struct str in)
{
    while (in.len && wants_input(x)) {
        if (x->state == CONNECTION_IDLE) {
            x->state = CONNECTION_REQUEST;
            set_deadline(x, x->server->options.head_timeout);
        }
        bool more = x->in_body || feed_head(x, &in);
        while (more)
            more = feed_body(x, &in);
    }
    return in;
}

static void feed_ahead(struct exchange *x)
{
    if (x->ahead.len == 0 || !wants_input(x))
        return;
    struct buf taken = x->ahead;
    x->ahead = (struct buf){0};
    struct str rest = feed(x, buf_str(&taken));
    if (!x->dead && x->state != CONNECTION_LINGER)
        buf_add_str(&x->ahead, rest);
    buf_done(&taken);
}

static void take_input(struct exchange *x, struct str in)
{
    if (x->state == CONNECTION_LINGER) {
        x->dropped += in.len;
        return;
    }
    struct str rest = feed(x, in);
    if (!x->dead && x->state != CONNECTION_LINGER)
        buf_add_str(&x->ahead, rest);
}

static void read_input(struct exchange *x)
{
    for (int i = 0; i < READS_PER_TURN; i++) {
        if (x->dead || x->state == CONNECTION_FLUSH || x->ahead.len >= AHEAD_MAX)
            return;
        size_t len;
        enum socket_step step =
            server_socket_read(&x->socket, x->server->input, SERVER_READ_BYTES, &len);
        if (step == SOCKET_AGAIN)
            return;
        if (step != SOCKET_OK || x->dropped > LINGER_BYTES) {
            connection_hang_up(x);
            return;
        }
        take_input(x, str_make(x->server->input, len));
        feed_ahead(x);
        if (len < SERVER_READ_BYTES && !x->socket.ssl)
            return; /* what comes later, an end too, is announced */
    }
    if (!x->dead && server_socket_holds(&x->socket))
        connection_go_on_soon(x);
}

/* After an answer. */

static void next_request(struct exchange *x)
{
    http1_head_done(&x->head);
    buf_done(&x->body_bytes);
    x->in_body = false;
    x->state = CONNECTION_IDLE;
    set_deadline(x, x->server->options.idle_timeout);
    if (x->busy == 0 && (x->ahead.len || server_socket_holds(&x->socket)))
        connection_go_on_soon(x);
}

static void linger(struct exchange *x)
{
    server_socket_bye(&x->socket, !x->cut);
    buf_done(&x->ahead);
    http1_head_done(&x->head);
    buf_done(&x->body_bytes);
    x->state = CONNECTION_LINGER;
    set_deadline(x, linger_ns);
}

static void flushed(struct exchange *x)
{
    if (x->closing)
        linger(x);
    else
        next_request(x);
}

void connection_answered(struct exchange *x)
{
    if (x->broken) {
        connection_close(x, false);
        return;
    }
    if (x->out.len) {
        x->state = CONNECTION_FLUSH;
        set_deadline(x, x->server->options.head_timeout);
    } else {
        flushed(x);
    }
    connection_rewatch(x);
}

/* Events. */

static void shake_hands(struct exchange *x)
{
    enum socket_step step = server_socket_handshake(&x->socket);
    if (step == SOCKET_OK)
        x->state = CONNECTION_IDLE;
    else if (step != SOCKET_AGAIN)
        connection_close(x, false);
}

static void write_queued(struct exchange *x)
{
    if (exchange_flush(x) == SOCKET_LOST) {
        connection_hang_up(x);
        return;
    }
    if (x->out.len == 0 && x->state == CONNECTION_FLUSH)
        flushed(x);
    else if (x->state == CONNECTION_FLUSH) /* slow, but alive */
        set_deadline(x, x->server->options.head_timeout);
    if (x->out.cap > KEEP_OUT_BYTES && x->out.len == 0)
        buf_done(&x->out);
}

/* Elsewhere the end of the input is met by reading it. */
static bool answering(const struct exchange *x)
{
    return !x->dead && (x->state == CONNECTION_ANSWER || x->state == CONNECTION_FLUSH);
}

static void ready(struct loop_watch *w, unsigned what)
{
    struct exchange *x = (struct exchange *)((char *)w - offsetof(struct exchange, watch));
    enter(x);
    if (x->state == CONNECTION_HANDSHAKE)
        shake_hands(x);
    if (!x->dead && x->state != CONNECTION_HANDSHAKE && (what & LOOP_WRITE) && x->out.len)
        write_queued(x);
    if (!x->dead && x->state != CONNECTION_HANDSHAKE)
        read_input(x);
    if ((what & LOOP_HANGUP) && answering(x))
        connection_hang_up(x);
    if (!x->dead)
        feed_ahead(x);
    if (!x->dead)
        connection_rewatch(x);
    leave(x);
}

static void go_on(struct loop_timer *t)
{
    struct exchange *x = (struct exchange *)((char *)t - offsetof(struct exchange, soon));
    enter(x);
    if (x->broken)
        connection_hang_up(x);
    if (!x->dead)
        feed_ahead(x);
    if (!x->dead)
        read_input(x);
    if (!x->dead)
        connection_rewatch(x);
    leave(x);
}

static void too_late(struct loop_timer *t)
{
    struct exchange *x = (struct exchange *)((char *)t - offsetof(struct exchange, deadline));
    enter(x);
    if (x->state == CONNECTION_REQUEST)
        exchange_refuse(x, 408, "request_timeout", TEXT_SERVER_REFUSED_LATE);
    else
        connection_close(x, false);
    leave(x);
}

void connection_new(struct server *s, int fd)
{
    struct exchange *x = mem_zalloc(sizeof(*x));
    x->server = s;
    x->socket.fd = x->watch.fd = fd;
    x->watch.ready = ready;
    x->soon.fire = go_on;
    x->deadline.fire = too_late;
    http1_head_init(&x->head, false, &s->options.limits);
    buf_init(&x->body_bytes, (size_t)s->options.limits.body_bytes);
    buf_init(&x->out, SIZE_MAX / 4);
    x->next = s->connections;
    if (x->next)
        x->next->previous = x;
    s->connections = x;
    s->connection_count++;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    x->state = s->tls ? CONNECTION_HANDSHAKE : CONNECTION_IDLE;
    if (s->tls)
        server_socket_secure(&x->socket, s->tls);
    set_deadline(x, s->options.head_timeout);
    connection_rewatch(x);
}
