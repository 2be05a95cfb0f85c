#include "wire/url.h"

#include <arpa/inet.h>

/* RFC 3986 §3.2, without percent-encoding in hosts: names that DNS can hold, or an address. */

enum { HOST_MAX = 253, LABEL_MAX = 63, PORT_MAX = 65535 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool name_char(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || (uint8_t)c >= 0x80; /* international names are the resolver's matter */
}

static bool valid_name(struct str host)
{
    if (host.len == 0 || host.len > HOST_MAX)
        return false;
    size_t label = 0;
    for (size_t i = 0; i < host.len; i++) {
        if (host.ptr[i] == '.') {
            if (label == 0)
                return false;
            label = 0;
        } else if (!name_char(host.ptr[i]) || ++label > LABEL_MAX) {
            return false;
        }
    }
    return true;
}

/* An IPv6 address, perhaps with a zone behind %. */
static bool valid_ipv6(struct str host)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    size_t zone = str_find(host, '%');
    if (zone != host.len && !valid_name(str_from(host, zone + 1)))
        return false;
    return str_copy(text, sizeof(text), str_upto(host, zone)) &&
           inet_pton(AF_INET6, text, &address) == 1;
}

static bool parse_port(struct str digits, struct url *u)
{
    if (digits.len == 0) /* "host:" is host */
        return true;
    int port = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (!is_digit(digits.ptr[i]))
            return false;
        port = port * 10 + (digits.ptr[i] - '0');
        if (port > PORT_MAX)
            return false;
    }
    u->port = port;
    u->port_stated = true;
    return port > 0;
}

static bool parse_authority(struct str text, struct url *u)
{
    for (size_t i = text.len; i > 0; i--) {
        if (text.ptr[i - 1] == '@') {
            u->userinfo = str_upto(text, i - 1);
            text = str_from(text, i);
            break;
        }
    }
    size_t end;
    if (text.len && text.ptr[0] == '[') {
        end = str_find(text, ']');
        if (end == text.len)
            return false;
        u->host = str_make(text.ptr + 1, end - 1);
        u->ipv6 = true;
        end++;
    } else {
        end = str_find(text, ':');
        u->host = str_upto(text, end);
    }
    struct str port = str_from(text, end);
    if (port.len && port.ptr[0] != ':')
        return false;
    return (u->ipv6 ? valid_ipv6(u->host) : valid_name(u->host)) &&
           parse_port(str_from(port, 1), u);
}

/* The length of what stands before the first of `stops`. */
static size_t span_until(struct str s, const char *stops)
{
    size_t i = 0;
    while (i < s.len && !strchr(stops, s.ptr[i]))
        i++;
    return i;
}

bool url_parse(struct str text, struct url *out)
{
    struct url u = {0};
    for (size_t i = 0; i < text.len; i++)
        if ((uint8_t)text.ptr[i] <= ' ' || text.ptr[i] == 0x7F)
            return false;
    size_t scheme = str_find(text, ':');
    u.scheme = str_upto(text, scheme);
    if (str_eq_nocase(u.scheme, STR("http")))
        u.port = 80;
    else if (str_eq_nocase(u.scheme, STR("https")))
        u.port = 443;
    else
        return false;
    struct str rest = str_from(text, scheme);
    if (!str_starts(rest, STR("://")))
        return false;
    rest = str_from(rest, 3);
    rest = str_upto(rest, str_find(rest, '#'));

    size_t authority = span_until(rest, "/?");
    if (!parse_authority(str_upto(rest, authority), &u))
        return false;
    rest = str_from(rest, authority);
    size_t path = str_find(rest, '?');
    u.path = str_upto(rest, path);
    if (path < rest.len)
        u.query = str_from(rest, path + 1);
    *out = u;
    return true;
}
