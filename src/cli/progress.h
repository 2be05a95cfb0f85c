#ifndef WEIR_CLI_PROGRESS_H
#define WEIR_CLI_PROGRESS_H

#include "cli/command.h"
#include "net/loop.h"

/*
 * How far a run is, on stderr. A terminal gets one line, redrawn at most ten times a second and
 * erased at the end; a file or pipe gets nothing for 10 s, then a line each 10 % or 30 s. `lines`:
 * one a request.
 */
struct progress {
    struct loop_timer timer; /* first member */
    struct cli *cli;
    struct loop *loop;
    int mode; /* PROGRESS_x, never AUTO */
    int64_t total;
    int64_t started, said_at, said_done; /* the last plain line */
    int64_t done, failed;
    double *ttft_ms; /* of complete requests, ascending; owned */
    size_t ttft_count;
    double last_tps;
    bool drawn;
};

void progress_start(struct progress *p, struct cli *cli, struct loop *l, int64_t total);
/* A measured request or warm-up ended. */
void progress_add(struct progress *p, const struct record *r);
/* Stops, and erases the line. */
void progress_done(struct progress *p);

/* What the line says, `columns` wide at most. Pure. */
void progress_line(struct buf *out, const struct progress *p, int64_t now, int columns, bool ascii);

#endif
