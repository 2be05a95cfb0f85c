#include "report/failure.h"

#include "base/fmt.h"
#include "base/utf8.h"
#include "report/remedy.h"

static enum text_id what_of(enum outcome o)
{
    static const enum text_id what[OUTCOME_COUNT] = {
#define X(id, name) [OUTCOME_##id] = TEXT_REPORT_WHAT_##id,
        OUTCOMES(X)
#undef X
    };
    return what[o];
}

static struct str first_line_of(const char *text)
{
    struct str rest = str_trim(str_of(text));
    return str_trim(str_split(&rest, '\n'));
}

/* "http_429" is a kind made from the status for want of one: it adds nothing. */
static bool kind_says_something(const char *kind)
{
    return kind && *kind && !str_starts(str_of(kind), STR("http_"));
}

static void add_server_words(struct buf *out, const struct record *r)
{
    if (kind_says_something(r->error_kind)) {
        utf8_add_visible(out, str_of(r->error_kind));
        if (r->error_message)
            buf_add_text(out, ": ");
    }
    if (r->error_message)
        utf8_add_visible(out, str_trim(str_of(r->error_message)));
    else if (!kind_says_something(r->error_kind) && r->body_head)
        utf8_add_visible(out, first_line_of(r->body_head));
}

void failure_describe(struct buf *out, const struct record *r)
{
    size_t from = out->len;
    if (r->outcome == OUTCOME_HTTP_ERROR)
        buf_addf(out, "%d ", r->http_status);
    if (r->outcome == OUTCOME_HTTP_ERROR || r->outcome == OUTCOME_STREAM_ERROR)
        add_server_words(out, r);
    else if (r->detail[0])
        utf8_add_visible(out, str_of(r->detail));
    if (out->len == from)
        text_add(out, what_of(r->outcome));
}

static void count_failure(struct failures *f, const struct record *r)
{
    for (size_t i = 0; i < f->kind_count; i++) {
        const struct record *known = f->kinds[i].first;
        if (i == FAILURE_KINDS_MAX - 1 ||
            (known->outcome == r->outcome && known->http_status == r->http_status)) {
            f->kinds[i].count++;
            return;
        }
    }
    f->kinds[f->kind_count++] = (struct failure_kind){r, 1};
}

void failures_of(struct failures *f, const struct probe_result *r)
{
    *f = (struct failures){0};
    bool warmups = r->summary.requests == 0;
    for (size_t i = 0; i < r->record_count; i++) {
        const struct record *one = &r->records[i];
        if (one->warmup != warmups)
            continue;
        f->requests++;
        if (one->outcome != OUTCOME_COMPLETE)
            count_failure(f, one);
    }
}

static int exit_for(const struct failures *f)
{
    bool unreachable = f->kind_count > 0, refused = f->kind_count > 0;
    for (size_t i = 0; i < f->kind_count; i++) {
        const struct record *r = f->kinds[i].first;
        unreachable = unreachable &&
                      (r->outcome == OUTCOME_UNREACHABLE || r->outcome == OUTCOME_TIMEOUT_CONNECT);
        refused = refused && r->outcome == OUTCOME_HTTP_ERROR &&
                  (r->http_status == 401 || r->http_status == 403);
    }
    return unreachable ? EXIT_UNREACHABLE : refused ? EXIT_REFUSED : EXIT_NONE;
}

int report_probe_exit(const struct probe_result *r)
{
    struct failures f;
    if (r->interrupted)
        return EXIT_SIGINT;
    if (r->summary.complete == 0) {
        failures_of(&f, r);
        return exit_for(&f);
    }
    static const int by_verdict[] = {
        [SLO_HOLDS] = EXIT_OK, [SLO_UNDECIDED] = EXIT_UNDECIDED, [SLO_FAILS] = EXIT_LIMIT};
    return result_exceeds_max_fail(r) ? EXIT_NONE : by_verdict[result_limits_verdict(r)];
}

