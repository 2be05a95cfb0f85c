#include <assert.h>

#include "base/mem.h"
#include "wire/http1_grammar.h"

/*
 * A head is kept whole in `raw` and judged line by line as its lines end, so that a bad one is
 * refused as soon as that is certain, at the same byte for every split. Views are made at the end,
 * when the buffer moves no more.
 */

enum { STATE_LINE, STATE_LF, STATE_DONE, STATE_BAD };
enum { METHOD_MAX = 32, VERSION_BYTES = 8 /* HTTP/1.1 */ };

void http1_head_init(struct http1_head *h, bool response, const struct http1_limits *limits)
{
    *h = (struct http1_head){.response = response, .limits = *limits, .content_length = -1};
    buf_init(&h->raw, limits->head_bytes);
}

void http1_head_reset(struct http1_head *h)
{
    struct http1_head old = *h;
    http1_head_init(h, old.response, &old.limits);
    h->raw = old.raw;
    buf_clear(&h->raw);
    h->fields = old.fields;
    h->field_cap = old.field_cap;
}

void http1_head_done(struct http1_head *h)
{
    struct http1_limits limits = h->limits;
    buf_done(&h->raw);
    mem_free(h->fields);
    http1_head_init(h, h->response, &limits);
}

/* HTTP-version of RFC 9112 §2.3; a later minor version is read as 1.1. */
static enum http1_bad read_version(struct str s, int *minor)
{
    if (s.len != VERSION_BYTES || !str_starts(s, STR("HTTP/")) || s.ptr[6] != '.')
        return HTTP1_BAD_SYNTAX;
    char major = s.ptr[5], least = s.ptr[7];
    if (major < '0' || major > '9' || least < '0' || least > '9')
        return HTTP1_BAD_SYNTAX;
    if (major != '1')
        return HTTP1_BAD_VERSION;
    *minor = least == '0' ? 0 : 1;
    return HTTP1_OK;
}

/* Origin-form, or `*` for OPTIONS: weir's servers are no proxies. */
static bool target_valid(struct str method, struct str target)
{
    for (size_t i = 0; i < target.len; i++) {
        unsigned char c = (unsigned char)target.ptr[i];
        if (c <= 0x20 || c >= 0x7F || c == '#')
            return false;
    }
    if (str_eq(target, STR("*")))
        return str_eq(method, STR("OPTIONS"));
    return target.len > 0 && target.ptr[0] == '/';
}

static enum http1_bad read_request_line(struct http1_head *h, struct str line)
{
    struct str rest = line;
    h->method = str_split(&rest, ' ');
    if (h->method.len > METHOD_MAX || !http1_is_token(h->method) || !rest.ptr)
        return HTTP1_BAD_SYNTAX;
    h->target = str_split(&rest, ' ');
    if (h->target.len > h->limits.target_bytes)
        return HTTP1_BAD_TARGET_LONG;
    if (!rest.ptr)
        return HTTP1_BAD_SYNTAX;
    enum http1_bad bad = read_version(rest, &h->minor);
    if (bad)
        return bad;
    return target_valid(h->method, h->target) ? HTTP1_OK : HTTP1_BAD_SYNTAX;
}

/* The blank before an empty reason may be missing: nothing else can be meant. */
static enum http1_bad read_status_line(struct http1_head *h, struct str line)
{
    struct str rest = line;
    enum http1_bad bad = read_version(str_split(&rest, ' '), &h->minor);
    if (bad)
        return bad;
    struct str code = rest.ptr ? str_split(&rest, ' ') : rest;
    if (code.len != 3)
        return HTTP1_BAD_SYNTAX;
    h->status = 0;
    for (size_t i = 0; i < 3; i++) {
        if (code.ptr[i] < '0' || code.ptr[i] > '9')
            return HTTP1_BAD_SYNTAX;
        h->status = h->status * 10 + (code.ptr[i] - '0');
    }
    h->reason = rest.ptr ? rest : STR("");
    for (size_t i = 0; i < h->reason.len; i++)
        if (!http1_is_value_byte((unsigned char)h->reason.ptr[i]))
            return HTTP1_BAD_SYNTAX;
    return h->status >= 100 ? HTTP1_OK : HTTP1_BAD_SYNTAX;
}

