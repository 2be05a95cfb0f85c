#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/report.h"
#include "sim/virtual.h"
#include "study/probe.h"

/*
 * Whole probes in virtual time, held against tests/golden/NAME.FORM.out to the byte: the same plan
 * on the same simulated endpoint gives the same report on every machine. WEIR_REWRITE=1 rewrites
 * the files; what changed is then reviewed as text. Run from the top of the tree.
 */

static const int64_t ms = 1000000;

struct golden {
    const char *name;
    void (*set)(struct sim_profile *sim, struct probe_options *o, struct report_style *s);
    size_t interrupt_after; /* 0: not */
    const char *slos[6];
    double max_fail; /* 0: not asked for */
    bool forms;      /* JSON, JSON lines and CSV beside the text */
};

static void good(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)sim, (void)o, (void)s;
}
static void verbose(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o;
    sim->fail[SIM_FAULT_DROP] = 0.15;
    sim->fail[SIM_FAULT_NODONE] = 0.15;
    sim->fail[SIM_FAULT_503] = 0.15;
    s->verbose = true;
}
static void ascii(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o;
    sim->fail[SIM_FAULT_429] = 0.2;
    s->ascii = true;
}
static void quiet(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o;
    sim->fail[SIM_FAULT_429] = 0.2;
    s->quiet = true;
}
static void coloured(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o;
    sim->fail[SIM_FAULT_DROP] = 0.2;
    s->colour = true;
}
static void drop(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o, (void)s;
    sim->fail[SIM_FAULT_DROP] = 1;
}
static void nodone(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o, (void)s;
    sim->fail[SIM_FAULT_NODONE] = 1;
}
static void limited(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o, (void)s;
    sim->fail[SIM_FAULT_429] = 1;
}
static void unavailable(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o, (void)s;
    sim->fail[SIM_FAULT_503] = 1;
}
static void mixed(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o, (void)s;
    sim->fail[SIM_FAULT_DROP] = 0.5;
    sim->fail[SIM_FAULT_429] = 0.5;
}
static void wrong_path(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)sim, (void)s;
    o->target.url = "https://sim.example/openai/chat/completions";
}
static void first_timeout(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)s;
    sim->ttft_ns = 3000 * ms;
    sim->jitter = 0;
    o->timeouts.first_output = 2000 * ms;
}
static void gap_timeout(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)s;
    sim->gap_ns = 500 * ms;
    sim->jitter = 0;
    o->timeouts.gap = 400 * ms;
}
static void total_timeout(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)sim, (void)s;
    o->timeouts.total = 2000 * ms;
}
static void connect_timeout(struct sim_profile *sim, struct probe_options *o,
                            struct report_style *s)
{
    (void)sim, (void)s;
    o->timeouts.connect = 10 * ms;
}
static void unstreamed(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)sim, (void)s;
    o->streamed = false;
}
static void four_a_chunk(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o, (void)s;
    sim->tokens_per_chunk = 4;
}
static void few_outputs(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)o, (void)s;
    sim->tokens = 12;
}
static void one_output(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)s;
    sim->tokens = 1;
    o->runs = 6;
}
static void one_run(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)sim, (void)s;
    o->runs = 1;
    o->warmup = 0;
}
static void sixty_runs(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)sim, (void)s;
    o->runs = 60;
    o->concurrency = 4;
}
static void three_hundred_runs(struct sim_profile *sim, struct probe_options *o,
                               struct report_style *s)
{
    (void)s;
    sim->tokens = 24;
    o->runs = 300;
}
static void slots(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)s;
    sim->slots = 2;
    sim->tokens = 64;
    o->runs = 24;
    o->concurrency = 8;
    o->warmup = 8;
    o->fresh = false;
}
static void slow(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)s;
    sim->ttft_ns = 25000 * ms;
    sim->gap_ns = 1500 * ms;
    sim->tokens = 40;
    o->timeouts.total = INT64_MAX;
}
static void fast(struct sim_profile *sim, struct probe_options *o, struct report_style *s)
{
    (void)s;
    sim->ttft_ns = ms / 5;
    sim->gap_ns = ms / 100;
    o->fresh = false;
}

