#include "wire/http1_grammar.h"

/* What a head says about where its body ends, refused where two readers could differ
 * (RFC 9112 §6.3, §11.2). */

enum { LENGTH_DIGITS_MAX = 18 };

static size_t count_fields(const struct http1_head *h, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < h->field_count; i++)
        n += str_eq_nocase(h->fields[i].name, str_of(name));
    return n;
}

static bool read_length(struct str s, int64_t *out)
{
    int64_t n = 0;
    if (s.len == 0 || s.len > LENGTH_DIGITS_MAX)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
        n = n * 10 + (s.ptr[i] - '0');
    }
    *out = n;
    return true;
}

/* The only coding is `chunked`, once, last. An unknown one is a fault of its own, unless the list
 * is faulty anyway. */
static enum http1_bad settle_codings(struct http1_head *h)
{
    bool unknown = false;
    for (size_t i = 0; i < h->field_count; i++) {
        if (!str_eq_nocase(h->fields[i].name, STR("transfer-encoding")))
            continue;
        struct str rest = h->fields[i].value;
        while (rest.ptr) {
            struct str coding = str_trim(str_split(&rest, ','));
            if (coding.len == 0 || h->chunked)
                return HTTP1_BAD_FRAMING;
            h->chunked = str_eq_nocase(coding, STR("chunked"));
            unknown |= !h->chunked;
        }
    }
    return unknown ? HTTP1_BAD_CODING : HTTP1_OK;
}

static enum http1_bad settle_body(struct http1_head *h)
{
    size_t codings = count_fields(h, "transfer-encoding");
    size_t lengths = count_fields(h, "content-length");
    if (codings && (lengths || h->minor == 0))
        return HTTP1_BAD_FRAMING;
    if (codings)
        return settle_codings(h);
    if (lengths > 1)
        return HTTP1_BAD_FRAMING;
    if (lengths && !read_length(http1_get(h, "content-length"), &h->content_length))
        return HTTP1_BAD_FRAMING;
    return h->content_length > h->limits.body_bytes ? HTTP1_BAD_BODY_LARGE : HTTP1_OK;
}

static bool host_byte(unsigned char c, bool bracketed)
{
    bool digit = c >= '0' && c <= '9';
    unsigned char low = c | 0x20;
    if (bracketed)
        return digit || (low >= 'a' && low <= 'f') || c == ':' || c == '.';
    return digit || (low >= 'a' && low <= 'z') || (c && strchr("-._~%!$&'()*+,;=", c));
}

/* uri-host [":" port] of RFC 9110 §7.2; an empty host names nothing weir could serve. */
static bool host_valid(struct str s)
{
    bool bracketed = s.len && s.ptr[0] == '[';
    size_t end = bracketed ? str_find(s, ']') : str_find(s, ':');
    if (bracketed && end == s.len)
        return false;
    struct str name = str_from(str_upto(s, end), bracketed ? 1 : 0);
    struct str rest = str_from(s, bracketed ? end + 1 : end);
    for (size_t i = 0; i < name.len; i++)
        if (!host_byte((unsigned char)name.ptr[i], bracketed))
            return false;
    if (name.len == 0 || (rest.len && rest.ptr[0] != ':') || rest.len > 6)
        return false;
    for (size_t i = 1; i < rest.len; i++)
        if (rest.ptr[i] < '0' || rest.ptr[i] > '9')
            return false;
    return true;
}

static bool hosts_valid(const struct http1_head *h)
{
    size_t hosts = count_fields(h, "host");
    if (hosts == 0)
        return h->minor == 0;
    return hosts == 1 && host_valid(http1_get(h, "host"));
}

enum http1_bad http1_settle_framing(struct http1_head *h)
{
    h->keep_alive = !http1_has_token(h, "connection", "close") &&
                    (h->minor > 0 || http1_has_token(h, "connection", "keep-alive"));
    if (!h->response && !hosts_valid(h))
        return HTTP1_BAD_HOST;
    return settle_body(h);
}