/* "the first request", "the only request", "all 10 requests" */
static void add_which(struct buf *out, const struct probe_result *r, const struct failures *f)
{
    if (r->stopped_by_warmup)
        text_add(out, TEXT_FAIL_FIRST_REQUEST);
    else if (f->requests == 1)
        text_add(out, TEXT_FAIL_THE_REQUEST);
    else
        text_add(out, TEXT_FAIL_ALL_REQUESTS, fmt_count((int64_t)f->requests).text);
}

static void set_what(const struct probe_result *r, const struct failures *f, struct err *err)
{
    int code = report_probe_exit(r);
    if (f->kind_count != 1) {
        if (r->interrupted)
            err_set(err, code, "interrupted", TEXT_FAIL_INTERRUPTED);
        else
            err_set(err, code, "none_complete", TEXT_FAIL_MIXED,
                    fmt_count((int64_t)f->requests).text);
        return;
    }
    const struct record *first = f->kinds[0].first;
    struct buf which = {0};
    add_which(&which, r, f);
    struct str origin = remedy_origin(str_of(r->target.url));
    struct buf host = {0};
    buf_add_str(&host, origin);
    if (first->outcome == OUTCOME_ABORTED)
        err_set(err, code, "interrupted", TEXT_FAIL_INTERRUPTED);
    else if (first->outcome == OUTCOME_HTTP_ERROR)
        err_set(err, code, outcome_name(first->outcome), TEXT_FAIL_STATUS,
                fmt_int(first->http_status).text, buf_text(&which));
    else if (first->outcome == OUTCOME_UNREACHABLE || first->outcome == OUTCOME_TIMEOUT_CONNECT)
        err_set(err, code, outcome_name(first->outcome), TEXT_FAIL_UNREACHABLE, buf_text(&host),
                buf_text(&which));
    else
        err_set(err, code, outcome_name(first->outcome), TEXT_FAIL_OUTCOME, buf_text(&which),
                outcome_name(first->outcome), text_raw(what_of(first->outcome)));
    buf_done(&which);
    buf_done(&host);
}

/* The status with the body's first line as it came, if that is short or all there is to say; else
 * with what the server means by it. */
static void add_response(struct buf *out, const struct record *r)
{
    enum { SHORT = 66 };
    struct str body = first_line_of(r->body_head);
    if (body.len && (!r->error_message || body.len <= SHORT)) {
        if (r->outcome == OUTCOME_HTTP_ERROR)
            buf_addf(out, "%d  ", r->http_status);
        utf8_add_visible(out, utf8_fit(body, (size_t)3 * SHORT));
    } else {
        failure_describe(out, r);
    }
}

static bool has_words(const struct record *r)
{
    return r->http_status >= 300 || r->detail[0] || r->error_kind || r->error_message ||
           r->body_head;
}

/* The request line, then each kind of failure with its first words. */
static void set_evidence(const struct probe_result *r, const struct failures *f, struct err *err)
{
    struct buf b = {0};
    buf_addf(&b, "POST %s", r->target.url);
    for (size_t i = 0; i < f->kind_count; i++) {
        const struct record *first = f->kinds[i].first;
        if (f->kind_count > 1)
            buf_addf(&b, "\n%zu %s: ", f->kinds[i].count, outcome_name(first->outcome));
        else if (has_words(first))
            buf_add_byte(&b, '\n');
        if (f->kind_count > 1 || has_words(first))
            add_response(&b, first);
    }
    err_evidence_raw(err, buf_str(&b));
    buf_done(&b);
}

bool report_probe_failure(const struct probe_result *r, struct err *err)
{
    struct failures f;
    *err = (struct err){0};
    if (r->summary.complete > 0)
        return false;
    failures_of(&f, r);
    set_what(r, &f, err);
    set_evidence(r, &f, err);
    if (f.kind_count > 1)
        remedy_look_closer(err, r);
    else if (f.kind_count == 1 && f.kinds[0].first->outcome != OUTCOME_ABORTED)
        remedy_add(err, r, f.kinds[0].first);
    return true;
}
