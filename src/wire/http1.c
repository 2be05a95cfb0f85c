#include "wire/http1_grammar.h"

const struct http1_limits http1_limits_request = {
    .head_bytes = 64 << 10,
    .target_bytes = 8 << 10,
    .fields = 100,
    .body_bytes = 32 << 20,
};
/* Gateways send long cookies and policies; an answer's length is the timeouts' business. */
const struct http1_limits http1_limits_response = {
    .head_bytes = 256 << 10,
    .target_bytes = 0,
    .fields = 256,
    .body_bytes = INT64_MAX,
};

bool http1_is_token_byte(unsigned char c)
{
    static const bool token[256] = {
        ['!'] = 1, ['#'] = 1, ['$'] = 1, ['%'] = 1,         ['&'] = 1,         ['\''] = 1,
        ['*'] = 1, ['+'] = 1, ['-'] = 1, ['.'] = 1,         ['^'] = 1,         ['_'] = 1,
        ['`'] = 1, ['|'] = 1, ['~'] = 1, ['0' ... '9'] = 1, ['A' ... 'Z'] = 1, ['a' ... 'z'] = 1,
    };
    return token[c];
}

bool http1_is_value_byte(unsigned char c)
{
    return (c >= 0x20 && c != 0x7F) || c == '\t';
}

bool http1_is_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!http1_is_token_byte((unsigned char)s.ptr[i]))
            return false;
    return s.len > 0;
}

static bool all_value_bytes(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!http1_is_value_byte((unsigned char)s.ptr[i]))
            return false;
    return true;
}

bool http1_field_valid(struct str name, struct str value)
{
    return http1_is_token(name) && all_value_bytes(value);
}

bool http1_split_field(struct str line, struct http1_field *out)
{
    size_t colon = str_find(line, ':');
    if (colon == line.len)
        return false;
    struct str name = str_upto(line, colon), value = str_trim(str_from(line, colon + 1));
    if (!http1_field_valid(name, value))
        return false;
    *out = (struct http1_field){name, value};
    return true;
}

struct str http1_get(const struct http1_head *h, const char *name)
{
    for (size_t i = 0; i < h->field_count; i++)
        if (str_eq_nocase(h->fields[i].name, str_of(name)))
            return h->fields[i].value;
    return (struct str){0};
}

bool http1_has_token(const struct http1_head *h, const char *name, const char *token)
{
    for (size_t i = 0; i < h->field_count; i++) {
        if (!str_eq_nocase(h->fields[i].name, str_of(name)))
            continue;
        struct str rest = h->fields[i].value;
        while (rest.ptr)
            if (str_eq_nocase(str_trim(str_split(&rest, ',')), str_of(token)))
                return true;
    }
    return false;
}

static const struct {
    const char *name;
    int status;
} bads[] = {
    [HTTP1_OK] = {"ok", 200},
    [HTTP1_BAD_SYNTAX] = {"syntax", 400},
    [HTTP1_BAD_VERSION] = {"version", 505},
    [HTTP1_BAD_FRAMING] = {"framing", 400},
    [HTTP1_BAD_HOST] = {"host", 400},
    [HTTP1_BAD_CODING] = {"coding", 501},
    [HTTP1_BAD_TARGET_LONG] = {"target_long", 414},
    [HTTP1_BAD_HEAD_LARGE] = {"head_large", 431},
    [HTTP1_BAD_BODY_LARGE] = {"body_large", 413},
    [HTTP1_BAD_TRAILER_LARGE] = {"trailer_large", 431},
};

int http1_bad_status(enum http1_bad bad)
{
    return bads[bad].status;
}

const char *http1_bad_name(enum http1_bad bad)
{
    return bads[bad].name;
}

const char *http1_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } rows[] = {
        {100, "Continue"},
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {402, "Payment Required"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {411, "Length Required"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {499, "Client Closed Request"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
        {529, "Site Is Overloaded"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].status == status)
            return rows[i].reason;
    return "";
}
