#include "cli/probe_setup.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/fmt.h"
#include "base/utf8.h"
#include "config/file.h"
#include "wire/http1.h"
#include "wire/url.h"

enum { PROMPT_MAX = 8 << 20, FILES_BESIDES = 16 };

static bool conflict(const char *a, const char *b, struct err *err)
{
    return err_set(err, EXIT_USAGE, "conflict", TEXT_CLI_CONFLICT, a, b);
}

/* Pairs that cannot both be meant. */
static bool check_pairs(const struct options *o, struct err *err)
{
    static const enum option_id pairs[][2] = {
        {OPT_PROMPT, OPT_PROMPT_TOKENS}, {OPT_FRESH, OPT_REUSE},   {OPT_QUICK, OPT_NO_STREAM},
        {OPT_ENV_FILE, OPT_NO_ENV_FILE}, {OPT_QUIET, OPT_VERBOSE},
    };
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        if (!o->given[pairs[i][0]] || !o->given[pairs[i][1]])
            continue;
        char names[2][40];
        for (int side = 0; side < 2; side++)
            snprintf(names[side], sizeof(names[side]), "--%.*s",
                     (int)option_name(&option_table[pairs[i][side]]).len,
                     option_table[pairs[i][side]].names);
        return conflict(names[0], names[1], err);
    }
    return true;
}

static bool check_outputs(const struct options *o, struct err *err)
{
    const struct option_output *outputs[] = {&o->json, &o->jsonl, &o->csv};
    static const char *const names[] = {"--json", "--jsonl", "--csv"};
    for (int a = 0; a < 3; a++)
        for (int b = a + 1; b < 3; b++) {
            if (!outputs[a]->on || !outputs[b]->on)
                continue;
            if (!outputs[a]->file && !outputs[b]->file) {
                err_set(err, EXIT_USAGE, "conflict", TEXT_CLI_STDOUT_TWICE, names[a], names[b]);
                err_fix(err, TEXT_CLI_STDOUT_TWICE_FIX, names[b]);
                return false;
            }
            if (outputs[a]->file && outputs[b]->file &&
                strcmp(outputs[a]->file, outputs[b]->file) == 0)
                return err_set(err, EXIT_USAGE, "conflict", TEXT_CLI_FILE_TWICE, outputs[a]->file);
        }
    return true;
}

static bool check_stdin(const struct options *o, bool *taken, struct err *err)
{
    bool prompt = o->prompt && strcmp(o->prompt, "-") == 0;
    bool key = o->api_key_file && strcmp(o->api_key_file, "-") == 0;
    *taken = prompt || key;
    if (prompt && key)
        return err_set(err, EXIT_USAGE, "conflict", TEXT_CLI_STDIN_TWICE, "-p -",
                       "--api-key-file -");
    return true;
}

static bool bad_header(const char *typed, struct err *err)
{
    struct str name = str_upto(str_of(typed), str_find(str_of(typed), ':'));
    struct buf shown = {0}; /* the value may be a secret */
    utf8_add_visible(&shown, str_upto(name, 60));
    err_set(err, EXIT_USAGE, "bad_header", TEXT_CLI_BAD_HEADER, buf_text(&shown));
    err_why(err, TEXT_CLI_BAD_HEADER_WHY);
    buf_done(&shown);
    return false;
}

static bool is_ours(struct str name)
{
    static const char *const ours[] = {
        "host",       "content-length", "content-type", "transfer-encoding",
        "connection", "accept",         "user-agent",   "accept-encoding",
        "expect",     "upgrade",        "te",           "trailer",
    };
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        if (str_eq_nocase(name, str_of(ours[i])))
            return true;
    return false;
}

/* Whether it authenticates as a key would; a cookie does not. */
static bool is_key(struct str name)
{
    return str_eq_nocase(name, STR("authorization")) || str_eq_nocase(name, STR("api-key")) ||
           str_eq_nocase(name, STR("x-api-key")) || str_eq_nocase(name, STR("x-goog-api-key"));
}

static bool read_headers(struct probe_setup *s, bool *has_key, struct err *err)
{
    const struct option_texts *typed = &s->cli->options.headers;
    for (size_t i = 0; i < typed->count; i++) {
        struct str text = str_of(typed->items[i]);
        size_t colon = str_find(text, ':');
        struct str name = str_trim(str_upto(text, colon)),
                   value = str_trim(str_from(text, colon + 1));
        if (colon == text.len || !name.len || !http1_field_valid(name, value) || is_ours(name))
            return bad_header(typed->items[i], err);
        s->headers[i] = (struct request_header){name, value};
        *has_key |= is_key(name);
        if (option_header_is_secret(text)) {
            scrub_add(&s->cli->secrets, value);
            scrub_add(&s->cli->secrets, str_trim(str_from(value, str_find(value, ' '))));
        }
    }
    s->probe.headers = s->headers;
    s->probe.header_count = typed->count;
    return true;
}

