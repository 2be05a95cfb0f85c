#ifndef WEIR_CLI_COMMAND_H
#define WEIR_CLI_COMMAND_H

#include "cli/options.h"
#include "cli/output.h"
#include "report/report.h"

/*
 * One command is one file cmd_NAME.c that defines a constant of this type, and one line in the
 * table of main.c. All else (parsing, help) follows.
 */
struct cli {
    struct options options;
    struct scrub secrets;
    struct report_style style; /* of stdout */
    bool stderr_tty;
};

struct command {
    const char *name;
    int bit;           /* its options; 0: none but --help */
    size_t args_max;   /* arguments that are no options */
    const char *usage; /* "[URL] [OPTIONS]" */
    enum text_id about;
    /* The exit code. With a filled *err, main prints that and exits with its code. */
    int (*run)(struct cli *cli, struct err *err);
};

extern const struct command cmd_probe, cmd_sim, cmd_read, cmd_help, cmd_version;
extern const struct command *const commands[]; /* ends with NULL */
const struct command *command_find(struct str name);

/* A sentence or a text of ours to stderr / stdout: in ASCII where the terminal wants that. */
void cli_note(const struct cli *cli, struct str text);
MUST_USE bool cli_say(const struct cli *cli, struct str text, struct err *err);

#endif
