#include "base/scrub.h"

#include <stdint.h>

#include "base/attr.h"

/*
 * Two passes: known values first, then patterns over what is left. A known value is also hidden in
 * the spellings that JSON and URLs give it, where lines were broken within it, and where only a
 * piece of it is left (a body cut at a limit, an end shown as a hint).
 */

enum { SECRET_LEAST = SCRUB_GRAM, PIECE_LEAST = 12, USERINFO_MAX = 4096 };

static const struct str hidden = {"[hidden]", 8};

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The alphabet of tokens (RFC 6750), and the stars of half-masked ones. */
static bool is_token(char c)
{
    return is_alnum(c) || (c && strchr("-._~+/=*%:", c));
}

static bool is_value_end(char c)
{
    return (unsigned char)c <= ' ' || strchr("&\"'`,;<>(){}[]|\\", c) != NULL;
}

/* Known values */

/* A number from 0 to SCRUB_GRAMS - 1 for the first bytes of a piece. */
static size_t gram_at(const char *p)
{
    uint32_t bytes;
    memcpy(&bytes, p, sizeof(bytes));
    return bytes * 2654435761u >> 19;
}
_Static_assert(SCRUB_GRAM == sizeof(uint32_t) && SCRUB_GRAMS == 1 << (32 - 19), "gram_at");

static bool may_begin_piece(const struct scrub *s, const char *p)
{
    size_t gram = gram_at(p);
    return s->grams[gram / 8] >> gram % 8 & 1;
}

static void add_one(struct scrub *s, struct str secret)
{
    for (size_t i = 0; i < s->secrets.len; i++)
        if (str_eq(str_of(s->secrets.items[i]), secret))
            return;
    vec_push(&s->secrets, mem_dup(secret.ptr, secret.len));
    for (size_t i = 0; i + SCRUB_GRAM <= secret.len; i++) {
        size_t gram = gram_at(secret.ptr + i);
        s->grams[gram / 8] |= (unsigned char)(1 << gram % 8);
    }
}

static void json_spelling(struct buf *out, struct str s, bool slashes)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '"' || c == '\\' || (c == '/' && slashes))
            buf_add_byte(out, '\\');
        buf_add_byte(out, c);
    }
}

