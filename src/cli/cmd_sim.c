#include "base/fmt.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "sim/endpoint.h"

static bool profile_of(const struct options *o, struct sim_profile *p, struct err *err)
{
    sim_profile_init(p);
    p->seed = (uint64_t)o->seed;
    p->ttft_ns = o->ttft;
    p->gap_ns = o->gap;
    p->jitter = o->jitter;
    p->tokens = o->tokens;
    p->tokens_per_chunk = o->tokens_per_chunk;
    p->slots = o->slots;
    p->stamp = o->stamp;
    if (o->model)
        p->model = o->model;
    return !o->fail || sim_fail_parse(str_of(o->fail), p->fail, err);
}

/* On stdout at once, first line first: scripts wait for it. */
static bool say_where(struct cli *cli, const struct endpoint *e, struct err *err)
{
    const struct options *o = &cli->options;
    struct str host = str_of(o->listen);
    while (host.len && host.ptr[host.len - 1] != ':')
        host.len--;
    struct buf url = {0}, out = {0};
    buf_addf(&url, "%s://%.*s%d", endpoint_cert_file(e) ? "https" : "http", (int)host.len, host.ptr,
             endpoint_port(e));
    text_add(&out, TEXT_CLI_SIM_LISTENING, buf_text(&url));
    buf_add_text(&out, "\n");
    if (endpoint_cert_file(e)) {
        text_add(&out, TEXT_CLI_SIM_CERT, endpoint_cert_file(e));
        buf_add_text(&out, "\n");
    }
    bool ok = cli_say(cli, buf_str(&out), err);
    buf_done(&url);
    buf_done(&out);
    return ok;
}

static void say_end(struct cli *cli, const struct endpoint *e)
{
    struct endpoint_facts facts = endpoint_facts(e);
    struct buf out = {0};
    text_add(&out, TEXT_CLI_SIM_END, fmt_count(facts.requests).text, fmt_count(facts.hangups).text,
             fmt_duration(facts.late_max_ns).text);
    buf_add_text(&out, "\n");
    if (!cli->options.quiet)
        cli_note(cli, buf_str(&out));
    buf_done(&out);
}

static void stop(void *arg)
{
    loop_stop(arg);
}

static int run(struct cli *cli, struct err *err)
{
    struct interrupt interrupt;
    struct endpoint_options options = {.listen = cli->options.listen, .tls = cli->options.tls};
    if (!profile_of(&cli->options, &options.profile, err))
        return err->exit_code;
    interrupt_init(&interrupt);
    struct loop *loop = loop_new(err);
    struct endpoint *e = loop ? endpoint_new(loop, &options, err) : NULL;
    bool ok = e && interrupt_start(&interrupt, loop, stop, loop, err) && say_where(cli, e, err);
    if (ok) {
        loop_run(loop);
        say_end(cli, e);
    }
    interrupt_done(&interrupt);
    endpoint_free(e);
    if (loop)
        loop_free(loop);
    return ok ? EXIT_OK : err->exit_code; /* to be told to stop is how a server ends */
}

const struct command cmd_sim = {
    .name = "sim",
    .bit = FOR_SIM,
    .usage = "[OPTIONS]",
    .about = TEXT_CLI_ABOUT_SIM,
    .run = run,
};
