#ifndef WEIR_CLI_INTERRUPT_H
#define WEIR_CLI_INTERRUPT_H

#include <signal.h>

#include "net/loop.h"

/*
 * Ctrl-C, SIGTERM and a terminal that hangs up as events of the loop. The first calls `fn` and
 * gives the signals back to the kernel, so that the second ends the program at once. Start it
 * before any thread is born.
 */
struct interrupt {
    struct loop_watch watch;
    sigset_t before;
    int signal; /* the one that came, or 0 */
    void (*fn)(void *arg);
    void *arg;
};
/* Blocks the signals: to be called first. */
void interrupt_init(struct interrupt *i);
MUST_USE bool interrupt_start(struct interrupt *i, struct loop *l, void (*fn)(void *arg), void *arg,
                              struct err *err);
void interrupt_done(struct interrupt *i);
/* 128 + signal, or EXIT_OK. */
int interrupt_exit(const struct interrupt *i);

#endif
