#include "test.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/stamp.h"

/* A pair of connected TCP sockets on loopback; the first one asks for stamps. */
static void tcp_pair(int pair[2])
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(a);
    int l = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(l, (struct sockaddr *)&a, size), 0);
    assert_int_equal(listen(l, 1), 0);
    assert_int_equal(getsockname(l, (struct sockaddr *)&a, &size), 0);
    pair[0] = socket(AF_INET, SOCK_STREAM, 0);
    stamper_prepare(pair[0]);
    assert_int_equal(connect(pair[0], (struct sockaddr *)&a, size), 0);
    pair[1] = accept(l, NULL, NULL);
    assert_true(pair[1] >= 0);
    close(l);
}

static void wait_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&p, 1, 60000), 1);
}

static void a_stamp_lies_between_send_and_read(void **state)
{
    (void)state;
    struct stamper s;
    int pair[2];
    char byte = 'x';
    stamper_init(&s);
    tcp_pair(pair);
    for (int i = 0; i < 1000; i++) {
        struct stamp stamp;
        int64_t before = clock_now();
        assert_int_equal(send(pair[1], &byte, 1, 0), 1);
        wait_readable(pair[0]);
        assert_int_equal(stamper_recv(&s, pair[0], &byte, 1, &stamp), 1);
        assert_int_equal(stamp.clock, CLOCK_KIND_KERNEL);
        assert_true(stamp.at >= before);
        assert_true(stamp.at <= stamp.read_at);
        assert_true(stamp.read_at <= clock_now());
    }
    assert_int_equal(s.reads, 1000);
    close(pair[0]);
    close(pair[1]);
    stamper_done(&s);
}

/* Bytes that waited carry the instant at which they came, however late they are read. */
static void it_is_the_arrival_not_the_reading(void **state)
{
    (void)state;
    struct stamper s;
    struct stamp stamp;
    int pair[2];
    char byte = 'x';
    stamper_init(&s);
    tcp_pair(pair);
    assert_int_equal(send(pair[1], &byte, 1, 0), 1);
    wait_readable(pair[0]);
    int64_t arrived_by = clock_now();
    while (clock_now() < arrived_by + 5000000)
        continue;
    assert_int_equal(stamper_recv(&s, pair[0], &byte, 1, &stamp), 1);
    assert_true(stamp.at <= arrived_by);
    assert_true(stamp.read_at >= arrived_by + 5000000);
    close(pair[0]);
    close(pair[1]);
    stamper_done(&s);
}

static void unix_sockets_give_our_own_clock(void **state)
{
    (void)state;
    struct stamper s;
    struct stamp stamp;
    int pair[2];
    char byte = 'x';
    stamper_init(&s);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    stamper_prepare(pair[0]);
    int64_t before = clock_now();
    assert_int_equal(send(pair[1], &byte, 1, 0), 1);
    assert_int_equal(stamper_recv(&s, pair[0], &byte, 1, &stamp), 1);
    assert_int_equal(stamp.clock, CLOCK_KIND_USER);
    assert_true(stamp.at >= before && stamp.at == stamp.read_at);
    assert_int_equal(stamper_recv(&s, pair[0], &byte, 1, &stamp), -1);
    assert_int_equal(errno, EAGAIN);
    close(pair[1]);
    assert_int_equal(stamper_recv(&s, pair[0], &byte, 1, &stamp), 0);
    close(pair[0]);
    stamper_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stamp_lies_between_send_and_read),
        cmocka_unit_test(it_is_the_arrival_not_the_reading),
        cmocka_unit_test(unix_sockets_give_our_own_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
