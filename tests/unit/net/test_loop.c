#include "test.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "measure/clock.h"
#include "net/loop.h"

static struct loop *new_loop(void)
{
    struct err err = {0};
    struct loop *l = loop_new(&err);
    assert_non_null(l);
    return l;
}

/* Timers write their letter; the last one stops the loop. */

struct letter {
    struct loop_timer timer;
    struct loop *loop;
    char *out;
    char name;
    bool last;
};

static void write_letter(struct loop_timer *t)
{
    struct letter *x = (struct letter *)t;
    strncat(x->out, &x->name, 1);
    if (x->last)
        loop_stop(x->loop);
}

static void timers_fire_by_due_time_and_ties_in_order_of_asking(void **state)
{
    (void)state;
    static const struct {
        int64_t after_us[8];
        const char *expected;
    } table[] = {
        {{10, 20, 30, 40, 50, 60, 70, 80}, "abcdefgh"},
        {{80, 70, 60, 50, 40, 30, 20, 10}, "hgfedcba"},
        {{10, 10, 10, 10, 10, 10, 10, 10}, "abcdefgh"},
        {{30, 10, 30, 10, 20, 20, 30, 10}, "bdhefacg"},
        {{-5, -9, 400, 0, 700, -9, 700, 100}, "bfadhceg"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct loop *l = new_loop();
        char out[16] = "";
        struct letter x[8] = {0};
        int64_t now = clock_now();
        for (size_t k = 0; k < 8; k++) {
            x[k] = (struct letter){.loop = l, .out = out, .name = (char)('a' + k)};
            x[k].last = x[k].name == table[i].expected[7];
            x[k].timer.fire = write_letter;
            loop_timer_start(l, &x[k].timer, now + table[i].after_us[k] * 1000);
        }
        loop_run(l);
        assert_string_equal(out, table[i].expected);
        assert_true(clock_now() >= now + table[i].after_us[table[i].expected[7] - 'a'] * 1000);
        loop_free(l);
    }
}

static void stopped_and_restarted_timers(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    char out[64] = "";
    struct letter x[26] = {0};
    int64_t now = clock_now();
    for (size_t k = 0; k < 26; k++) {
        x[k] = (struct letter){.loop = l, .out = out, .name = (char)('a' + k), .last = k == 24};
        x[k].timer.fire = write_letter;
        loop_timer_start(l, &x[k].timer, now + (int64_t)((k * 7) % 26) * 1000);
    }
    for (size_t k = 0; k < 26; k++) {
        if (k % 3 == 1)
            loop_timer_stop(&x[k].timer);
        else
            loop_timer_start(l, &x[k].timer, now + (int64_t)k * 1000);
    }
    loop_timer_stop(&x[1].timer); /* not running: nothing */
    loop_run(l);
    assert_string_equal(out, "acdfgijlmoprsuvxy");
    loop_free(l);
}

/* Descriptors. */

struct reader {
    struct loop_watch watch;
    struct loop *loop;
    struct reader *victim;    /* stopped by whoever comes first */
    struct reader *successor; /* takes its slot */
    int peer;
    int calls;
    unsigned what;
};

static void reader_open(struct reader *r, struct loop *l)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    *r = (struct reader){.loop = l, .peer = pair[1], .watch.fd = pair[0]};
}

static void reader_close(struct reader *r)
{
    loop_watch_stop(&r->watch);
    close(r->watch.fd);
    close(r->peer);
}

static void read_and_stop(struct loop_watch *w, unsigned what)
{
    struct reader *r = (struct reader *)w;
    char byte;
    r->calls++;
    r->what = what;
    if (read(w->fd, &byte, 1) == 1)
        loop_stop(r->loop);
}

static void a_watch_tells_what_it_saw(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct reader r;
    reader_open(&r, l);
    r.watch.ready = read_and_stop;
    loop_watch_start(l, &r.watch, LOOP_READ);
    assert_int_equal(write(r.peer, "x", 1), 1);
    loop_run(l);
    assert_int_equal(r.what, LOOP_READ);
    loop_watch_start(l, &r.watch, LOOP_READ | LOOP_WRITE);
    assert_int_equal(write(r.peer, "x", 1), 1);
    loop_run(l);
    assert_int_equal(r.what, LOOP_READ | LOOP_WRITE);
    loop_watch_start(l, &r.watch, 0); /* hang-up only */
    assert_int_equal(write(r.peer, "x", 1), 1);
    shutdown(r.peer, SHUT_WR);
    loop_run(l);
    assert_int_equal(r.what, LOOP_HANGUP);
    assert_int_equal(r.calls, 3);
    reader_close(&r);
    loop_free(l);
}

