#include "net/loop.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "measure/clock.h"

enum { BATCH = 256 };

/* What epoll gives back for the two descriptors of the loop itself; watches give slot and age. */
#define TAG_WAKE  UINT64_MAX
#define TAG_TIMER (UINT64_MAX - 1)

/* A slot's age grows when its watch stops, so that an event of the same batch for the former
 * holder is recognised and dropped. */
struct slot {
    struct loop_watch *watch; /* NULL: free */
    uint32_t age;
};

struct loop {
    int epoll_fd, wake_fd;
    int timer_fd; /* -1 while epoll_pwait2 does the waiting */
    bool stopping;
    VEC(struct slot) slots;
    VEC(uint32_t) free_slots;
    VEC(struct loop_timer *) heap; /* binary, least (due, order) first */
    uint64_t next_order;
    int64_t waited_from, woke_at, late_max;
    void (*on_wake)(void *arg);
    void *on_wake_arg;
};

static bool add_own(struct loop *l, int fd, uint64_t tag)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = tag};
    return fd >= 0 && epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &e) == 0;
}

struct loop *loop_new(struct err *err)
{
    struct loop *l = mem_zalloc(sizeof(*l));
    l->timer_fd = -1;
    l->waited_from = l->woke_at = clock_now();
    l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->epoll_fd < 0 || !add_own(l, l->wake_fd, TAG_WAKE)) {
        err_set(err, EXIT_USAGE, "no_loop", TEXT_NET_NO_LOOP, strerror(errno));
        loop_free(l);
        return NULL;
    }
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    return l;
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    assert(l->heap.len == 0 && l->free_slots.len == l->slots.len);
    if (l->wake_fd >= 0)
        close(l->wake_fd);
    if (l->timer_fd >= 0)
        close(l->timer_fd);
    if (l->epoll_fd >= 0)
        close(l->epoll_fd);
    vec_done(&l->slots);
    vec_done(&l->free_slots);
    vec_done(&l->heap);
    mem_free(l);
}

/* Watches. */

static uint32_t slot_take(struct loop *l, struct loop_watch *w)
{
    if (!l->free_slots.len) {
        vec_push(&l->slots, (struct slot){.watch = w});
        return (uint32_t)(l->slots.len - 1);
    }
    uint32_t at = l->free_slots.items[--l->free_slots.len];
    l->slots.items[at].watch = w;
    return at;
}

void loop_watch_start(struct loop *l, struct loop_watch *w, unsigned what)
{
    assert(!w->loop || w->loop == l);
    if (w->loop && w->what == what)
        return;
    int op = w->loop ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (!w->loop) {
        w->slot = slot_take(l, w);
        w->loop = l;
    }
    w->what = what;
    struct epoll_event e = {
        .events =
            EPOLLRDHUP | (what & LOOP_READ ? EPOLLIN : 0u) | (what & LOOP_WRITE ? EPOLLOUT : 0u),
        .data.u64 = (uint64_t)l->slots.items[w->slot].age << 32 | w->slot,
    };
    int rc = epoll_ctl(l->epoll_fd, op, w->fd, &e);
    assert(rc == 0); /* a closed descriptor, or one that is no socket: a bug of the caller */
    (void)rc;
}

void loop_watch_stop(struct loop_watch *w)
{
    struct loop *l = w->loop;
    if (!l)
        return;
    epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, w->fd, NULL);
    l->slots.items[w->slot].watch = NULL;
    l->slots.items[w->slot].age++;
    vec_push(&l->free_slots, w->slot);
    w->loop = NULL;
}

static void dispatch(struct loop *l, const struct epoll_event *e)
{
    const struct slot *s = &l->slots.items[(uint32_t)e->data.u64];
    if (!s->watch || s->age != (uint32_t)(e->data.u64 >> 32))
        return;
    unsigned what = (e->events & EPOLLIN ? LOOP_READ : 0u) |
                    (e->events & EPOLLOUT ? LOOP_WRITE : 0u) |
                    (e->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR) ? LOOP_HANGUP : 0u);
    s->watch->ready(s->watch, what);
}

/* Timers. */