static bool read_prompt(struct probe_setup *s, struct err *err)
{
    const char *typed = s->cli->options.prompt;
    bool is_file = typed && (typed[0] == '@' || strcmp(typed, "-") == 0);
    if (!typed)
        return true;
    buf_init(&s->prompt, PROMPT_MAX);
    if (is_file) {
        if (!file_read(typed[0] == '@' ? typed + 1 : typed, PROMPT_MAX, &s->prompt, err))
            return false;
    } else {
        buf_add_text(&s->prompt, typed);
    }
    struct str text = buf_str(&s->prompt);
    if (!str_trim(text).len)
        return err_set(err, EXIT_USAGE, "bad_prompt", TEXT_CLI_PROMPT_EMPTY);
    if (memchr(text.ptr, 0, text.len))
        return err_set(err, EXIT_USAGE, "bad_prompt", TEXT_CLI_PROMPT_NUL);
    if (!utf8_valid(text))
        return err_set(err, EXIT_USAGE, "bad_prompt", TEXT_CLI_PROMPT_UTF8);
    s->probe.prompt = buf_text(&s->prompt);
    return true;
}

static bool read_target(struct probe_setup *s, bool header_has_key, struct err *err)
{
    struct options *o = &s->cli->options;
    const char *url = o->arg_count ? o->args[0] : o->url;
    if (o->arg_count && o->url && strcmp(o->url, url) != 0)
        return err_set(err, EXIT_USAGE, "conflict", TEXT_CLI_URL_TWICE, url, o->url);
    struct target_asked asked = {
        .url = url,
        .model = o->model,
        .api_key = o->api_key,
        .api_key_env = o->api_key_env,
        .api_key_file = o->api_key_file,
        .no_key = o->no_key,
        .key_in_header = header_has_key,
        .env_file = o->env_file,
        .no_env_file = o->no_env_file,
    };
    if (!target_resolve(&s->target, &asked, &s->cli->secrets, err))
        return false;
    s->probe.key = str_of(s->target.key);
    s->probe.target = (struct result_target){
        .url = s->target.url,
        .model = s->target.model,
        .api = "openai-chat",
        .key_source = header_has_key ? "-H" : s->target.key_source,
    };
    return true;
}

/* n and w follow c where they were not given: c requests at once need some to choose from. */
static bool read_load(struct probe_setup *s, struct err *err)
{
    const struct options *o = &s->cli->options;
    int64_t c = o->concurrency;
    s->probe.concurrency = c;
    s->probe.runs = !o->given[OPT_RUNS] && o->runs < 4 * c && c > 1 ? 4 * c : o->runs;
    s->probe.warmup = o->given[OPT_WARMUP] ? o->warmup : c;
    if (s->probe.runs >= c)
        return true;
    err_set(err, EXIT_USAGE, "impossible_plan", TEXT_CLI_C_OVER_N, fmt_count(c).text,
            fmt_count(s->probe.runs).text);
    err_fix(err, TEXT_CLI_C_OVER_N_FIX, fmt_int(4 * c).text);
    return false;
}

static bool read_max_fail(struct probe_setup *s, struct err *err)
{
    const char *typed = s->cli->options.max_fail;
    struct str text = str_of(typed);
    double percent;
    if (!typed)
        return true;
    if (!str_ends(text, STR("%")) ||
        !fmt_parse_double(str_upto(text, text.len - 1), 0, 100, &percent))
        return err_set(err, EXIT_USAGE, "bad_value", TEXT_CLI_BAD_MAX_FAIL, typed);
    s->asked.has_max_fail = true;
    s->asked.max_fail = percent / 100;
    return true;
}

/* A limit that no outcome could show to hold is refused before anything is sent. */
static bool read_limits(struct probe_setup *s, struct err *err)
{
    const struct options *o = &s->cli->options;
    for (size_t i = 0; i < o->slos.count; i++) {
        struct slo *slo = &s->limits[i].slo;
        if (!slo_parse(slo, str_of(o->slos.items[i]), err))
            return false;
        int64_t needed = (int64_t)slo_runs_needed(slo);
        if (needed <= s->probe.runs)
            continue;
        err_set(err, EXIT_USAGE, "impossible_limit", TEXT_CLI_SLO_IMPOSSIBLE, o->slos.items[i],
                fmt_count(s->probe.runs).text, fmt_count(needed).text);
        err_why(err, TEXT_CLI_SLO_IMPOSSIBLE_WHY);
        err_fix(err, TEXT_CLI_C_OVER_N_FIX, fmt_int(needed).text);
        return false;
    }
    s->asked.items = s->limits;
    s->asked.count = o->slos.count;
    s->asked.undecided_is = !o->given[OPT_UNDECIDED]         ? SLO_UNDECIDED
                            : o->undecided == UNDECIDED_PASS ? SLO_HOLDS
                                                             : SLO_FAILS;
    return read_max_fail(s, err);
}

