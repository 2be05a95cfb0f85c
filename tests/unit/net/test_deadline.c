#include "test.h"

#include "net/deadline.h"

/* Limits apart from each other, so that each shows: connect 1, first 2, gap 3, idle 4, total 50. */
static const struct request_timeouts limits = {1, 2, 3, 4, 50};

struct row {
    const char *name;
    bool streamed;
    int status;
    int64_t sent, first_output, last_output;
    struct deadline_state state;
    struct deadline expected;
};

#define OPEN(last)                                                                                 \
    {                                                                                              \
        .open = true, .last_byte = (last), .drain_until = NEVER                                    \
    }

static const struct row rows[] = {
    {"dialling", true, 0, NEVER, NEVER, NEVER, {.last_byte = NEVER}, {101, END_TIMEOUT_CONNECT}},
    {"open, nothing yet", true, 0, 101, NEVER, NEVER, OPEN(NEVER), {102, END_TIMEOUT_FIRST}},
    {"comments do not help", true, 200, 101, NEVER, NEVER, OPEN(101), {102, END_TIMEOUT_FIRST}},
    {"output: the gap", true, 200, 101, 102, 110, OPEN(111), {113, END_TIMEOUT_GAP}},
    {"a tie is the gap's", true, 200, 101, 102, 110, OPEN(109), {113, END_TIMEOUT_GAP}},
    {"silence", true, 200, 101, 102, 110, OPEN(108), {112, END_TIMEOUT_IDLE}},
    {"the whole", true, 200, 101, 102, 148, OPEN(148), {150, END_TIMEOUT_TOTAL}},
    {"plain, no head", false, 0, 101, NEVER, NEVER, OPEN(NEVER), {102, END_TIMEOUT_FIRST}},
    {"plain, its body", false, 200, 101, NEVER, NEVER, OPEN(120), {124, END_TIMEOUT_IDLE}},
    {"an error's body", true, 503, 101, NEVER, NEVER, OPEN(101), {102, END_TIMEOUT_FIRST}},
    {"a plain one's error", false, 503, 101, NEVER, NEVER, OPEN(101), {102, END_TIMEOUT_FIRST}},
    {"behind the terminator",
     true,
     200,
     101,
     102,
     110,
     {.open = true, .answer_over = true, .last_byte = 110, .drain_until = 777},
     {777, END_BODY}},
};

static void each_state_has_its_deadline(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct row *row = &rows[i];
        struct record r;
        record_init(&r);
        r.start = 100;
        r.streamed = row->streamed;
        r.http_status = row->status;
        r.sent = row->sent;
        r.first_output = row->first_output;
        r.last_output = row->last_output;
        struct deadline got = deadline_of(&limits, &r, &row->state);
        if (got.due != row->expected.due || got.how != row->expected.how)
            fail_msg("%s: expected %lld (%d), got %lld (%d)", row->name,
                     (long long)row->expected.due, row->expected.how, (long long)got.due, got.how);
    }
}

static void what_is_off_never_comes(void **state)
{
    (void)state;
    const struct request_timeouts off = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const struct deadline_state open = OPEN(120);
    struct record r;
    record_init(&r);
    r.streamed = true;
    r.start = r.sent = 100;
    assert_true(deadline_of(&off, &r, &open).due == INT64_MAX);
    assert_true(deadline_of(&off, &r, &(struct deadline_state){.last_byte = NEVER}).due ==
                INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_has_its_deadline),
        cmocka_unit_test(what_is_off_never_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
