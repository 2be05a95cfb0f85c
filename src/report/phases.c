#include "report/phases.h"

#include <assert.h>
#include <math.h>

#include "base/fmt.h"
#include "base/utf8.h"

void phases_of(struct phases *p, const struct record *r)
{
    static const struct {
        const char *name;
        enum metric_id metric;
        enum ink ink;
        bool setup;    /* a reused connection has none: nothing to show */
        bool optional; /* many connections have none */
    } measured[] = {
        {"dns", METRIC_DNS, INK_DNS, true, false},
        {"connect", METRIC_CONNECT, INK_CONNECT, true, false},
        {"proxy", METRIC_PROXY, INK_CONNECT, true, true},
        {"tls", METRIC_TLS, INK_TLS, true, true},
        {"send", METRIC_SEND, INK_PLAIN, false, false},
    };
    *p = (struct phases){.whole_ms = metric_of(r->streamed ? METRIC_TTFT : METRIC_TTFB, r)};
    if (isnan(p->whole_ms) || isnan(metric_of(METRIC_SEND, r)))
        return;
    double left = p->whole_ms;
    for (size_t i = 0; i < ARRAY_LEN(measured); i++) {
        double ms = metric_of(measured[i].metric, r);
        if (isnan(ms) || (measured[i].optional && !(ms > 0))) /* there was none */
            continue;
        ms = fmin(ms, left); /* a server may answer before it has read all */
        left -= ms;
        p->part[p->count++] = (struct phase){measured[i].name, ms, measured[i].ink,
                                             !(r->reused && measured[i].setup)};
    }
    p->part[p->count++] = (struct phase){"wait", fmax(left, 0), INK_WAIT, true};
}

void phases_apportion(const double *parts, size_t count, int64_t whole, int64_t *out)
{
    double sum = 0, remainder[PHASES_MAX];
    assert(count <= PHASES_MAX);
    for (size_t i = 0; i < count; i++)
        sum += parts[i];
    int64_t given = 0;
    for (size_t i = 0; i < count; i++) {
        double share = sum > 0 ? parts[i] / sum * (double)whole : 0;
        out[i] = (int64_t)floor(share);
        remainder[i] = share - floor(share);
        given += out[i];
    }
    while (sum > 0 && given < whole) {
        size_t next = 0;
        for (size_t i = 1; i < count; i++)
            if (remainder[i] > remainder[next])
                next = i;
        out[next]++;
        remainder[next] = -1;
        given++;
    }
}

/* In which steps a wait is shown, so that it has three digits or more. */
struct scale {
    double from_ms, step_ms, unit_ms;
    int decimals;
    const char *unit;
};
static const struct scale *scale_for(double ms)
{
    static const struct scale scales[] = {
        {999950, 1000, 1000, 0, "s"}, {99995, 100, 1000, 1, "s"}, {9999.5, 10, 1000, 2, "s"},
        {99.95, 1, 1, 0, "ms"},       {9.995, 0.1, 1, 1, "ms"},   {0.9995, 0.01, 1, 2, "ms"},
        {0, 0.001, 1, 3, "ms"},
    };
    size_t i = 0;
    while (i + 1 < ARRAY_LEN(scales) && ms < scales[i].from_ms)
        i++;
    return &scales[i];
}

static struct fmt steps_text(int64_t steps, const struct scale *c)
{
    if (c->decimals == 0)
        return fmt_count(steps);
    return fmt_fixed((double)steps * c->step_ms / c->unit_ms, c->decimals);
}

/* What is too small for one step keeps one digit, in ms: 4, 0.1, 0.03. */
static struct fmt small_text(double ms)
{
    if (ms >= 1 || ms < 0.001)
        return fmt_int(llround(ms));
    double step = pow(10, floor(log10(ms)));
    return fmt_sig(round(ms / step) * step);
}

static void add_right(struct buf *out, size_t width, const char *text)
{
    size_t own = utf8_width(str_of(text));
    term_pad(out, own < width ? width - own : 0);
    buf_add_text(out, text);
}

enum { NAME_WIDTH = 8, VALUE_WIDTH = 5, HOW_WIDTH = 13, BAR_AT = 39 };

