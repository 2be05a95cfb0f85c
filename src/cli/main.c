/*
 * weir: how long an LLM endpoint makes people wait, and why. The map of the tree, in reading order.
 *
 * `weir probe URL` is: options → setup (target, key, prompt, plan) → a study on a driver → records
 * → summary → report. Floors only include those above them here; `x_*` stands for all files that
 * begin so.
 *
 * cli/      main (this: the table of commands, errors to the screen), command, options,
 *           option_table (every option, once), help, manpage (made from both), terminal, output
 * (the only way out: scrubbed and checked), interrupt (Ctrl-C as an event) cmd_probe: probe_setup,
 * models (GET /models), progress; cmd_sim; cmd_read; cmd_help; cmd_version
 *
 * base/     attr, mem, arena (memory that dies together), vec, splitmix, str (views), buf (bounded
 * buffers), utf8, fmt (numbers and text), text (all sentences, by id), err (four parts), scrub
 *
 * wire/     url; http1, http1_* (heads and bodies, both directions); lines, sse, ndjson (framing);
 *           json, json_text (a scanner without allocation); dialect, dialect_* (what an event
 *           means); answer, reading, reading_* (a body from bytes to verdict)
 *
 * measure/  clock, record (one request), outcome, observe (where bytes meet time), metric (the
 *           table), quantile (with intervals), bootstrap (those of pooled gaps), hist
 *           (mergeable), summary, result, slo, slo_parse (limits and whether they hold)
 *
 * config/   file, envfile, target, target_url, key: which URL, which key, where each comes from
 *
 * net/      loop; dial, conn, pool, tls, stamp (kernel receive times); request, deadline, client,
 *           client_*
 *           (a request's life); driver (what a study asks of the world), live; control (free GETs);
 *           server, server_*, selfsigned
 *
 * sim/      random, profile, chat, script, script_* (what it answers, pure); queue, endpoint (on
 *           sockets); agenda, virtual, virtual_* (in virtual time)
 *
 * study/    prompts, probe
 *
 * report/   report (all forms); term, table, figures, phases, limits, failure, remedy, verbose,
 *           text; json, jsonl, csv, error
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/help.h"
#include "cli/terminal.h"

const struct command *const commands[] = {
    &cmd_probe, &cmd_sim, &cmd_read, &cmd_help, &cmd_version, NULL,
};

const struct command *command_find(struct str name)
{
    for (size_t i = 0; commands[i]; i++)
        if (str_eq(name, str_of(commands[i]->name)))
            return commands[i];
    return NULL;
}

void cli_note(const struct cli *cli, struct str text)
{
    struct buf plain = {0};
    if (cli->style.ascii)
        output_ascii(text, &plain);
    output_note(&cli->secrets, cli->style.ascii ? buf_str(&plain) : text);
    buf_done(&plain);
}

bool cli_say(const struct cli *cli, struct str text, struct err *err)
{
    struct buf plain = {0};
    struct output out;
    if (cli->style.ascii)
        output_ascii(text, &plain);
    bool ok = output_open(&out, NULL, err) &&
              output_write(&out, &cli->secrets, cli->style.ascii ? buf_str(&plain) : text, err);
    buf_done(&plain);
    return ok;
}

/* Typed text may hold escapes; a terminal must not obey them. */
static void make_visible(char *text, size_t size)
{
    struct buf safe = {0};
    utf8_add_visible(&safe, str_of(text));
    str_copy(text, size, buf_str(&safe));
    buf_done(&safe);
}

