#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/selfsigned.h"
#include "net/server.h"

/* The server runs on a thread of its own; the tests speak to it over real, blocking sockets. */

enum { PATIENCE_S = 20, LARGE_BYTES = 16 << 20 };

struct world {
    struct loop *loop;
    struct server *server;
    pthread_t thread;
    int port, hangups_fd, requests_fd; /* eventfds: how many came */
    struct exchange *held;
    atomic_bool stop;
    atomic_int refused_writes;
};

static void count(int fd)
{
    uint64_t one = 1;
    ssize_t n = write(fd, &one, sizeof(one));
    assert_int_equal(n, sizeof(one));
}

static void fill(struct world *w, struct exchange *x)
{
    char *block = mem_zalloc(65536);
    memset(block, 'x', 65536);
    exchange_start_chunked(x, 200, NULL, 0);
    for (int i = 0; i < 4096; i++)
        if (!exchange_write(x, str_make(block, 65536)))
            w->refused_writes++;
    mem_free(block);
    exchange_cut(x, CUT_RESET);
}

static void on_request(void *arg, struct exchange *x)
{
    struct world *w = arg;
    static const struct exchange_field text = {"Content-Type", "text/plain"};
    struct str target = exchange_head(x)->target, body = exchange_body(x);
    assert_null(exchange_data(x));
    exchange_set_data(x, w);
    if (str_eq(target, STR("/echo"))) {
        exchange_answer(x, 200, &text, 1, body);
    } else if (str_eq(target, STR("/chunks"))) {
        exchange_start_chunked(x, 200, &text, 1);
        assert_true(exchange_write(x, STR("one")));
        assert_true(exchange_write(x, STR("")));
        assert_true(exchange_write(x, STR("two")));
        exchange_end(x);
    } else if (str_eq(target, STR("/cut"))) {
        exchange_start_chunked(x, 200, NULL, 0);
        assert_true(exchange_write(x, STR("one")));
        exchange_cut(x, CUT_FIN);
    } else if (str_eq(target, STR("/reset"))) {
        exchange_start_chunked(x, 200, NULL, 0);
        exchange_cut(x, CUT_RESET);
    } else if (str_eq(target, STR("/raw"))) {
        exchange_write_raw(x, STR("HTTP/1.1 200 OK\nbad"));
        exchange_cut(x, CUT_FIN);
    } else if (str_eq(target, STR("/large"))) {
        char *large = mem_zalloc(LARGE_BYTES);
        exchange_answer(x, 200, NULL, 0, str_make(large, LARGE_BYTES));
        mem_free(large);
    } else if (str_eq(target, STR("/fill"))) {
        fill(w, x);
    } else {
        if (str_eq(target, STR("/stream"))) {
            exchange_start_chunked(x, 200, NULL, 0);
            assert_true(exchange_write(x, STR("one")));
        }
        w->held = x;
    }
    count(w->requests_fd);
}

static void on_hangup(void *arg, struct exchange *x)
{
    struct world *w = arg;
    assert_ptr_equal(exchange_data(x), w);
    count(w->hangups_fd);
}

static void on_wake(void *arg)
{
    struct world *w = arg;
    if (w->stop)
        loop_stop(w->loop);
}

static void *run(void *arg)
{
    loop_run(((struct world *)arg)->loop);
    return NULL;
}

static void begin(struct world *w, struct server_options options)
{
    struct err err = {0};
    const struct server_handler handler = {on_request, on_hangup, w};
    *w = (struct world){.hangups_fd = eventfd(0, EFD_SEMAPHORE),
                        .requests_fd = eventfd(0, EFD_SEMAPHORE)};
    options.listen = "127.0.0.1:0";
    w->loop = loop_new(&err);
    w->server = server_new(w->loop, &options, &handler, &err);
    if (!w->server)
        fail_msg("%s", err.what);
    w->port = server_port(w->server);
    loop_on_wake(w->loop, on_wake, w);
    pthread_create(&w->thread, NULL, run, w);
}

