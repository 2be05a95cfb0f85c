#include <assert.h>
#include <time.h>

#include "base/mem.h"
#include "measure/clock.h"
#include "net/server_inside.h"

enum { COMPOSE_KEEP_BYTES = 256 << 10 };

const struct http1_head *exchange_head(const struct exchange *x)
{
    return &x->head;
}

struct str exchange_body(const struct exchange *x)
{
    return buf_str(&x->body_bytes);
}

void exchange_set_data(struct exchange *x, void *data)
{
    x->data = data;
}

void *exchange_data(const struct exchange *x)
{
    return x->data;
}

/* A failed write is not told at once: the handler that writes must not lose its exchange under its
 * hands. */
static void lost(struct exchange *x)
{
    x->broken = true;
    buf_done(&x->out);
    x->out_at = 0;
    connection_go_on_soon(x);
}

void exchange_send(struct exchange *x, struct str bytes)
{
    if (x->broken || bytes.len == 0)
        return;
    size_t done = 0;
    if (x->out.len == 0) {
        enum socket_step step = server_socket_write(&x->socket, bytes.ptr, bytes.len, &done);
        if (step != SOCKET_OK && step != SOCKET_AGAIN) {
            lost(x);
            return;
        }
    }
    if (done == bytes.len)
        return;
    buf_add_str(&x->out, str_from(bytes, done));
    connection_rewatch(x);
}

enum socket_step exchange_flush(struct exchange *x)
{
    while (x->out_at < x->out.len) {
        size_t done;
        enum socket_step step =
            server_socket_write(&x->socket, x->out.ptr + x->out_at, x->out.len - x->out_at, &done);
        if (step != SOCKET_OK)
            return step;
        x->out_at += done;
    }
    buf_clear(&x->out);
    x->out_at = 0;
    return SOCKET_OK;
}

static size_t queued(const struct exchange *x)
{
    return x->out.len - x->out_at;
}

/* RFC 9110 §6.6.1. Names of days and months must not depend on the locale. */
static void add_date(struct buf *b)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t now = (time_t)(clock_wall() / 1000000000);
    struct tm t;
    gmtime_r(&now, &t);
    buf_addf(b, "Date: %s, %02d %s %d %02d:%02d:%02d GMT\r\n", days[t.tm_wday], t.tm_mday,
             months[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

static void add_head(struct exchange *x, struct buf *b, int status,
                     const struct exchange_field *fields, size_t count)
{
    x->closing |= !x->head.keep_alive;
    buf_addf(b, "HTTP/1.1 %d %s\r\n", status, http1_reason(status));
    add_date(b);
    for (size_t i = 0; i < count; i++) {
        assert(http1_field_valid(str_of(fields[i].name), str_of(fields[i].value)));
        buf_addf(b, "%s: %s\r\n", fields[i].name, fields[i].value);
    }
    if (x->closing)
        buf_add_text(b, "Connection: close\r\n");
    else if (x->head.minor == 0)
        buf_add_text(b, "Connection: keep-alive\r\n");
}

static struct buf *compose(struct exchange *x)
{
    struct buf *b = &x->server->compose;
    if (b->cap > COMPOSE_KEEP_BYTES)
        buf_done(b);
    buf_clear(b);
    return b;
}

void exchange_start_chunked(struct exchange *x, int status, const struct exchange_field *fields,
                            size_t count)
{
    assert(x->state == CONNECTION_ANSWER && !x->chunked);
    struct buf *b = compose(x);
    x->chunked = x->head.minor > 0 && !x->bodiless;
    x->closing |= x->head.minor == 0; /* its body ends with the connection */
    add_head(x, b, status, fields, count);
    buf_add_text(b, x->head.minor > 0 ? "Transfer-Encoding: chunked\r\n\r\n" : "\r\n");
    exchange_send(x, buf_str(b));
}

bool exchange_write(struct exchange *x, struct str bytes)
{
    assert(x->state == CONNECTION_ANSWER);
    if (x->bodiless || bytes.len == 0)
        return true;
    if (bytes.len > x->server->options.queue_bytes_max - queued(x))
        return false;
    struct buf *b = compose(x);
    if (x->chunked)
        http1_add_chunk(b, bytes);
    else
        buf_add_str(b, bytes);
    exchange_send(x, buf_str(b));
    return true;
}

void exchange_end(struct exchange *x)
{
    assert(x->state == CONNECTION_ANSWER);
    struct buf *b = compose(x);
    if (x->chunked)
        http1_add_last_chunk(b);
    exchange_send(x, buf_str(b));
    connection_answered(x);
}

void exchange_answer(struct exchange *x, int status, const struct exchange_field *fields,
                     size_t count, struct str body)
{
    assert(x->state == CONNECTION_ANSWER && !x->chunked);
    struct buf *b = compose(x);
    add_head(x, b, status, fields, count);
    buf_addf(b, "Content-Length: %zu\r\n\r\n", body.len);
    if (!x->bodiless)
        buf_add_str(b, body);
    exchange_send(x, buf_str(b));
    connection_answered(x);
}

void exchange_write_raw(struct exchange *x, struct str bytes)
{
    assert(x->state == CONNECTION_ANSWER);
    exchange_send(x, bytes);
}

void exchange_cut(struct exchange *x, enum exchange_cut how)
{
    assert(x->state == CONNECTION_ANSWER);
    x->closing = x->cut = true;
    if (how == CUT_RESET)
        connection_close(x, true);
    else
        connection_answered(x);
}

void exchange_refuse(struct exchange *x, int status, const char *code, enum text_id message)
{
    struct buf body = {0}, *b = compose(x);
    x->closing = true;
    buf_addf(&body,
             "{\"error\":{\"message\":\"%s\",\"type\":\"invalid_request_error\",\"param\":null,"
             "\"code\":\"%s\"}}\n",
             text_raw(message), code);
    static const struct exchange_field json = {"Content-Type", "application/json"};
    add_head(x, b, status, &json, 1);
    buf_addf(b, "Content-Length: %zu\r\n\r\n", body.len);
    buf_add_str(b, buf_str(&body));
    buf_done(&body);
    exchange_send(x, buf_str(b));
    connection_answered(x);
}
