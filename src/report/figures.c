#include "report/figures.h"

#include <math.h>

#include "base/fmt.h"
#include "report/table.h"

enum row_shown { ALWAYS, STREAMED, PLAIN, WITH_SETUP, WITH_TTFA, WITH_TAIL };
enum row_kind { LATENCY, DURATION, SPEED, GAPS };
struct table_row {
    enum text_id label;
    int metric; /* -1: the pooled gaps */
    enum row_shown shown;
    enum row_kind kind;
};
static const struct table_row rows[] = {
    {TEXT_REPORT_ROW_TTFT, METRIC_TTFT, STREAMED, LATENCY},
    {TEXT_REPORT_ROW_TTFT_OPEN, METRIC_TTFT_OPEN, WITH_SETUP, LATENCY},
    {TEXT_REPORT_ROW_TTFA, METRIC_TTFA, WITH_TTFA, LATENCY},
    {TEXT_REPORT_ROW_TTFB, METRIC_TTFB, PLAIN, DURATION},
    {TEXT_REPORT_ROW_GAP, -1, STREAMED, GAPS},
    {TEXT_REPORT_ROW_TOTAL, METRIC_TOTAL, ALWAYS, DURATION},
    {TEXT_REPORT_ROW_TAIL, METRIC_TAIL, WITH_TAIL, LATENCY},
    {TEXT_REPORT_ROW_SPEED, METRIC_TPS, STREAMED, SPEED},
    {TEXT_REPORT_ROW_SPEED_TOTAL, METRIC_TPS_TOTAL, PLAIN, SPEED},
};

static const struct row *row_of(const struct summary *s, int metric)
{
    return metric < 0 ? &s->gap : &s->of[metric];
}

static bool is_shown(const struct probe_result *r, enum row_shown when)
{
    const struct summary *s = &r->summary;
    switch (when) {
    case ALWAYS:
        return true;
    case STREAMED:
        return r->plan.streamed;
    case PLAIN:
        return !r->plan.streamed;
    case WITH_SETUP:
        return r->plan.streamed && s->of[METRIC_SETUP].n > 0 && s->of[METRIC_SETUP].max > 0;
    case WITH_TTFA:
        return r->plan.streamed && s->ttfa_differs;
    case WITH_TAIL:
        return r->plan.streamed && s->of[METRIC_TAIL].n > 0;
    }
    return true;
}

/* Latencies stay in ms up to ten seconds, durations up to one. TTFT and its relatives share a unit.
 */
static bool in_seconds(const struct summary *s, const struct table_row *row)
{
    if (row->kind == SPEED)
        return false;
    double most = row_of(s, row->metric)->max;
    if (row->metric == METRIC_TTFT || row->metric == METRIC_TTFT_OPEN || row->metric == METRIC_TTFA)
        most = fmax(s->of[METRIC_TTFT].max, s->ttfa_differs ? s->of[METRIC_TTFA].max : 0);
    return most >= (row->kind == DURATION ? 999.5 : 9995);
}

static const char dash[] = "–";

/* Has a bound its row should have, and lacks: the sample's value then carries a plus. */
static bool lacks_bound(const struct table_row *row, const struct estimate *e)
{
    return row->kind != GAPS && row->kind != SPEED && !isnan(e->value) && isnan(e->high);
}

/* Three digits, but never finer than a thousandth: a column holds five characters. */
static struct fmt figure(double x)
{
    return x > 0 && x < 0.1 ? fmt_sig(round(x * 1000) / 1000) : fmt_sig(x);
}

static void cell_value(struct table *t, double x, bool plus)
{
    struct fmt f = figure(x);
    if (plus)
        str_copy(f.text + strlen(f.text), 2, STR("+"));
    table_cell(t, f.text);
}

static void cell_interval(struct table *t, double low, double high)
{
    struct buf b = {0};
    if (isnan(low) || isnan(high))
        buf_add_text(&b, dash);
    else
        buf_addf(&b, "%s .. %s", figure(low).text, figure(high).text);
    table_cell(t, buf_text(&b));
    buf_done(&b);
}

