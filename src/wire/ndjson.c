#include "wire/ndjson.h"

#include "wire/json.h"

void ndjson_init(struct ndjson *n, const struct ndjson_handler *handler, size_t bytes_max)
{
    *n = (struct ndjson){.handler = *handler, .lines.max = bytes_max};
    buf_init(&n->held, NDJSON_HELD_BYTES_MAX);
}

static bool is_object(struct str line)
{
    struct json_value whole;
    return json_read(line, NULL, &whole, NULL) && whole.type == JSON_TYPE_OBJECT;
}

static void forget_held(struct ndjson *n)
{
    buf_done(&n->held);
    vec_done(&n->held_lines);
}

static void give_held(struct ndjson *n, bool tail)
{
    n->kind = NDJSON_LINES;
    for (size_t i = 0; i < n->held_lines.len; i++) {
        const struct ndjson_held *h = &n->held_lines.items[i];
        n->handler.on_line(n->handler.arg, str_make(n->held.ptr + h->at, h->len), h->mark,
                           tail && i + 1 == n->held_lines.len);
    }
    forget_held(n);
}

static void give_plain(struct ndjson *n)
{
    n->kind = NDJSON_PLAIN;
    n->handler.on_plain(n->handler.arg, buf_str(&n->held));
    forget_held(n);
}

/* What begins like an object may be lines of broken objects; all else is no stream. */
static void give_by_look(struct ndjson *n, bool tail)
{
    if (str_starts(str_trim(buf_str(&n->held)), STR("{")))
        give_held(n, tail);
    else
        give_plain(n);
}

static void hold(struct ndjson *n, struct str line, bool tail)
{
    if (n->held_lines.len == NDJSON_HELD_LINES_MAX ||
        line.len + 1 > NDJSON_HELD_BYTES_MAX - n->held.len) {
        if (n->held_lines.len == 0)
            buf_add_str(&n->held, str_upto(line, 1)); /* for its look */
        give_by_look(n, false);
        if (n->kind == NDJSON_LINES)
            n->handler.on_line(n->handler.arg, line, n->mark, tail);
        return;
    }
    if (n->held.len)
        buf_add_byte(&n->held, '\n');
    vec_push(&n->held_lines, (struct ndjson_held){n->held.len, line.len, n->mark});
    buf_add_str(&n->held, line);
}

static void take(struct ndjson *n, struct str line, bool tail)
{
    if (n->kind == NDJSON_UNDECIDED && is_object(line))
        give_held(n, false);
    if (n->kind == NDJSON_LINES)
        n->handler.on_line(n->handler.arg, line, n->mark, tail);
    else if (n->kind == NDJSON_UNDECIDED)
        hold(n, line, tail);
}

static bool take_line(void *arg, struct str line, bool steady)
{
    (void)steady;
    if (str_trim(line).len)
        take(arg, line, false);
    return true;
}

bool ndjson_feed(struct ndjson *n, const char *bytes, size_t len, int64_t mark)
{
    if (len)
        n->mark = mark;
    return lines_feed(&n->lines, bytes, len, take_line, n);
}

void ndjson_end(struct ndjson *n)
{
    struct str last;
    struct json_value whole;
    bool tail = lines_end(&n->lines, &last) && str_trim(last).len > 0;
    if (tail)
        take(n, last, true);
    if (n->kind != NDJSON_UNDECIDED || n->held_lines.len == 0)
        return;
    if (json_read(buf_str(&n->held), NULL, &whole, NULL))
        give_plain(n);
    else
        give_by_look(n, tail);
}

void ndjson_done(struct ndjson *n)
{
    lines_done(&n->lines);
    forget_held(n);
}
