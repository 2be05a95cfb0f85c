#ifndef WEIR_CLI_HELP_H
#define WEIR_CLI_HELP_H

#include "cli/command.h"

/* Help from the tables of commands and options. Pure. */
void help_overview(struct buf *out);
void help_command(struct buf *out, const struct command *c);
/* "-n, --runs, --requests N" */
void help_option_names(struct buf *out, const struct option *entry);
/* False: no such command or topic; `*nearest` is a name that may be meant, or NULL. */
MUST_USE bool help_topic(struct buf *out, struct str name, const char **nearest);

#endif