static void end(struct world *w)
{
    w->stop = true;
    loop_wake(w->loop);
    pthread_join(w->thread, NULL);
    server_free(w->server);
    loop_free(w->loop);
    close(w->hangups_fd);
    close(w->requests_fd);
}

static void await(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, PATIENCE_S * 1000), 1);
    uint64_t n;
    assert_int_equal(read(fd, &n, sizeof(n)), sizeof(n));
}

static int dial(const struct world *w)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)w->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct timeval patience = {.tv_sec = PATIENCE_S};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static void say(int fd, struct str s)
{
    assert_int_equal(send(fd, s.ptr, s.len, MSG_NOSIGNAL), s.len);
}

/* Adds what comes to `got` until it holds `until`, or up to the end of the stream (NULL). */
static void hear(int fd, struct buf *got, const char *until)
{
    while (!until || !strstr(buf_text(got), until)) {
        ssize_t n = recv(fd, buf_room(got, 4096), 4096, 0);
        if (n < 0)
            fail_msg("after [%s]: %m", buf_text(got));
        if (n == 0 && until)
            fail_msg("no [%s] in [%s]", until, buf_text(got));
        if (n == 0)
            return;
        buf_grown(got, (size_t)n);
    }
}

/* Without the Date lines, which no test can foretell. */
static void drop_dates(struct buf *b)
{
    struct buf kept = {0};
    struct str rest = buf_str(b);
    while (rest.ptr) {
        struct str line = str_split(&rest, '\n');
        if (!str_starts(line, STR("Date: ")) || line.len != 36)
            buf_add_str(&kept, line);
        if (rest.ptr && !str_starts(line, STR("Date: ")))
            buf_add_byte(&kept, '\n');
    }
    buf_done(b);
    *b = kept;
}

#define HOST         "Host: a\r\n"
#define ECHO_REQUEST "POST /echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nhi"
#define OK           "HTTP/1.1 200 OK\r\n"
#define TEXT         "Content-Type: text/plain\r\n"
#define ECHOED       OK TEXT "Content-Length: 2\r\n\r\nhi"
#define ECHO_REQUEST_CLOSE                                                                         \
    "POST /echo HTTP/1.1\r\n" HOST "Connection: close\r\nContent-Length: 2\r\n\r\nhi"
#define ECHOED_CLOSE OK TEXT "Connection: close\r\nContent-Length: 2\r\n\r\nhi"

static const struct {
    const char *in, *out;
} talks[] = {
    {ECHO_REQUEST_CLOSE, ECHOED_CLOSE},
    {ECHO_REQUEST ECHO_REQUEST ECHO_REQUEST_CLOSE, ECHOED ECHOED ECHOED_CLOSE},
    {ECHO_REQUEST_CLOSE ECHO_REQUEST, ECHOED_CLOSE},
    {"POST /echo HTTP/1.1\r\n" HOST
     "Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1;x\r\ni\r\n0\r\nA: "
     "b\r\n\r\n" ECHO_REQUEST_CLOSE,
     ECHOED ECHOED_CLOSE},
    {"GET /chunks HTTP/1.1\r\n" HOST "\r\n" ECHO_REQUEST_CLOSE,
     OK TEXT "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n" ECHOED_CLOSE},
    {"GET /chunks HTTP/1.0\r\n\r\n", OK TEXT "Connection: close\r\n\r\nonetwo"},
    {"GET /chunks HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
     OK TEXT "Connection: close\r\n\r\nonetwo"},
    {"GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" ECHO_REQUEST_CLOSE,
     OK TEXT "Connection: keep-alive\r\nContent-Length: 0\r\n\r\n" ECHOED_CLOSE},
    {"HEAD /chunks HTTP/1.1\r\n" HOST "\r\n" ECHO_REQUEST_CLOSE,
     OK TEXT "Transfer-Encoding: chunked\r\n\r\n" ECHOED_CLOSE},
    {"HEAD /echo HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc" ECHO_REQUEST_CLOSE,
     OK TEXT "Content-Length: 3\r\n\r\n" ECHOED_CLOSE},
    {"GET /cut HTTP/1.1\r\n" HOST "\r\n" ECHO_REQUEST,
     OK "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n"},
    {"GET /raw HTTP/1.1\r\n" HOST "\r\n", "HTTP/1.1 200 OK\nbad"},
};

