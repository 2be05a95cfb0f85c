#include <stddef.h>

#include "net/client_inside.h"

static int64_t after(int64_t instant, int64_t duration)
{
    return instant == NEVER || duration >= INT64_MAX - instant ? INT64_MAX : instant + duration;
}

static bool waits_for_output(const struct attempt *a)
{
    const struct record *r = &a->record;
    bool plain_answer = !r->streamed && r->http_status / 100 == 2;
    return !plain_answer && r->first_output == NEVER; /* an error's body never brings any */
}

/* The nearest deadline and what it means. Once the answer is over only its drain is left. */
static int64_t deadline(const struct attempt *a, enum transport_end *how)
{
    const struct request_timeouts *t = &a->request.timeouts;
    const struct record *r = &a->record;
    const int64_t never = INT64_MAX;
    int64_t last_byte = a->last_byte > r->sent ? a->last_byte : r->sent;
    const struct {
        int64_t due;
        enum transport_end how;
    } all[] = {
        {a->state < ATTEMPT_OPEN ? after(r->start, t->connect) : never, END_TIMEOUT_CONNECT},
        {waits_for_output(a) ? after(r->start, t->first_output) : never, END_TIMEOUT_FIRST},
        {after(r->last_output, t->gap), END_TIMEOUT_GAP},
        {r->sent != NEVER ? after(last_byte, t->idle) : never, END_TIMEOUT_IDLE},
        {after(r->start, t->total), END_TIMEOUT_TOTAL},
    };
    *how = END_BODY;
    if (a->answer_over)
        return a->drain_until;
    int64_t nearest = never;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        if (all[i].due < nearest) {
            nearest = all[i].due;
            *how = all[i].how;
        }
    }
    return nearest;
}

/* Deadlines fed by bytes only move away: the timer follows when it fires, not with each byte. */
void attempt_arm(struct attempt *a)
{
    enum transport_end how;
    if (a->state == ATTEMPT_OVER)
        return;
    int64_t due = deadline(a, &how);
    if (due != INT64_MAX && (!a->timer.loop || due < a->timer.due))
        loop_timer_start(a->client->loop, &a->timer, due);
}

/* Bytes that came in time but were not read yet count: look before judging. */
void attempt_timer_fires(struct loop_timer *t)
{
    struct attempt *a = (struct attempt *)((char *)t - offsetof(struct attempt, timer));
    if (a->conn && a->state != ATTEMPT_OVER)
        conn_poll(a->conn);
    if (attempt_settle(a))
        return;
    enum transport_end how;
    int64_t now = clock_now();
    if (deadline(a, &how) <= now) {
        attempt_end(a, how, now);
        attempt_finish(a);
    } else {
        attempt_arm(a);
    }
}
