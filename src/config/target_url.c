#include <arpa/inet.h>

#include "base/fmt.h"
#include "config/target.h"
#include "wire/url.h"

static const char *const endpoints[] = {"/chat/completions", "/completions", "/responses",
                                        "/messages", "/api/chat"};

/* The length of the known endpoint at the end of `path`; 0 if there is none. */
static size_t endpoint_len(struct str path)
{
    for (size_t i = 0; i < ARRAY_LEN(endpoints); i++)
        if (str_ends(path, str_of(endpoints[i])))
            return strlen(endpoints[i]);
    return 0;
}

static bool is_local_v4(uint32_t a)
{
    return a >> 24 == 127 || a >> 24 == 10 || a >> 20 == 0xAC1 || a >> 16 == 0xC0A8 ||
           a >> 16 == 0xA9FE || a == 0;
}

static bool is_local_v6(const struct in6_addr *a)
{
    const uint8_t *b = a->s6_addr;
    if (IN6_IS_ADDR_V4MAPPED(a))
        return is_local_v4((uint32_t)b[12] << 24 | (uint32_t)b[13] << 16 | (uint32_t)b[14] << 8 |
                           b[15]);
    return IN6_IS_ADDR_LOOPBACK(a) || IN6_IS_ADDR_UNSPECIFIED(a) || IN6_IS_ADDR_LINKLOCAL(a) ||
           (b[0] & 0xFE) == 0xFC;
}

/* A name that no public DNS holds. Numbers are addresses in disguise (2130706433, 0x7f000001). */
static bool is_local_name(struct str host)
{
    static const char *const suffixes[] = {".localhost", ".local", ".internal", ".home.arpa"};
    if (str_find(host, '.') == host.len)
        return host.len && !(host.ptr[0] >= '0' && host.ptr[0] <= '9');
    for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
        size_t len = strlen(suffixes[i]);
        if (host.len > len && str_eq_nocase(str_from(host, host.len - len), str_of(suffixes[i])))
            return true;
    }
    return false;
}

bool target_is_local(struct str host)
{
    char text[INET6_ADDRSTRLEN];
    struct in_addr v4;
    struct in6_addr v6;
    if (host.len && host.ptr[host.len - 1] == '.')
        host.len--;
    if (str_copy(text, sizeof(text), str_upto(host, str_find(host, '%')))) {
        if (inet_pton(AF_INET, text, &v4) == 1)
            return is_local_v4(ntohl(v4.s_addr));
        if (inet_pton(AF_INET6, text, &v6) == 1)
            return is_local_v6(&v6);
    }
    return str_find(host, ':') == host.len && is_local_name(host);
}

static bool bad_url(struct str typed, enum text_id why, struct err *err)
{
    err_set(err, EXIT_USAGE, "bad_url", TEXT_CONFIG_BAD_URL);
    err_evidence_raw(err, typed);
    err_why(err, why, fmt_int(TARGET_URL_MAX).text);
    err_fix(err, why == TEXT_CONFIG_BAD_URL_USER ? TEXT_CONFIG_BAD_URL_USER_FIX
                                                 : TEXT_CONFIG_BAD_URL_FIX);
    return false;
}

/* Adds http:// or https:// where none was typed. */
static bool with_scheme(struct str typed, struct buf *out)
{
    size_t colon = str_find(typed, ':');
    if (str_starts(str_from(typed, colon), STR("://")))
        return buf_add_str(out, typed);
    struct buf guess = {0};
    struct url u;
    buf_add_text(&guess, "http://");
    buf_add_str(&guess, typed);
    bool local = url_parse(buf_str(&guess), &u) && target_is_local(u.host);
    buf_done(&guess);
    buf_add_text(out, local ? "http://" : "https://");
    return buf_add_str(out, typed);
}

static bool is_spoken(struct str url)
{
    return str_starts_nocase(url, STR("http://")) || str_starts_nocase(url, STR("https://"));
}

static void add_origin(struct buf *out, const struct url *u)
{
    buf_add_text(out, str_eq_nocase(u->scheme, STR("http")) ? "http://" : "https://");
    buf_add_text(out, u->ipv6 ? "[" : "");
    buf_add_str(out, u->host);
    buf_add_text(out, u->ipv6 ? "]" : "");
    if (u->port_stated)
        buf_addf(out, ":%d", u->port);
}

static void add_path(struct buf *out, struct str path, bool exact)
{
    struct str bare = path;
    while (bare.len && bare.ptr[bare.len - 1] == '/')
        bare.len--;
    if (exact) {
        buf_add_str(out, path);
    } else if (endpoint_len(bare)) {
        buf_add_str(out, bare);
    } else {
        buf_add_str(out, bare.len ? bare : STR("/v1"));
        buf_add_text(out, "/chat/completions");
    }
}

bool target_url(struct str typed, struct buf *url, struct err *err)
{
    struct str text = str_trim(typed);
    if (text.len > TARGET_URL_MAX)
        return bad_url(str_upto(text, 80), TEXT_CONFIG_BAD_URL_LONG, err);
    bool exact = text.len && text.ptr[text.len - 1] == '#';
    if (exact)
        text.len--;
    if (str_find(text, '#') != text.len)
        return bad_url(typed, TEXT_CONFIG_BAD_URL_FRAGMENT, err);
    struct buf whole = {0};
    struct url u;
    with_scheme(text, &whole);
    bool ok = url_parse(buf_str(&whole), &u);
    if (!ok)
        bad_url(typed,
                is_spoken(buf_str(&whole)) ? TEXT_CONFIG_BAD_URL_SHAPE : TEXT_CONFIG_BAD_URL_SCHEME,
                err);
    else if (u.userinfo.ptr)
        ok = bad_url(typed, TEXT_CONFIG_BAD_URL_USER, err);
    if (ok) {
        add_origin(url, &u);
        add_path(url, u.path, exact);
        if (u.query.ptr) {
            buf_add_byte(url, '?');
            buf_add_str(url, u.query);
        }
    }
    buf_done(&whole);
    return ok;
}

void target_base(struct str url, struct buf *base)
{
    struct str bare = str_upto(url, str_find(url, '?'));
    bare.len -= endpoint_len(bare);
    while (bare.len && bare.ptr[bare.len - 1] == '/')
        bare.len--;
    buf_add_str(base, bare);
}
