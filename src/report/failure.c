#include "report/failure.h"

#include "base/fmt.h"
#include "base/utf8.h"

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

/* Why, and what to type next: the first row that fits. */
enum hint {
    HINT_NONE,
    HINT_KEY,     /* its why names the key's source */
    HINT_SIBLING, /* fixes: the URL with or without /v1, and the list of models */
    HINT_ONE,     /* fix: probe this URL once, verbosely */
};
struct remedy {
    enum outcome outcome;
    int status_from, status_to;           /* 0, 0: any */
    bool (*fits)(const struct record *r); /* NULL: always */
    int why, fix;                         /* text ids; -1: none */
    enum hint hint;
};

static bool is_page(const struct record *r)
{
    return (r->content_type && str_contains(str_of(r->content_type), STR("text/html"))) ||
           (r->body_head && str_starts(str_trim(str_of(r->body_head)), STR("<")));
}
static bool is_certificate(const struct record *r)
{
    return str_contains(str_of(r->detail), STR("certificate"));
}
static bool is_finished(const struct record *r)
{
    return r->finished;
}

static const struct remedy remedies[] = {
    {OUTCOME_HTTP_ERROR, 401, 401, NULL, -1, TEXT_FAIL_FIX_KEY, HINT_KEY},
    {OUTCOME_HTTP_ERROR, 403, 403, NULL, -1, TEXT_FAIL_FIX_KEY, HINT_KEY},
    {OUTCOME_HTTP_ERROR, 404, 404, NULL, TEXT_FAIL_WHY_404, -1, HINT_SIBLING},
    {OUTCOME_HTTP_ERROR, 405, 405, NULL, TEXT_FAIL_WHY_405, -1, HINT_SIBLING},
    {OUTCOME_HTTP_ERROR, 402, 402, NULL, TEXT_FAIL_WHY_429, TEXT_FAIL_FIX_429, HINT_NONE},
    {OUTCOME_HTTP_ERROR, 429, 429, NULL, TEXT_FAIL_WHY_429, TEXT_FAIL_FIX_429, HINT_NONE},
    {OUTCOME_HTTP_ERROR, 300, 399, NULL, TEXT_FAIL_WHY_REDIRECT, TEXT_FAIL_FIX_REDIRECT, HINT_NONE},
    {OUTCOME_HTTP_ERROR, 400, 499, is_page, TEXT_FAIL_WHY_HTML, -1, HINT_SIBLING},
    {OUTCOME_HTTP_ERROR, 400, 499, NULL, TEXT_FAIL_WHY_4XX, TEXT_FAIL_FIX_DRY_RUN, HINT_NONE},
    {OUTCOME_HTTP_ERROR, 0, 0, NULL, TEXT_FAIL_WHY_5XX, -1, HINT_ONE},
    {OUTCOME_UNREACHABLE, 0, 0, is_certificate, TEXT_FAIL_WHY_CERTIFICATE,
     TEXT_FAIL_FIX_CERTIFICATE, HINT_NONE},
    {OUTCOME_UNREACHABLE, 0, 0, NULL, -1, TEXT_FAIL_FIX_CONNECT, HINT_NONE},
    {OUTCOME_TIMEOUT_CONNECT, 0, 0, NULL, -1, TEXT_FAIL_FIX_TIMEOUT_CONNECT, HINT_NONE},
    {OUTCOME_TIMEOUT_FIRST, 0, 0, NULL, -1, TEXT_FAIL_FIX_TIMEOUT_FIRST, HINT_NONE},
    {OUTCOME_TIMEOUT_GAP, 0, 0, NULL, -1, TEXT_FAIL_FIX_TIMEOUT_GAP, HINT_NONE},
    {OUTCOME_TIMEOUT_IDLE, 0, 0, NULL, -1, TEXT_FAIL_FIX_TIMEOUT_IDLE, HINT_NONE},
    {OUTCOME_TIMEOUT_TOTAL, 0, 0, NULL, -1, TEXT_FAIL_FIX_TIMEOUT_TOTAL, HINT_NONE},
    {OUTCOME_NOT_A_STREAM, 0, 0, is_page, TEXT_FAIL_WHY_HTML, -1, HINT_SIBLING},
    {OUTCOME_NOT_A_STREAM, 0, 0, NULL, TEXT_FAIL_WHY_PLAIN, TEXT_FAIL_FIX_NO_STREAM, HINT_NONE},
    {OUTCOME_INCOMPLETE, 0, 0, is_finished, TEXT_FAIL_WHY_NO_TERMINATOR, TEXT_FAIL_FIX_FINISH,
     HINT_NONE},
    {OUTCOME_BROKEN, 0, 0, NULL, TEXT_FAIL_WHY_BROKEN, -1, HINT_ONE},
    {OUTCOME_MALFORMED, 0, 0, is_page, TEXT_FAIL_WHY_HTML, -1, HINT_SIBLING},
    {OUTCOME_EMPTY, 0, 0, NULL, TEXT_FAIL_WHY_EMPTY, -1, HINT_ONE},
};