static void test_talks(void **state)
{
    (void)state;
    struct world w;
    begin(&w, (struct server_options){0});
    for (size_t i = 0; i < ARRAY_LEN(talks) * 2; i++) {
        struct str in = str_of(talks[i / 2].in);
        struct buf got = {0};
        int fd = dial(&w);
        /* The second time byte by byte; what the server no longer wants may fail to go out. */
        for (size_t at = 0; i % 2 && at < in.len; at++)
            if (send(fd, in.ptr + at, 1, MSG_NOSIGNAL) < 0)
                break;
        if (i % 2 == 0)
            say(fd, in);
        hear(fd, &got, NULL);
        drop_dates(&got);
        assert_string_equal(buf_text(&got), talks[i / 2].out);
        buf_done(&got);
        close(fd);
    }
    end(&w);
}

/* Requests that must be refused: with their status, a JSON error, and an orderly end. */
static void test_hostile_heads(void **state)
{
    (void)state;
    static const struct {
        const char *status;
        struct str in;
    } rows[] = {
#define POST "POST /echo HTTP/1.1\r\n" HOST
        {"400", STR("\x16\x03\x01\x02")},
        {"400", STR("GET /echo\r\n")},
        {"400", STR("GET /echo HTTP/1.1\n" HOST "\n")},
        {"400", STR("GET /echo HTTP/1.1\r" HOST)},
        {"400", STR("GET  /echo HTTP/1.1\r\n")},
        {"400", STR("GET http://a/echo HTTP/1.1\r\n")},
        {"400", STR("CONNECT a:80 HTTP/1.1\r\n")},
        {"400", STR("GET /echo HTTP/1.1\r\n\r\n")},
        {"400", STR("GET /echo HTTP/1.1\r\n" HOST "Host: b\r\n\r\n")},
        {"400", STR("GET /echo HTTP/1.1\r\nHost: a b\r\n\r\n")},
        {"400", STR(POST "A b\r\n")},
        {"400", STR(POST "A : b\r\n")},
        {"400", STR(POST "A: b\r\n c\r\n")},
        {"400", STR(POST "A: b\0c\r\n")},
        {"400", STR(POST "A: \x01\r\n")},
        {"400", STR(POST "A: b\n")},
        {"400", STR(POST "A: b\rc")},
        {"400", STR(POST "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n")},
        {"400", STR(POST "Content-Length: 2\r\nContent-Length: 3\r\n\r\n")},
        {"400", STR(POST "Content-Length: 2, 2\r\n\r\n")},
        {"400", STR(POST "Content-Length: +2\r\n\r\n")},
        {"400", STR(POST "Content-Length: 000000000000000000000000000002\r\n\r\n")},
        {"400", STR(POST "Transfer-Encoding: chunked, gzip\r\n\r\n")},
        {"400", STR("POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n")},
        {"400", STR(POST "Transfer-Encoding: chunked\r\n\r\nxyz\r\n")},
        {"400", STR(POST "Transfer-Encoding: chunked\r\n\r\n2\r\nhixx")},
        {"413", STR(POST "Content-Length: 999999999999\r\n\r\n")},
        {"413", STR(POST "Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n")},
        {"417", STR(POST "Expect: wonders\r\nContent-Length: 2\r\n\r\n")},
        {"501", STR(POST "Transfer-Encoding: gzip\r\n\r\n")},
        {"501", STR(POST "Transfer-Encoding: gzip, chunked\r\n\r\n")},
        {"505", STR("GET /echo HTTP/2.0\r\n")},
        {"505", STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")},
    };
    struct world w;
    begin(&w, (struct server_options){0});
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf got = {0};
        int fd = dial(&w);
        say(fd, rows[i].in);
        hear(fd, &got, NULL);
        if (!str_starts(buf_str(&got), STR("HTTP/1.1 ")) ||
            strncmp(buf_text(&got) + 9, rows[i].status, 3) != 0)
            fail_msg("row %zu: expected %s, got [%s]", i, rows[i].status, buf_text(&got));
        assert_non_null(strstr(buf_text(&got), "\r\n\r\n{\"error\":{\"message\":\""));
        assert_non_null(strstr(buf_text(&got), "Connection: close\r\n"));
        buf_done(&got);
        close(fd);
    }
    end(&w);
}

