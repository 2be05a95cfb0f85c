#include "net/server_inside.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/mem.h"
#include "measure/clock.h"

enum { ACCEPTS_PER_TURN = 64, BACKLOG = 4096, COMPOSE_MAX = 1 << 30 };
static const int64_t retry_ns = 100000000;

static int64_t or_default(int64_t value, int64_t otherwise)
{
    return value ? value : otherwise;
}

static struct server_options with_defaults(const struct server_options *given)
{
    struct server_options o = *given;
    if (o.limits.head_bytes == 0)
        o.limits = http1_limits_request;
    o.connections_max = (size_t)or_default((int64_t)o.connections_max, 16384);
    o.queue_bytes_max = (size_t)or_default((int64_t)o.queue_bytes_max, 8 << 20);
    o.head_timeout = or_default(o.head_timeout, 30000000000);
    o.idle_timeout = or_default(o.idle_timeout, 75000000000);
    return o;
}

/* Accepting. */

static void stop_accepting(struct server *s)
{
    s->full = true;
    loop_watch_stop(&s->listener);
}

void server_room(struct server *s)
{
    if (!s->full || s->listener.fd < 0)
        return;
    s->full = false;
    loop_timer_stop(&s->retry);
    loop_watch_start(s->loop, &s->listener, LOOP_READ);
}

static void retry(struct loop_timer *t)
{
    server_room((struct server *)((char *)t - offsetof(struct server, retry)));
}

static void accept_some(struct loop_watch *w, unsigned what)
{
    struct server *s = (struct server *)((char *)w - offsetof(struct server, listener));
    (void)what;
    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        if (s->connection_count >= s->options.connections_max) {
            stop_accepting(s);
            return;
        }
        int fd = accept4(s->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
            stop_accepting(s);
            loop_timer_start(s->loop, &s->retry, clock_now() + retry_ns);
        }
        if (fd < 0)
            return;
        connection_new(s, fd);
    }
}

/* Listening. */

/* "HOST:PORT" or "[HOST]:PORT" into its parts; the port is checked. */
static bool split_listen(const char *listen, char host[256], char port[8])
{
    struct str s = str_of(listen);
    size_t colon = s.len;
    while (colon > 0 && s.ptr[colon - 1] != ':')
        colon--;
    if (colon == 0)
        return false;
    struct str name = str_upto(s, colon - 1), number = str_from(s, colon);
    if (name.len > 2 && name.ptr[0] == '[' && name.ptr[name.len - 1] == ']')
        name = str_make(name.ptr + 1, name.len - 2);
    else if (str_find(name, ':') < name.len)
        return false;
    int64_t checked;
    return name.len > 0 && fmt_parse_int(number, 0, 65535, &checked) && str_copy(host, 256, name) &&
           str_copy(port, 8, number);
}

static int listen_on(const struct addrinfo *a)
{
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static int open_listener(const char *text, struct err *err)
{
    char host[256], port[8];
    if (!split_listen(text, host, port)) {
        err_set(err, EXIT_USAGE, "bad_listen", TEXT_SERVER_BAD_LISTEN, text);
        err_fix(err, TEXT_SERVER_BAD_LISTEN_FIX);
        return -1;
    }
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    int rc = getaddrinfo(host, port, &hints, &found);
    if (rc != 0) {
        err_set(err, EXIT_USAGE, "no_listen", TEXT_SERVER_NO_LISTEN, text, gai_strerror(rc));
        return -1;
    }
    int fd = -1;
    for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next)
        fd = listen_on(a);
    if (fd < 0)
        err_set(err, EXIT_USAGE, "no_listen", TEXT_SERVER_NO_LISTEN, text, strerror(errno));
    freeaddrinfo(found);
    return fd;
}

struct server *server_new(struct loop *l, const struct server_options *options,
                          const struct server_handler *handler, struct err *err)
{
    SSL_CTX *tls = NULL;
    if (options->cert_file) {
        const char *key = options->key_file ? options->key_file : options->cert_file;
        tls = server_tls_new(options->cert_file, key, err);
        if (!tls)
            return NULL;
    }
    int fd = open_listener(options->listen, err);
    if (fd < 0) {
        SSL_CTX_free(tls);
        return NULL;
    }
    struct server *s = mem_zalloc(sizeof(*s));
    s->loop = l;
    s->handler = *handler;
    s->options = with_defaults(options);
    s->tls = tls;
    s->retry.fire = retry;
    s->listener = (struct loop_watch){.fd = fd, .ready = accept_some};
    buf_init(&s->compose, COMPOSE_MAX);
    loop_watch_start(l, &s->listener, LOOP_READ);
    return s;
}

void server_free(struct server *s)
{
    if (!s)
        return;
    loop_timer_stop(&s->retry);
    loop_watch_stop(&s->listener);
    close(s->listener.fd);
    s->listener.fd = -1;
    while (s->connections)
        connection_hang_up(s->connections);
    SSL_CTX_free(s->tls);
    buf_done(&s->compose);
    mem_free(s);
}

int server_port(const struct server *s)
{
    struct sockaddr_storage at;
    socklen_t len = sizeof(at);
    if (getsockname(s->listener.fd, (struct sockaddr *)&at, &len) != 0)
        return 0;
    if (at.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&at)->sin6_port);
    return ntohs(((struct sockaddr_in *)&at)->sin_port);
}

size_t server_connections(const struct server *s)
{
    return s->connection_count;
}