static const struct remedy *remedy_for(const struct record *r)
{
    static const struct remedy other = {.why = -1, .fix = -1, .hint = HINT_ONE};
    for (size_t i = 0; i < ARRAY_LEN(remedies); i++) {
        const struct remedy *m = &remedies[i];
        bool status = m->status_to == 0 ||
                      (r->http_status >= m->status_from && r->http_status <= m->status_to);
        if (m->outcome == r->outcome && status && (!m->fits || m->fits(r)))
            return m;
    }
    return &other;
}

/* scheme://host of the endpoint; the base URL: the endpoint without its last known part. */
static struct str origin_of(struct str url)
{
    size_t slash = 0;
    for (size_t i = 0; i < url.len; i++)
        if (url.ptr[i] == '/' && ++slash == 3)
            return str_upto(url, i);
    return url;
}
static struct str base_of(struct str url)
{
    static const char endpoint[] = "/chat/completions";
    struct str tail = str_of(endpoint);
    return str_ends(url, tail) ? str_upto(url, url.len - tail.len) : url;
}

/* …/v3, …/v1beta: a version of its own, to which no /v1 belongs. */
static bool ends_in_version(struct str base)
{
    size_t last = 0;
    for (size_t i = 0; i < base.len; i++)
        if (base.ptr[i] == '/')
            last = i + 1;
    return last + 1 < base.len && base.ptr[last] == 'v' && base.ptr[last + 1] >= '0' &&
           base.ptr[last + 1] <= '9';
}

static void add_model_option(struct buf *out, const struct probe_result *r)
{
    if (r->target.model && r->target.model[0])
        buf_addf(out, " -m %s", r->target.model);
}

/* One that was asked and answered: no longer a guess. */
static void add_sibling(const struct probe_result *r, struct err *err)
{
    bool more = strlen(r->sibling) > base_of(str_of(r->target.url)).len;
    struct str bare = str_of(r->sibling);
    struct buf url = {0};
    buf_addf(&url, "%s/models", r->sibling);
    err_why(err, more ? TEXT_FAIL_WHY_MISSING_V1 : TEXT_FAIL_WHY_NEEDLESS_V1, buf_text(&url));
    buf_clear(&url);
    buf_add_str(&url, bare);
    if (str_eq(bare, origin_of(bare)))
        buf_add_text(&url, "/chat/completions"); /* a bare host would get its /v1 back */
    add_model_option(&url, r);
    err_fix(err, TEXT_FAIL_FIX_SIBLING, buf_text(&url));
    buf_done(&url);
}

static void add_hint(const struct probe_result *r, enum hint hint, struct err *err)
{
    struct str base = base_of(str_of(r->target.url));
    struct buf url = {0};
    if (hint == HINT_KEY && r->target.key_source && r->target.key_source[0]) {
        err_why(err, TEXT_FAIL_WHY_KEY, r->target.key_source);
    } else if (hint == HINT_KEY) {
        err_why(err, TEXT_FAIL_WHY_NO_KEY);
    } else if (hint == HINT_SIBLING && r->sibling) {
        add_sibling(r, err);
    } else if (hint == HINT_SIBLING) {
        bool versioned = str_ends(base, STR("/v1"));
        bool other = !versioned && ends_in_version(base);
        buf_add_str(&url, versioned ? str_upto(base, base.len - 3) : base);
        if (!versioned)
            buf_add_text(&url, "/v1");
        else if (str_eq(buf_str(&url), origin_of(base)))
            buf_add_text(&url, "/chat/completions"); /* a bare host would get its /v1 back */
        add_model_option(&url, r);
        if (!other)
            err_fix(err, TEXT_FAIL_FIX_SIBLING, buf_text(&url));
        buf_clear(&url);
        buf_add_str(&url, base);
        err_fix(err, TEXT_FAIL_FIX_MODELS, buf_text(&url));
    } else if (hint == HINT_ONE) {
        buf_add_text(&url, r->target.url);
        add_model_option(&url, r);
        err_fix(err, TEXT_FAIL_FIX_ONE, buf_text(&url));
    }
    buf_done(&url);
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
    if (r->summary.complete > 0)
        return EXIT_OK;
    failures_of(&f, r);
    return exit_for(&f);
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
    struct str origin = origin_of(str_of(r->target.url));
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
    if (f.kind_count == 1 && f.kinds[0].first->outcome != OUTCOME_ABORTED) {
        const struct remedy *m = remedy_for(f.kinds[0].first);
        if (m->why >= 0)
            err_why(err, (enum text_id)m->why);
        if (m->fix >= 0)
            err_fix(err, (enum text_id)m->fix);
        add_hint(r, m->hint, err);
    } else if (f.kind_count > 1) {
        add_hint(r, HINT_ONE, err);
    }
    return true;
}
