#include "base/fmt.h"
#include "base/utf8.h"
#include "report/report.h"

#include <math.h>

/* Servers write some of the fields, and people look at CSV on terminals: controls become visible.
 * Lines stay lines. */
static void add_visible_lines(struct buf *out, const char *text)
{
    for (size_t len; *text; text += len) {
        len = strcspn(text, "\r\n");
        utf8_add_visible(out, str_make(text, len));
        size_t breaks = strspn(text + len, "\r\n");
        buf_add(out, text + len, breaks);
        len += breaks;
    }
}

/* RFC 4180: quoted where it must be, quotes doubled, lines end in CRLF. Unknown is empty. */
static void add_field(struct buf *out, bool first, const char *text)
{
    struct buf safe = {0};
    if (!first)
        buf_add_byte(out, ',');
    add_visible_lines(&safe, text ? text : "");
    const char *from = buf_text(&safe);
    bool quoted = strpbrk(from, ",\"\r\n") != NULL;
    if (quoted)
        buf_add_byte(out, '"');
    for (const char *at = from; *at; at++) {
        if (*at == '"')
            buf_add_byte(out, '"');
        buf_add_byte(out, *at);
    }
    if (quoted)
        buf_add_byte(out, '"');
    buf_done(&safe);
}

static const char *yes_no(bool b)
{
    return b ? "true" : "false";
}

/* Columns before and behind the metrics. A NULL is an empty field. */
struct column {
    const char *head;
    const char *(*text)(const struct record *r, struct fmt *room);
};

static const char *number_of(const struct record *r, struct fmt *room)
{
    *room = fmt_int((int64_t)r->number);
    return room->text;
}
static const char *warmup_of(const struct record *r, UNUSED struct fmt *room)
{
    return yes_no(r->warmup);
}
static const char *outcome_of(const struct record *r, UNUSED struct fmt *room)
{
    return outcome_name(r->outcome);
}
static const char *status_of(const struct record *r, struct fmt *room)
{
    *room = fmt_int(r->http_status);
    return r->http_status ? room->text : NULL;
}
static const char *start_of(const struct record *r, struct fmt *room)
{
    *room = fmt_int(r->start);
    return r->start == NEVER ? NULL : room->text;
}
static const char *wall_of(const struct record *r, struct fmt *room)
{
    *room = fmt_int(r->wall_start);
    return room->text;
}
static const char *prompt_tokens_of(const struct record *r, struct fmt *room)
{
    *room = fmt_int(r->usage.prompt_tokens);
    return r->usage.prompt_tokens == COUNT_UNKNOWN ? NULL : room->text;
}
static const char *cached_tokens_of(const struct record *r, struct fmt *room)
{
    *room = fmt_int(r->usage.cached_tokens);
    return r->usage.cached_tokens == COUNT_UNKNOWN ? NULL : room->text;
}
static const char *output_events_of(const struct record *r, struct fmt *room)
{
    *room = fmt_int(r->output_events);
    return room->text;
}
static const char *token_source_of(const struct record *r, UNUSED struct fmt *room)
{
    return token_source_name(r->token_source);
}
static const char *clock_of(const struct record *r, UNUSED struct fmt *room)
{
    return clock_kind_name(r->clock);
}
static const char *reused_of(const struct record *r, UNUSED struct fmt *room)
{
    return yes_no(r->reused);
}
static const char *peer_of(const struct record *r, UNUSED struct fmt *room)
{
    return r->peer[0] ? r->peer : NULL;
}
static const char *response_id_of(const struct record *r, UNUSED struct fmt *room)
{
    return r->response_id;
}
static const char *request_id_of(const struct record *r, UNUSED struct fmt *room)
{
    return r->request_id;
}
static const char *served_model_of(const struct record *r, UNUSED struct fmt *room)
{
    return r->served_model;
}
static const char *fingerprint_of(const struct record *r, UNUSED struct fmt *room)
{
    return r->system_fingerprint;
}
static const char *finish_of(const struct record *r, UNUSED struct fmt *room)
{
    return r->finish_reason;
}
static const char *error_kind_of(const struct record *r, UNUSED struct fmt *room)
{
    return r->error_kind;
}
static const char *error_of(const struct record *r, UNUSED struct fmt *room)
{
    return r->error_message ? r->error_message : r->detail[0] ? r->detail : NULL;
}

static const struct column before[] = {
    {"number", number_of},      {"warmup", warmup_of},      {"outcome", outcome_of},
    {"http_status", status_of}, {"wall_start_ns", wall_of}, {"start_monotonic_ns", start_of},
};
static const struct column behind[] = {
    {"output_events", output_events_of},
    {"prompt_tokens", prompt_tokens_of},
    {"cached_tokens", cached_tokens_of},
    {"token_source", token_source_of},
    {"clock", clock_of},
    {"reused", reused_of},
    {"peer", peer_of},
    {"response_id", response_id_of},
    {"request_id", request_id_of},
    {"served_model", served_model_of},
    {"system_fingerprint", fingerprint_of},
    {"finish_reason", finish_of},
    {"error_kind", error_kind_of},
    {"error", error_of},
};

static void add_head(struct buf *out)
{
    for (size_t i = 0; i < ARRAY_LEN(before); i++)
        add_field(out, i == 0, before[i].head);
    for (size_t i = 0; i < METRIC_COUNT; i++)
        add_field(out, false, metrics[i].key);
    for (size_t i = 0; i < ARRAY_LEN(behind); i++)
        add_field(out, false, behind[i].head);
    buf_add_text(out, "\r\n");
}

/* At most six decimals, as few as say the same. */
static struct fmt decimal(double x)
{
    struct fmt f = fmt_fixed(x + 0.0, 6); /* no -0 */
    char *end = f.text + strlen(f.text);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
    return f;
}

static void add_row(struct buf *out, const struct record *r)
{
    struct fmt room;
    for (size_t i = 0; i < ARRAY_LEN(before); i++)
        add_field(out, i == 0, before[i].text(r, &room));
    for (size_t i = 0; i < METRIC_COUNT; i++) {
        double x = metrics[i].of(r);
        add_field(out, false, isfinite(x) ? decimal(x).text : NULL);
    }
    for (size_t i = 0; i < ARRAY_LEN(behind); i++)
        add_field(out, false, behind[i].text(r, &room));
    buf_add_text(out, "\r\n");
}

void report_probe_csv(struct buf *out, const struct probe_result *r)
{
    add_head(out);
    for (size_t i = 0; i < r->record_count; i++)
        add_row(out, &r->records[i]);
}
