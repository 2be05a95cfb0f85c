#include <stddef.h>

#include "net/client_inside.h"
#include "net/deadline.h"

static struct deadline deadline(const struct attempt *a)
{
    const struct deadline_state state = {
        .open = a->state >= ATTEMPT_OPEN,
        .answer_over = a->answer_over,
        .last_byte = a->last_byte,
        .drain_until = a->drain_until,
    };
    return deadline_of(&a->request.timeouts, &a->record, &state);
}

/* Deadlines fed by bytes only move away: the timer follows when it fires, not with each byte. */
void attempt_arm(struct attempt *a)
{
    if (a->state == ATTEMPT_OVER)
        return;
    int64_t due = deadline(a).due;
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
    struct deadline nearest = deadline(a);
    int64_t now = clock_now();
    if (nearest.due <= now) {
        attempt_end(a, nearest.how, now);
        attempt_finish(a);
    } else {
        attempt_arm(a);
    }
}
