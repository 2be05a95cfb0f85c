#ifndef WEIR_CLI_TERMINAL_H
#define WEIR_CLI_TERMINAL_H

#include "cli/command.h"

/* What the terminal, the environment and the options say about looks: NO_COLOR, FORCE_COLOR,
 * CLICOLOR_FORCE, TERM, COLUMNS, LC_ALL, LC_CTYPE, LANG. */
void terminal_style(struct cli *cli);
/* The same for stderr. */
struct report_style terminal_stderr_style(const struct cli *cli);

#endif
