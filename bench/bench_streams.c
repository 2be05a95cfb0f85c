/*
 * Many streams at once through net/client against `weir sim --stamp`, whose chunks carry the
 * instant (CLOCK_MONOTONIC) at which they were sent: how far weir's instants are from it, what an
 * event costs, what a stream costs. One line of JSON on stdout.
 *
 *     bench_streams URL STREAMS GAP_MS TOKENS
 *
 * Streams start one after another, spread evenly over the phases of a gap. What counts lies between
 * the start of the last and the end of the first. No event log is kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "measure/clock.h"
#include "net/client.h"

enum { SAMPLES_MAX = 4 << 20 };

struct stream {
    struct loop_timer timer;
    struct bench *bench;
};

struct bench {
    struct loop *loop;
    struct client *client;
    struct request request;
    struct stream *streams;
    size_t count, started, ended, complete;
    int64_t *errors; /* instant - sent, ns */
    size_t error_count, early;
    int64_t rss_before, rss_open, cpu_from, cpu_to, window_from, window_to;
    bool measuring, over;
};

static int64_t cpu_now(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000LL +
           (use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000LL;
}

static int64_t rss_now(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static int64_t sent_of(struct str data)
{
    static const char key[] = "\"sent_ns\":";
    const char *at = memmem(data.ptr, data.len, key, sizeof(key) - 1);
    int64_t sent = 0;
    if (!at)
        return NEVER;
    at += sizeof(key) - 1;
    while (at < data.ptr + data.len && *at == ' ')
        at++;
    while (at < data.ptr + data.len && *at >= '0' && *at <= '9')
        sent = sent * 10 + (*at++ - '0');
    return sent;
}

static void event(void *arg, const struct reading_event *e)
{
    struct bench *b = arg;
    int64_t sent = b->measuring ? sent_of(e->data) : NEVER;
    if (sent == NEVER || b->error_count == SAMPLES_MAX)
        return;
    b->early += e->mark < sent;
    b->errors[b->error_count++] = e->mark - sent;
}

static void window_start(struct bench *b)
{
    b->measuring = true;
    b->rss_open = rss_now();
    b->window_from = clock_now();
    b->cpu_from = cpu_now();
}

static void window_end(struct bench *b)
{
    b->cpu_to = cpu_now();
    b->window_to = clock_now();
    b->measuring = false;
}

static void ended(void *arg, struct record *record)
{
    struct bench *b = arg;
    if (b->measuring)
        window_end(b);
    b->over = true;
    b->complete += record->outcome == OUTCOME_COMPLETE;
    record_done(record);
    if (++b->ended < b->count)
        return;
    loop_timer_stop(&b->streams[b->count].timer);
    loop_stop(b->loop);
}

static void start(struct loop_timer *timer)
{
    struct bench *b = ((struct stream *)timer)->bench;
    client_send(b->client, &b->request, ended, b);
    if (++b->started == b->count)
        loop_timer_start(b->loop, &b->streams[b->count].timer, clock_now() + 1000000000);
}

static void all_run(struct loop_timer *timer)
{
    struct bench *b = ((struct stream *)timer)->bench;
    if (!b->over)
        window_start(b);
}

static int by_value(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static double error_us(const struct bench *b, double q)
{
    if (b->error_count == 0)
        return 0;
    return (double)b->errors[(size_t)(q * (double)(b->error_count - 1))] / 1e3;
}

static void print(struct bench *b, bool tls)
{
    double events = (double)b->error_count, seconds = (double)(b->window_to - b->window_from) / 1e9;
    qsort(b->errors, b->error_count, sizeof(*b->errors), by_value);
    printf("{\"client\":\"weir\",\"tls\":%s,\"streams\":%zu,\"complete\":%zu,\"events\":%zu,"
           "\"events_per_s\":%.0f,\"p50_us\":%.1f,\"p99_us\":%.1f,\"p999_us\":%.1f,"
           "\"max_us\":%.1f,\"early\":%zu,\"cpu_us\":%.2f,\"core\":%.2f,\"kib\":%.1f}\n",
           tls ? "true" : "false", b->count, b->complete, b->error_count, events / seconds,
           error_us(b, .5), error_us(b, .99), error_us(b, .999), error_us(b, 1), b->early,
           (double)(b->cpu_to - b->cpu_from) / events / 1e3,
           (double)(b->cpu_to - b->cpu_from) / 1e9 / seconds,
           (double)(b->rss_open - b->rss_before) / 1024 / (double)b->count);
}

static void make_request(struct bench *b, const char *base, int tokens)
{
    static char url[512], body[256];
    snprintf(url, sizeof(url), "%s/v1/chat/completions", base);
    snprintf(body, sizeof(body),
             "{\"model\":\"weir-sim\",\"messages\":[{\"role\":\"user\",\"content\":\"go\"}],"
             "\"stream\":true,\"max_tokens\":%d}",
             tokens);
    b->request = (struct request){
        .due = NEVER,
        .url = str_of(url),
        .body = str_of(body),
        .fresh = true,
        .timeouts = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX},
        .observe = {.streamed = true, .on_event = event, .arg = b},
    };
}

int main(int argc, char **argv)
{
    struct err err = {0};
    struct bench b = {0};
    if (argc != 5) {
        fputs("bench_streams URL STREAMS GAP_MS TOKENS\n", stderr);
        return EXIT_USAGE;
    }
    double gap_ns = atof(argv[3]) * 1e6;
    b.count = (size_t)atol(argv[2]);
    b.loop = loop_new(&err);
    b.client = b.loop ? client_new(b.loop, &(struct client_options){.insecure = true}, &err) : NULL;
    if (!b.client || b.count == 0) {
        fprintf(stderr, "bench_streams: %s\n", err.what);
        return EXIT_BUG;
    }
    make_request(&b, argv[1], atoi(argv[4]));
    b.errors = mem_array(SAMPLES_MAX, sizeof(*b.errors));
    memset(b.errors, 1, SAMPLES_MAX * sizeof(*b.errors)); /* in memory before it is weighed */
    b.streams = mem_array(b.count + 1, sizeof(*b.streams));
    b.rss_before = rss_now();
    int64_t now = clock_now();
    for (size_t i = 0; i <= b.count; i++)
        b.streams[i] = (struct stream){.timer.fire = i < b.count ? start : all_run, .bench = &b};
    /* 1 ms and a bit apart: a golden step through the phases of a gap. */
    for (size_t i = 0; i < b.count; i++)
        loop_timer_start(b.loop, &b.streams[i].timer,
                         now + (int64_t)((double)i * gap_ns * (0.05 + 1 / 618.034)));
    loop_run(b.loop);
    print(&b, strncmp(argv[1], "https", 5) == 0);
    client_free(b.client);
    loop_free(b.loop);
    mem_free(b.streams);
    mem_free(b.errors);
    return b.complete == b.count ? EXIT_OK : EXIT_NONE;
}
