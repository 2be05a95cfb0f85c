#ifndef WEIR_CLI_PROBE_SETUP_H
#define WEIR_CLI_PROBE_SETUP_H

#include "cli/command.h"
#include "config/target.h"
#include "study/probe.h"

/* From options to what the study wants. Owns what probe_options borrows. */
struct probe_setup {
    struct cli *cli;
    struct target target;
    struct buf prompt;
    struct request_header headers[OPTION_TEXTS_MAX]; /* views into the options */
    struct probe_options probe;
    struct limit limits[OPTION_TEXTS_MAX]; /* not judged yet */
    struct result_limits asked;            /* of them */
    bool stdin_taken;                      /* by the prompt or the key: nobody can be asked */
};

MUST_USE bool probe_setup_init(struct probe_setup *s, struct cli *cli, struct err *err);
void probe_setup_done(struct probe_setup *s);

/* The command that sends the first measured request by curl, the key as a variable. */
void probe_setup_curl(const struct probe_setup *s, struct buf *out);

#endif