static enum http1_bad read_first_line(struct http1_head *h, struct str line)
{
    return h->response ? read_status_line(h, line) : read_request_line(h, line);
}

/* All lines were found good as they came. */
static void make_views(struct http1_head *h)
{
    struct str rest = buf_str(&h->raw), line = str_split(&rest, '\n');
    enum http1_bad bad = read_first_line(h, str_upto(line, line.len - 1));
    assert(!bad);
    if (h->field_cap < h->field_count) {
        h->field_cap = h->field_count;
        h->fields = mem_realloc(h->fields, h->field_cap, sizeof(*h->fields));
    }
    for (size_t i = 0; i < h->field_count; i++) {
        line = str_split(&rest, '\n');
        bool good = http1_split_field(str_upto(line, line.len - 1), &h->fields[i]);
        assert(good);
    }
}

static enum http1_step refuse(struct http1_head *h, enum http1_bad bad)
{
    h->bad = bad;
    h->field_count = 0;
    h->state = STATE_BAD;
    return HTTP1_BAD;
}

static enum http1_step end_of_head(struct http1_head *h)
{
    make_views(h);
    enum http1_bad bad = http1_settle_framing(h);
    if (bad)
        return refuse(h, bad);
    h->state = STATE_DONE;
    return HTTP1_DONE;
}

/* A line has ended; the CRLF is the last thing in raw. */
static enum http1_step end_of_line(struct http1_head *h)
{
    struct str line = str_from(str_upto(buf_str(&h->raw), h->raw.len - 2), h->line_start);
    bool first = h->line_start == 0;
    h->state = STATE_LINE;
    if (first && line.len == 0) {
        /* RFC 9112 §2.2: one empty line before a request is skipped. */
        if (h->response || h->skipped_blank)
            return refuse(h, HTTP1_BAD_SYNTAX);
        h->skipped_blank = true;
        buf_clear(&h->raw);
        return HTTP1_MORE;
    }
    h->line_start = (uint32_t)h->raw.len;
    if (first) {
        enum http1_bad bad = read_first_line(h, line);
        return bad ? refuse(h, bad) : HTTP1_MORE;
    }
    if (line.len == 0)
        return end_of_head(h);
    struct http1_field field;
    if (!http1_split_field(line, &field))
        return refuse(h, HTTP1_BAD_SYNTAX);
    if (h->field_count == h->limits.fields)
        return refuse(h, HTTP1_BAD_HEAD_LARGE);
    h->field_count++;
    return HTTP1_MORE;
}

static enum http1_step take_byte(struct http1_head *h, char c)
{
    bool wants_lf = h->state == STATE_LF;
    if (wants_lf != (c == '\n'))
        return refuse(h, HTTP1_BAD_SYNTAX);
    if (c != '\r' && c != '\n' && !http1_is_value_byte((unsigned char)c))
        return refuse(h, HTTP1_BAD_SYNTAX);
    if (!h->response && h->line_start == 0 &&
        h->raw.len > h->limits.target_bytes + METHOD_MAX + VERSION_BYTES + 2)
        return refuse(h, HTTP1_BAD_TARGET_LONG);
    if (!buf_add_byte(&h->raw, c))
        return refuse(h, HTTP1_BAD_HEAD_LARGE);
    if (c == '\r')
        h->state = STATE_LF;
    return c == '\n' ? end_of_line(h) : HTTP1_MORE;
}

enum http1_step http1_head_feed(struct http1_head *h, const char *bytes, size_t len, size_t *used)
{
    *used = 0;
    if (h->state == STATE_DONE || h->state == STATE_BAD)
        return h->state == STATE_DONE ? HTTP1_DONE : HTTP1_BAD;
    while (*used < len) {
        enum http1_step step = take_byte(h, bytes[(*used)++]);
        if (step != HTTP1_MORE)
            return step;
    }
    return HTTP1_MORE;
}