static void add_row(struct table *t, const struct summary *s, const struct table_row *row)
{
    const struct row *f = row_of(s, row->metric);
    bool seconds = in_seconds(s, row);
    double scale = seconds ? 1e-3 : 1;
    struct buf label = {0};
    buf_addf(&label, "  %s",
             text_raw(f->approximate ? TEXT_REPORT_ROW_GAP_APPROXIMATE : row->label));
    table_cell(t, buf_text(&label));
    buf_done(&label);
    cell_value(t, f->p50.value * scale, false);
    cell_interval(t, f->p50.low * scale, f->p50.high * scale);
    if (row->kind == SPEED) { /* its bad side is the low one: no tail of it is shown */
        for (int i = 0; i < 3; i++)
            table_cell(t, dash);
        table_cell(t, text_raw(s->token_source == TOKENS_CHUNKS ? TEXT_REPORT_UNIT_CHUNKS
                                                                : TEXT_REPORT_UNIT_TOKENS));
        return;
    }
    cell_value(t, f->p95.value * scale, lacks_bound(row, &f->p95));
    cell_value(t, f->p99.value * scale, lacks_bound(row, &f->p99));
    cell_value(t, f->max * scale, false);
    table_cell(t, seconds ? "s" : "ms");
}

void figures_table(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    const struct table_column columns[] = {
        {"", ALIGN_LEFT, 0, 19, INK_PLAIN},
        {text_raw(TEXT_REPORT_COLUMN_P50), ALIGN_RIGHT, 1, 5, INK_BOLD},
        {text_raw(TEXT_REPORT_COLUMN_INTERVAL), ALIGN_RANGE, 3, 14, INK_PLAIN},
        {text_raw(TEXT_REPORT_COLUMN_P95), ALIGN_RIGHT, 3, 6, INK_PLAIN},
        {text_raw(TEXT_REPORT_COLUMN_P99), ALIGN_RIGHT, 3, 6, INK_PLAIN},
        {text_raw(TEXT_REPORT_COLUMN_MAX), ALIGN_RIGHT, 3, 6, INK_PLAIN},
        {"", ALIGN_LEFT, 3, 0, INK_PLAIN},
    };
    struct table t = {.columns = columns, .count = ARRAY_LEN(columns)};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (is_shown(r, rows[i].shown))
            add_row(&t, &r->summary, &rows[i]);
    table_add(out, &t, s);
    table_done(&t);
}

/* Names the first value that carries a plus and what would take it away. */
void figures_bound_note(struct buf *line, const struct probe_result *r)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct table_row *row = &rows[i];
        const struct row *f = row_of(&r->summary, row->metric);
        double scale = in_seconds(&r->summary, row) ? 1e-3 : 1;
        bool p95 = lacks_bound(row, &f->p95), p99 = lacks_bound(row, &f->p99);
        if (!is_shown(r, row->shown) || !(p95 || p99))
            continue;
        struct buf value = {0};
        buf_addf(&value, "%s+", figure((p95 ? f->p95.value : f->p99.value) * scale).text);
        struct fmt for_p95 = fmt_count((int64_t)quantile_runs_for_bound(0.95));
        struct fmt for_p99 = fmt_count((int64_t)quantile_runs_for_bound(0.99));
        if (p95)
            text_add(line, TEXT_REPORT_NO_BOUND_P95_P99, buf_text(&value), for_p95.text,
                     for_p99.text);
        else
            text_add(line, TEXT_REPORT_NO_BOUND_P99, buf_text(&value), for_p99.text);
        buf_done(&value);
        return;
    }
}

void figures_bounds(struct buf *lines, const struct probe_result *r)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct table_row *row = &rows[i];
        const struct row *f = row_of(&r->summary, row->metric);
        bool bounded =
            row->metric == METRIC_TTFT || row->metric == METRIC_TTFB || row->metric == METRIC_TOTAL;
        if (!bounded || !is_shown(r, row->shown) || isnan(f->p95.high))
            continue;
        bool seconds = in_seconds(&r->summary, row);
        double scale = seconds ? 1e-3 : 1;
        enum text_id sentence =
            isnan(f->p99.high) ? TEXT_REPORT_BOUND_P95 : TEXT_REPORT_BOUND_P95_P99;
        text_add(lines, sentence, text_raw(row->label), figure(f->p95.high * scale).text,
                 seconds ? "s" : "ms", figure(f->p99.high * scale).text);
        buf_add_byte(lines, '\n');
    }
}
