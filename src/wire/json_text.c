#include "wire/json_text.h"

#include "base/utf8.h"

enum { COUNT_DIGITS = 16 }; /* 2^53 has as many */
static const int64_t COUNT_MAX = (int64_t)1 << 53;

/* What a string holds next: a character that stood there as such, or the unit of an escape. */
struct unit {
    uint32_t code;
    bool escape;
};

static uint32_t hex4(const char *p)
{
    uint32_t n = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t c = (uint8_t)p[i];
        n = n << 4 | (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return n;
}

/* Takes the next unit off a valid, non-empty raw string; in one without escapes a backslash is one.
 */
static struct unit next_unit(struct str *raw, bool escaped)
{
    static const char plain[] = {
        ['b'] = '\b', ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r',
        ['t'] = '\t', ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',
    };
    struct unit u = {0};
    size_t len = 2;
    if (!escaped || raw->ptr[0] != '\\') {
        u.code = utf8_decode(*raw, &len);
    } else if (raw->ptr[1] == 'u') {
        u = (struct unit){hex4(raw->ptr + 2), true};
        len = 6;
    } else {
        u.code = (uint8_t)plain[(uint8_t)raw->ptr[1]];
    }
    *raw = str_make(raw->ptr + len, raw->len - len);
    return u;
}

static bool is_ascii(struct str s)
{
    uint64_t word;
    while (s.len >= sizeof(word)) {
        memcpy(&word, s.ptr, sizeof(word));
        if (word & 0x8080808080808080u)
            return false;
        s = str_make(s.ptr + sizeof(word), s.len - sizeof(word));
    }
    for (; s.len; s = str_make(s.ptr + 1, s.len - 1))
        if ((uint8_t)s.ptr[0] >= 0x80)
            return false;
    return true;
}

size_t json_units(const struct json_value *string)
{
    if (string->type != JSON_TYPE_STRING)
        return 0;
    struct str raw = json_raw(string);
    if (!string->escaped && is_ascii(raw))
        return raw.len;
    size_t units = 0;
    while (raw.len)
        units += next_unit(&raw, string->escaped).code > 0xFFFF ? 2 : 1;
    return units;
}

/* Compares from the start; `*rest` is what follows the text. */
static bool begins(const struct json_value *string, struct str text, struct str *rest)
{
    if (string->type != JSON_TYPE_STRING)
        return false;
    *rest = json_raw(string);
    if (!string->escaped) {
        if (!str_starts(*rest, text))
            return false;
        *rest = str_make(rest->ptr + text.len, rest->len - text.len);
        return true;
    }
    for (size_t i = 0; i < text.len; i++)
        if (rest->len == 0 || next_unit(rest, true).code != (uint8_t)text.ptr[i])
            return false;
    return true;
}

bool json_is(const struct json_value *string, struct str text)
{
    struct str rest;
    return begins(string, text, &rest) && rest.len == 0;
}

bool json_starts(const struct json_value *string, struct str text)
{
    struct str rest;
    return begins(string, text, &rest);
}

bool json_ends(const struct json_value *string, struct str text)
{
    if (string->type != JSON_TYPE_STRING)
        return false;
    if (!string->escaped)
        return str_ends(json_raw(string), text);
    struct json_value tail = *string;
    for (struct str raw = json_raw(string);; next_unit(&raw, string->escaped)) {
        tail.ptr = raw.ptr;
        tail.len = (uint32_t)raw.len;
        if (json_is(&tail, text))
            return true;
        if (raw.len == 0)
            return false;
    }
}

bool json_is_digits(const struct json_value *string)
{
    if (!json_nonempty(string))
        return false;
    struct str raw = json_raw(string);
    while (raw.len) {
        uint32_t code = next_unit(&raw, string->escaped).code;
        if (code < '0' || code > '9')
            return false;
    }
    return true;
}

static bool is_high(uint32_t code)
{
    return code >= 0xD800 && code <= 0xDBFF;
}

static bool is_low(uint32_t code)
{
    return code >= 0xDC00 && code <= 0xDFFF;
}

static void add_unit(struct json_text *t, struct unit u, struct buf *out)
{
    if (t->high && u.escape && is_low(u.code)) {
        utf8_add(out, 0x10000 + ((t->high - 0xD800u) << 10) + (u.code - 0xDC00));
        t->high = 0;
        return;
    }
    json_text_end(t, out);
    if (u.escape && is_high(u.code))
        t->high = (uint16_t)u.code;
    else
        utf8_add(out, u.code); /* a lone low surrogate comes out as U+FFFD */
}

void json_text_add(struct json_text *t, const struct json_value *string, struct buf *out)
{
    if (!json_nonempty(string))
        return;
    struct str raw = json_raw(string);
    if (!string->escaped && !t->high && utf8_valid(raw)) {
        buf_add_str(out, raw);
        return;
    }
    while (raw.len)
        add_unit(t, next_unit(&raw, string->escaped), out);
}

void json_text_end(struct json_text *t, struct buf *out)
{
    if (t->high)
        utf8_add(out, UTF8_REPLACEMENT);
    t->high = 0;
}

void json_decode(const struct json_value *string, struct buf *out)
{
    struct json_text t = {0};
    json_text_add(&t, string, out);
    json_text_end(&t, out);
}

void json_add_bytes(struct str bytes, struct buf *out)
{
    size_t len;
    if (utf8_valid(bytes)) {
        buf_add_str(out, bytes);
        return;
    }
    for (; bytes.len; bytes = str_make(bytes.ptr + len, bytes.len - len))
        utf8_add(out, utf8_decode(bytes, &len));
}

/* A number taken apart: its significant digits, and where the point stands among them. */
struct decimal {
    char digits[COUNT_DIGITS];
    size_t len;    /* significant digits, without zeros at either end */
    int64_t point; /* value = 0.digits × 10^point */
    bool negative, too_long;
};

static int64_t exponent_of(struct str s)
{
    enum { FAR = 1 << 30 }; /* beyond any text's length: more changes nothing */
    int64_t n = 0;
    bool negative = s.len && s.ptr[0] == '-';
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] >= '0' && s.ptr[i] <= '9' && n < FAR)
            n = n * 10 + (s.ptr[i] - '0');
    return negative ? -n : n;
}

