#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fmt.h"
#include "cli/interrupt.h"
#include "cli/models.h"
#include "cli/probe_setup.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "net/live.h"
#include "report/remedy.h"

enum { ASK_REQUESTS = 500, ASK_TOKENS = 200000 };

/* One `weir probe`, from its options to its exit code. */
struct run {
    struct cli *cli;
    struct probe_setup setup;
    struct driver *driver;
    struct probe *probe;
    struct interrupt interrupt;
    struct progress progress;
    struct output json, jsonl, csv, text;
    struct probe_result result;
    struct err write_err; /* the first place that could not be written */
};

/* Measuring goes on where a place fails: nothing measured is lost. */
static void write_to(struct run *r, struct output *place, const struct buf *text)
{
    struct err err = {0};
    assert(!text->over);
    if (place->error || output_write(place, &r->cli->secrets, buf_str(text), &err))
        return;
    if (!r->write_err.exit_code)
        r->write_err = err;
}

static void close_place(struct run *r, struct output *place)
{
    struct err err = {0};
    if (!output_close(place, &err) && !r->write_err.exit_code)
        r->write_err = err;
}

static bool same_file(const struct output *a, const struct output *b)
{
    struct stat one, other;
    return a->is_file && b->is_file && fstat(a->fd, &one) == 0 && fstat(b->fd, &other) == 0 &&
           S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Two names of one file: each would write over the other. */
static bool check_places(const struct run *r, struct err *err)
{
    const struct output *places[] = {&r->json, &r->jsonl, &r->csv};
    for (size_t a = 0; a < ARRAY_LEN(places); a++)
        for (size_t b = a + 1; b < ARRAY_LEN(places); b++)
            if (same_file(places[a], places[b]))
                return err_set(err, EXIT_USAGE, "conflict", TEXT_CLI_FILE_TWICE, places[b]->name);
    return true;
}

static bool open_places(struct run *r, struct err *err)
{
    const struct options *o = &r->cli->options;
    bool ok = (!o->json.on || output_open(&r->json, o->json.file, err)) &&
              (!o->jsonl.on || output_open(&r->jsonl, o->jsonl.file, err)) &&
              (!o->csv.on || output_open(&r->csv, o->csv.file, err)) &&
              output_open(&r->text, NULL, err);
    r->json.json = r->jsonl.json = true;
    return ok && check_places(r, err);
}

/* Text goes to stdout unless data does. */
static bool stdout_is_text(const struct options *o)
{
    return !(o->json.on && !o->json.file) && !(o->jsonl.on && !o->jsonl.file) &&
           !(o->csv.on && !o->csv.file);
}

/* Before sending */

static void print_head(struct run *r)
{
    struct probe_result plan;
    struct buf head = {0};
    struct report_style style = terminal_stderr_style(r->cli);
    probe_plan(&r->setup.probe, &plan);
    report_probe_head(&head, &plan, &style);
    cli_note(r->cli, buf_str(&head));
    buf_done(&head);
}

static int dry_run(struct run *r, struct err *err)
{
    struct probe_result plan;
    struct buf out = {0};
    probe_plan(&r->setup.probe, &plan);
    report_probe_head(&out, &plan, &r->cli->style);
    if (!plan.target.model || !plan.target.model[0])
        text_add(&out, TEXT_CLI_DRY_RUN_MODEL);
    buf_add_text(&out, "\n");
    probe_setup_curl(&r->setup, &out);
    bool ok = output_write(&r->text, &r->cli->secrets, buf_str(&out), err);
    buf_done(&out);
    return ok ? EXIT_OK : err->exit_code;
}

static bool says_yes(void)
{
    char answer[16] = "";
    ssize_t n = read(STDIN_FILENO, answer, sizeof(answer) - 1);
    struct str typed = str_trim(str_make(answer, n > 0 ? (size_t)n : 0));
    return str_eq_nocase(typed, STR("y")) || str_eq_nocase(typed, STR("yes"));
}

/* Money and load are the user's: a large plan is asked about. */
static bool confirm(struct run *r, struct err *err)
{
    const struct probe_options *p = &r->setup.probe;
    int64_t requests = p->runs + p->warmup, tokens = requests * p->max_tokens;
    if (r->cli->options.yes || (requests <= ASK_REQUESTS && tokens <= ASK_TOKENS))
        return true;
    struct fmt n = fmt_count(requests), t = fmt_count(tokens);
    if (r->setup.stdin_taken || !isatty(STDIN_FILENO) || !r->cli->stderr_tty) {
        err_set(err, EXIT_USAGE, "needs_yes", TEXT_CLI_NEEDS_YES, n.text, t.text);
        err_why(err, TEXT_CLI_NEEDS_YES_WHY);
        err_fix(err, TEXT_CLI_NEEDS_YES_FIX);
        return false;
    }
    struct buf question = {0};
    text_add(&question, TEXT_CLI_ASK, n.text, t.text);
    cli_note(r->cli, buf_str(&question));
    buf_done(&question);
    return says_yes() || err_set(err, EXIT_USAGE, "declined", TEXT_CLI_DECLINED);
}

static void note(struct run *r, enum text_id id, const char *a, const char *b)
{
    struct buf line = {0};
    text_add(&line, id, a, b);
    buf_add_text(&line, "\n");
    if (!r->cli->options.quiet)
        cli_note(r->cli, buf_str(&line));
    buf_done(&line);
}

/* Whether stdout and stderr are the same screen, on which the heading already stands. */
static bool same_screen(const struct run *r)
{
    return r->cli->stderr_tty && isatty(STDOUT_FILENO);
}

static bool prepare(struct run *r, struct err *err)
{
    bool named = *r->setup.target.model != '\0';
    const struct options *o = &r->cli->options;
    if (o->given[OPT_API_KEY])
        note(r, TEXT_CLI_KEY_ON_LINE, "", "");
    if (o->events && !o->jsonl.on)
        note(r, TEXT_CLI_EVENTS_NOWHERE, "", "");
    if (!o->quiet)
        print_head(r);
    if (!confirm(r, err))
        return false;
    if (!models_choose(&r->setup, err))
        return false;
    if (!named && *r->setup.target.model)
        note(r, TEXT_CLI_MODEL_CHOSEN, r->setup.target.model, r->setup.target.model_source);
    r->cli->style.headed = named && !o->quiet && same_screen(r);
    return true;
}

/* While it runs */

static void ended(void *arg, const struct probe_options *o, size_t done, const struct record *last)
{
    struct run *r = arg;
    (void)o;
    (void)done;
    if (!last)
        return;
    progress_add(&r->progress, last);
    if (!r->cli->options.jsonl.on)
        return;
    struct buf line = {.max = REPORT_LINE_BYTES_MAX};
    report_line_request(&line, last, r->cli->options.events);
    write_to(r, &r->jsonl, &line);
    buf_done(&line);
}

static void interrupted(void *arg)
{
    struct run *r = arg;
    probe_interrupt(r->probe);
}

static void write_run_line(struct run *r)
{
    struct probe_result plan;
    struct buf line = {0};
    if (!r->cli->options.jsonl.on)
        return;
    probe_plan(&r->setup.probe, &plan);
    plan.wall_start = clock_wall();
    report_line_run(&line, &plan);
    write_to(r, &r->jsonl, &line);
    buf_done(&line);
}

/* What only the live driver knows of the instrument. */
static void add_facts(struct run *r)
{
    const struct client_facts *facts = live_driver_facts(r->driver);
    r->result.instrument.offset_drift_us = (double)clock_offset_drift(&facts->offset) / 1e3;
    r->result.instrument.late_sends = facts->late_sends;
}

static void judge(struct run *r)
{
    for (size_t i = 0; i < r->setup.asked.count; i++) {
        struct limit *l = &r->setup.limits[i];
        slo_judge(&l->slo, r->result.records, r->result.record_count, &l->result);
    }
    r->result.limits = r->setup.asked;
}

static bool measure(struct run *r, struct err *err)
{
    const struct options *o = &r->cli->options;
    struct client_options client = {
        .insecure = o->insecure,
        .ca_file = o->cacert,
        .user_agent = "weir/" WEIR_VERSION,
    };
    interrupt_init(&r->interrupt);
    r->driver = live_driver_new(&client, err);
    bool ok = r->driver &&
              interrupt_start(&r->interrupt, live_driver_loop(r->driver), interrupted, r, err);
    if (ok) {
        write_run_line(r);
        progress_start(&r->progress, r->cli, live_driver_loop(r->driver), r->setup.probe.runs);
        r->probe = probe_start(r->driver, &r->setup.probe, ended, r);
        driver_run(r->driver);
        progress_done(&r->progress);
        probe_finish(r->probe, &r->result);
        add_facts(r);
        judge(r);
    }
    interrupt_done(&r->interrupt);
    driver_free(r->driver);
    return ok;
}

/* After */

/* Where the path seems wrong: does the one with or without /v1 list models? Suggested, never taken.
 */
static char *look_for_sibling(struct run *r)
{
    const struct probe_result *result = &r->result;
    if (result->summary.complete || result->interrupted)
        return NULL;
    for (size_t i = 0; i < result->record_count; i++)
        if (remedy_wants_sibling(&result->records[i]))
            return models_sibling(&r->setup);
    return NULL;
}

static void write_data(struct run *r)
{
    struct buf out = {0};
    if (r->cli->options.jsonl.on) {
        report_line_summary(&out, &r->result);
        write_to(r, &r->jsonl, &out);
    }
    if (r->cli->options.json.on) {
        buf_clear(&out);
        report_probe_json(&out, &r->result);
        write_to(r, &r->json, &out);
    }
    if (r->cli->options.csv.on) {
        buf_clear(&out);
        report_probe_csv(&out, &r->result);
        write_to(r, &r->csv, &out);
    }
    buf_done(&out);
    close_place(r, &r->jsonl);
    close_place(r, &r->json);
    close_place(r, &r->csv);
}

/* Figures are a result and go to stdout; that there are none is news for stderr. Where stdout
 * failed the figures go to stderr too: nothing measured is lost. */
static void write_text(struct run *r)
{
    struct buf out = {0};
    bool nothing = r->result.summary.complete == 0, wanted = stdout_is_text(&r->cli->options);
    if (!nothing && wanted) {
        report_probe_text(&out, &r->result, &r->cli->style);
        write_to(r, &r->text, &out);
        buf_clear(&out);
    }
    bool lost = r->write_err.exit_code && (!wanted || r->text.error);
    if (nothing || lost) {
        struct report_style style = terminal_stderr_style(r->cli);
        report_probe_text(&out, &r->result, &style);
        cli_note(r->cli, buf_str(&out));
    }
    if (lost)
        err_why(&r->write_err, TEXT_CLI_CANNOT_WRITE_WHY);
    buf_done(&out);
}

static int conclude(struct run *r, struct err *err)
{
    char *sibling = look_for_sibling(r);
    r->result.sibling = sibling;
    write_data(r);
    write_text(r);
    int code = report_probe_exit(&r->result);
    if (r->interrupt.signal)
        code = interrupt_exit(&r->interrupt);
    if (r->write_err.exit_code) {
        *err = r->write_err;
        code = err->exit_code;
    }
    probe_result_done(&r->result);
    mem_free(sibling);
    return code;
}

static int run(struct cli *cli, struct err *err)
{
    struct run r = {.cli = cli};
    int code = EXIT_OK;
    bool ok = probe_setup_init(&r.setup, cli, err) && open_places(&r, err);
    if (ok && cli->options.dry_run)
        code = dry_run(&r, err);
    else if (ok && prepare(&r, err) && measure(&r, err))
        code = conclude(&r, err);
    else
        code = err->exit_code;
    probe_setup_done(&r.setup);
    return code;
}

const struct command cmd_probe = {
    .name = "probe",
    .bit = FOR_PROBE,
    .args_max = 1,
    .usage = "[URL] [OPTIONS]",
    .about = TEXT_CLI_ABOUT_PROBE,
    .run = run,
};
