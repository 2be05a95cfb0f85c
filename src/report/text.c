#include <math.h>

#include "base/fmt.h"
#include "base/utf8.h"
#include "report/failure.h"
#include "report/figures.h"
#include "report/limits.h"
#include "report/phases.h"
#include "report/verbose.h"

/* The result of a probe as text: heading, figures, what failed, phases. */

static const struct report_style *style_or_default(const struct report_style *s)
{
    static const struct report_style plain = {0};
    return s ? s : &plain;
}

/* Heading */

static void add_target(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    struct buf line = {0}, model = {0}, url = {0};
    utf8_add_visible(&url, str_of(r->target.url));
    if (r->target.model && r->target.model[0]) {
        utf8_add_visible(&model, str_of(r->target.model));
        text_add(&line, TEXT_REPORT_TARGET, buf_text(&model), buf_text(&url));
    } else {
        text_add(&line, TEXT_REPORT_TARGET_NO_MODEL, buf_text(&url));
    }
    term_fold(out, s, "  ", buf_str(&line));
    buf_done(&line);
    buf_done(&model);
    buf_done(&url);
}

static void add_plan(struct buf *line, const struct result_plan *p)
{
    if (p->runs == 1)
        text_add(line, TEXT_REPORT_RUN_ONE);
    else
        text_add(line, TEXT_REPORT_RUNS, fmt_count(p->runs).text);
    if (p->concurrency > 1)
        text_add(line, TEXT_REPORT_AT_A_TIME, fmt_count(p->concurrency).text);
    else if (p->runs > 1)
        text_add(line, TEXT_REPORT_ONE_AT_A_TIME);
    text_add(line, p->fresh ? TEXT_REPORT_FRESH : TEXT_REPORT_REUSED);
    if (p->warmup == 0)
        text_add(line, TEXT_REPORT_WARMUP_NONE);
    else if (p->warmup == 1)
        text_add(line, TEXT_REPORT_WARMUP_ONE);
    else
        text_add(line, TEXT_REPORT_WARMUPS, fmt_count(p->warmup).text);
    if (!p->streamed)
        text_add(line, TEXT_REPORT_PLAIN);
    if (p->same_prompt)
        text_add(line, TEXT_REPORT_SAME_PROMPT);
    if (p->prompt_tokens > 0)
        text_add(line, TEXT_REPORT_MADE_UP);
}

static void add_requests(struct buf *out, int64_t n)
{
    if (n == 0)
        text_add(out, TEXT_REPORT_NO_REQUEST);
    else if (n == 1)
        text_add(out, TEXT_REPORT_REQUEST_ONE);
    else
        text_add(out, TEXT_REPORT_REQUESTS, fmt_count(n).text);
}

/* About: two digits are as much as an estimate has. */
static struct fmt about(int64_t n)
{
    int64_t step = 1;
    while (n / step >= 100)
        step *= 10;
    return fmt_count((n + step / 2) / step * step);
}

static void add_price(struct buf *line, const struct result_plan *p)
{
    int64_t requests = p->runs + p->warmup;
    struct buf count = {0};
    add_requests(&count, requests);
    struct fmt in = about(requests * p->prompt_tokens_about);
    if (p->max_tokens > 0)
        text_add(line, TEXT_REPORT_PRICE, buf_text(&count), in.text,
                 fmt_count(requests * p->max_tokens).text);
    else
        text_add(line, TEXT_REPORT_PRICE_OPEN, buf_text(&count), in.text);
    buf_done(&count);
}

void report_probe_head(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    s = style_or_default(s);
    size_t from = out->len;
    struct buf line = {0};
    add_target(out, r, s);
    if (r->target.key_source && r->target.key_source[0])
        text_add(&line, TEXT_REPORT_KEY, r->target.key_source);
    else
        text_add(&line, TEXT_REPORT_KEY_NONE);
    term_fold(out, s, "  ", buf_str(&line));
    buf_clear(&line);
    add_plan(&line, &r->plan);
    term_fold(out, s, "  ", buf_str(&line));
    buf_clear(&line);
    add_price(&line, &r->plan);
    term_fold(out, s, "  ", buf_str(&line));
    buf_done(&line);
    term_finish(out, from, s);
}