/* To stderr; with --json or --jsonl to stdout the same as an object goes there too. */
static void print_error(struct cli *cli, struct err *err)
{
    struct buf text = {0};
    struct err ignored = {0};
    struct output out;
    bool json = cli->options.json.on && !cli->options.json.file;
    bool jsonl = cli->options.jsonl.on && !cli->options.jsonl.file;
    if ((json || jsonl) && err->exit_code != EXIT_WRITE && output_open(&out, NULL, &ignored)) {
        report_error_json(&text, err);
        out.json = true;
        (void)!output_write(&out, &cli->secrets, buf_str(&text), &ignored);
        buf_clear(&text);
    }
    struct report_style style = terminal_stderr_style(cli);
    make_visible(err->what, sizeof(err->what));
    make_visible(err->why, sizeof(err->why));
    for (int i = 0; i < ERR_FIXES; i++)
        make_visible(err->fix[i], sizeof(err->fix[i]));
    report_error_text(&text, err, &style);
    cli_note(cli, buf_str(&text));
    buf_done(&text);
}

static bool unknown_command(const char *typed, struct err *err)
{
    const char *names[32];
    size_t count = 0;
    while (commands[count] && count < ARRAY_LEN(names)) {
        names[count] = commands[count]->name;
        count++;
    }
    bool is_url = strstr(typed, "://") || strncmp(typed, "localhost", 9) == 0 ||
                  (strchr(typed, '.') && typed[0] != '-');
    const char *nearest = str_nearest(str_of(typed), names, count);
    err_set(err, EXIT_USAGE, "unknown_command", TEXT_CLI_UNKNOWN_COMMAND, typed);
    if (is_url)
        err_fix(err, TEXT_CLI_PROBE_URL, typed);
    else if (nearest)
        err_fix(err, TEXT_CLI_NEAREST_COMMAND, nearest);
    err_fix(err, TEXT_CLI_HELP);
    return false;
}

/* `weir --help` and `weir --version` are typed by habit. */
static const struct command *chosen(int argc, char **argv, struct err *err)
{
    static const struct {
        const char *typed;
        const struct command *command;
    } habits[] = {{"--help", &cmd_help},
                  {"-h", &cmd_help},
                  {"--version", &cmd_version},
                  {"-V", &cmd_version}};
    if (argc < 2) {
        err_set(err, EXIT_USAGE, "no_command", TEXT_CLI_NO_COMMAND);
        err_fix(err, TEXT_CLI_HELP);
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_LEN(habits); i++)
        if (strcmp(argv[1], habits[i].typed) == 0)
            return habits[i].command;
    const struct command *c = command_find(str_of(argv[1]));
    if (!c)
        unknown_command(argv[1], err);
    return c;
}

/* Errors go where results would have gone, whatever else is wrong with the command line. */
static void look_for_json(struct cli *cli, int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        cli->options.json.on |= strcmp(argv[i], "--json") == 0;
        cli->options.jsonl.on |= strcmp(argv[i], "--jsonl") == 0;
    }
}

static int run(struct cli *cli, int argc, char **argv, struct err *err)
{
    const struct command *c = chosen(argc, argv, err);
    if (!c) {
        terminal_style(cli);
        return err->exit_code;
    }
    if (!options_parse(&cli->options, argc, argv, 2, c->name, c->bit, c->args_max, err)) {
        look_for_json(cli, argc, argv);
        terminal_style(cli);
        return err->exit_code;
    }
    for (size_t i = 0; i < cli->options.secrets.len; i++)
        scrub_add(&cli->secrets, str_of(cli->options.secrets.items[i]));
    terminal_style(cli);
    if (!cli->options.help)
        return c->run(cli, err);
    struct buf out = {0};
    help_command(&out, c);
    bool ok = cli_say(cli, buf_str(&out), err);
    buf_done(&out);
    return ok ? EXIT_OK : err->exit_code;
}

/* A closed stdin, stdout or stderr must not become the number of a socket: hold the place with
 * something that fails as a closed one would. */
static void hold_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* A connection is a file: as many as the system allows. */
static void raise_file_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(int argc, char **argv)
{
    struct cli cli = {0};
    struct err err = {0};
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write that fails */
    signal(SIGXFSZ, SIG_IGN); /* so is a file at its limit */
    hold_standard_files();
    raise_file_limit();
    int code = run(&cli, argc, argv, &err);
    if (err.exit_code)
        print_error(&cli, &err);
    options_done(&cli.options);
    scrub_done(&cli.secrets);
    return code;
}
