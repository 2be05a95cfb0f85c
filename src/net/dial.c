#include "net/dial.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "measure/clock.h"
#include "net/stamp.h"

struct dialer {
    struct loop *loop;
    CURLM *multi;
    struct loop_timer timer; /* libcurl's own */
    struct loop_timer soon;  /* delivers what ended within dial_start */
    int64_t entered_at;      /* when the loop last turned to us */
    struct watched *watched; /* all of them */
    size_t under_way;
};

struct dial {
    struct dialer *dialer;
    CURL *easy;
    dial_done_fn *done;
    void *arg;
    int64_t dns_done;
    curl_socket_t taken; /* ours: libcurl must not close it. -1: none yet */
    int socket_errno;    /* why the kernel gave no socket */
    char error[CURL_ERROR_SIZE];
};

/* A socket that libcurl wants watched. */
struct watched {
    struct loop_watch watch; /* first */
    struct dialer *dialer;
    struct watched *prev, *next;
};

/* What libcurl calls while it opens a socket. */

static curl_socket_t open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
    struct dial *dial = arg;
    (void)purpose;
    if (dial->dns_done == NEVER)
        dial->dns_done = clock_now();
    int fd = socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
    dial->socket_errno = fd < 0 ? errno : 0;
    return fd < 0 ? CURL_SOCKET_BAD : fd;
}

static int prepare_socket(void *arg, curl_socket_t fd, curlsocktype purpose)
{
    (void)arg, (void)purpose;
    stamper_prepare(fd);
    return CURL_SOCKOPT_OK;
}

/* A dial that is given up is closed before libcurl says that it need not be watched any more. */
static int close_socket(void *arg, curl_socket_t fd)
{
    const struct dial *dial = arg;
    if (fd == dial->taken)
        return 0;
    for (struct watched *w = dial->dialer->watched; w; w = w->next)
        if (w->watch.fd == fd)
            loop_watch_stop(&w->watch);
    return close(fd);
}

/* The end of a dial. */

static const struct {
    int number;
    enum text_id text;
} reasons[] = {
    {ECONNREFUSED, TEXT_NET_REFUSED},  {ETIMEDOUT, TEXT_NET_NO_ANSWER},
    {EHOSTUNREACH, TEXT_NET_NO_ROUTE}, {ENETUNREACH, TEXT_NET_NO_ROUTE},
    {ECONNRESET, TEXT_NET_RESET},      {EMFILE, TEXT_NET_TOO_MANY_FILES},
    {ENFILE, TEXT_NET_TOO_MANY_FILES}, {EADDRNOTAVAIL, TEXT_NET_NO_PORTS},
};

static void say_errno(struct buf *out, int number)
{
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
        if (reasons[i].number == number) {
            text_add(out, reasons[i].text);
            return;
        }
    }
    buf_add_text(out, strerror(number));
}

static void say_why(const struct dial *dial, CURLcode code, long os_errno, struct buf *out)
{
    if (code == CURLE_COULDNT_RESOLVE_HOST)
        text_add(out, TEXT_NET_NO_NAME);
    else if (dial->socket_errno)
        say_errno(out, dial->socket_errno);
    else if (os_errno)
        say_errno(out, (int)os_errno);
    else
        buf_add_text(out, dial->error[0] ? dial->error : curl_easy_strerror(code));
}

static void note_peer(CURL *easy, struct dial_result *r)
{
    char *ip = NULL;
    long port = 0;
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &ip);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &port);
    if (ip)
        snprintf(r->peer, sizeof(r->peer), strchr(ip, ':') ? "[%s]:%ld" : "%s:%ld", ip, port);
}

static void settle(struct dial *dial, CURLcode code, struct dial_result *r)
{
    *r = (struct dial_result){.fd = -1, .dns_done = dial->dns_done, .connect_done = NEVER};
    curl_socket_t fd = CURL_SOCKET_BAD;
    if (code == CURLE_OK)
        curl_easy_getinfo(dial->easy, CURLINFO_ACTIVESOCKET, &fd);
    if (fd != CURL_SOCKET_BAD) {
        r->fd = dial->taken = fd;
        r->connect_done = dial->dialer->entered_at;
        if (r->connect_done < r->dns_done)
            r->connect_done = r->dns_done;
        note_peer(dial->easy, r);
        return;
    }
    long os_errno = 0;
    curl_easy_getinfo(dial->easy, CURLINFO_OS_ERRNO, &os_errno);
    r->timed_out = code == CURLE_OPERATION_TIMEDOUT || os_errno == ETIMEDOUT;
    struct buf why = {.max = sizeof(dial->error) + 256};
    say_why(dial, code, os_errno, &why);
    str_copy(r->detail, sizeof(r->detail), buf_str(&why));
    buf_done(&why);
}

/* libcurl forgets the connection; a descriptor that was taken stays open (close_socket). Handles
 * are never kept: a later dial would search and prune the connections they cache. */
static void dial_free(struct dial *dial)
{
    dial->dialer->under_way--;
    curl_multi_remove_handle(dial->dialer->multi, dial->easy);
    curl_easy_cleanup(dial->easy);
    mem_free(dial);
}

static void deliver(struct dialer *d)
{
    int left;
    for (CURLMsg *m; (m = curl_multi_info_read(d->multi, &left));) {
        if (m->msg != CURLMSG_DONE)
            continue;
        struct dial *dial = NULL;
        struct dial_result result;
        CURLcode code = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &dial);
        settle(dial, code, &result);
        dial_done_fn *done = dial->done;
        void *arg = dial->arg;
        dial_free(dial);
        done(arg, &result);
    }
}

