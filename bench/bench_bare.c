/*
 * The limit that bench_streams is held against: the same streams, window and figures, by a bare
 * epoll loop with kernel stamps that reads bytes and looks for nothing but the send instant. What
 * it shows is the machine's and the kernel's; what bench_streams shows beyond it is weir's. Plain
 * connections to a numeric address only.
 *
 *     bench_bare http://127.0.0.1:PORT STREAMS GAP_MS TOKENS
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "net/stamp.h"

enum { SAMPLES_MAX = 4 << 20, READ_MAX = 64 << 10, READY_MAX = 256 };

struct bare {
    struct stamper stamper;
    struct sockaddr_in to;
    int poll;
    size_t count, started, done;
    int64_t *errors;
    size_t error_count, early;
    int64_t window_from, window_to, cpu_from, cpu_to;
    bool measuring, over;
    char request[512], bytes[READ_MAX];
};

static int64_t cpu_now(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000LL +
           (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000LL;
}

static void stop_if(bool failed, const char *what)
{
    if (!failed)
        return;
    perror(what);
    exit(EXIT_BUG);
}

static void open_one(struct bare *b)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stop_if(fd < 0, "socket");
    stamper_prepare(fd);
    stop_if(connect(fd, (struct sockaddr *)&b->to, sizeof(b->to)) != 0, "connect");
    size_t len = strlen(b->request);
    stop_if(write(fd, b->request, len) != (ssize_t)len, "write");
    fcntl(fd, F_SETFL, O_NONBLOCK);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
    stop_if(epoll_ctl(b->poll, EPOLL_CTL_ADD, fd, &e) != 0, "epoll_ctl");
    b->started++;
}

static void take(struct bare *b, size_t len, int64_t at)
{
    static const char key[] = "\"sent_ns\":";
    const char *from = b->bytes, *end = b->bytes + len;
    b->bytes[len] = 0;
    while (b->measuring && (from = memmem(from, (size_t)(end - from), key, sizeof(key) - 1)) &&
           b->error_count < SAMPLES_MAX) {
        from += sizeof(key) - 1;
        int64_t sent = strtoll(from, NULL, 10);
        b->early += at < sent;
        b->errors[b->error_count++] = at - sent;
    }
}

static void ended(struct bare *b, int fd)
{
    if (b->measuring) {
        b->cpu_to = cpu_now();
        b->window_to = clock_now();
    }
    b->measuring = false;
    b->over = true;
    b->done++;
    close(fd);
}

static void ready(struct bare *b, int fd)
{
    struct stamp stamp;
    ssize_t n = stamper_recv(&b->stamper, fd, b->bytes, READ_MAX - 1, &stamp);
    if (n > 0)
        take(b, (size_t)n, stamp.at);
    if (n == 0 || (n > 0 && memmem(b->bytes, (size_t)n, "[DONE]", 6)))
        ended(b, fd);
}

static void run(struct bare *b, double gap_ns)
{
    int64_t begin = clock_now(), open_at = INT64_MAX;
    struct epoll_event events[READY_MAX];
    while (b->done < b->count) {
        int64_t now = clock_now();
        int64_t due = begin + (int64_t)((double)b->started * gap_ns * (0.05 + 1 / 618.034));
        if (b->started < b->count && now >= due)
            open_one(b);
        if (b->started == b->count && open_at == INT64_MAX)
            open_at = now + 1000000000;
        if (!b->measuring && !b->over && now >= open_at) {
            b->measuring = true;
            b->window_from = now;
            b->cpu_from = cpu_now();
        }
        int n = epoll_wait(b->poll, events, READY_MAX, b->started < b->count ? 0 : 100);
        for (int i = 0; i < n; i++)
            ready(b, events[i].data.fd);
    }
}

static int by_value(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static double error_us(const struct bare *b, double q)
{
    return b->error_count ? (double)b->errors[(size_t)(q * (double)(b->error_count - 1))] / 1e3 : 0;
}

int main(int argc, char **argv)
{
    struct bare *b = mem_zalloc(sizeof(*b));
    int port = 0;
    if (argc != 5 || sscanf(argv[1], "http://127.0.0.1:%d", &port) != 1) {
        fputs("bench_bare http://127.0.0.1:PORT STREAMS GAP_MS TOKENS\n", stderr);
        return EXIT_USAGE;
    }
    static const char head[] =
        "{\"model\":\"weir-sim\",\"messages\":[{\"role\":\"user\",\"content\":"
        "\"go\"}],\"stream\":true,\"max_tokens\":";
    char body[256];
    int len = snprintf(body, sizeof(body), "%s%d}", head, atoi(argv[4]));
    snprintf(b->request, sizeof(b->request),
             "POST /v1/chat/completions HTTP/1.1\r\nHost: sim\r\nContent-Type: application/json\r\n"
             "Content-Length: %d\r\n\r\n%s",
             len, body);
    b->to = (struct sockaddr_in){.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    b->count = (size_t)atol(argv[2]);
    b->poll = epoll_create1(EPOLL_CLOEXEC);
    b->errors = mem_array(SAMPLES_MAX, sizeof(*b->errors));
    memset(b->errors, 1, SAMPLES_MAX * sizeof(*b->errors));
    stamper_init(&b->stamper);
    run(b, atof(argv[3]) * 1e6);
    qsort(b->errors, b->error_count, sizeof(*b->errors), by_value);
    double events = (double)b->error_count, seconds = (double)(b->window_to - b->window_from) / 1e9;
    double cpu = (double)(b->cpu_to - b->cpu_from);
    printf("{\"client\":\"bare\",\"tls\":false,\"streams\":%zu,\"complete\":%zu,\"events\":%zu,"
           "\"events_per_s\":%.0f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,"
           "\"max_us\":%.1f,\"early\":%zu,\"cpu_us\":%.2f,\"core\":%.2f,\"kib\":null}\n",
           b->count, b->done, b->error_count, events / seconds, error_us(b, .5), error_us(b, .99),
           error_us(b, .999), error_us(b, 1), b->early, cpu / events / 1e3, cpu / 1e9 / seconds);
    stamper_done(&b->stamper);
    mem_free(b->errors);
    mem_free(b);
    return EXIT_OK;
}
