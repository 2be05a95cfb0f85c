#include "net/conn.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

static void say_failed(struct conn *c, const char *detail)
{
    if (c->over)
        return;
    c->over = true;
    c->ops->failed(c->owner, detail);
}

static void say_closed(struct conn *c, bool in_order)
{
    if (c->over)
        return;
    c->over = true;
    c->ops->closed(c->owner, in_order);
}

static void say_errno(struct conn *c, int number)
{
    struct buf why = {0};
    if (number == ECONNRESET)
        text_add(&why, TEXT_NET_RESET);
    else
        text_add(&why, TEXT_NET_LOST, strerror(number));
    say_failed(c, buf_text(&why));
    buf_done(&why);
}

static void want_write(struct conn *c, bool wanted)
{
    loop_watch_start(c->shared->loop, &c->watch, LOOP_READ | (wanted ? LOOP_WRITE : 0u));
}

/* TLS. */

static void shake_hands(struct conn *c)
{
    switch (tls_handshake(c->tls)) {
    case TLS_OK:
        c->established = true;
        want_write(c, false);
        c->ops->opened(c->owner);
        return;
    case TLS_MORE:
        want_write(c, false);
        return;
    case TLS_WRITE:
        want_write(c, true);
        return;
    case TLS_CLOSED:
        say_closed(c, true);
        return;
    case TLS_FAILED:
        say_failed(c, tls_detail(c->tls));
        return;
    }
}

/* All plain bytes that one read brought carry its instant. */
static void decrypt(struct conn *c, const struct stamp *stamp)
{
    if (!c->established)
        shake_hands(c);
    while (c->established && !c->over && tls_has_more(c->tls)) {
        size_t len = 0;
        switch (tls_read(c->tls, c->shared->plain, CONN_PLAIN_BYTES, &len)) {
        case TLS_OK:
            c->ops->bytes(c->owner, c->shared->plain, len, stamp);
            break;
        case TLS_MORE:
        case TLS_WRITE: /* a key update that could not leave: the next write carries it */
            return;
        case TLS_CLOSED:
            say_closed(c, true);
            return;
        case TLS_FAILED:
            say_failed(c, tls_detail(c->tls));
            return;
        }
    }
}

/* Reading. */

static bool read_once(struct conn *c)
{
    struct conn_shared *s = c->shared;
    struct stamp stamp;
    ssize_t n = stamper_recv(&s->stamper, c->watch.fd, s->in, CONN_IN_BYTES, &stamp);
    if (n < 0 && errno == EAGAIN)
        return false;
    if (n < 0)
        say_errno(c, errno);
    else if (n == 0)
        say_closed(c, !c->tls);
    else if (!c->tls)
        c->ops->bytes(c->owner, s->in, (size_t)n, &stamp);
    else {
        tls_give(c->tls, s->in, (size_t)n);
        decrypt(c, &stamp);
        tls_forget(c->tls);
    }
    return true;
}

bool conn_poll(struct conn *c)
{
    bool came = false;
    for (int i = 0; i < 16 && !c->over && read_once(c); i++)
        came = true;
    return came;
}

static void ready(struct loop_watch *w, unsigned what)
{
    struct conn *c = (struct conn *)w;
    if (what & LOOP_WRITE) {
        if (!c->established)
            shake_hands(c);
        else {
            want_write(c, false);
            c->ops->writable(c->owner);
        }
    }
    if (what & (LOOP_READ | LOOP_HANGUP) && !c->over) {
        c->ops->expect(c->owner);
        read_once(c);
    }
    c->ops->settle(c->owner);
}

/* Writing. */

static bool write_plain(struct conn *c, const char *bytes, size_t len, size_t *sent)
{
    while (*sent < len) {
        ssize_t n = send(c->watch.fd, bytes + *sent, len - *sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n >= 0)
            *sent += (size_t)n;
        else if (errno == EAGAIN)
            return true;
        else if (errno != EINTR)
            return false;
    }
    return true;
}

static bool write_tls(struct conn *c, const char *bytes, size_t len, size_t *sent)
{
    while (*sent < len) {
        size_t n = 0;
        enum tls_step step = tls_write(c->tls, bytes + *sent, len - *sent, &n);
        if (step == TLS_MORE || step == TLS_WRITE)
            return true;
        if (step != TLS_OK)
            return false;
        *sent += n;
    }
    return true;
}

bool conn_write(struct conn *c, const char *bytes, size_t len, size_t *sent)
{
    assert(c->established);
    *sent = 0;
    bool ok = c->tls ? write_tls(c, bytes, len, sent) : write_plain(c, bytes, len, sent);
    want_write(c, ok && *sent < len);
    return ok;
}

/* Life. */

struct conn *conn_new(struct conn_shared *shared, int fd, bool tls, struct str host,
                      struct str origin, const char *peer, const struct conn_owner_ops *ops,
                      void *owner)
{
    struct conn *c = mem_zalloc(sizeof(*c));
    c->watch = (struct loop_watch){.fd = fd, .ready = ready};
    c->shared = shared;
    c->origin = mem_dup(origin.ptr, origin.len);
    str_copy(c->peer, sizeof(c->peer), str_of(peer));
    conn_give(c, ops, owner);
    c->established = !tls;
    if (tls)
        c->tls = tls_new(shared->tls, fd, host);
    /* The handshake's first step sends and waits, so it cannot call back; if it fails, the socket
     * is watched for writing and the failure is told from there. */
    if (tls && tls_handshake(c->tls) != TLS_MORE)
        want_write(c, true);
    else
        want_write(c, false);
    return c;
}

void conn_give(struct conn *c, const struct conn_owner_ops *ops, void *owner)
{
    c->ops = ops;
    c->owner = owner;
}

void conn_free(struct conn *c)
{
    if (!c)
        return;
    if (c->tls && c->established && !c->over)
        tls_bye(c->tls);
    loop_watch_stop(&c->watch);
    close(c->watch.fd);
    tls_free(c->tls);
    mem_free(c->origin);
    mem_free(c);
}

void conn_reset(struct conn *c)
{
    struct linger now = {.l_onoff = 1};
    setsockopt(c->watch.fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    c->over = true;
    conn_free(c);
}
