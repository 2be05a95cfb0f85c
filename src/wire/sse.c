#include "wire/sse.h"

enum { KEEP_BYTES = 512, KEEP_MARKS = 16 };

void sse_init(struct sse *s, const struct sse_handler *handler, size_t bytes_max)
{
    *s = (struct sse){.handler = *handler, .lines.max = bytes_max};
    buf_init(&s->data_copy, bytes_max);
    buf_init(&s->name_copy, bytes_max);
}

static void empty(struct buf *b)
{
    if (b->cap > KEEP_BYTES)
        buf_done(b);
    else
        buf_clear(b);
}

static void start_event(struct sse *s)
{
    s->data = s->name = (struct str){0};
    s->data_copied = s->name_copied = false;
    s->line_count = 0;
    empty(&s->data_copy);
    empty(&s->name_copy);
    s->marks.len = 0;
    if (s->marks.cap > KEEP_MARKS)
        vec_done(&s->marks);
}

/* The views into the feed under way become copies. */
static void copy_data(struct sse *s)
{
    if (s->line_count && !s->data_copied) {
        buf_add_str(&s->data_copy, s->data);
        s->data_copied = true;
    }
}

static void copy_name(struct sse *s)
{
    if (s->name.len && !s->name_copied) {
        buf_clear(&s->name_copy);
        buf_add_str(&s->name_copy, s->name);
        s->name = buf_str(&s->name_copy);
        s->name_copied = true;
    }
}

/* The list begins when a second mark comes: most events have one. */
static void add_mark(struct sse *s)
{
    int64_t last = s->marks.len ? s->marks.items[s->marks.len - 1].mark : s->first.mark;
    if (s->line_count == 0) {
        s->first = (struct sse_mark){0, s->mark};
    } else if (last != s->mark) {
        if (s->marks.len == 0)
            vec_push(&s->marks, s->first);
        vec_push(&s->marks, (struct sse_mark){s->line_count, s->mark});
    }
}

static bool add_data(struct sse *s, struct str value, bool steady)
{
    if (s->line_count == SSE_LINES_MAX)
        return false;
    add_mark(s);
    if (s->line_count == 0 && steady) {
        s->data = value;
        s->line_count = 1;
        return true;
    }
    copy_data(s);
    bool fits = (s->line_count == 0 || buf_add_byte(&s->data_copy, '\n')) &&
                buf_add_str(&s->data_copy, value);
    s->data_copied = true;
    s->line_count++;
    return fits;
}

static void set_name(struct sse *s, struct str value, bool steady)
{
    s->name = value;
    s->name_copied = false;
    if (!steady)
        copy_name(s);
}

static void dispatch(struct sse *s, bool tail)
{
    if (s->line_count) {
        struct sse_event event = {
            .data = s->data_copied ? buf_str(&s->data_copy) : s->data,
            .name = s->name,
            .lines = s->line_count,
            .marks = &s->first,
            .mark_count = 1,
            .tail = tail,
        };
        if (s->marks.len) {
            event.marks = s->marks.items;
            event.mark_count = s->marks.len;
        }
        s->handler.on_event(s->handler.arg, &event);
    }
    start_event(s);
}

/* R3. False if the event grows too long. */
static bool take_field(struct sse *s, struct str line, bool steady)
{
    size_t colon = str_find(line, ':');
    struct str field = str_upto(line, colon), value = str_from(line, colon + 1);
    if (value.len && value.ptr[0] == ' ')
        value = str_from(value, 1);
    if (str_eq(field, STR("data")))
        return add_data(s, value, steady);
    if (str_eq(field, STR("event")))
        set_name(s, value, steady);
    else if (!str_eq(field, STR("id")) && !str_eq(field, STR("retry")))
        s->handler.on_other(s->handler.arg, line);
    return true;
}

static bool take_line(void *arg, struct str line, bool steady)
{
    struct sse *s = arg;
    if (line.len == 0) {
        dispatch(s, false);
        return true;
    }
    if (line.ptr[0] == ':') {
        s->comments++;
        return true;
    }
    return take_field(s, line, steady);
}

bool sse_feed(struct sse *s, const char *bytes, size_t len, int64_t mark)
{
    if (len)
        s->mark = mark;
    bool going = lines_feed(&s->lines, bytes, len, take_line, s);
    copy_data(s);
    copy_name(s);
    return going;
}

void sse_end(struct sse *s)
{
    struct str last;
    if (lines_end(&s->lines, &last) && !take_line(s, last, false))
        s->lines.too_long = true;
    if (!s->lines.too_long)
        dispatch(s, true);
}

void sse_done(struct sse *s)
{
    lines_done(&s->lines);
    buf_done(&s->data_copy);
    buf_done(&s->name_copy);
    vec_done(&s->marks);
}

int64_t sse_mark_of(const struct sse_event *event, uint32_t line)
{
    size_t low = 0, high = event->mark_count;
    while (high - low > 1) {
        size_t mid = (low + high) / 2;
        if (event->marks[mid].line <= line)
            low = mid;
        else
            high = mid;
    }
    return event->marks[low].mark;
}
