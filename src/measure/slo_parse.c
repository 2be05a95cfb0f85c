#include "measure/slo.h"

#include "base/fmt.h"
#include "measure/bootstrap.h"

static bool unreadable(struct err *err, enum text_id what, struct str part, const char *of)
{
    char text[80];
    str_copy(text, sizeof(text), part);
    err_set(err, EXIT_USAGE, "bad_slo", what, text, of ? of : "");
    err_fix(err, TEXT_SLO_EXAMPLES);
    return false;
}

static bool unknown_metric(struct err *err, struct str name)
{
    const char *names[METRIC_COUNT + 2] = {"gap", "complete"};
    for (size_t i = 0; i < METRIC_COUNT; i++)
        names[i + 2] = metrics[i].name;
    const char *nearest = str_nearest(name, names, ARRAY_LEN(names));
    unreadable(err, TEXT_SLO_UNKNOWN_METRIC, name, NULL);
    if (nearest)
        err_why(err, TEXT_SLO_NEAREST, nearest);
    return false;
}

/* By itself a greater value is the better one. */
static bool wants_more(const struct slo *slo)
{
    static const bool more[METRIC_COUNT] = {
        [METRIC_TPS] = true, [METRIC_TPS_TOTAL] = true, [METRIC_FLOW] = true};
    return slo->kind == SLO_COMPLETE || (slo->kind == SLO_METRIC && more[slo->metric]);
}

static bool parse_metric(struct slo *slo, struct str name, struct err *err)
{
    if (str_eq(name, STR("gap")) || str_eq(name, STR("complete"))) {
        slo->kind = str_eq(name, STR("gap")) ? SLO_GAP : SLO_COMPLETE;
        return true;
    }
    const struct metric *m = metric_find(name);
    if (!m)
        return unknown_metric(err, name);
    slo->kind = SLO_METRIC;
    slo->metric = (enum metric_id)(m - metrics);
    return true;
}

static bool parse_stat(struct slo *slo, struct str stat, struct err *err)
{
    double percent;
    slo->stat = SLO_QUANTILE;
    slo->q = 0.5;
    if (!stat.ptr)
        return true;
    if (slo->kind == SLO_COMPLETE)
        return unreadable(err, TEXT_SLO_UNKNOWN_STAT, stat, NULL);
    if (str_eq(stat, STR("min")) || str_eq(stat, STR("max"))) {
        slo->stat = str_eq(stat, STR("min")) ? SLO_MIN : SLO_MAX;
        return true;
    }
    if (!str_starts(stat, STR("p")) ||
        !fmt_parse_double(str_from(stat, 1), 0.001, 99.999, &percent))
        return unreadable(err, TEXT_SLO_UNKNOWN_STAT, stat, NULL);
    slo->q = percent / 100;
    return true;
}

static bool parse_limit(struct slo *slo, struct str value, struct err *err)
{
    int64_t ns;
    if (slo->kind == SLO_COMPLETE) {
        bool percent = str_ends(value, STR("%")) && value.len > 1;
        if (!percent || !fmt_parse_double(str_upto(value, value.len - 1), 0, 100, &slo->limit))
            return unreadable(err, TEXT_SLO_BAD_SHARE, value, NULL);
        slo->limit /= 100;
        return true;
    }
    if (slo->kind == SLO_METRIC && metrics[slo->metric].unit != UNIT_MS) {
        if (!fmt_parse_double(value, 0, 1e15, &slo->limit))
            return unreadable(err, TEXT_SLO_BAD_NUMBER, value, slo->name);
        return true;
    }
    if (!fmt_parse_duration(value, &ns) || ns == INT64_MAX)
        return unreadable(err, TEXT_SLO_BAD_DURATION, value, NULL);
    slo->limit = clock_ms(ns);
    return true;
}

/* Where METRIC.STAT ends; the length of the operator. */
static size_t find_operator(struct str typed, size_t *len)
{
    size_t at = 0;
    while (at < typed.len && !memchr(":<>", typed.ptr[at], 3))
        at++;
    *len = at < typed.len ? 1 : 0;
    if (*len && typed.ptr[at] != ':' && at + 1 < typed.len && typed.ptr[at + 1] == '=')
        *len = 2;
    return at;
}

bool slo_parse(struct slo *slo, struct str typed, struct err *err)
{
    struct slo made = {0};
    size_t len, at = find_operator(typed, &len);
    struct str name = str_trim(str_upto(typed, at)), value = str_trim(str_from(typed, at + len));
    if (len == 0 || value.len == 0)
        return unreadable(err, TEXT_SLO_NO_LIMIT, typed, NULL);
    if (!str_copy(made.name, sizeof(made.name), name))
        return unreadable(err, TEXT_SLO_UNKNOWN_METRIC, name, NULL);
    struct str stat = name, metric = str_split(&stat, '.');
    if (!parse_metric(&made, metric, err) || !parse_stat(&made, stat, err) ||
        !parse_limit(&made, value, err))
        return false;
    made.at_least = typed.ptr[at] == ':' ? wants_more(&made) : typed.ptr[at] == '>';
    if (made.kind == SLO_COMPLETE && !made.at_least)
        return unreadable(err, TEXT_SLO_WRONG_SIDE, typed, NULL);
    *slo = made;
    return true;
}

size_t slo_runs_needed(const struct slo *slo)
{
    enum { FOR_MEDIAN = 6 };       /* 2 / 2^6 is the first under 5 % */
    if (slo->kind == SLO_COMPLETE) /* "all of them" is said of the requests seen */
        return slo->limit > 0 && slo->limit < 1 ? quantile_runs_for_bound(slo->limit) : 1;
    if (slo->stat != SLO_QUANTILE)
        return 1;
    if (slo->kind == SLO_GAP)
        return BOOTSTRAP_REQUESTS_MIN;
    if (slo->q == 0.5)
        return FOR_MEDIAN;
    return quantile_runs_for_bound(slo->at_least ? 1 - slo->q : slo->q);
}

const char *slo_verdict_name(enum slo_verdict verdict)
{
    static const char *const names[] = {
        [SLO_HOLDS] = "holds", [SLO_UNDECIDED] = "undecided", [SLO_FAILS] = "fails"};
    return names[verdict];
}
