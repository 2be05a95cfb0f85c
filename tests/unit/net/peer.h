#ifndef WEIR_TEST_PEER_H
#define WEIR_TEST_PEER_H

/* A peer for tests of the client: a thread that plays a script on each connection it accepts, on a
 * port of the kernel's choice. Plain, or TLS with a certificate made for the occasion. */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/attr.h"

enum step_kind {
    STEP_END,     /* closes the connection */
    STEP_REQUEST, /* reads one whole request */
    STEP_SWALLOW, /* reads until a read ends with '!' */
    STEP_SEND,
    STEP_TRICKLE, /* a send per byte */
    STEP_RESET,   /* the connection dies with RST */
    STEP_HALF,    /* FIN, but goes on */
    STEP_PAUSE,   /* goes on when the test says so: peer_go */
    STEP_BYE,     /* TLS: its closing message */
    STEP_TICKET,  /* TLS 1.3: another session ticket */
    STEP_HOLD,    /* waits until the client closes */
    STEP_FLOOD,   /* the same bytes again and again until the client closes */
};
struct step {
    enum step_kind kind;
    const char *text;
};
enum { STEPS_MAX = 12, CONNECTIONS_MAX = 4, BACKLOG = 256 };
typedef struct step script[STEPS_MAX];

struct peer {
    int listen_fd, port;
    int go[2]; /* a pipe */
    pthread_t thread;
    script scripts[CONNECTIONS_MAX]; /* one per connection, in order; the last goes on */
    int scripts_count;
    SSL_CTX *tls;
    int accepted;
    char seen[1 << 16]; /* requests, as they came */
    size_t seen_len;
};

struct peer_link {
    struct peer *peer;
    int fd;
    SSL *ssl;
};

static ssize_t peer_read(struct peer_link *l, char *out, size_t len)
{
    return l->ssl ? SSL_read(l->ssl, out, (int)len) : recv(l->fd, out, len, 0);
}

static bool peer_write(struct peer_link *l, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n =
            l->ssl ? SSL_write(l->ssl, bytes, (int)len) : send(l->fd, bytes, len, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

static bool peer_request(struct peer_link *l)
{
    struct peer *p = l->peer;
    size_t from = p->seen_len;
    for (;;) {
        p->seen[p->seen_len] = 0;
        const char *end = strstr(p->seen + from, "\r\n\r\n");
        const char *length = strstr(p->seen + from, "Content-Length: ");
        size_t body = length ? (size_t)atoi(length + 16) : 0;
        if (end && p->seen_len >= (size_t)(end + 4 - p->seen) + body)
            return true;
        ssize_t n = peer_read(l, p->seen + p->seen_len, sizeof(p->seen) - 1 - p->seen_len);
        if (n <= 0)
            return false;
        p->seen_len += (size_t)n;
    }
}

static bool peer_step(struct peer_link *l, const struct step *s)
{
    char scratch[4096];
    struct linger now = {.l_onoff = 1};
    switch (s->kind) {
    case STEP_END:
        return false;
    case STEP_REQUEST:
        return peer_request(l);
    case STEP_SWALLOW:
        for (ssize_t n; (n = peer_read(l, scratch, sizeof(scratch))) > 0;)
            if (scratch[n - 1] == '!')
                return true;
        return false;
    case STEP_SEND:
        return peer_write(l, s->text, strlen(s->text));
    case STEP_TRICKLE:
        for (size_t i = 0; s->text[i]; i++)
            if (!peer_write(l, s->text + i, 1))
                return false;
        return true;
    case STEP_RESET:
        setsockopt(l->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        return false;
    case STEP_HALF:
        shutdown(l->fd, SHUT_WR);
        return true;
    case STEP_PAUSE:
        return read(l->peer->go[0], scratch, 1) == 1;
    case STEP_BYE:
        SSL_shutdown(l->ssl);
        return true;
    case STEP_TICKET:
        SSL_new_session_ticket(l->ssl);
        return SSL_do_handshake(l->ssl) == 1;
    case STEP_HOLD:
        while (peer_read(l, scratch, sizeof(scratch)) > 0)
            continue;
        return false;
    case STEP_FLOOD:
        while (peer_write(l, s->text, strlen(s->text)))
            continue;
        return false;
    }
    return false;
}

static void peer_play(struct peer *p, int fd, const struct step *s)
{
    int one = 1;
    struct peer_link l = {.peer = p, .fd = fd};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (p->tls) {
        l.ssl = SSL_new(p->tls);
        SSL_set_fd(l.ssl, fd);
    }
    if (!l.ssl || SSL_accept(l.ssl) == 1)
        while (peer_step(&l, s))
            s++;
    SSL_free(l.ssl);
    close(fd);
}

static void *peer_thread(void *arg)
{
    struct peer *p = arg;
    for (int fd; (fd = accept(p->listen_fd, NULL, NULL)) >= 0 || errno == EMFILE;) {
        if (fd < 0)
            continue; /* a test takes descriptors away for a moment */
        int at = p->accepted++;
        peer_play(p, fd, p->scripts[at < p->scripts_count ? at : p->scripts_count - 1]);
    }
    return NULL;
}

static void peer_start(struct peer *p, SSL_CTX *tls, const script *scripts, int count)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(a);
    memset(p, 0, sizeof(*p));
    memcpy(p->scripts, scripts, sizeof(script) * (size_t)count);
    p->scripts_count = count;
    p->tls = tls;
    assert_int_equal(pipe(p->go), 0);
    p->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(p->listen_fd, (struct sockaddr *)&a, size), 0);
    assert_int_equal(listen(p->listen_fd, BACKLOG), 0);
    assert_int_equal(getsockname(p->listen_fd, (struct sockaddr *)&a, &size), 0);
    p->port = ntohs(a.sin_port);
    assert_int_equal(pthread_create(&p->thread, NULL, peer_thread, p), 0);
}

static UNUSED void peer_go(struct peer *p)
{
    assert_int_equal(write(p->go[1], "", 1), 1);
}

/* The client must have closed its connections, or the peer must have ended them. */
static void peer_stop(struct peer *p)
{
    shutdown(p->listen_fd, SHUT_RDWR);
    pthread_join(p->thread, NULL);
    close(p->listen_fd);
    close(p->go[0]);
    close(p->go[1]);
}

#endif
