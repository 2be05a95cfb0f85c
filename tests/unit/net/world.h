#ifndef WEIR_TEST_WORLD_H
#define WEIR_TEST_WORLD_H

/* A loop, a client and a scripted peer: what the tests of net/client stand on. */

#include "net/client_inside.h"

#include "peer.h"

/* clang-format off */
/* Steps of scripts, short. */
#define ASKED       {STEP_REQUEST, 0}
#define SWALLOW     {STEP_SWALLOW, 0}
#define HOLD        {STEP_HOLD, 0}
#define RESET       {STEP_RESET, 0}
#define HALF        {STEP_HALF, 0}
#define PAUSE       {STEP_PAUSE, 0}
#define BYE         {STEP_BYE, 0}
#define END         {STEP_END, 0}
#define SEND(text)  {STEP_SEND, text}
#define TRICKLE(t)  {STEP_TRICKLE, t}
#define FLOOD(text) {STEP_FLOOD, text}
/* clang-format on */

/* One event of the OpenAI chat dialect, and what surrounds them. */
#define HEAD                                                                                       \
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"         \
    "X-Request-Id: req-7\r\n\r\n"
#define CHUNK_HI   "39\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"h\"}}]}\n\n\r\n"
#define CHUNK_DONE "e\r\ndata: [DONE]\n\n\r\n"
#define CHUNK_PING "8\r\n: ping\n\n\r\n"
#define LAST_CHUNK "0\r\n\r\n"
#define EVENT_HI   "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"h\"}}]}\n\n"
#define EVENT_DONE "data: [DONE]\n\n"
#define WHOLE      HEAD CHUNK_HI CHUNK_HI CHUNK_DONE LAST_CHUNK
#define SECONDS(n) ((int64_t)(n)*1000000000)
#define MILLIS(n)  ((int64_t)(n)*1000000)
#define PLAIN_BODY                                                                                 \
    "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}"

struct world {
    struct loop *loop;
    struct client *client;
    struct peer peer;
    struct loop_timer timer;
    char url[64];
    struct record record;
    int delivered, awaited;
};

static void begin_with(struct world *w, const script *scripts, int count,
                       const struct client_options *options, SSL_CTX *tls)
{
    struct err err = {0};
    memset(w, 0, sizeof(*w));
    w->loop = loop_new(&err);
    assert_non_null(w->loop);
    w->client = client_new(w->loop, options, &err);
    assert_non_null(w->client);
    peer_start(&w->peer, tls, scripts, count);
    snprintf(w->url, sizeof(w->url), "%s://127.0.0.1:%d/v1/chat/completions",
             tls ? "https" : "http", w->peer.port);
}

static UNUSED void begin(struct world *w, const script *scripts, int count)
{
    begin_with(w, scripts, count, &(struct client_options){0}, NULL);
}

static UNUSED void finish(struct world *w)
{
    client_free(w->client);
    record_done(&w->record);
    loop_free(w->loop);
    peer_stop(&w->peer);
}

static void delivered(void *arg, struct record *r)
{
    struct world *w = arg;
    record_done(&w->record);
    w->record = *r;
    if (++w->delivered == w->awaited)
        loop_stop(w->loop);
}

static UNUSED struct request request_to(const struct world *w)
{
    const int64_t off = INT64_MAX;
    return (struct request){
        .number = 1,
        .due = NEVER,
        .url = str_of(w->url),
        .key = STR("sk-secret-of-the-test"),
        .body = STR("{\"stream\":true}"),
        /* A deadline so that a broken test ends; never reached by a good one. */
        .timeouts = {off, off, off, off, SECONDS(60)},
        .observe = {.streamed = true, .keep_events = true},
    };
}

static UNUSED void ask(struct world *w, const struct request *r)
{
    w->awaited = w->delivered + 1;
    client_send(w->client, r, delivered, w);
    loop_run(w->loop);
}

/* Instants never run backwards, and an answer has all of them. */
static UNUSED void check_order(const char *name, const struct record *r)
{
    const int64_t order[] = {r->start,       r->dns_done,   r->connect_done, r->proxy_done,
                             r->tls_done,    r->headers,    r->first_event,  r->first_output,
                             r->last_output, r->terminator, r->end};
    int64_t before = r->start;
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        if (order[i] != NEVER && order[i] < before)
            fail_msg("%s: instant %zu is %lld ns before the one before it", name, i,
                     (long long)(before - order[i]));
        before = order[i] != NEVER ? order[i] : before;
    }
    if (r->sent != NEVER)
        assert_true(r->sent >= r->tls_done && r->sent <= r->end);
}

#endif