/* Endless targets, fields and heads; the answer is whole though much input stays unread. */
static void test_endless_heads(void **state)
{
    (void)state;
    static const struct {
        const char *status, *begin, *fill;
    } rows[] = {
        {"414", "GET /", "aaaaaaaaaaaaaaaa"},
        {"431", "GET /echo HTTP/1.1\r\nA: ", "aaaaaaaaaaaaaaaa"},
        {"431", "GET /echo HTTP/1.1\r\n", "A: aaaaaaaaaaa\r\n"},
        {"431", "GET /echo HTTP/1.1\r\n", "A:\r\n"},
    };
    struct world w;
    begin(&w, (struct server_options){0});
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf in = {0}, got = {0};
        buf_add_text(&in, rows[i].begin);
        buf_add_repeat(&in, rows[i].fill, 65536);
        int fd = dial(&w);
        say(fd, buf_str(&in));
        hear(fd, &got, NULL);
        assert_int_equal(strncmp(buf_text(&got) + 9, rows[i].status, 3), 0);
        assert_non_null(strstr(buf_text(&got), "}}\n"));
        buf_done(&in);
        buf_done(&got);
        close(fd);
    }
    end(&w);
}

static void test_continue(void **state)
{
    (void)state;
    struct world w;
    struct buf got = {0};
    begin(&w, (struct server_options){0});
    int fd = dial(&w);
    say(fd,
        STR("POST /echo HTTP/1.1\r\n" HOST "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n"));
    hear(fd, &got, "HTTP/1.1 100 Continue\r\n\r\n");
    say(fd, STR("hi"));
    hear(fd, &got, "\r\n\r\nhi");
    buf_done(&got);
    close(fd);
    end(&w);
}

/* Gone while the handler holds the request, while a stream runs, and with input behind it. */
static void test_hangup(void **state)
{
    (void)state;
    static const char *const requests[] = {
        "GET /hold HTTP/1.1\r\n" HOST "\r\n",
        "GET /stream HTTP/1.1\r\n" HOST "\r\n",
        "GET /hold HTTP/1.1\r\n" HOST "\r\n" ECHO_REQUEST,
    };
    struct world w;
    begin(&w, (struct server_options){0});
    for (size_t i = 0; i < ARRAY_LEN(requests) * 3; i++) {
        int fd = dial(&w);
        say(fd, str_of(requests[i % 3]));
        await(w.requests_fd);
        if (i / 3 == 1)
            shutdown(fd, SHUT_WR);
        if (i / 3 == 2)
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1},
                       sizeof(struct linger));
        if (i / 3 != 1)
            close(fd);
        await(w.hangups_fd);
        if (i / 3 == 1)
            close(fd);
    }
    int fd = dial(&w);
    say(fd, str_of(requests[0]));
    await(w.requests_fd);
    end(&w); /* server_free hangs up what is open */
    close(fd);
}