static const struct golden goldens[] = {
    {.name = "good", .set = good, .forms = true},
    {.name = "verbose", .set = verbose},
    {.name = "ascii", .set = ascii},
    {.name = "quiet", .set = quiet},
    {.name = "colour", .set = coloured},
    {.name = "drop", .set = drop, .forms = true},
    {.name = "nodone", .set = nodone},
    {.name = "limited", .set = limited},
    {.name = "unavailable", .set = unavailable},
    {.name = "mixed", .set = mixed},
    {.name = "wrong_path", .set = wrong_path, .forms = true},
    {.name = "first_timeout", .set = first_timeout},
    {.name = "gap_timeout", .set = gap_timeout},
    {.name = "total_timeout", .set = total_timeout},
    {.name = "connect_timeout", .set = connect_timeout},
    {.name = "interrupted", .set = good, .interrupt_after = 6},
    {.name = "interrupted_early", .set = good, .interrupt_after = 1},
    {.name = "plain", .set = unstreamed, .forms = true},
    {.name = "four_a_chunk", .set = four_a_chunk},
    {.name = "few_outputs", .set = few_outputs},
    {.name = "one_output", .set = one_output},
    {.name = "one_run", .set = one_run},
    {.name = "sixty_runs", .set = sixty_runs},
    {.name = "three_hundred_runs", .set = three_hundred_runs},
    {.name = "slots", .set = slots},
    {.name = "slow", .set = slow},
    {.name = "fast", .set = fast},
    {.name = "limits",
     .set = good,
     .slos = {"ttft.p50:1s", "gap.p95:22ms", "gap.p99:31ms", "tps.p50:20"},
     .forms = true},
    {.name = "limits_undecided", .set = good, .slos = {"ttft.p50:420ms", "total.max:30s"}},
    {.name = "limits_ascii",
     .set = ascii,
     .slos = {"ttft.p50:1s", "ttft.max:60s", "complete:75%", "flow.p50:0.125", "tokens.p50<1000"}},
    {.name = "limits_quiet", .set = quiet, .slos = {"ttft.p50:1s"}, .max_fail = 0.1},
    {.name = "limits_of_nothing", .set = drop, .slos = {"ttft.p50:1s"}, .max_fail = 0.1},
};

/* The version is the only thing in a report that changes without the report changing. */
static void hide_version(struct buf *b)
{
    static const char said[] = "\"" WEIR_VERSION "\"";
    struct buf out = {0};
    for (struct str rest = buf_str(b); rest.len;) {
        bool here = str_starts(rest, str_of(said));
        if (here)
            buf_add_text(&out, "\"VERSION\"");
        else
            buf_add_byte(&out, rest.ptr[0]);
        rest = str_from(rest, here ? strlen(said) : 1);
    }
    buf_done(b);
    *b = out;
}

static bool read_file(const char *path, struct buf *out)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    char bytes[4096];
    for (size_t n; (n = fread(bytes, 1, sizeof(bytes), f)) > 0;)
        buf_add(out, bytes, n);
    fclose(f);
    return true;
}

static void fail_where_they_differ(const char *path, struct str expected, struct str actual)
{
    for (size_t line = 1;; line++) {
        struct str want = str_split(&expected, '\n'), got = str_split(&actual, '\n');
        if (!str_eq(want, got) || !expected.ptr != !actual.ptr)
            fail_msg("%s:%zu\n  expected %.*s\n  actual   %.*s\n"
                     "(WEIR_REWRITE=1 rewrites the file)",
                     path, line, (int)want.len, want.ptr ? want.ptr : "", (int)got.len,
                     got.ptr ? got.ptr : "");
        if (!expected.ptr)
            return;
    }
}

static void compare(const char *name, const char *form, struct buf *actual)
{
    char path[200];
    struct buf expected = {0};
    hide_version(actual);
    snprintf(path, sizeof(path), "tests/golden/%s.%s.out", name, form);
    const char *rewrite = getenv("WEIR_REWRITE");
    if (rewrite && *rewrite == '1') {
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(buf_text(actual), 1, actual->len, f) != actual->len || fclose(f))
            fail_msg("cannot write %s: %s", path, strerror(errno));
    } else {
        if (!read_file(path, &expected))
            fail_msg("cannot read %s: %s", path, strerror(errno));
        if (!str_eq(buf_str(&expected), buf_str(actual)))
            fail_where_they_differ(path, buf_str(&expected), buf_str(actual));
    }
    buf_done(&expected);
    buf_clear(actual);
}

