#include "test.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "world.h"

/* Which connections are used, kept, dropped and replaced. */

static void connections_are_reused(void **state)
{
    (void)state;
    struct world w;
    begin(&w,
          &(script){{STEP_REQUEST, 0},
                    {STEP_SEND, WHOLE},
                    {STEP_REQUEST, 0},
                    {STEP_SEND, WHOLE},
                    {STEP_HOLD, 0}},
          1);
    struct request r = request_to(&w);
    ask(&w, &r);
    assert_false(w.record.reused);
    assert_int_equal(w.client->pool.count, 1);
    ask(&w, &r);
    assert_true(w.record.reused);
    assert_false(w.record.resent);
    assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
    assert_true(w.record.tls_done == w.record.start && w.record.dns_done == w.record.start);
    assert_int_equal(client_facts(w.client)->dials, 1);
    finish(&w);
    assert_int_equal(w.peer.accepted, 1);
}

static void a_fresh_request_dials(void **state)
{
    (void)state;
    struct world w;
    const script scripts[] = {{{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}}};
    begin(&w, scripts, 1);
    struct request r = request_to(&w);
    r.fresh = true;
    ask(&w, &r);
    ask(&w, &r);
    assert_false(w.record.reused);
    assert_int_equal(client_facts(w.client)->dials, 2);
    finish(&w);
}

struct keep_case {
    const char *name, *answer;
    bool kept;
};
static const struct keep_case keeps[] = {
    {"1.1", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true},
    {"close", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", false},
    {"1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", false},
    {"1.0 keep-alive", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}",
     true},
    {"surplus bytes", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}x", false},
    {"surplus answer", WHOLE WHOLE, false},
};

static void only_whole_connections_are_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(keeps); i++) {
        struct world w;
        begin(&w, &(script){{STEP_REQUEST, 0}, {STEP_SEND, keeps[i].answer}, {STEP_HOLD, 0}}, 1);
        struct request r = request_to(&w);
        ask(&w, &r);
        if (w.client->pool.count != (keeps[i].kept ? 1 : 0))
            fail_msg("%s: expected %skept", keeps[i].name, keeps[i].kept ? "" : "not ");
        finish(&w);
    }
}

static void look_at_pool(struct loop_timer *t)
{
    struct world *w = (struct world *)((char *)t - offsetof(struct world, timer));
    if (w->client->pool.count == 0)
        loop_stop(w->loop);
    else
        loop_timer_start(w->loop, t, clock_now() + MILLIS(1));
}

static void a_dead_idle_connection_is_dropped(void **state)
{
    (void)state;
    static const struct step deaths[] = {
        {STEP_END, 0}, {STEP_RESET, 0}, {STEP_HALF, 0}, {STEP_SEND, "junk"}};
    for (size_t i = 0; i < ARRAY_LEN(deaths); i++) {
        struct world w;
        const script scripts[] = {
            {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, deaths[i], {STEP_HOLD, 0}},
            {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_HOLD, 0}}};
        begin(&w, scripts, 2);
        struct request r = request_to(&w);
        ask(&w, &r);
        w.timer.fire = look_at_pool;
        loop_timer_start(w.loop, &w.timer, clock_now());
        loop_run(w.loop); /* until the pool has let it go */
        ask(&w, &r);
        assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
        assert_false(w.record.reused);
        assert_false(w.record.resent);
        finish(&w);
    }
}

static void a_reused_connection_that_dies_unanswered_is_replaced_once(void **state)
{
    (void)state;
    static const struct step deaths[] = {{STEP_END, 0}, {STEP_RESET, 0}};
    for (size_t i = 0; i < ARRAY_LEN(deaths); i++) {
        struct world w;
        const script scripts[] = {
            {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_REQUEST, 0}, deaths[i]},
            {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_HOLD, 0}}};
        begin(&w, scripts, 2);
        struct request r = request_to(&w);
        ask(&w, &r);
        ask(&w, &r);
        assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
        assert_true(w.record.resent);
        assert_false(w.record.reused);
        check_order("resent", &w.record);
        finish(&w);
    }
}