static void add_bars(struct buf *out, const struct phases *p, const struct report_style *s)
{
    double ms[PHASES_MAX];
    int64_t steps[PHASES_MAX], percents[PHASES_MAX];
    const struct scale *c = scale_for(p->whole_ms);
    for (size_t i = 0; i < p->count; i++)
        ms[i] = p->part[i].ms;
    phases_apportion(ms, p->count, llround(p->whole_ms / c->step_ms), steps);
    phases_apportion(ms, p->count, 100, percents);
    double cells = term_width(s) > BAR_AT ? fmin(40, term_width(s) - BAR_AT - 1) : 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct phase *part = &p->part[i];
        if (!part->shown)
            continue;
        bool small = steps[i] == 0;
        buf_add_text(out, "  ");
        buf_add_text(out, part->name);
        term_pad(out, NAME_WIDTH - strlen(part->name));
        add_right(out, VALUE_WIDTH + 1,
                  (small ? small_text(part->ms) : steps_text(steps[i], c)).text);
        buf_addf(out, " %-2s", small ? "ms" : c->unit);
        add_right(out, 5, fmt_int(percents[i]).text);
        buf_add_text(out, " %");
        term_pad(out, HOW_WIDTH);
        if (part->ink != INK_PLAIN)
            term_ink(out, s, part->ink);
        term_bar(out, s, cells * part->ms / p->whole_ms);
        if (part->ink != INK_PLAIN)
            term_ink(out, s, INK_PLAIN);
        buf_add_byte(out, '\n');
    }
}

/* Output that came after the first event, in the unit the tokens have. */
static void add_then(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    const struct summary *sum = &r->summary;
    const struct record *m = sum->median;
    struct buf line = {0};
    if (m->streamed && m->first_output != NEVER && m->last_output > m->first_output) {
        int64_t span = m->last_output - m->first_output;
        double tps = metric_of(METRIC_TPS, m);
        int64_t more = m->output_events - 1;
        if (!isnan(tps)) /* at least one token came with the first event */
            more = (int64_t)fmin(round(tps * (double)span / 1e9), (double)m->tokens - 1);
        bool chunks = isnan(tps) || m->token_source == TOKENS_CHUNKS;
        if (more == 1)
            text_add(&line, chunks ? TEXT_REPORT_THEN_CHUNK : TEXT_REPORT_THEN_TOKEN,
                     fmt_duration(span).text);
        else
            text_add(&line, chunks ? TEXT_REPORT_THEN_CHUNKS : TEXT_REPORT_THEN_TOKENS,
                     fmt_count(more).text, fmt_duration(span).text);
    } else if (!m->streamed && m->headers != NEVER && m->end > m->headers) {
        text_add(&line, TEXT_REPORT_THEN_BODY, fmt_duration(m->end - m->headers).text);
    }
    if (line.len && sum->longest_gap_run && !isnan(sum->longest_gap_ms))
        text_add(&line, TEXT_REPORT_LONGEST, fmt_duration(clock_from_ms(sum->longest_gap_ms)).text,
                 fmt_int((int64_t)sum->longest_gap_run->number).text);
    if (line.len)
        term_fold(out, s, "  ", buf_str(&line));
    buf_done(&line);
}

/* Of an even number of runs none is in the middle. */
static bool is_the_median(const struct summary *s)
{
    enum metric_id id = s->of[METRIC_TTFT].n ? METRIC_TTFT : METRIC_TOTAL;
    double p50 = s->of[id].p50.value;
    return fabs(metric_of(id, s->median) - p50) < 1e-3 * p50;
}

void phases_text(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    const struct record *m = r->summary.median;
    struct phases p;
    if (!m)
        return;
    phases_of(&p, m);
    if (p.count == 0 || !(p.whole_ms > 0))
        return;
    bool one = r->summary.complete == 1;
    enum text_id head = m->streamed ? (one ? TEXT_REPORT_PHASES_TTFT_ONE : TEXT_REPORT_PHASES_TTFT)
                                    : (one ? TEXT_REPORT_PHASES_TTFB_ONE : TEXT_REPORT_PHASES_TTFB);
    const struct scale *c = scale_for(p.whole_ms);
    struct buf whole = {0};
    buf_addf(&whole, "%s %s", steps_text(llround(p.whole_ms / c->step_ms), c).text, c->unit);
    buf_add_text(out, "\n  ");
    term_ink(out, s, INK_BOLD);
    text_add(out, head, buf_text(&whole), fmt_int((int64_t)m->number).text,
             text_raw(is_the_median(&r->summary) ? TEXT_REPORT_PHASES_MEDIAN
                                                 : TEXT_REPORT_PHASES_NEAREST));
    term_ink(out, s, INK_PLAIN);
    buf_add_byte(out, '\n');
    add_bars(out, &p, s);
    buf_add_text(out, "  ");
    text_add(out, m->streamed ? TEXT_REPORT_PHASES_WAIT : TEXT_REPORT_PHASES_WAIT_PLAIN);
    buf_add_byte(out, '\n');
    add_then(out, r, s);
    buf_done(&whole);
}