static void url_spelling(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (is_alnum(c) || strchr("-._~", c))
            buf_add_byte(out, c);
        else
            buf_addf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

/* What people put where a server wants no key. Hiding it would hide words and break JSON. */
static bool is_placeholder(struct str secret)
{
    static const char *const words[] = {"none",  "null", "true",  "false", "empty",
                                        "dummy", "test", "token", "local", "ollama"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_eq_nocase(secret, str_of(words[i])))
            return true;
    return false;
}

void scrub_add(struct scrub *s, struct str secret)
{
    if (secret.len < SECRET_LEAST || memchr(secret.ptr, 0, secret.len) || is_placeholder(secret))
        return;
    add_one(s, secret);
    for (int way = 0; way < 3; way++) {
        struct buf spelt = {0};
        if (way == 2)
            url_spelling(&spelt, secret);
        else
            json_spelling(&spelt, secret, way == 1);
        add_one(s, buf_str(&spelt));
        if (spelt.ptr)
            mem_wipe(spelt.ptr, spelt.len);
        buf_done(&spelt);
    }
}

void scrub_done(struct scrub *s)
{
    for (size_t i = 0; i < s->secrets.len; i++) {
        mem_wipe(s->secrets.items[i], strlen(s->secrets.items[i]));
        mem_free(s->secrets.items[i]);
    }
    vec_done(&s->secrets);
    *s = (struct scrub){0};
}

/* The length of a line's end with the blanks around it, spelt out or as in JSON; 0 if none. */
static size_t line_break(struct str text)
{
    size_t n = 0, ends = 0;
    while (n < text.len) {
        char c = text.ptr[n], next = n + 1 < text.len ? text.ptr[n + 1] : 0;
        bool spelt = c == '\\' && (next == 'n' || next == 'r');
        if (!is_blank(c) && c != '\n' && c != '\r' && !spelt)
            break;
        ends += !is_blank(c);
        n += spelt ? 2 : 1;
    }
    return ends ? n : 0;
}

/* How many bytes of `text` are `secret` from its byte `from` on; 0 if too few to tell. Lines may be
 * broken within. A piece never holds a quote: it could be that of a JSON text around it. */
static size_t piece_len(const char *secret, size_t from, struct str text)
{
    const char *rest = secret + from;
    size_t at = 0, used = 0, same = 0, plain = SIZE_MAX, plain_used = 0;
    while (at < text.len && rest[same]) {
        if (rest[same] != text.ptr[at]) {
            size_t gap = same >= SCRUB_GRAM ? line_break(str_from(text, at)) : 0;
            if (!gap)
                break;
            at += gap;
            continue;
        }
        if (plain == SIZE_MAX && strchr("\"\\", rest[same])) {
            plain = same;
            plain_used = used;
        }
        same++;
        used = ++at;
    }
    if (from == 0 && !rest[same])
        return used;
    if (plain != SIZE_MAX) {
        same = plain;
        used = plain_used;
    }
    return same >= PIECE_LEAST ? used : 0;
}

/* How many bytes at the head of `text` are a known value, or a piece of one. */
static size_t known_at(const struct scrub *s, struct str text)
{
    size_t longest = 0;
    if (text.len < SCRUB_GRAM || !may_begin_piece(s, text.ptr))
        return 0;
    for (size_t i = 0; i < s->secrets.len; i++) {
        const char *secret = s->secrets.items[i];
        size_t len = strlen(secret);
        for (size_t from = 0; from + SCRUB_GRAM <= len; from++) {
            if (memcmp(secret + from, text.ptr, SCRUB_GRAM) != 0)
                continue;
            size_t used = piece_len(secret, from, text);
            longest = used > longest ? used : longest;
        }
    }
    return longest;
}

static void hide_known(const struct scrub *s, struct str text, struct buf *out)
{
    size_t from = 0;
    for (size_t i = 0; i < text.len;) {
        size_t len = known_at(s, str_from(text, i));
        if (!len) {
            i++;
            continue;
        }
        buf_add(out, text.ptr + from, i - from);
        buf_add_str(out, hidden);
        from = i += len;
    }
    buf_add(out, text.ptr + from, text.len - from);
}

/* Patterns. Each looks at `at` and says how many bytes to keep, then how many to hide; 0 to hide:
 * no match. */

struct match {
    size_t keep, hide;
};

/* Whether a word can begin at `at`: not inside another, but behind an escape as in "\nsk-…". */
static bool word_begins(struct str text, size_t at)
{
    return at == 0 || !is_alnum(text.ptr[at - 1]) || (at > 1 && text.ptr[at - 2] == '\\');
}

static size_t token_len(struct str s)
{
    size_t n = 0;
    while (n < s.len && is_token(s.ptr[n]))
        n++;
    return n;
}

static struct match match_sk(struct str text, size_t at)
{
    struct str rest = str_from(text, at);
    if (rest.ptr[0] != 's')
        return (struct match){0};
    size_t len = str_starts(rest, STR("sk-")) && word_begins(text, at) ? token_len(rest) : 0;
    return len >= 8 ? (struct match){0, len} : (struct match){0};
}

/* What follows `Bearer` in a sentence rather than in a header. */
static bool is_plain_word(struct str s)
{
    static const char *const words[] = {
        "token", "tokens", "auth",   "authentication", "key", "scheme", "header", "authorization",
        "realm", "error",  "bearer", "basic",          "is",  "or",     "and",    "format"};
    while (s.len && strchr(".:,", s.ptr[s.len - 1]))
        s.len--;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_eq_nocase(s, str_of(words[i])))
            return true;
    return s.len == 0;
}

static struct match match_scheme(struct str text, size_t at)
{
    struct str rest = str_from(text, at);
    if (lower(rest.ptr[0]) != 'b')
        return (struct match){0};
    size_t n = str_starts_nocase(rest, STR("bearer"))  ? 6
               : str_starts_nocase(rest, STR("basic")) ? 5
                                                       : 0;
    if (!n || !word_begins(text, at))
        return (struct match){0};
    size_t word = n;
    while (n < rest.len && is_blank(rest.ptr[n]))
        n++;
    if (n == word && str_starts(str_from(rest, n), STR("%20")))
        n += 3;
    size_t len = n > word ? token_len(str_from(rest, n)) : 0;
    if (is_plain_word(str_upto(str_from(rest, n), len)))
        return (struct match){0};
    return (struct match){n, len};
}

/* Skips `"`, `\"` and blanks. */
static size_t skip_quotes(struct str s, size_t n)
{
    while (n < s.len && strchr("\"'\\ \t", s.ptr[n]) && s.ptr[n])
        n++;
    return n;
}

struct secret_name {
    const char *name;
    bool in_query; /* only behind ? or & */
    bool whole;    /* its value may hold blanks: up to the end of the line or the quote */
};

static const struct secret_name names[] = {
    {"api_key", false, false},      {"api-key", false, false},    {"apikey", false, false},
    {"access_token", false, false}, {"auth_token", false, false}, {"client_secret", false, false},
    {"password", false, false},     {"passwd", false, false},     {"secret_key", false, false},
    {"key", true, false},           {"token", true, false},       {"sig", true, false},
    {"authorization", false, true},
};

static size_t value_len(struct str s, bool whole)
{
    size_t n = 0;
    while (n < s.len && (whole ? (unsigned char)s.ptr[n] >= ' ' && !strchr("\"'\\", s.ptr[n])
                               : !is_value_end(s.ptr[n])))
        n++;
    return n;
}

