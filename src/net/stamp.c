#include "net/stamp.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REFRESH_NS ((int64_t)20 * 1000000)
#define WARM_UP_NS ((int64_t)50 * 1000000)

void stamper_prepare(int fd)
{
    int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags));
}

/* The kernel's CLOCK_REALTIME stamp of the last segment, or 0. */
static int64_t stamp_in(struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPING)
            continue;
        struct scm_timestamping t;
        memcpy(&t, CMSG_DATA(c), sizeof(t));
        return (int64_t)t.ts[0].tv_sec * 1000000000 + t.ts[0].tv_nsec;
    }
    return 0;
}

/* A stamp after the reading of it means that the wall clock was set: look again, then give up. */
static void place(struct stamper *s, int64_t wall, struct stamp *out)
{
    if (wall && out->read_at - s->offset.taken_at > REFRESH_NS)
        clock_offset_refresh(&s->offset);
    if (wall && wall + s->offset.offset_ns > out->read_at)
        clock_offset_refresh(&s->offset);
    int64_t at = wall + s->offset.offset_ns;
    out->clock = wall ? CLOCK_KIND_KERNEL : CLOCK_KIND_USER;
    out->at = wall && at < out->read_at ? at : out->read_at;
}

ssize_t stamper_recv(struct stamper *s, int fd, void *bytes, size_t len, struct stamp *out)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(struct scm_timestamping)) + 64];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = len};
    struct msghdr m = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    ssize_t n;
    do
        n = recvmsg(fd, &m, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return n;
    out->read_at = clock_now();
    s->reads++;
    place(s, stamp_in(&m), out);
    return n;
}

/* Sends itself a byte until one comes back stamped. */
static void warm_up(struct stamper *s)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(a);
    if (bind(s->keep_fd, (struct sockaddr *)&a, size) != 0 ||
        getsockname(s->keep_fd, (struct sockaddr *)&a, &size) != 0 ||
        connect(s->keep_fd, (struct sockaddr *)&a, size) != 0)
        return;
    struct stamp stamp = {.clock = CLOCK_KIND_NONE};
    int64_t until = clock_now() + WARM_UP_NS;
    while (stamp.clock != CLOCK_KIND_KERNEL && clock_now() < until) {
        char byte = 0;
        struct pollfd p = {.fd = s->keep_fd, .events = POLLIN};
        if (send(s->keep_fd, &byte, 1, MSG_DONTWAIT) != 1 || poll(&p, 1, 10) != 1 ||
            stamper_recv(s, s->keep_fd, &byte, 1, &stamp) != 1)
            return;
    }
}

void stamper_init(struct stamper *s)
{
    *s = (struct stamper){.offset.taken_at = NEVER};
    clock_offset_refresh(&s->offset);
    s->keep_fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->keep_fd < 0)
        return;
    stamper_prepare(s->keep_fd);
    warm_up(s);
    s->reads = 0;
}

void stamper_done(struct stamper *s)
{
    if (s->keep_fd > 0)
        close(s->keep_fd);
    s->keep_fd = -1;
}
