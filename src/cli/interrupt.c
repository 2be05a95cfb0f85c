#include "cli/interrupt.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* What was ignored from the start (a shell's background job) stays ignored. */
static sigset_t wanted(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, signals[i]);
    }
    return set;
}

void interrupt_init(struct interrupt *i)
{
    sigset_t set = wanted();
    *i = (struct interrupt){.watch = {.fd = -1}};
    sigprocmask(SIG_BLOCK, &set, &i->before);
}

static void came(struct loop_watch *w, unsigned what)
{
    (void)what;
    struct interrupt *i = (struct interrupt *)w; /* its first member */
    struct signalfd_siginfo info;
    if (read(w->fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
        return;
    i->signal = (int)info.ssi_signo;
    void (*fn)(void *) = i->fn;
    void *arg = i->arg;
    interrupt_done(i);
    fn(arg);
}

bool interrupt_start(struct interrupt *i, struct loop *l, void (*fn)(void *arg), void *arg,
                     struct err *err)
{
    sigset_t set = wanted();
    i->fn = fn;
    i->arg = arg;
    i->watch.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (i->watch.fd < 0)
        return err_set(err, EXIT_BUG, "no_signalfd", TEXT_CLI_NO_SIGNALS, strerror(errno));
    i->watch.ready = came;
    loop_watch_start(l, &i->watch, LOOP_READ);
    return true;
}

void interrupt_done(struct interrupt *i)
{
    loop_watch_stop(&i->watch);
    if (i->watch.fd >= 0)
        close(i->watch.fd);
    i->watch.fd = -1;
    sigprocmask(SIG_SETMASK, &i->before, NULL);
}

int interrupt_exit(const struct interrupt *i)
{
    return i->signal ? 128 + i->signal : EXIT_OK;
}