/* libcurl's multi on our loop. */

static void socket_ready(struct loop_watch *w, unsigned what)
{
    struct dialer *d = ((struct watched *)w)->dialer;
    int running, events = (what & LOOP_READ ? CURL_CSELECT_IN : 0) |
                          (what & LOOP_WRITE ? CURL_CSELECT_OUT : 0) |
                          (what & LOOP_HANGUP ? CURL_CSELECT_ERR : 0);
    d->entered_at = clock_now();
    curl_multi_socket_action(d->multi, w->fd, events, &running); /* may free `w` */
    deliver(d);
}

static struct watched *watched_new(struct dialer *d, int fd)
{
    struct watched *w = mem_zalloc(sizeof(*w));
    *w = (struct watched){
        .watch = {.fd = fd, .ready = socket_ready}, .dialer = d, .next = d->watched};
    if (w->next)
        w->next->prev = w;
    d->watched = w;
    return w;
}

static void watched_free(struct watched *w)
{
    if (!w)
        return;
    *(w->prev ? &w->prev->next : &w->dialer->watched) = w->next;
    if (w->next)
        w->next->prev = w->prev;
    loop_watch_stop(&w->watch);
    mem_free(w);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *socket_arg)
{
    struct dialer *d = arg;
    struct watched *w = socket_arg;
    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        watched_free(w);
        return 0;
    }
    if (!w) {
        w = watched_new(d, fd);
        curl_multi_assign(d->multi, fd, w);
    }
    loop_watch_start(d->loop, &w->watch,
                     (what & CURL_POLL_IN ? LOOP_READ : 0u) |
                         (what & CURL_POLL_OUT ? LOOP_WRITE : 0u));
    return 0;
}

static void timer_fires(struct loop_timer *t)
{
    struct dialer *d = (struct dialer *)((char *)t - offsetof(struct dialer, timer));
    int running;
    d->entered_at = clock_now();
    curl_multi_socket_action(d->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    deliver(d);
}

static void soon_fires(struct loop_timer *t)
{
    deliver((struct dialer *)((char *)t - offsetof(struct dialer, soon)));
}

static int on_timer(CURLM *multi, long ms, void *arg)
{
    struct dialer *d = arg;
    (void)multi;
    if (ms < 0)
        loop_timer_stop(&d->timer);
    else
        loop_timer_start(d->loop, &d->timer, clock_now() + (int64_t)ms * 1000000);
    return 0;
}

struct dialer *dialer_new(struct loop *l, struct err *err)
{
    if (curl_global_init(CURL_GLOBAL_NOTHING) != CURLE_OK) {
        err_set(err, EXIT_USAGE, "no_dialer", TEXT_NET_NO_DIALER);
        return NULL;
    }
    struct dialer *d = mem_zalloc(sizeof(*d));
    d->loop = l;
    d->timer.fire = timer_fires;
    d->soon.fire = soon_fires;
    d->multi = curl_multi_init();
    assert(d->multi);
    curl_multi_setopt(d->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(d->multi, CURLMOPT_SOCKETDATA, d);
    curl_multi_setopt(d->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(d->multi, CURLMOPT_TIMERDATA, d);
    return d;
}

void dialer_free(struct dialer *d)
{
    if (!d)
        return;
    assert(d->under_way == 0);
    curl_multi_cleanup(d->multi);
    loop_timer_stop(&d->timer);
    loop_timer_stop(&d->soon);
    curl_global_cleanup();
    mem_free(d);
}

/* Starting. */

static void set_options(struct dial *dial, const char *url)
{
    CURL *c = dial->easy;
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(c, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(c, CURLOPT_PROXY, "");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_BUFFERSIZE, 1024L); /* it never reads: the least there is */
    curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L);    /* do not wait for a lookup that is given up */
    curl_easy_setopt(c, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, 86400L); /* timeouts are the caller's */
    curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, dial);
    curl_easy_setopt(c, CURLOPT_SOCKOPTFUNCTION, prepare_socket);
    curl_easy_setopt(c, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(c, CURLOPT_CLOSESOCKETDATA, dial);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, dial->error);
    curl_easy_setopt(c, CURLOPT_PRIVATE, dial);
}

struct dial *dial_start(struct dialer *d, struct str host, int port, dial_done_fn *done, void *arg)
{
    struct dial *dial = mem_zalloc(sizeof(*dial));
    *dial = (struct dial){.dialer = d, .done = done, .arg = arg, .dns_done = NEVER, .taken = -1};
    dial->easy = curl_easy_init();
    assert(dial->easy);
    struct buf url = {0};
    bool ipv6 = str_find(host, ':') < host.len;
    buf_addf(&url, ipv6 ? "http://[%.*s]:%d/" : "http://%.*s:%d/", (int)host.len, host.ptr, port);
    set_options(dial, buf_text(&url));
    buf_done(&url);
    d->under_way++;
    CURLMcode code = curl_multi_add_handle(d->multi, dial->easy);
    assert(code == CURLM_OK);
    (void)code;
    int running;
    d->entered_at = clock_now();
    curl_multi_socket_action(d->multi, CURL_SOCKET_TIMEOUT, 0, &running); /* begins now */
    loop_timer_start(d->loop, &d->soon, d->entered_at);
    return dial;
}

int64_t dial_dns_done(const struct dial *dial)
{
    return dial->dns_done;
}

void dial_cancel(struct dial *dial)
{
    if (dial)
        dial_free(dial);
}
