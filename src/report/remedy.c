#include "report/remedy.h"

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
static bool says(const struct record *r, enum text_id id)
{
    return str_eq(str_of(r->detail), str_of(text_raw(id)));
}
static bool is_no_name(const struct record *r)
{
    return says(r, TEXT_NET_NO_NAME);
}
static bool is_not_tls(const struct record *r)
{
    return says(r, TEXT_NET_TLS_NOT_SPOKEN);
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
    {OUTCOME_UNREACHABLE, 0, 0, is_no_name, -1, TEXT_FAIL_FIX_NAME, HINT_NONE},
    {OUTCOME_UNREACHABLE, 0, 0, is_not_tls, -1, TEXT_FAIL_FIX_NOT_TLS, HINT_NONE},
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

struct str remedy_origin(struct str url)
{
    size_t slash = 0;
    for (size_t i = 0; i < url.len; i++)
        if (url.ptr[i] == '/' && ++slash == 3)
            return str_upto(url, i);
    return url;
}

/* The base URL: the endpoint without its last known part. */
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
    if (str_eq(bare, remedy_origin(bare)))
        buf_add_text(&url, "/chat/completions"); /* a bare host would get its /v1 back */
    add_model_option(&url, r);
    err_fix(err, TEXT_FAIL_FIX_SIBLING, buf_text(&url));
    buf_done(&url);
}

/* Nobody was asked: the URL with or without its /v1, and where the server lists its models. */
static void guess_sibling(const struct probe_result *r, struct err *err)
{
    struct str base = base_of(str_of(r->target.url));
    bool versioned = str_ends(base, STR("/v1"));
    struct buf url = {0};
    buf_add_str(&url, versioned ? str_upto(base, base.len - 3) : base);
    if (!versioned)
        buf_add_text(&url, "/v1");
    else if (str_eq(buf_str(&url), remedy_origin(base)))
        buf_add_text(&url, "/chat/completions"); /* a bare host would get its /v1 back */
    add_model_option(&url, r);
    if (versioned || !ends_in_version(base))
        err_fix(err, TEXT_FAIL_FIX_SIBLING, buf_text(&url));
    buf_clear(&url);
    buf_add_str(&url, base);
    err_fix(err, TEXT_FAIL_FIX_MODELS, buf_text(&url));
    buf_done(&url);
}

void remedy_look_closer(struct err *err, const struct probe_result *r)
{
    struct buf url = {0};
    buf_add_text(&url, r->target.url);
    add_model_option(&url, r);
    err_fix(err, TEXT_FAIL_FIX_ONE, buf_text(&url));
    buf_done(&url);
}

static void add_hint(const struct probe_result *r, enum hint hint, struct err *err)
{
    bool key = r->target.key_source && r->target.key_source[0];
    switch (hint) {
    case HINT_NONE:
        return;
    case HINT_KEY:
        if (key)
            err_why(err, TEXT_FAIL_WHY_KEY, r->target.key_source);
        else
            err_why(err, TEXT_FAIL_WHY_NO_KEY);
        return;
    case HINT_SIBLING:
        if (r->sibling)
            add_sibling(r, err);
        else
            guess_sibling(r, err);
        return;
    case HINT_ONE:
        remedy_look_closer(err, r);
        return;
    }
}

bool remedy_wants_sibling(const struct record *failed)
{
    return remedy_for(failed)->hint == HINT_SIBLING;
}

void remedy_add(struct err *err, const struct probe_result *r, const struct record *failed)
{
    const struct remedy *m = remedy_for(failed);
    if (m->why >= 0)
        err_why(err, (enum text_id)m->why);
    if (m->fix >= 0)
        err_fix(err, (enum text_id)m->fix);
    add_hint(r, m->hint, err);
}
