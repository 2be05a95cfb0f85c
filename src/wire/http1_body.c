#include "wire/http1_grammar.h"

/* Bodies by RFC 9112 §6.3 and §7.1. Extensions and trailers are read, checked, and dropped. */

enum {
    LINE_MAX_BYTES = 4 << 10,     /* a chunk's size line */
    TRAILER_MAX_BYTES = 16 << 10, /* all trailer lines together */
    SIZE_DIGITS_MAX = 15,         /* hexadecimal: below 2^60 */
};

enum {
    STATE_SIZE_FIRST, /* at the first digit of a chunk size */
    STATE_SIZE,
    STATE_BLANK, /* blanks before the semicolon of an extension */
    STATE_EXTENSION,
    STATE_SIZE_LF,
    STATE_DATA, /* also LENGTH and UNTIL_EOF */
    STATE_DATA_CR,
    STATE_DATA_LF,
    STATE_TRAILER_FIRST, /* at the start of a trailer line, or of the last empty one */
    STATE_TRAILER_NAME,
    STATE_TRAILER_VALUE,
    STATE_TRAILER_LF,
    STATE_LAST_LF,
    STATE_DONE,
    STATE_BAD,
};

static bool has_no_body(const struct http1_head *h, bool to_head_request)
{
    return to_head_request || h->status / 100 == 1 || h->status == 204 || h->status == 304;
}

static enum http1_framing framing_of(const struct http1_head *h, bool to_head_request)
{
    if (h->response && has_no_body(h, to_head_request))
        return HTTP1_NO_BODY;
    if (h->chunked)
        return HTTP1_CHUNKED;
    if (h->content_length >= 0)
        return HTTP1_LENGTH;
    return h->response ? HTTP1_UNTIL_EOF : HTTP1_NO_BODY;
}

void http1_body_init(struct http1_body *b, const struct http1_head *h, bool to_head_request)
{
    *b = (struct http1_body){.framing = framing_of(h, to_head_request),
                             .limit = h->limits.body_bytes};
    if (b->framing == HTTP1_NO_BODY || (b->framing == HTTP1_LENGTH && h->content_length == 0))
        b->state = STATE_DONE;
    else
        b->state = b->framing == HTTP1_CHUNKED ? STATE_SIZE_FIRST : STATE_DATA;
    if (b->framing == HTTP1_LENGTH)
        b->left = h->content_length;
    if (b->framing == HTTP1_UNTIL_EOF)
        b->left = b->limit;
}

bool http1_body_eof(const struct http1_body *b)
{
    return b->state == STATE_DONE || (b->framing == HTTP1_UNTIL_EOF && b->state != STATE_BAD);
}

