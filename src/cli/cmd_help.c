#include "cli/help.h"
#include "cli/manpage.h"

static int run(struct cli *cli, struct err *err)
{
    struct buf out = {0};
    const char *nearest = NULL;
    if (cli->options.arg_count == 0) {
        help_overview(&out);
    } else if (strcmp(cli->options.args[0], "man") == 0) {
        manpage(&out);
    } else if (!help_topic(&out, str_of(cli->options.args[0]), &nearest)) {
        err_set(err, EXIT_USAGE, "unknown_topic", TEXT_CLI_UNKNOWN_TOPIC, cli->options.args[0]);
        if (nearest)
            err_fix(err, TEXT_CLI_HELP_OF, nearest);
        err_fix(err, TEXT_CLI_HELP);
    }
    bool ok = !err->exit_code && cli_say(cli, buf_str(&out), err);
    buf_done(&out);
    return ok ? EXIT_OK : err->exit_code;
}

const struct command cmd_help = {
    .name = "help",
    .args_max = 1,
    .usage = "[COMMAND|TOPIC]",
    .about = TEXT_CLI_ABOUT_HELP,
    .run = run,
};