static void it_is_not_replaced_twice_nor_after_a_byte(void **state)
{
    (void)state;
    struct world w;
    const script twice[] = {{{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_REQUEST, 0}},
                            {{STEP_REQUEST, 0}}};
    begin(&w, twice, 2);
    struct request r = request_to(&w);
    ask(&w, &r);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
    assert_true(w.record.resent);
    finish(&w);
    assert_int_equal(w.peer.accepted, 2);

    const script byte[] = {
        {{STEP_REQUEST, 0}, {STEP_SEND, WHOLE}, {STEP_REQUEST, 0}, {STEP_SEND, "H"}}};
    begin(&w, byte, 1);
    r = request_to(&w);
    ask(&w, &r);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
    assert_false(w.record.resent);
    finish(&w);
    assert_int_equal(w.peer.accepted, 1);
}

/* The pool alone. */

static struct conn *add_idle(struct world *w, const char *origin, int *peer)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    *peer = pair[1];
    struct conn *c =
        conn_new(&w->client->shared, pair[0], false, STR("h"), str_of(origin), "p", NULL, NULL);
    pool_add(&w->client->pool, c);
    return c;
}

static bool is_closed(int peer)
{
    char byte;
    return recv(peer, &byte, 1, MSG_DONTWAIT) == 0;
}

static void the_pool_gives_the_newest_of_an_origin_and_drops_the_oldest(void **state)
{
    (void)state;
    struct world w;
    int peers[5];
    begin(&w, &(script){HOLD}, 1);
    struct pool *pool = &w.client->pool;
    pool->max = 3;
    add_idle(&w, "http://a:80", &peers[0]);
    struct conn *second = add_idle(&w, "http://a:80", &peers[1]);
    struct conn *third = add_idle(&w, "http://b:80", &peers[2]);
    assert_false(is_closed(peers[0]));
    struct conn *fourth = add_idle(&w, "http://a:80", &peers[3]);
    assert_true(is_closed(peers[0]));
    assert_int_equal(pool->count, 3);
    assert_null(pool_take(pool, STR("http://a:8")));
    assert_ptr_equal(pool_take(pool, STR("http://b:80")), third);
    add_idle(&w, "http://a:80", &peers[4]);
    assert_int_equal(write(peers[4], "x", 1), 1); /* speaks unasked: dropped when it is wanted */
    assert_ptr_equal(pool_take(pool, STR("http://a:80")), fourth);
    assert_ptr_equal(pool_take(pool, STR("http://a:80")), second);
    assert_int_equal(pool->count, 0);
    conn_free(second);
    conn_free(third);
    conn_free(fourth);
    for (size_t i = 0; i < ARRAY_LEN(peers); i++)
        close(peers[i]);
    finish(&w);
}

/* Dialling. */

static void many_at_once(void **state)
{
    (void)state;
    enum { MANY = 100 };
    struct world w;
    begin(&w, &(script){ASKED, SEND(WHOLE)}, 1);
    struct request r = request_to(&w);
    r.fresh = true;
    w.awaited = MANY;
    for (int i = 0; i < MANY; i++)
        client_send(w.client, &r, delivered, &w);
    assert_int_equal(client_facts(w.client)->dials, 16); /* the others wait for the next turns */
    loop_run(w.loop);
    assert_int_equal(client_facts(w.client)->dials, MANY);
    assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
    assert_int_equal(w.client->pool.count, 0); /* fresh ones are not kept */
    finish(&w);
    assert_int_equal(w.peer.accepted, MANY);
}