static enum http1_step refuse(struct http1_body *b, enum http1_bad bad)
{
    b->bad = bad;
    b->state = STATE_BAD;
    return HTTP1_BAD;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    char low = (char)(c | 0x20);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

static enum http1_step take_digit(struct http1_body *b, int digit)
{
    if (digit < 0 || b->line_bytes > SIZE_DIGITS_MAX)
        return refuse(b, HTTP1_BAD_FRAMING);
    b->left = b->left * 16 + digit;
    b->state = STATE_SIZE;
    return b->left > b->limit - b->total ? refuse(b, HTTP1_BAD_BODY_LARGE) : HTTP1_MORE;
}

/* Behind the digits of a size line: an extension, or the line's end. */
static enum http1_step take_size_end(struct http1_body *b, char c)
{
    if (c == '\r' && b->state != STATE_BLANK)
        b->state = STATE_SIZE_LF;
    else if (c == ';')
        b->state = STATE_EXTENSION;
    else if ((c == ' ' || c == '\t') && b->state != STATE_EXTENSION)
        b->state = STATE_BLANK;
    else if (b->state != STATE_EXTENSION || !http1_is_value_byte((unsigned char)c))
        return refuse(b, HTTP1_BAD_FRAMING);
    return HTTP1_MORE;
}

static enum http1_step take_trailer(struct http1_body *b, char c)
{
    bool token = http1_is_token_byte((unsigned char)c);
    if (b->state == STATE_TRAILER_FIRST && c == '\r')
        b->state = STATE_LAST_LF;
    else if (b->state != STATE_TRAILER_VALUE && token)
        b->state = STATE_TRAILER_NAME;
    else if (b->state == STATE_TRAILER_NAME && c == ':')
        b->state = STATE_TRAILER_VALUE;
    else if (b->state == STATE_TRAILER_VALUE && c == '\r')
        b->state = STATE_TRAILER_LF;
    else if (b->state != STATE_TRAILER_VALUE || !http1_is_value_byte((unsigned char)c))
        return refuse(b, HTTP1_BAD_SYNTAX);
    return HTTP1_MORE;
}

/* The one byte that may come here, and the state after it. */
static enum http1_step take_exactly(struct http1_body *b, char c, char wanted, uint8_t next)
{
    if (c != wanted)
        return refuse(b, HTTP1_BAD_FRAMING);
    if (b->state == STATE_SIZE_LF || b->state == STATE_DATA_LF)
        b->line_bytes = 0;
    b->state = next;
    return next == STATE_DONE ? HTTP1_DONE : HTTP1_MORE;
}

/* Every byte that is not data. */
static enum http1_step take_byte(struct http1_body *b, char c)
{
    bool in_trailer = b->state >= STATE_TRAILER_FIRST;
    if (++b->line_bytes > (in_trailer ? TRAILER_MAX_BYTES : LINE_MAX_BYTES))
        return refuse(b, HTTP1_BAD_TRAILER_LARGE);
    switch (b->state) {
    case STATE_SIZE_FIRST:
        return take_digit(b, hex_value(c));
    case STATE_SIZE:
        return hex_value(c) >= 0 ? take_digit(b, hex_value(c)) : take_size_end(b, c);
    case STATE_BLANK:
    case STATE_EXTENSION:
        return take_size_end(b, c);
    case STATE_SIZE_LF:
        return take_exactly(b, c, '\n', b->left ? STATE_DATA : STATE_TRAILER_FIRST);
    case STATE_DATA_CR:
        return take_exactly(b, c, '\r', STATE_DATA_LF);
    case STATE_DATA_LF:
        return take_exactly(b, c, '\n', STATE_SIZE_FIRST);
    case STATE_TRAILER_LF:
        return take_exactly(b, c, '\n', STATE_TRAILER_FIRST);
    case STATE_LAST_LF:
        return take_exactly(b, c, '\n', STATE_DONE);
    default:
        return take_trailer(b, c);
    }
}

static enum http1_step take_data(struct http1_body *b, const char *bytes, size_t len, size_t *used,
                                 struct str *data)
{
    if (b->left == 0) /* UNTIL_EOF over its limit */
        return refuse(b, HTTP1_BAD_BODY_LARGE);
    size_t take = (int64_t)len < b->left ? len : (size_t)b->left;
    *data = str_make(bytes, take);
    *used += take;
    b->total += (int64_t)take;
    b->left -= (int64_t)take;
    if (b->left == 0 && b->framing == HTTP1_LENGTH)
        b->state = STATE_DONE;
    if (b->left == 0 && b->framing == HTTP1_CHUNKED) {
        b->state = STATE_DATA_CR;
        b->line_bytes = 0;
    }
    return HTTP1_DATA;
}

enum http1_step http1_body_feed(struct http1_body *b, const char *bytes, size_t len, size_t *used,
                                struct str *data)
{
    *used = 0;
    *data = (struct str){0};
    if (b->state == STATE_DONE || b->state == STATE_BAD)
        return b->state == STATE_DONE ? HTTP1_DONE : HTTP1_BAD;
    while (*used < len) {
        if (b->state == STATE_DATA)
            return take_data(b, bytes + *used, len - *used, used, data);
        enum http1_step step = take_byte(b, bytes[(*used)++]);
        if (step != HTTP1_MORE)
            return step;
    }
    return HTTP1_MORE;
}

void http1_add_chunk(struct buf *out, struct str data)
{
    if (data.len == 0)
        return;
    char size[20];
    size_t at = sizeof(size);
    size[--at] = '\n';
    size[--at] = '\r';
    for (size_t n = data.len; n; n >>= 4)
        size[--at] = "0123456789abcdef"[n & 15];
    buf_add(out, size + at, sizeof(size) - at);
    buf_add_str(out, data);
    buf_add(out, "\r\n", 2);
}

void http1_add_last_chunk(struct buf *out)
{
    buf_add_text(out, "0\r\n\r\n");
}