static struct match match_named(struct str text, size_t at)
{
    struct str rest = str_from(text, at);
    if (rest.len < 4)
        return (struct match){0};
    char first = lower(rest.ptr[0]), second = lower(rest.ptr[1]);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (names[i].name[0] != first || names[i].name[1] != second)
            continue;
        struct str name = str_of(names[i].name);
        if (!str_starts_nocase(rest, name))
            continue;
        if (names[i].in_query && (at == 0 || !strchr("?&", text.ptr[at - 1])))
            continue;
        size_t n = skip_quotes(rest, name.len);
        if (n >= rest.len || (rest.ptr[n] != '=' && rest.ptr[n] != ':'))
            continue;
        n = skip_quotes(rest, n + 1);
        struct str value = str_from(rest, n);
        bool scheme =
            str_starts_nocase(value, STR("bearer")) || str_starts_nocase(value, STR("basic"));
        if (scheme || str_starts(value, STR("$")) || str_starts(value, STR("...")) ||
            str_starts(value, hidden))
            return (struct match){0};
        return (struct match){n, value_len(value, names[i].whole)};
    }
    return (struct match){0};
}

/* `//user:pass@`, `//user@` and `user:pass@`. Without a match `*none_before` says up to where none
 * begins: what was looked at holds no @, or no colon before it, and neither does any part of it. */
static struct match match_userinfo(struct str text, size_t at, size_t *none_before)
{
    bool in_url = at > 1 && text.ptr[at - 1] == '/' && text.ptr[at - 2] == '/';
    if (!in_url && at > 0 && !strchr(" \t\n\r\"'=(<,", text.ptr[at - 1]))
        return (struct match){0};
    size_t colon = 0, end = 0, n = at;
    for (; n < text.len && n - at < USERINFO_MAX; n++) {
        char c = text.ptr[n];
        if ((unsigned char)c <= ' ' || strchr("/?#\"'<>\\", c))
            break;
        if (c == ':' && !colon)
            colon = n;
        if (c == '@')
            end = n;
    }
    bool matches = end > at && (in_url || (colon > at && colon < end));
    if (matches && !str_starts(str_from(text, at), hidden))
        return (struct match){0, end - at};
    if (!matches)
        *none_before = n - at < USERINFO_MAX ? n : at + USERINFO_MAX / 2;
    return (struct match){0};
}

/* All patterns but userinfo begin with one of these: a glance settles most bytes. */
static bool begins_pattern(char c)
{
    switch (lower(c)) {
    case 'a':
    case 'b':
    case 'c':
    case 'k':
    case 'p':
    case 's':
    case 't':
        return true;
    default:
        return false;
    }
}

static struct match match_at(struct str text, size_t at, size_t *no_userinfo_before)
{
    struct match m = {0};
    if (begins_pattern(text.ptr[at])) {
        m = match_sk(text, at);
        if (!m.hide)
            m = match_scheme(text, at);
        if (!m.hide)
            m = match_named(text, at);
    }
    return m.hide || at < *no_userinfo_before ? m : match_userinfo(text, at, no_userinfo_before);
}

static void hide_patterns(struct str text, struct buf *out)
{
    size_t no_userinfo_before = str_find(text, '@') < text.len ? 0 : text.len;
    size_t from = 0;
    for (size_t i = 0; i < text.len;) {
        struct match m = match_at(text, i, &no_userinfo_before);
        if (!m.hide) {
            i++;
            continue;
        }
        buf_add(out, text.ptr + from, i + m.keep - from);
        buf_add_str(out, hidden);
        from = i += m.keep + m.hide;
    }
    buf_add(out, text.ptr + from, text.len - from);
}

bool scrub_text(const struct scrub *s, struct str text, struct buf *out)
{
    if (!text.len)
        return !out->over;
    if (!s || !s->secrets.len) {
        hide_patterns(text, out);
        return !out->over;
    }
    struct buf known = {.max = SIZE_MAX / 2};
    hide_known(s, text, &known);
    hide_patterns(buf_str(&known), out);
    buf_done(&known);
    return !out->over;
}

/* The length of the JSON string at the head of `text`, quotes included. */
static size_t json_string_len(struct str text)
{
    size_t n = 1;
    while (n < text.len && text.ptr[n] != '"')
        n += text.ptr[n] == '\\' ? 2 : 1;
    return n < text.len ? n + 1 : text.len;
}

bool scrub_json(const struct scrub *s, struct str text, struct buf *out)
{
    while (text.len) {
        size_t outside = str_find(text, '"');
        buf_add_str(out, str_upto(text, outside));
        text = str_from(text, outside);
        if (!text.len)
            break;
        size_t len = json_string_len(text);
        struct str after = str_from(text, len);
        if (after.len && after.ptr[0] == ':')
            buf_add_str(out, str_upto(text, len));
        else
            scrub_text(s, str_upto(text, len), out);
        text = after;
    }
    return !out->over;
}
