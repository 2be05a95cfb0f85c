#include "cli/command.h"

static int run(struct cli *cli, struct err *err)
{
    struct buf out = {0};
    text_add(&out, TEXT_CLI_VERSION, WEIR_VERSION);
    buf_add_text(&out, "\n");
    bool ok = cli_say(cli, buf_str(&out), err);
    buf_done(&out);
    return ok ? EXIT_OK : err->exit_code;
}

const struct command cmd_version = {
    .name = "version",
    .usage = "",
    .about = TEXT_CLI_ABOUT_VERSION,
    .run = run,
};
