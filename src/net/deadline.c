#include "net/deadline.h"

#include "base/attr.h"

static int64_t after(int64_t instant, int64_t duration)
{
    return instant == NEVER || duration >= INT64_MAX - instant ? INT64_MAX : instant + duration;
}

/* A plain answer has its first output with its head; an error's body never brings any. */
static bool waits_for_output(const struct record *r)
{
    bool plain_answer = !r->streamed && r->http_status / 100 == 2;
    return !plain_answer && r->first_output == NEVER;
}

struct deadline deadline_of(const struct request_timeouts *t, const struct record *r,
                            const struct deadline_state *s)
{
    int64_t last_byte = s->last_byte > r->sent ? s->last_byte : r->sent;
    const struct deadline all[] = {
        {s->open ? INT64_MAX : after(r->start, t->connect), END_TIMEOUT_CONNECT},
        {waits_for_output(r) ? after(r->start, t->first_output) : INT64_MAX, END_TIMEOUT_FIRST},
        {after(r->last_output, t->gap), END_TIMEOUT_GAP},
        {r->sent == NEVER ? INT64_MAX : after(last_byte, t->idle), END_TIMEOUT_IDLE},
        {after(r->start, t->total), END_TIMEOUT_TOTAL},
    };
    struct deadline nearest = {INT64_MAX, END_BODY};
    if (s->answer_over)
        return (struct deadline){s->drain_until, END_BODY};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (all[i].due < nearest.due)
            nearest = all[i];
    return nearest;
}