static bool earlier(const struct loop_timer *a, const struct loop_timer *b)
{
    return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void place(struct loop *l, uint32_t at, struct loop_timer *t)
{
    l->heap.items[at] = t;
    t->slot = at;
}

static void sift(struct loop *l, uint32_t at, struct loop_timer *t)
{
    struct loop_timer **heap = l->heap.items;
    for (; at > 0 && earlier(t, heap[(at - 1) / 2]); at = (at - 1) / 2)
        place(l, at, heap[(at - 1) / 2]);
    for (uint32_t child; (child = 2 * at + 1) < l->heap.len; at = child) {
        if (child + 1 < l->heap.len && earlier(heap[child + 1], heap[child]))
            child++;
        if (!earlier(heap[child], t))
            break;
        place(l, at, heap[child]);
    }
    place(l, at, t);
}

void loop_timer_start(struct loop *l, struct loop_timer *t, int64_t due)
{
    assert(!t->loop || t->loop == l);
    if (!t->loop) {
        t->slot = (uint32_t)l->heap.len;
        vec_push(&l->heap, t);
    }
    t->loop = l;
    t->due = due;
    t->order = l->next_order++;
    sift(l, t->slot, t);
}

void loop_timer_stop(struct loop_timer *t)
{
    struct loop *l = t->loop;
    if (!l)
        return;
    struct loop_timer *last = l->heap.items[--l->heap.len];
    if (last != t)
        sift(l, t->slot, last);
    t->loop = NULL;
}

/* At most as many as ran when the turn began: a timer that restarts itself in the past cannot keep
 * descriptors from their turn. */
static void fire_timers(struct loop *l, int64_t now)
{
    for (size_t most = l->heap.len; most > 0 && l->heap.len > 0 && !l->stopping; most--) {
        struct loop_timer *t = l->heap.items[0];
        if (t->due > now)
            return;
        if (now - t->due > l->late_max)
            l->late_max = now - t->due;
        loop_timer_stop(t);
        t->fire(t);
    }
}

/* Waiting. */

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/* Where the kernel (before 5.11) or a tool below us knows no epoll_pwait2. */
static int wait_by_timerfd(struct loop *l, struct epoll_event *events)
{
    if (l->timer_fd < 0) {
        l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        bool added = add_own(l, l->timer_fd, TAG_TIMER);
        assert(added);
        (void)added;
    }
    struct itimerspec at = {0};
    if (l->heap.len) /* 0 would disarm: 1 ns is as much in the past */
        at.it_value = timespec_of(l->heap.items[0]->due > 0 ? l->heap.items[0]->due : 1);
    timerfd_settime(l->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
    return epoll_wait(l->epoll_fd, events, BATCH, -1);
}

static int wait_for_events(struct loop *l, struct epoll_event *events)
{
    l->waited_from = clock_now();
    int n = -1;
    errno = ENOSYS;
    if (l->timer_fd < 0) {
        struct timespec left = {0};
        if (l->heap.len && l->heap.items[0]->due > l->waited_from)
            left = timespec_of(l->heap.items[0]->due - l->waited_from);
        n = epoll_pwait2(l->epoll_fd, events, BATCH, l->heap.len ? &left : NULL, NULL);
    }
    if (n < 0 && errno == ENOSYS)
        n = wait_by_timerfd(l, events);
    assert(n >= 0 || errno == EINTR);
    l->woke_at = clock_now();
    return n;
}

static void woken(struct loop *l)
{
    uint64_t count;
    while (read(l->wake_fd, &count, sizeof(count)) > 0)
        continue;
    if (l->on_wake)
        l->on_wake(l->on_wake_arg);
}

static void turn(struct loop *l)
{
    struct epoll_event events[BATCH];
    int n = wait_for_events(l, events);
    fire_timers(l, l->woke_at);
    for (int i = 0; i < n && !l->stopping; i++) {
        if (events[i].data.u64 == TAG_WAKE)
            woken(l);
        else if (events[i].data.u64 != TAG_TIMER)
            dispatch(l, &events[i]);
    }
}

void loop_run(struct loop *l)
{
    while (!l->stopping)
        turn(l);
    l->stopping = false;
}

void loop_stop(struct loop *l)
{
    l->stopping = true;
}

void loop_wake(struct loop *l)
{
    int saved = errno;
    uint64_t one = 1;
    ssize_t n = write(l->wake_fd, &one, sizeof(one));
    (void)n; /* EAGAIN: it is awake already */
    errno = saved;
}

void loop_on_wake(struct loop *l, void (*fn)(void *arg), void *arg)
{
    l->on_wake = fn;
    l->on_wake_arg = arg;
}

int64_t loop_waited_from(const struct loop *l)
{
    return l->waited_from;
}

int64_t loop_woke_at(const struct loop *l)
{
    return l->woke_at;
}

int64_t loop_timer_late_max(const struct loop *l)
{
    return l->late_max;
}