static void test_reset(void **state)
{
    (void)state;
    struct world w;
    char byte[256];
    begin(&w, (struct server_options){0});
    int fd = dial(&w);
    say(fd, STR("GET /reset HTTP/1.1\r\n" HOST "\r\n"));
    ssize_t n;
    while ((n = recv(fd, byte, sizeof(byte), 0)) > 0)
        continue;
    assert_int_equal(n, -1);
    assert_int_equal(errno, ECONNRESET);
    close(fd);
    end(&w);
}

static void test_queue_is_bounded(void **state)
{
    (void)state;
    struct world w;
    begin(&w, (struct server_options){.queue_bytes_max = 1 << 20});
    int fd = dial(&w);
    say(fd, STR("GET /fill HTTP/1.1\r\n" HOST "\r\n"));
    await(w.requests_fd);
    assert_in_range(w.refused_writes, 1, 4096 - 16);
    close(fd);
    end(&w);
}

static void test_timeouts(void **state)
{
    (void)state;
    static const struct {
        const char *in, *begins;
    } rows[] = {
        {"", ""},
        {"GET /ec", "HTTP/1.1 408 "},
        {"POST /echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nh", "HTTP/1.1 408 "},
    };
    struct world w;
    begin(&w, (struct server_options){.head_timeout = 700000000});
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf got = {0};
        int fd = dial(&w);
        say(fd, str_of(rows[i].in));
        hear(fd, &got, NULL);
        assert_true(str_starts(buf_str(&got), str_of(rows[i].begins)));
        assert_int_equal(got.len > 0, rows[i].begins[0] != '\0');
        buf_done(&got);
        close(fd);
    }
    end(&w);
    begin(&w, (struct server_options){.idle_timeout = 30000000});
    struct buf got = {0};
    int fd = dial(&w);
    say(fd, STR(ECHO_REQUEST));
    hear(fd, &got, NULL); /* answered, then idle */
    assert_true(str_ends(buf_str(&got), STR("\r\n\r\nhi")));
    buf_done(&got);
    close(fd);
    end(&w);
}

/* With room for one connection the second is served once the first has gone: from the handler, and
 * in the middle of an answer that it does not read. */
static void test_connections_max(void **state)
{
    (void)state;
    static const char *const requests[] = {"GET /hold HTTP/1.1\r\n" HOST "\r\n",
                                           "GET /large HTTP/1.1\r\n" HOST "\r\n"};
    struct world w;
    begin(&w, (struct server_options){.connections_max = 1});
    for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
        struct buf got = {0};
        int first = dial(&w), second = dial(&w);
        say(second, STR(ECHO_REQUEST_CLOSE));
        say(first, str_of(requests[i]));
        await(w.requests_fd);
        struct pollfd p = {.fd = second, .events = POLLIN};
        assert_int_equal(poll(&p, 1, 0), 0);
        close(first);
        hear(second, &got, NULL);
        assert_true(str_ends(buf_str(&got), STR("\r\n\r\nhi")));
        await(w.requests_fd);
        buf_done(&got);
        close(second);
    }
    end(&w);
}

/* An answer larger than any socket's buffer arrives whole, and the connection goes on. */
static void test_large_answer(void **state)
{
    (void)state;
    struct world w;
    struct buf got = {0};
    begin(&w, (struct server_options){0});
    int fd = dial(&w);
    say(fd, STR("GET /large HTTP/1.1\r\n" HOST "\r\n" ECHO_REQUEST_CLOSE));
    await(w.requests_fd); /* answered before anything is read */
    ssize_t n;
    while ((n = recv(fd, buf_room(&got, 1 << 20), 1 << 20, 0)) > 0)
        buf_grown(&got, (size_t)n);
    assert_int_equal(n, 0);
    struct str body = str_from(buf_str(&got), strstr(buf_text(&got), "\r\n\r\n") - got.ptr + 4);
    for (size_t i = 0; i < LARGE_BYTES; i++)
        assert_int_equal(body.ptr[i], 0);
    assert_true(str_starts(str_from(body, LARGE_BYTES), STR("HTTP/1.1 200 OK\r\n")));
    assert_true(str_ends(body, STR("\r\n\r\nhi")));
    buf_done(&got);
    close(fd);
    end(&w);
}