static void close_the_other(struct loop_watch *w, unsigned what)
{
    struct reader *r = (struct reader *)w;
    (void)what;
    r->calls++;
    if (r->victim && r->victim->watch.loop) {
        loop_watch_stop(&r->victim->watch);
        /* Its slot is taken at once by a new watch that nothing has happened to. */
        loop_watch_start(r->loop, &r->successor->watch, LOOP_READ);
    }
    loop_watch_stop(w);
    loop_stop(r->loop);
}

static void a_callback_may_stop_another_watch_of_the_same_batch(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct reader r[2], quiet;
    reader_open(&quiet, l);
    quiet.watch.ready = close_the_other;
    for (int i = 0; i < 2; i++) {
        reader_open(&r[i], l);
        r[i].watch.ready = close_the_other;
        loop_watch_start(l, &r[i].watch, LOOP_READ);
        assert_int_equal(write(r[i].peer, "x", 1), 1);
    }
    for (int i = 0; i < 2; i++) {
        r[i].victim = &r[1 - i];
        r[i].successor = &quiet;
    }
    loop_run(l);
    assert_int_equal(r[0].calls + r[1].calls, 1);
    assert_int_equal(quiet.calls, 0);
    for (int i = 0; i < 2; i++)
        reader_close(&r[i]);
    reader_close(&quiet);
    loop_free(l);
}

struct restless {
    struct loop_timer timer;
    struct loop *loop;
};

static void restart_in_the_past(struct loop_timer *t)
{
    loop_timer_start(((struct restless *)t)->loop, t, 0);
}

static void a_timer_that_is_always_due_does_not_starve_descriptors(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct restless t = {.loop = l, .timer.fire = restart_in_the_past};
    struct reader r;
    reader_open(&r, l);
    r.watch.ready = read_and_stop;
    loop_watch_start(l, &r.watch, LOOP_READ);
    loop_timer_start(l, &t.timer, 0);
    assert_int_equal(write(r.peer, "x", 1), 1);
    loop_run(l);
    assert_int_equal(r.calls, 1);
    loop_timer_stop(&t.timer);
    reader_close(&r);
    loop_free(l);
}

/* Waking. */

static void stop_it(void *arg)
{
    loop_stop(arg);
}

static void *wake_from_thread(void *arg)
{
    loop_wake(arg);
    return NULL;
}

static void another_thread_wakes_the_loop(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    loop_on_wake(l, stop_it, l);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wake_from_thread, l), 0);
    loop_run(l);
    pthread_join(thread, NULL);
    loop_free(l);
}

static struct loop *signalled;

static void on_signal(int number)
{
    (void)number;
    loop_wake(signalled);
}

static void raise_signal(struct loop_timer *t)
{
    (void)t;
    raise(SIGUSR1);
}

static void a_signal_handler_wakes_the_loop(void **state)
{
    (void)state;
    struct loop *l = signalled = new_loop();
    struct loop_timer t = {.fire = raise_signal};
    signal(SIGUSR1, on_signal);
    loop_on_wake(l, stop_it, l);
    loop_timer_start(l, &t, 0);
    loop_run(l);
    signal(SIGUSR1, SIG_DFL);
    loop_free(l);
}

static void it_tells_when_it_waited(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    char out[4] = "";
    struct letter x = {
        .loop = l, .out = out, .name = 'a', .last = true, .timer.fire = write_letter};
    int64_t before = clock_now();
    loop_timer_start(l, &x.timer, before + 300000);
    loop_run(l);
    assert_true(loop_waited_from(l) >= before);
    assert_true(loop_woke_at(l) >= before + 300000);
    assert_true(loop_woke_at(l) > loop_waited_from(l));
    assert_true(loop_timer_late_max(l) >= 0);
    loop_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_fire_by_due_time_and_ties_in_order_of_asking),
        cmocka_unit_test(stopped_and_restarted_timers),
        cmocka_unit_test(a_watch_tells_what_it_saw),
        cmocka_unit_test(a_callback_may_stop_another_watch_of_the_same_batch),
        cmocka_unit_test(a_timer_that_is_always_due_does_not_starve_descriptors),
        cmocka_unit_test(another_thread_wakes_the_loop),
        cmocka_unit_test(a_signal_handler_wakes_the_loop),
        cmocka_unit_test(it_tells_when_it_waited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