static void waiting_for_a_dial_can_be_aborted(void **state)
{
    (void)state;
    enum { MANY = 40 };
    struct world w;
    uint64_t ids[MANY];
    begin(&w, &(script){HOLD}, 1);
    struct request r = request_to(&w);
    w.awaited = MANY;
    for (int i = 0; i < MANY; i++)
        ids[i] = client_send(w.client, &r, delivered, &w);
    const int middle[] = {16, 39, 27, 26, 28}; /* first, last and between of those that wait */
    for (size_t i = 0; i < ARRAY_LEN(middle); i++)
        client_abort(w.client, ids[middle[i]]);
    client_abort_all(w.client);
    loop_run(w.loop);
    assert_int_equal(w.delivered, MANY);
    assert_int_equal(w.record.outcome, OUTCOME_ABORTED);
    assert_int_equal(client_facts(w.client)->dials, 16);
    assert_null(w.client->dials_first);
    assert_null(w.client->dials_last);
    for (int i = 0; i < MANY; i++)
        client_send(w.client, &r, delivered, &w);
    finish(&w); /* frees the client with dials under way and waiting */
    assert_int_equal(w.delivered, 2 * MANY);
}

static void no_proxy_of_the_environment_is_used(void **state)
{
    (void)state;
    struct world w;
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("all_proxy", "socks5://127.0.0.1:1", 1);
    begin(&w, &(script){ASKED, SEND(WHOLE), HOLD}, 1);
    struct request r = request_to(&w);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
    finish(&w);
    unsetenv("http_proxy");
    unsetenv("all_proxy");
}

static void too_many_open_files_are_named(void **state)
{
    (void)state;
    struct world w;
    struct rlimit before, none;
    begin(&w, &(script){ASKED, SEND(WHOLE), HOLD}, 1);
    struct request r = request_to(&w);
    int lowest_free = dup(0);
    close(lowest_free);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){(rlim_t)lowest_free, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    ask(&w, &r);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
    assert_non_null(strstr(w.record.detail, "too many open files"));
    ask(&w, &r); /* and goes on when there are some */
    assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
    finish(&w);
}

static void a_closed_port_is_unreachable(void **state)
{
    (void)state;
    struct world w;
    begin(&w, &(script){{STEP_HOLD, 0}}, 1);
    struct request r = request_to(&w);
    int spare = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(a);
    assert_int_equal(bind(spare, (struct sockaddr *)&a, size), 0); /* taken, but nobody listens */
    assert_int_equal(getsockname(spare, (struct sockaddr *)&a, &size), 0);
    snprintf(w.url, sizeof(w.url), "http://127.0.0.1:%d/", ntohs(a.sin_port));
    r.url = str_of(w.url);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
    assert_string_equal(w.record.detail, "connection refused");
    assert_true(w.record.dns_done != NEVER);
    assert_true(w.record.connect_done == NEVER);
    close(spare);
    finish(&w);
}

static void a_name_that_is_none_is_unreachable(void **state)
{
    (void)state;
    struct world w;
    begin(&w, &(script){{STEP_HOLD, 0}}, 1);
    struct request r = request_to(&w);
    r.url = STR("http://weir-has-no-such-host.invalid/");
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_UNREACHABLE);
    assert_string_equal(w.record.detail, "the name does not resolve");
    assert_true(w.record.dns_done == NEVER);
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_are_reused),
        cmocka_unit_test(a_fresh_request_dials),
        cmocka_unit_test(only_whole_connections_are_kept),
        cmocka_unit_test(a_dead_idle_connection_is_dropped),
        cmocka_unit_test(a_reused_connection_that_dies_unanswered_is_replaced_once),
        cmocka_unit_test(it_is_not_replaced_twice_nor_after_a_byte),
        cmocka_unit_test(the_pool_gives_the_newest_of_an_origin_and_drops_the_oldest),
        cmocka_unit_test(many_at_once),
        cmocka_unit_test(waiting_for_a_dial_can_be_aborted),
        cmocka_unit_test(no_proxy_of_the_environment_is_used),
        cmocka_unit_test(too_many_open_files_are_named),
        cmocka_unit_test(a_closed_port_is_unreachable),
        cmocka_unit_test(a_name_that_is_none_is_unreachable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