static struct decimal take_apart(struct str s)
{
    struct decimal d = {0};
    d.negative = s.len && s.ptr[0] == '-';
    size_t i = d.negative, zeros = 0;
    bool fraction = false;
    for (; i < s.len && s.ptr[i] != 'e' && s.ptr[i] != 'E'; i++) {
        if (s.ptr[i] == '.') {
            fraction = true;
            continue;
        }
        bool leading = s.ptr[i] == '0' && d.len == 0;
        d.point += fraction ? -leading : !leading;
        if (leading)
            continue;
        if (s.ptr[i] == '0') {
            zeros++;
            continue;
        }
        if (d.len + zeros >= COUNT_DIGITS) {
            d.too_long = true;
            continue;
        }
        memset(d.digits + d.len, '0', zeros);
        d.len += zeros;
        zeros = 0;
        d.digits[d.len++] = s.ptr[i];
    }
    d.point += exponent_of(str_from(s, i + 1));
    return d;
}

int64_t json_count(const struct json_value *number)
{
    if (number->type != JSON_TYPE_NUMBER)
        return -1;
    struct decimal d = take_apart(json_raw(number));
    if (d.len == 0)
        return 0;
    if (d.negative || d.too_long || d.point > COUNT_DIGITS || d.point < (int64_t)d.len)
        return -1;
    int64_t n = 0;
    for (int64_t i = 0; i < d.point; i++)
        n = n * 10 + (i < (int64_t)d.len ? d.digits[i] - '0' : 0);
    return n <= COUNT_MAX ? n : -1;
}

bool json_nonzero(const struct json_value *number)
{
    return number->type == JSON_TYPE_NUMBER && take_apart(json_raw(number)).len > 0;
}