static void hear_tls(SSL *ssl, struct buf *got)
{
    int n;
    while ((n = SSL_read(ssl, buf_room(got, 4096), 4096)) > 0)
        buf_grown(got, (size_t)n);
}

static void test_tls(void **state)
{
    (void)state;
    char folder[] = "/tmp/weir-test-XXXXXX", cert[64], key[64];
    assert_non_null(mkdtemp(folder));
    snprintf(cert, sizeof(cert), "%s/cert.pem", folder);
    snprintf(key, sizeof(key), "%s/key.pem", folder);
    struct err err = {0};
    assert_true(selfsigned_make(cert, key, &err));
    assert_false(selfsigned_make(cert, key, &err)); /* never over a key */

    struct world w;
    begin(&w, (struct server_options){.cert_file = cert, .key_file = key});
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    assert_int_equal(SSL_CTX_load_verify_locations(ctx, cert, NULL), 1);
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
    for (size_t i = 0; i < ARRAY_LEN(talks) * 2; i++) {
        struct buf got = {0};
        int fd = dial(&w);
        SSL *ssl = SSL_new(ctx);
        SSL_set_max_proto_version(ssl, versions[i % 2]);
        SSL_set1_host(ssl, "localhost");
        SSL_set_fd(ssl, fd);
        assert_int_equal(SSL_connect(ssl), 1);
        assert_int_equal(SSL_write(ssl, talks[i / 2].in, (int)strlen(talks[i / 2].in)),
                         strlen(talks[i / 2].in));
        hear_tls(ssl, &got);
        drop_dates(&got);
        assert_string_equal(buf_text(&got), talks[i / 2].out);
        buf_done(&got);
        SSL_free(ssl);
        close(fd);
    }
    int fd = dial(&w);
    say(fd, STR(ECHO_REQUEST)); /* plain text to a TLS port */
    char bytes[64];
    while (recv(fd, bytes, sizeof(bytes), 0) > 0)
        continue;
    close(fd);
    SSL_CTX_free(ctx);
    end(&w);
    unlink(cert);
    unlink(key);
    rmdir(folder);
}

static void test_bad_options(void **state)
{
    (void)state;
    static const struct {
        struct server_options options;
        const char *id;
    } rows[] = {
        {{.listen = "127.0.0.1"}, "bad_listen"},
        {{.listen = "127.0.0.1:x"}, "bad_listen"},
        {{.listen = "127.0.0.1:65536"}, "bad_listen"},
        {{.listen = ":80"}, "bad_listen"},
        {{.listen = "::1:80"}, "bad_listen"},
        {{.listen = "192.0.2.1:0"}, "no_listen"},
        {{.listen = "127.0.0.1:0", .cert_file = "/nowhere"}, "bad_certificate"},
    };
    struct err err = {0};
    struct loop *loop = loop_new(&err);
    const struct server_handler handler = {0};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        err = (struct err){0};
        assert_null(server_new(loop, &rows[i].options, &handler, &err));
        assert_string_equal(err.id, rows[i].id);
    }
    struct server *six =
        server_new(loop, &(struct server_options){.listen = "[::1]:0"}, &handler, &err);
    if (six)
        assert_in_range(server_port(six), 1, 65535);
    server_free(six);
    loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_talks),
        cmocka_unit_test(test_hostile_heads),
        cmocka_unit_test(test_endless_heads),
        cmocka_unit_test(test_continue),
        cmocka_unit_test(test_hangup),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_queue_is_bounded),
        cmocka_unit_test(test_timeouts),
        cmocka_unit_test(test_connections_max),
        cmocka_unit_test(test_large_answer),
        cmocka_unit_test(test_tls),
        cmocka_unit_test(test_bad_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