struct stop {
    struct probe *probe;
    size_t at;
};
static void stop_at(void *arg, const struct probe_options *o, size_t done,
                    const struct record *last)
{
    struct stop *s = arg;
    (void)o;
    if (!last->warmup && done == s->at)
        probe_interrupt(s->probe);
    if (last->warmup && s->at == 1)
        probe_interrupt(s->probe);
}

static void run_golden(const struct golden *g, struct probe_result *r, struct report_style *style)
{
    struct sim_profile sim;
    sim_profile_init(&sim);
    sim.seed = 11;
    sim.ttft_ns = 400 * ms;
    sim.gap_ns = 20 * ms;
    sim.jitter = 0.2;
    sim.tokens = 128;
    const struct virtual_network network = {.dns_ns = 4 * ms + 120000,
                                            .connect_ns = 17 * ms,
                                            .tls_ns = 37 * ms + 40000,
                                            .rtt_ns = 16 * ms};
    struct probe_options o = {
        .target = {.url = "https://sim.example/v1/chat/completions",
                   .model = "sim",
                   .api = "openai-chat",
                   .key_source = "$OPENAI_API_KEY"},
        .runs = 10,
        .warmup = 1,
        .concurrency = 1,
        .max_tokens = 256,
        .streamed = true,
        .fresh = true,
        .seed = 1,
        .timeouts = {.connect = 5000 * ms,
                     .first_output = 120000 * ms,
                     .gap = 60000 * ms,
                     .idle = INT64_MAX,
                     .total = 600000 * ms},
    };
    g->set(&sim, &o, style);
    struct driver *d = virtual_driver_new(&sim, &network);
    struct stop stop = {.at = g->interrupt_after};
    stop.probe = probe_start(d, &o, g->interrupt_after ? stop_at : NULL, &stop);
    driver_run(d);
    probe_finish(stop.probe, r);
    driver_free(d);
}

static void judge(const struct golden *g, struct limit *limits, struct probe_result *r)
{
    size_t count = 0;
    struct err err;
    for (; g->slos[count]; count++) {
        assert_true(slo_parse(&limits[count].slo, str_of(g->slos[count]), &err));
        slo_judge(&limits[count].slo, r->records, r->record_count, &limits[count].result);
    }
    r->limits = (struct result_limits){.items = limits,
                                       .count = count,
                                       .undecided_is = SLO_UNDECIDED,
                                       .has_max_fail = g->max_fail > 0,
                                       .max_fail = g->max_fail};
}

static void one(void **state)
{
    const struct golden *g = *state;
    struct limit limits[ARRAY_LEN(g->slos)];
    struct probe_result r;
    struct report_style style = {0};
    run_golden(g, &r, &style);
    judge(g, limits, &r);
    struct buf b = {0};
    report_probe_head(&b, &r, &style);
    buf_addf(&b, "----\n");
    report_probe_text(&b, &r, &style);
    for (size_t i = 0; style.verbose && i < r.record_count; i++) {
        report_run_line(&b, &r.records[i], &style);
        buf_add_byte(&b, '\n');
    }
    buf_addf(&b, "---- exit %d\n", report_probe_exit(&r));
    compare(g->name, "text", &b);
    if (g->forms) {
        report_probe_json(&b, &r);
        compare(g->name, "json", &b);
        report_probe_csv(&b, &r);
        compare(g->name, "csv", &b);
        report_line_run(&b, &r);
        for (size_t i = 0; i < r.record_count && i < 2; i++)
            report_line_request(&b, &r.records[i], i == 0);
        report_line_summary(&b, &r);
        compare(g->name, "jsonl", &b);
    }
    buf_done(&b);
    probe_result_done(&r);
}

int main(void)
{
    struct CMUnitTest tests[ARRAY_LEN(goldens)];
    static struct golden states[ARRAY_LEN(goldens)];
    for (size_t i = 0; i < ARRAY_LEN(goldens); i++) {
        states[i] = goldens[i];
        tests[i] = (struct CMUnitTest){
            .name = goldens[i].name, .test_func = one, .initial_state = &states[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
