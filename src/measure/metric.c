#include "measure/metric.h"

#include <math.h>

#include "base/mem.h"
#include "measure/quantile.h"

/* docs/metrics.md §2 is the definition of each function here. NaN is "not measured". */
static const double none = (double)NAN;

static double ms_between(int64_t from, int64_t to)
{
    return from == NEVER || to == NEVER ? none : clock_ms(to - from);
}

static double ttfb(const struct record *r)
{
    return ms_between(r->start, r->headers);
}

static double ttft(const struct record *r)
{
    return ms_between(r->start, r->first_output);
}

static double ttfa(const struct record *r)
{
    return ms_between(r->start, r->first_answer);
}

/* When the connection was open: the last phase that took place. NEVER if it did not get so far. */
static int64_t open_at(const struct record *r)
{
    if (r->reused)
        return r->start;
    if (r->connect_done == NEVER && r->proxy_done == NEVER && r->tls_done == NEVER)
        return NEVER;
    int64_t at = r->connect_done;
    at = r->proxy_done > at ? r->proxy_done : at;
    return r->tls_done > at ? r->tls_done : at;
}

static double setup(const struct record *r)
{
    return ms_between(r->start, open_at(r));
}

static double ttft_open(const struct record *r)
{
    return ms_between(open_at(r), r->first_output);
}

static double dns(const struct record *r)
{
    return ms_between(r->start, r->dns_done);
}

static double connect_phase(const struct record *r)
{
    return ms_between(r->dns_done != NEVER ? r->dns_done : r->start, r->connect_done);
}

static double proxy(const struct record *r)
{
    return ms_between(r->connect_done, r->proxy_done);
}

static double tls(const struct record *r)
{
    return ms_between(r->proxy_done != NEVER ? r->proxy_done : r->connect_done, r->tls_done);
}

static double send_phase(const struct record *r)
{
    return ms_between(open_at(r), r->sent);
}

size_t metric_gaps(const struct record *r, double *out, size_t max)
{
    size_t count = 0;
    int64_t before = NEVER;
    for (size_t i = 0; i < r->log_len; i++) {
        if (!r->log[i].pieces)
            continue;
        if (before != NEVER) {
            if (count < max)
                out[count] = clock_ms(r->log[i].at - before);
            count++;
        }
        before = r->log[i].at;
    }
    return count;
}

/* A quantile of the request's own gaps. A log that had to drop events does not know them all. */
static double gap_quantile(const struct record *r, double q)
{
    size_t n = r->log_dropped ? 0 : metric_gaps(r, NULL, 0);
    if (n == 0)
        return none;
    double *gaps = mem_array(n, sizeof(*gaps));
    metric_gaps(r, gaps, n);
    quantile_sort(gaps, n);
    double value = quantile_of(gaps, n, q);
    mem_free(gaps);
    return value;
}

static double gap_p50(const struct record *r)
{
    return gap_quantile(r, 0.5);
}

static double gap_p95(const struct record *r)
{
    return gap_quantile(r, 0.95);
}

static double gap_max(const struct record *r)
{
    return gap_quantile(r, 1);
}

static double silence_max(const struct record *r)
{
    return r->silence_max == NEVER ? none : clock_ms(r->silence_max);
}

static double tokens(const struct record *r)
{
    return r->tokens == COUNT_UNKNOWN ? none : (double)r->tokens;
}

/* Where chunks stand in for tokens the ratio would be 1 by construction: nothing was measured. */
static double tokens_per_chunk(const struct record *r)
{
    if (r->token_source == TOKENS_CHUNKS || r->output_events == 0)
        return none;
    return tokens(r) / (double)r->output_events;
}

static double output_ms(const struct record *r)
{
    return ms_between(r->first_output, r->last_output);
}

/* Several tokens in the first chunk would falsify the field's formula, which takes it for one. */
static double tpot(const struct record *r)
{
    if (r->tokens < 2 || tokens_per_chunk(r) > 1.5)
        return none;
    return output_ms(r) / (double)(r->tokens - 1);
}

static double per_second(double count, double ms)
{
    return ms > 0 ? count / (ms / 1e3) : none;
}

/* The first event's tokens were made before the interval began. They are taken off by its share of
 * the text, or as one where there are as many tokens as events. */
static double tps(const struct record *r)
{
    if (r->output_events < 2)
        return none;
    double first = r->output_chars > 0 ? (double)r->first_output_chars / (double)r->output_chars
                                       : 1.0 / (double)r->output_events;
    if (r->token_source == TOKENS_CHUNKS || r->tokens == r->output_events)
        first = 1.0 / (double)r->output_events;
    return per_second(tokens(r) * (1 - first), output_ms(r));
}

static double total(const struct record *r)
{
    return ms_between(r->start, r->terminator != NEVER ? r->terminator : r->end);
}

static double tps_total(const struct record *r)
{
    return per_second(tokens(r), total(r));
}

static double tail(const struct record *r)
{
    return ms_between(r->last_output, r->end);
}

static double flow(const struct record *r)
{
    double whole = total(r);
    return whole > 0 ? output_ms(r) / whole : none;
}

static double lateness(const struct record *r)
{
    return ms_between(r->due, r->start);
}

#define MS(id, word, function)                                                                     \
    [METRIC_##id] = {word, word "_ms", UNIT_MS, TEXT_METRIC_##id, function}
#define OTHER(id, word, unit, function)                                                            \
    [METRIC_##id] = {word, word, unit, TEXT_METRIC_##id, function}

const struct metric metrics[METRIC_COUNT] = {
    MS(TTFB, "ttfb", ttfb),
    MS(TTFT, "ttft", ttft),
    MS(SETUP, "setup", setup),
    MS(TTFT_OPEN, "ttft_open", ttft_open),
    MS(TTFA, "ttfa", ttfa),
    MS(GAP_P50, "gap_p50", gap_p50),
    MS(GAP_P95, "gap_p95", gap_p95),
    MS(GAP_MAX, "gap_max", gap_max),
    MS(SILENCE_MAX, "silence_max", silence_max),
    OTHER(TOKENS, "tokens", UNIT_COUNT, tokens),
    OTHER(TOKENS_PER_CHUNK, "tokens_per_chunk", UNIT_RATIO, tokens_per_chunk),
    MS(TPOT, "tpot", tpot),
    OTHER(TPS, "tps", UNIT_TOKENS_PER_S, tps),
    OTHER(TPS_TOTAL, "tps_total", UNIT_TOKENS_PER_S, tps_total),
    MS(TOTAL, "total", total),
    MS(TAIL, "tail", tail),
    OTHER(FLOW, "flow", UNIT_RATIO, flow),
    MS(LATENESS, "lateness", lateness),
    MS(DNS, "dns", dns),
    MS(CONNECT, "connect", connect_phase),
    MS(PROXY, "proxy", proxy),
    MS(TLS, "tls", tls),
    MS(SEND, "send", send_phase),
};

const struct metric *metric_find(struct str name)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (str_eq(name, str_of(metrics[i].name)))
            return &metrics[i];
    return NULL;
}
