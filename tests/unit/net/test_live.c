#include "test.h"

#include "net/live.h"

#include "world.h"

/* A small study: asks again and again, and notes what happens in which order. */

struct study {
    struct driver *driver;
    struct peer peer;
    char url[64];
    int64_t left; /* requests still to be sent */
    int64_t done, aborted, fired;
    bool inside; /* within driver_send or driver_at: no callback may come */
    bool stop_at_first;
};

static void study_begin(struct study *s, const script *scripts, int count)
{
    struct err err = {0};
    memset(s, 0, sizeof(*s));
    s->driver = live_driver_new(&(struct client_options){0}, &err);
    assert_non_null(s->driver);
    peer_start(&s->peer, NULL, scripts, count);
    snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%d/", s->peer.port);
}

static void study_end(struct study *s)
{
    driver_free(s->driver);
    peer_stop(&s->peer);
}

static void study_send(struct study *s);

static void on_done(void *arg, struct record *r)
{
    struct study *s = arg;
    assert_false(s->inside);
    s->done++;
    s->aborted += r->outcome == OUTCOME_ABORTED;
    record_done(r);
    if (s->stop_at_first)
        driver_stop(s->driver);
    s->stop_at_first = false;
    study_send(s);
}

static void study_send(struct study *s)
{
    if (s->left-- <= 0)
        return;
    const int64_t off = INT64_MAX;
    struct request r = {.number = 1, .due = NEVER, .url = str_of(s->url), .body = STR("{}")};
    r.timeouts = (struct request_timeouts){off, off, off, off, SECONDS(60)};
    r.observe.streamed = true;
    s->inside = true;
    driver_send(s->driver, &r, on_done, s);
    s->inside = false;
}

static void on_fire(void *arg)
{
    struct study *s = arg;
    assert_false(s->inside);
    s->fired++;
}

static const script answers_twice = {ASKED, SEND(WHOLE), ASKED, SEND(WHOLE), HOLD};
static const script never_ends = {ASKED, SEND(HEAD CHUNK_HI), HOLD};

static void run_ends_when_nothing_is_left(void **state)
{
    (void)state;
    struct study s;
    study_begin(&s, &answers_twice, 1);
    driver_run(s.driver); /* nothing asked: returns */
    s.left = 2;
    study_send(&s);
    driver_run(s.driver);
    assert_int_equal(s.done, 2);
    assert_int_equal(live_driver_facts(s.driver)->dials, 1);
    driver_run(s.driver);
    assert_int_equal(s.done, 2);
    study_end(&s);
}

static void run_waits_for_timers(void **state)
{
    (void)state;
    struct study s;
    study_begin(&s, &never_ends, 1);
    int64_t now = driver_now(s.driver);
    driver_at(s.driver, now + MILLIS(3), on_fire, &s);
    driver_at(s.driver, now - MILLIS(3), on_fire, &s);
    driver_run(s.driver);
    assert_int_equal(s.fired, 2);
    assert_true(driver_now(s.driver) >= now + MILLIS(3));
    study_end(&s);
}

static void stop_by_timer(void *arg)
{
    struct study *s = arg;
    s->fired++;
    driver_stop(s->driver);
}

static void stop_aborts_what_runs_and_drops_timers(void **state)
{
    (void)state;
    struct study s;
    study_begin(&s, &never_ends, 1);
    s.left = 1;
    study_send(&s);
    driver_at(s.driver, driver_now(s.driver) + MILLIS(2), stop_by_timer, &s);
    driver_at(s.driver, driver_now(s.driver) + SECONDS(3600), on_fire, &s);
    driver_run(s.driver);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.aborted, 1);
    assert_int_equal(s.fired, 1);
    driver_run(s.driver); /* as if nothing had been */
    assert_int_equal(s.fired, 1);
    study_end(&s);
}

/* A study that does not notice the stop and asks on: what it asks then is aborted too. */
static void requests_after_a_stop_are_aborted(void **state)
{
    (void)state;
    struct study s;
    study_begin(&s, &answers_twice, 1);
    s.left = 4;
    s.stop_at_first = true;
    study_send(&s);
    driver_run(s.driver);
    assert_int_equal(s.done, 4);
    assert_int_equal(s.aborted, 3);
    study_end(&s);
}

static void freeing_delivers_what_runs(void **state)
{
    (void)state;
    struct study s;
    study_begin(&s, &never_ends, 1);
    s.left = 1;
    study_send(&s);
    driver_at(s.driver, driver_now(s.driver) + SECONDS(3600), on_fire, &s);
    study_end(&s);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.fired, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_ends_when_nothing_is_left),
        cmocka_unit_test(run_waits_for_timers),
        cmocka_unit_test(stop_aborts_what_runs_and_drops_timers),
        cmocka_unit_test(requests_after_a_stop_are_aborted),
        cmocka_unit_test(freeing_delivers_what_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