static void add_tokens(struct buf *line, const struct summary *s)
{
    if (s->tokens_out == COUNT_UNKNOWN)
        return;
    if (s->token_source == TOKENS_CHUNKS)
        text_add(line, TEXT_REPORT_CHUNKS_OUT, fmt_count(s->tokens_out).text);
    else if (s->tokens_in == COUNT_UNKNOWN)
        text_add(line, TEXT_REPORT_TOKENS_OUT, fmt_count(s->tokens_out).text);
    else
        text_add(line, TEXT_REPORT_TOKENS_IN_OUT, fmt_count(s->tokens_in).text,
                 fmt_count(s->tokens_out).text);
}

/* Two remarks on one line, three blanks between them, if the width allows it; else on two. */
static void add_pair(struct buf *out, const struct report_style *s, struct buf *left,
                     struct buf *right)
{
    size_t both = 2 + utf8_width(buf_str(left)) + 3 + utf8_width(buf_str(right));
    if (left->len && right->len && both <= (size_t)term_width(s)) {
        buf_addf(out, "  %s   %s\n", buf_text(left), buf_text(right));
    } else {
        if (left->len)
            term_fold(out, s, "  ", buf_str(left));
        if (right->len)
            term_fold(out, s, "  ", buf_str(right));
    }
    buf_done(left);
    buf_done(right);
}

static void add_heading(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    struct buf plan = {0}, tokens = {0};
    if (!s->headed) {
        add_target(out, r, s);
        add_plan(&plan, &r->plan);
    }
    add_tokens(&tokens, &r->summary);
    add_pair(out, s, &plan, &tokens);
}

/* Under the figures */
static void add_complete(struct buf *line, const struct summary *s)
{
    struct fmt done = fmt_count((int64_t)s->complete), all = fmt_count((int64_t)s->requests);
    if (s->complete == s->requests)
        text_add(line, TEXT_REPORT_COMPLETE, done.text, all.text);
    else
        text_add(line, TEXT_REPORT_COMPLETE_SHARE, done.text, all.text,
                 fmt_sig(s->complete_share.low * 100).text,
                 fmt_sig(s->complete_share.high * 100).text);
}

static size_t greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* "  1 http_error   503 overloaded (run 3)": counts and names below each other. */
static void add_failures(struct buf *out, const struct probe_result *r,
                         const struct report_style *s)
{
    struct failures f;
    size_t count_width = 0, name_width = 0;
    failures_of(&f, r);
    for (size_t i = 0; i < f.kind_count; i++) {
        count_width = greater(count_width, strlen(fmt_count((int64_t)f.kinds[i].count).text));
        name_width = greater(name_width, strlen(outcome_name(f.kinds[i].first->outcome)));
    }
    for (size_t i = 0; i < f.kind_count; i++) {
        const struct record *first = f.kinds[i].first;
        struct buf lead = {0}, why = {0}, line = {0};
        const char *name = outcome_name(first->outcome);
        buf_addf(&lead, "  %*s ", (int)count_width, fmt_count((int64_t)f.kinds[i].count).text);
        term_ink(&lead, s, INK_FAIL);
        buf_add_text(&lead, name);
        term_ink(&lead, s, INK_PLAIN);
        term_pad(&lead, name_width - strlen(name) + 3);
        failure_describe(&why, first);
        text_add(&line, f.kinds[i].count == 1 ? TEXT_REPORT_FAILURE_ONE : TEXT_REPORT_FAILURE_FIRST,
                 buf_text(&why), fmt_int((int64_t)first->number).text);
        term_fold(out, s, buf_text(&lead), buf_str(&line));
        buf_done(&lead);
        buf_done(&why);
        buf_done(&line);
    }
}

static void add_interrupted(struct buf *out, const struct probe_result *r)
{
    if (!r->interrupted)
        return;
    text_add(out, TEXT_REPORT_INTERRUPTED, fmt_count((int64_t)r->summary.requests).text,
             fmt_count(r->plan.runs).text);
}

/* One remark a line, folded. */
static void add_remark(struct buf *out, const struct report_style *s, struct buf *line)
{
    if (line->len)
        term_fold(out, s, "  ", buf_str(line));
    buf_clear(line);
}

static void add_bounds(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    struct buf lines = {0}, line = {0};
    figures_bounds(&lines, r);
    for (struct str rest = buf_str(&lines); rest.len;) {
        buf_add_str(&line, str_split(&rest, '\n'));
        add_remark(out, s, &line);
    }
    buf_done(&lines);
    buf_done(&line);
}