static void read_rest(struct probe_setup *s)
{
    const struct options *o = &s->cli->options;
    struct probe_options *p = &s->probe;
    p->prompt_tokens = o->prompt_tokens;
    p->same_prompt = o->same_prompt;
    p->max_tokens = o->max_tokens;
    p->temperature = o->temperature;
    p->streamed = !o->no_stream;
    p->fresh = o->connections == CONNECT_FRESH;
    p->quick = o->quick;
    p->terminator = (enum terminator_policy)o->terminator;
    p->timeouts = (struct request_timeouts){
        .connect = o->connect_timeout,
        .first_output = o->first_timeout,
        .gap = o->gap_timeout,
        .idle = o->idle_timeout,
        .total = o->timeout,
    };
    p->seed =
        (uint64_t)clock_wall() & ((1ULL << 53) - 1); /* another run, other nonces; exact in JSON */
}

static bool is_address(struct str host)
{
    unsigned char address[sizeof(struct in6_addr)];
    char text[INET6_ADDRSTRLEN];
    str_copy(text, sizeof(text), host);
    return host.len < sizeof(text) &&
           (inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1);
}

/* A connection is a file, and looking a name up takes two more. What does not fit would be counted
 * as the endpoint's failure. */
static bool check_files(const struct probe_setup *s, struct err *err)
{
    struct rlimit limit;
    struct url url = {0};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || !url_parse(str_of(s->target.url), &url))
        return true;
    int64_t each = is_address(url.host) ? 1 : 3;
    int64_t needed = FILES_BESIDES + each * s->probe.concurrency;
    if (limit.rlim_cur >= (rlim_t)needed)
        return true;
    err_set(err, EXIT_USAGE, "too_few_files", TEXT_CLI_TOO_FEW_FILES,
            fmt_count(s->probe.concurrency).text, fmt_count(needed).text,
            fmt_count((int64_t)limit.rlim_cur).text);
    err_fix(err, TEXT_CLI_TOO_FEW_FILES_FIX, fmt_int(needed).text);
    return false;
}

bool probe_setup_init(struct probe_setup *s, struct cli *cli, struct err *err)
{
    const struct options *o = &cli->options;
    bool header_has_key = false;
    *s = (struct probe_setup){.cli = cli};
    if (!check_pairs(o, err) || !check_outputs(o, err) || !check_stdin(o, &s->stdin_taken, err) ||
        !read_load(s, err) || !read_limits(s, err) || !read_headers(s, &header_has_key, err) ||
        !read_prompt(s, err))
        return false;
    read_rest(s);
    return read_target(s, header_has_key, err) && check_files(s, err);
}

void probe_setup_done(struct probe_setup *s)
{
    target_done(&s->target);
    buf_done(&s->prompt);
    *s = (struct probe_setup){0};
}

/* 'it'\''s' */
static void add_quoted(struct buf *out, struct str s)
{
    buf_add_byte(out, '\'');
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] == '\'')
            buf_add_text(out, "'\\''");
        else
            buf_add_byte(out, s.ptr[i]);
    buf_add_byte(out, '\'');
}

static void add_option(struct buf *out, const char *option, struct str value)
{
    buf_addf(out, " \\\n  %s ", option);
    add_quoted(out, value);
}

void probe_setup_curl(const struct probe_setup *s, struct buf *out)
{
    const struct options *o = &s->cli->options;
    const char *source = s->target.key_source;
    struct buf body = {0};
    buf_add_text(out, "curl -sSN ");
    add_quoted(out, str_of(s->target.url));
    if (o->insecure)
        buf_add_text(out, " \\\n  -k");
    if (o->cacert)
        add_option(out, "--cacert", str_of(o->cacert));
    if (o->connect_timeout != INT64_MAX)
        buf_addf(out, " \\\n  --connect-timeout %.15g", (double)o->connect_timeout / 1e9);
    if (o->timeout != INT64_MAX)
        buf_addf(out, " --max-time %lld", (long long)((o->timeout + 999999999) / 1000000000));
    if (s->probe.key.len)
        buf_addf(out, " \\\n  -H \"Authorization: Bearer %s\"",
                 source[0] == '$' ? source : "$OPENAI_API_KEY");
    add_option(out, "-H", STR("Content-Type: application/json"));
    for (size_t i = 0; i < s->probe.header_count; i++)
        add_option(out, "-H", str_of(o->headers.items[i]));
    probe_body(&s->probe, 1, &body);
    add_option(out, "-d", buf_str(&body));
    buf_add_text(out, "\n");
    buf_done(&body);
}
