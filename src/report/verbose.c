#include "report/verbose.h"

#include <math.h>

#include "base/fmt.h"
#include "base/utf8.h"
#include "report/table.h"

static void cell_metric(struct table *t, enum metric_id id, const struct record *r, double scale)
{
    table_cell(t, fmt_sig(metric_of(id, r) * scale).text);
}

static void add_run(struct table *t, const struct record *r)
{
    struct buf number = {0};
    struct fmt n = fmt_int((int64_t)r->number);
    if (r->warmup)
        text_add(&number, TEXT_REPORT_RUN_WARMUP, n.text);
    else
        buf_add_text(&number, n.text);
    table_cell(t, buf_text(&number));
    buf_done(&number);
    table_cell(t, outcome_name(r->outcome));
    cell_metric(t, r->streamed ? METRIC_TTFT : METRIC_TTFB, r, 1);
    cell_metric(t, METRIC_GAP_P95, r, 1);
    cell_metric(t, METRIC_GAP_MAX, r, 1);
    cell_metric(t, METRIC_TOTAL, r, 1e-3);
    table_cell(t,
               r->tokens == COUNT_UNKNOWN ? fmt_sig((double)NAN).text : fmt_count(r->tokens).text);
}

static void add_runs(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    bool chunks = r->summary.token_source == TOKENS_CHUNKS;
    const struct table_column columns[] = {
        {text_raw(TEXT_REPORT_RUN), ALIGN_RIGHT, 2, 3, INK_PLAIN},
        {text_raw(TEXT_REPORT_RUN_OUTCOME), ALIGN_LEFT, 2, 12, INK_PLAIN},
        {text_raw(r->plan.streamed ? TEXT_REPORT_RUN_TTFT : TEXT_REPORT_RUN_TTFB), ALIGN_RIGHT, 2,
         7, INK_PLAIN},
        {text_raw(TEXT_REPORT_RUN_GAP_P95), ALIGN_RIGHT, 2, 0, INK_PLAIN},
        {text_raw(TEXT_REPORT_RUN_GAP_MAX), ALIGN_RIGHT, 2, 0, INK_PLAIN},
        {text_raw(TEXT_REPORT_RUN_TOTAL), ALIGN_RIGHT, 2, 0, INK_PLAIN},
        {text_raw(chunks ? TEXT_REPORT_RUN_CHUNKS : TEXT_REPORT_RUN_TOKENS), ALIGN_RIGHT, 2, 0,
         INK_PLAIN},
    };
    struct table t = {.columns = columns, .count = ARRAY_LEN(columns)};
    for (size_t i = 0; i < r->record_count; i++)
        add_run(&t, &r->records[i]);
    table_add(out, &t, s);
    table_done(&t);
}

static void add_line(struct buf *out, const struct report_style *s, struct buf *line)
{
    if (line->len)
        term_fold(out, s, "  ", buf_str(line));
    buf_clear(line);
}

/* What a server says of itself, as one safe argument. */
static void add_hostile(struct buf *line, enum text_id id, const char *text)
{
    struct buf safe = {0};
    utf8_add_visible(&safe, str_of(text));
    text_add(line, id, buf_text(&safe));
    buf_done(&safe);
}

static void add_peer(struct buf *out, const struct record *m, const struct report_style *s)
{
    struct buf line = {0};
    if (m->peer[0] && m->tls[0])
        text_add(&line, TEXT_REPORT_PEER_TLS, m->peer, m->tls);
    else if (m->peer[0])
        text_add(&line, TEXT_REPORT_PEER, m->peer);
    add_line(out, s, &line);
    if (m->served_model)
        add_hostile(&line, TEXT_REPORT_SERVED, m->served_model);
    add_line(out, s, &line);
    if (m->system_fingerprint)
        add_hostile(&line, TEXT_REPORT_FINGERPRINT, m->system_fingerprint);
    add_line(out, s, &line);
    buf_done(&line);
}

static void add_instrument(struct buf *out, const struct probe_result *r,
                           const struct report_style *s)
{
    const struct result_instrument *i = &r->instrument;
    struct buf line = {0};
    if (r->summary.gap.n)
        text_add(&line, TEXT_REPORT_GAPS_OF, fmt_count((int64_t)r->summary.gap.gaps).text,
                 fmt_count((int64_t)r->summary.gap.n).text);
    add_line(out, s, &line);
    if (i->clock != CLOCK_KIND_NONE)
        text_add(&line, TEXT_REPORT_INSTRUMENT, clock_kind_name(i->clock),
                 fmt_sig(i->lag_p50_us).text, fmt_sig(i->lag_p99_us).text,
                 fmt_sig(i->lag_max_us).text);
    add_line(out, s, &line);
    if (i->coalesced_reads)
        text_add(&line, TEXT_REPORT_COALESCED, fmt_count(i->coalesced_reads).text);
    add_line(out, s, &line);
    buf_done(&line);
}

void verbose_text(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    buf_add_byte(out, '\n');
    add_runs(out, r, s);
    buf_add_byte(out, '\n');
    if (r->summary.median)
        add_peer(out, r->summary.median, s);
    add_instrument(out, r, s);
}

static const char *ms_text(double ms, struct fmt *room)
{
    *room = fmt_duration(clock_from_ms(ms));
    return room->text;
}

void report_run_line(struct buf *out, const struct record *r, const struct report_style *s)
{
    size_t from = out->len;
    struct fmt room, more;
    double first = metric_of(r->streamed ? METRIC_TTFT : METRIC_TTFB, r);
    double gap = metric_of(METRIC_GAP_P95, r), total = metric_of(METRIC_TOTAL, r);
    text_add(out, r->warmup ? TEXT_REPORT_WARMUP_LINE : TEXT_REPORT_RUN_LINE,
             fmt_int((int64_t)r->number).text, outcome_name(r->outcome));
    if (!isnan(first))
        text_add(out, r->streamed ? TEXT_REPORT_LINE_TTFT : TEXT_REPORT_LINE_TTFB,
                 ms_text(first, &room));
    if (!isnan(gap))
        text_add(out, TEXT_REPORT_LINE_GAPS, ms_text(gap, &room),
                 ms_text(metric_of(METRIC_GAP_MAX, r), &more));
    if (!isnan(total))
        text_add(out, TEXT_REPORT_LINE_TOTAL, ms_text(total, &room));
    if (r->tokens != COUNT_UNKNOWN)
        text_add(out,
                 r->token_source == TOKENS_CHUNKS ? TEXT_REPORT_LINE_CHUNKS
                                                  : TEXT_REPORT_LINE_TOKENS,
                 fmt_count(r->tokens).text);
    term_finish(out, from, s);
}