static void add_remarks(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    const struct summary *sum = &r->summary;
    struct buf line = {0};
    struct fmt few = fmt_count((int64_t)sum->few_outputs);
    struct fmt complete = fmt_count((int64_t)sum->complete);
    if (sum->of[METRIC_TOTAL].n > 0 && isnan(sum->of[METRIC_TOTAL].p50.low))
        text_add(&line, TEXT_REPORT_NO_INTERVAL, fmt_int(6).text);
    add_remark(out, s, &line);
    if (r->plan.streamed && sum->few_outputs)
        text_add(&line, sum->gap.n == 0 ? TEXT_REPORT_GAP_FEW : TEXT_REPORT_GAP_FEW_PARTLY,
                 few.text, complete.text);
    add_remark(out, s, &line);
    if (sum->cached_tokens_max > 0)
        text_add(&line, TEXT_REPORT_CACHED, fmt_count(sum->cached_tokens_max).text);
    add_remark(out, s, &line);
    if (r->instrument.clock == CLOCK_KIND_USER)
        text_add(&line, TEXT_REPORT_CLOCK_USER, fmt_sig(r->instrument.lag_max_us / 1000).text);
    add_remark(out, s, &line);
    buf_done(&line);
}

/* Nothing completed: what went wrong takes the place of the figures. */
static void add_explanation(struct buf *out, const struct probe_result *r,
                            const struct report_style *s)
{
    struct err err;
    struct buf line = {0}, sent = {0};
    report_probe_failure(r, &err);
    report_error_text(out, &err, s);
    int64_t left = 0;
    for (size_t i = 0; i < r->record_count; i++)
        left += r->records[i].sent != NEVER;
    add_requests(&sent, left);
    text_add(&line, TEXT_FAIL_EXIT, fmt_int(err.exit_code).text, buf_text(&sent));
    add_remark(out, s, &line);
    buf_done(&line);
    buf_done(&sent);
}

/* "  10 of 10 complete; ttft p50 612 ms, gap 21.4 ms, total 6.18 s, 46.0 tok/s" */
static void add_quiet(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    const struct summary *sum = &r->summary;
    struct buf line = {0};
    text_add(&line, TEXT_REPORT_QUIET_COMPLETE, fmt_count((int64_t)sum->complete).text,
             fmt_count((int64_t)sum->requests).text);
    const double ttft = sum->of[METRIC_TTFT].p50.value, gap = sum->gap.p50.value;
    const double total = sum->of[METRIC_TOTAL].p50.value;
    const double speed = sum->of[r->plan.streamed ? METRIC_TPS : METRIC_TPS_TOTAL].p50.value;
    if (!isnan(ttft))
        text_add(&line, TEXT_REPORT_QUIET_TTFT, fmt_duration(clock_from_ms(ttft)).text);
    if (!isnan(gap))
        text_add(&line, TEXT_REPORT_QUIET_GAP, fmt_duration(clock_from_ms(gap)).text);
    if (!isnan(total))
        text_add(&line, TEXT_REPORT_QUIET_TOTAL, fmt_duration(clock_from_ms(total)).text);
    if (!isnan(speed))
        text_add(&line, TEXT_REPORT_QUIET_SPEED, fmt_sig(speed).text,
                 text_raw(sum->token_source == TOKENS_CHUNKS ? TEXT_REPORT_UNIT_CHUNKS
                                                             : TEXT_REPORT_UNIT_TOKENS));
    add_remark(out, s, &line);
    add_failures(out, r, s);
    limits_text(out, r, s);
    buf_done(&line);
}

static void add_figures(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    struct buf left = {0}, right = {0};
    buf_add_byte(out, '\n');
    figures_table(out, r, s);
    add_interrupted(&left, r);
    add_remark(out, s, &left);
    add_complete(&left, &r->summary);
    figures_bound_note(&right, r);
    add_pair(out, s, &left, &right);
    add_bounds(out, r, s);
    add_failures(out, r, s);
    add_remarks(out, r, s);
    limits_text(out, r, s);
    phases_text(out, r, s);
}

void report_probe_text(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    s = style_or_default(s);
    size_t from = out->len;
    if (s->quiet && r->summary.complete > 0) {
        add_quiet(out, r, s);
        term_finish(out, from, s);
        return;
    }
    if (r->summary.complete > 0) {
        add_heading(out, r, s);
        add_figures(out, r, s);
    } else {
        add_explanation(out, r, s);
    }
    if (s->verbose)
        verbose_text(out, r, s);
    term_finish(out, from, s);
}
