#ifndef WEIR_NET_LOOP_H
#define WEIR_NET_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/*
 * One thread's event loop: epoll with nanosecond timers (epoll_pwait2, timerfd where absent). Not
 * thread-safe but for loop_wake. Order is deterministic: timers that are due fire in order of due
 * time, ties in order of asking; then ready descriptors. It offers no cached time: read
 * clock_now().
 */
struct loop; /* opaque */

/* Sets PR_SET_TIMERSLACK to 1 ns for the calling thread. */
MUST_USE struct loop *loop_new(struct err *err);
void loop_free(struct loop *l); /* watches and timers must be gone */

enum { LOOP_READ = 1, LOOP_WRITE = 2, LOOP_HANGUP = 4 /* EPOLLRDHUP, EPOLLHUP or EPOLLERR */ };

/* Embedded in its owner. Zeroed: not watched. The owner may stop (and free) itself or any other
 * watch inside a callback. */
struct loop_watch {
    int fd;
    void (*ready)(struct loop_watch *w, unsigned what);
    struct loop *loop; /* NULL while not watched */
    unsigned what;
    uint32_t slot;
};
/* Starts, or changes what is watched for. LOOP_HANGUP is always reported. */
void loop_watch_start(struct loop *l, struct loop_watch *w, unsigned what);
void loop_watch_stop(struct loop_watch *w); /* before closing fd; no-op if not watched */

struct loop_timer {
    int64_t due;
    void (*fire)(struct loop_timer *t);
    struct loop *loop; /* NULL while not running */
    uint64_t order;
    uint32_t slot;
};
/* (Re)starts: due is an absolute CLOCK_MONOTONIC instant. */
void loop_timer_start(struct loop *l, struct loop_timer *t, int64_t due);
void loop_timer_stop(struct loop_timer *t); /* no-op if not running */

void loop_run(struct loop *l);  /* until loop_stop */
void loop_stop(struct loop *l); /* from a callback */
void loop_wake(struct loop *l); /* from any thread or a signal handler: makes loop_run turn once */
/* Called once each turn after a loop_wake (e.g. to look at a signal flag). */
void loop_on_wake(struct loop *l, void (*fn)(void *arg), void *arg);

/* When this thread last entered a wait, and when that wait returned; for error bounds of stamps. */
int64_t loop_waited_from(const struct loop *l);
int64_t loop_woke_at(const struct loop *l);
/* How late timers fired, ns, largest since start. */
int64_t loop_timer_late_max(const struct loop *l);

#endif
