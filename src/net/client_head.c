#include "base/fmt.h"
#include "net/client_inside.h"

/* Names of ours that a header of the asker's replaces. */
static bool asked(const struct request *r, const char *name)
{
    for (size_t i = 0; i < r->header_count; i++)
        if (str_eq_nocase(r->headers[i].name, str_of(name)))
            return true;
    return false;
}

static void add_field(struct buf *out, struct str name, struct str value)
{
    buf_add_str(out, name);
    buf_add_text(out, ": ");
    buf_add_str(out, value);
    buf_add_text(out, "\r\n");
}

static void add_unless_asked(struct buf *out, const struct request *r, const char *name,
                             struct str value)
{
    if (!asked(r, name))
        add_field(out, str_of(name), value);
}

static bool default_port(const struct url *u)
{
    return u->port == (str_eq_nocase(u->scheme, STR("https")) ? 443 : 80);
}

static void add_host(struct buf *out, const struct url *u)
{
    buf_addf(out, u->ipv6 ? "Host: [%.*s]" : "Host: %.*s", (int)u->host.len, u->host.ptr);
    if (!default_port(u))
        buf_addf(out, ":%d", u->port);
    buf_add_text(out, "\r\n");
}

void origin_add(struct buf *out, const struct url *u)
{
    buf_add_text(out, str_eq_nocase(u->scheme, STR("https")) ? "https://" : "http://");
    buf_addf(out, u->ipv6 ? "[%.*s]" : "%.*s", (int)u->host.len, u->host.ptr);
    buf_addf(out, ":%d", u->port);
}

static void add_request_line(struct buf *out, const struct request *r, const struct url *u)
{
    buf_add_str(out, r->method.len ? r->method : STR("POST"));
    buf_add_byte(out, ' ');
    buf_add_str(out, u->path.len ? u->path : STR("/"));
    if (u->query.ptr) {
        buf_add_byte(out, '?');
        buf_add_str(out, u->query);
    }
    buf_add_text(out, " HTTP/1.1\r\n");
}

/* Fields that say how the message is framed are ours alone. */
static bool ours_alone(struct str name)
{
    static const char *const names[] = {"Content-Length", "Transfer-Encoding", "Connection",
                                        "Accept-Encoding"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq_nocase(name, str_of(names[i])))
            return true;
    return false;
}

static bool headers_valid(const struct request *r, struct str *bad)
{
    for (size_t i = 0; i < r->header_count; i++) {
        const struct request_header *h = &r->headers[i];
        if (!http1_field_valid(h->name, h->value) || ours_alone(h->name)) {
            *bad = h->name;
            return false;
        }
    }
    *bad = STR("Authorization");
    return http1_field_valid(*bad, r->key);
}

static size_t room_for(const struct request *r)
{
    size_t room = 1024 + r->method.len + 2 * r->url.len + r->key.len + r->body.len;
    for (size_t i = 0; i < r->header_count; i++)
        room += r->headers[i].name.len + r->headers[i].value.len + 4;
    return room;
}

bool attempt_write_head(struct attempt *a, struct str *bad)
{
    const struct request *r = &a->request;
    struct buf *out = &a->out;
    const char *agent = a->client->user_agent;
    if (!headers_valid(r, bad))
        return false;
    /* All of it at once: a buffer that grew would leave copies of the key behind. */
    buf_init(out, room_for(r) + strlen(agent));
    buf_room(out, out->max);
    add_request_line(out, r, &a->url);
    if (!asked(r, "Host"))
        add_host(out, &a->url);
    add_unless_asked(out, r, "User-Agent", str_of(agent));
    add_unless_asked(out, r, "Accept",
                     r->observe.streamed
                         ? STR("text/event-stream, application/x-ndjson, application/json;q=0.9")
                         : STR("application/json"));
    add_field(out, STR("Accept-Encoding"), STR("identity"));
    if (r->key.len && !asked(r, "Authorization")) {
        buf_add_text(out, "Authorization: Bearer ");
        buf_add_str(out, r->key);
        buf_add_text(out, "\r\n");
    }
    for (size_t i = 0; i < r->header_count; i++)
        add_field(out, r->headers[i].name, r->headers[i].value);
    if (r->body.len) {
        add_unless_asked(out, r, "Content-Type", STR("application/json"));
        add_field(out, STR("Content-Length"), str_of(fmt_int((int64_t)r->body.len).text));
    }
    buf_add_text(out, "\r\n");
    buf_add_str(out, r->body);
    return !out->over;
}

void attempt_wipe_out(struct attempt *a)
{
    if (a->out.ptr)
        mem_wipe(a->out.ptr, a->out.cap);
    buf_done(&a->out);
    a->out_sent = 0;
}
