#include "report/limits.h"

#include <math.h>

#include "base/fmt.h"
#include "report/table.h"

/* How a limit's figures are shown: all of its row in the unit that suits the limit. */
struct unit {
    double scale;
    const char *name; /* with the blank before it */
};

static struct unit unit_of(const struct slo *slo)
{
    if (slo->kind == SLO_COMPLETE)
        return (struct unit){100, " %"};
    enum metric_unit unit = slo->kind == SLO_GAP ? UNIT_MS : metrics[slo->metric].unit;
    if (unit == UNIT_MS)
        return slo->limit >= 1000 ? (struct unit){1e-3, " s"} : (struct unit){1, " ms"};
    return (struct unit){1, unit == UNIT_TOKENS_PER_S ? " tok/s" : ""};
}

static void add_figure(struct buf *out, double x, const struct unit *unit)
{
    if (isinf(x))
        text_add(out, TEXT_REPORT_LIMIT_NONE);
    else
        buf_add_text(out, fmt_sig(x * unit->scale).text);
    if (unit->name[0] && isfinite(x))
        buf_add_text(out, unit->name);
}

/* What was asked is not rounded: 99.95 % is not 100 %. */
static struct fmt exactly(double x)
{
    struct fmt f = fmt_fixed(x, 6);
    size_t len = strlen(f.text);
    while (strchr(f.text, '.') && (f.text[len - 1] == '0' || f.text[len - 1] == '.')) {
        bool point = f.text[len - 1] == '.';
        f.text[--len] = '\0';
        if (point)
            break;
    }
    return f;
}

static void cell(struct table *t, struct buf *text)
{
    table_cell(t, buf_text(text));
    buf_clear(text);
}

static const char *mark_of(enum slo_verdict verdict, bool ascii)
{
    static const char *const marks[][2] = {
        [SLO_HOLDS] = {"✓", "ok"}, [SLO_UNDECIDED] = {"?", "?"}, [SLO_FAILS] = {"✗", "FAIL"}};
    return marks[verdict][ascii];
}

static void add_count(struct buf *out, const struct slo_result *r)
{
    struct fmt n = fmt_count((int64_t)r->n), gaps = fmt_count((int64_t)r->gaps);
    if (r->gaps)
        text_add(out, TEXT_REPORT_LIMIT_N_GAPS, n.text, gaps.text);
    else
        text_add(out, TEXT_REPORT_LIMIT_N, n.text);
    if (r->failed)
        text_add(out, TEXT_REPORT_LIMIT_N_FAILED, fmt_count((int64_t)r->failed).text);
    if (r->verdict == SLO_UNDECIDED)
        text_add(out, TEXT_REPORT_LIMIT_UNDECIDED);
}

static void add_limit(struct table *t, const struct limit *l, bool ascii)
{
    const struct slo_result *r = &l->result;
    struct unit unit = unit_of(&l->slo), bare = {unit.scale, ""};
    struct buf text = {0};
    buf_addf(&text, "  %s", mark_of(r->verdict, ascii));
    cell(t, &text);
    table_cell(t, l->slo.name);
    text_add(&text, l->slo.at_least ? TEXT_REPORT_LIMIT_LEAST : TEXT_REPORT_LIMIT_MOST);
    cell(t, &text);
    buf_addf(&text, "%s%s", exactly(l->slo.limit * unit.scale).text, unit.name);
    cell(t, &text);
    add_figure(&text, r->value, &unit);
    if (isnan(r->value)) {
        buf_clear(&text);
        buf_add_text(&text, "–");
    }
    cell(t, &text);
    if (isnan(r->low) && isnan(r->high)) {
        buf_add_text(&text, "–");
    } else {
        add_figure(&text, r->low, &bare);
        buf_add_text(&text, " .. ");
        add_figure(&text, r->high, &bare);
    }
    cell(t, &text);
    add_count(&text, r);
    cell(t, &text);
    buf_done(&text);
}

static void add_part(struct buf *line, size_t count, enum text_id one, enum text_id several)
{
    if (!count)
        return;
    buf_add_text(line, line->len ? ", " : "");
    text_add(line, count == 1 ? one : several, fmt_count((int64_t)count).text);
}

static void add_conclusion(struct buf *out, const struct probe_result *r,
                           const struct report_style *s)
{
    size_t counts[SLO_FAILS + 1] = {0};
    struct buf line = {0};
    for (size_t i = 0; i < r->limits.count; i++)
        counts[r->limits.items[i].result.verdict]++;
    add_part(&line, counts[SLO_FAILS], TEXT_REPORT_LIMITS_FAILED, TEXT_REPORT_LIMITS_FAILED);
    add_part(&line, counts[SLO_UNDECIDED], TEXT_REPORT_LIMITS_UNDECIDED,
             TEXT_REPORT_LIMITS_UNDECIDED);
    add_part(&line, counts[SLO_HOLDS], TEXT_REPORT_LIMITS_HOLDS, TEXT_REPORT_LIMITS_HOLD);
    if (result_exceeds_max_fail(r)) {
        buf_add_text(&line, line.len ? "; " : "");
        text_add(&line, TEXT_REPORT_MAX_FAIL, exactly(r->limits.max_fail * 100).text);
    }
    if (line.len) {
        text_add(&line, TEXT_REPORT_LIMITS_EXIT, fmt_int(report_probe_exit(r)).text);
        term_fold(out, s, "  ", buf_str(&line));
    }
    buf_done(&line);
}

void limits_text(struct buf *out, const struct probe_result *r, const struct report_style *s)
{
    static const struct table_column columns[] = {
        {"", ALIGN_LEFT, 0, 3, INK_PLAIN},  {"", ALIGN_LEFT, 1, 0, INK_PLAIN},
        {"", ALIGN_LEFT, 3, 0, INK_PLAIN},  {"", ALIGN_RIGHT, 1, 0, INK_PLAIN},
        {"", ALIGN_RIGHT, 3, 0, INK_PLAIN}, {"", ALIGN_RANGE, 3, 0, INK_PLAIN},
        {"", ALIGN_LEFT, 3, 0, INK_PLAIN},
    };
    if (r->limits.count) {
        struct table t = {.columns = columns, .count = ARRAY_LEN(columns)};
        buf_add_text(out, s->quiet ? "" : "\n");
        for (size_t i = 0; i < r->limits.count; i++)
            add_limit(&t, &r->limits.items[i], s->ascii);
        table_add(out, &t, s);
        table_done(&t);
    }
    add_conclusion(out, r, s);
}
