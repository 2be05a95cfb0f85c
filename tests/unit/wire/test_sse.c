#include "test.h"

#include <stdlib.h>

#include "base/attr.h"
#include "page_edge.h"
#include "wire/ndjson.h"
#include "wire/sse.h"

static struct page_edge edge;

static int make_edge(void **state)
{
    (void)state;
    page_edge_init(&edge, 1024);
    return 0;
}

static int drop_edge(void **state)
{
    (void)state;
    page_edge_done(&edge);
    return 0;
}

static void add_escaped(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] == '\n')
            buf_add_text(out, "\\n");
        else if (s.ptr[i] == '\0')
            buf_add_text(out, "\\0");
        else
            buf_add_byte(out, s.ptr[i]);
    }
}

/* name|data|marks of its lines, then . or (unterminated) … */
static void on_event(void *arg, const struct sse_event *e)
{
    add_escaped(arg, e->name);
    buf_add_text(arg, "|");
    add_escaped(arg, e->data);
    buf_add_text(arg, "|");
    for (uint32_t i = 0; i < e->lines; i++)
        buf_addf(arg, "%s%d", i ? "," : "", (int)sse_mark_of(e, i));
    buf_add_text(arg, e->tail ? "~ " : ". ");
}

static void on_other(void *arg, struct str line)
{
    buf_add_text(arg, "?");
    add_escaped(arg, line);
    buf_add_text(arg, " ");
}

static void on_line(void *arg, struct str line, int64_t mark, bool tail)
{
    add_escaped(arg, line);
    buf_addf(arg, "|%d%s ", (int)mark, tail ? "~" : ".");
}

static void on_plain(void *arg, struct str body)
{
    buf_add_text(arg, "plain:");
    add_escaped(arg, body);
}

enum framing { SSE, NDJSON };

struct feeder {
    enum framing framing;
    struct sse sse;
    struct ndjson ndjson;
    struct buf out;
};

static void start(struct feeder *f, enum framing framing, size_t max)
{
    *f = (struct feeder){.framing = framing};
    sse_init(&f->sse, &(struct sse_handler){on_event, on_other, &f->out}, max);
    ndjson_init(&f->ndjson, &(struct ndjson_handler){on_line, on_plain, &f->out}, max);
}

static bool feed(struct feeder *f, struct str part, int64_t mark)
{
    const char *at = page_edge_put(&edge, part.ptr, part.len);
    return f->framing == SSE ? sse_feed(&f->sse, at, part.len, mark)
                             : ndjson_feed(&f->ndjson, at, part.len, mark);
}

static void end(struct feeder *f)
{
    page_edge_put(&edge, "", 0);
    if (f->framing == SSE)
        sse_end(&f->sse);
    else
        ndjson_end(&f->ndjson);
    if (f->sse.comments)
        buf_addf(&f->out, ":%d", (int)f->sse.comments);
}

static void stop(struct feeder *f)
{
    sse_done(&f->sse);
    ndjson_done(&f->ndjson);
    buf_done(&f->out);
}

/* Input; what comes out of it byte by byte, marks being the index of the byte. */
struct row {
    enum framing framing;
    struct str in;
    const char *out;
};
static const struct row rows[] = {
    {SSE, STR("data: a\n\n"), "|a|7. "},
    {SSE, STR("data:a\n\n"), "|a|6. "},
    {SSE, STR("data:  a\n\n"), "| a|8. "},
    {SSE, STR("data: a\r\r"), "|a|7. "},
    {SSE, STR("data: a\r\n\r\n"), "|a|7. "},
    {SSE, STR("data: a\r\n\n"), "|a|7. "},
    {SSE, STR("data: a\n\r\n\n"), "|a|7. "},
    {SSE, STR("data: a\n\n\r"), "|a|7. "},
    {SSE, STR("data: a\r\n\r\ndata: b\r\n\r\n"), "|a|7. |b|18. "},
    {SSE, STR("data: a\ndata: b\n\n"), "|a\\nb|7,15. "},
    {SSE, STR("data\n\n"), "||4. "},
    {SSE, STR("data\ndata\n\n"), "|\\n|4,9. "},
    {SSE, STR("data:\n\ndata: \n\n"), "||5. ||13. "},
    {SSE, STR("data: a"), "|a|6~ "},
    {SSE, STR("data: a\n"), "|a|7~ "},
    {SSE, STR("data: a\ndata: b"), "|a\\nb|7,14~ "},
    {SSE, STR("data: a\ndata: b\ndata: c\ndata: d\n\n"), "|a\\nb\\nc\\nd|7,15,23,31. "},
    {SSE, STR("event: x\ndata: a\n\ndata: b\n\n"), "x|a|16. |b|25. "},
    {SSE, STR("event: x\n\ndata: b\n\n"), "|b|17. "},
    {SSE, STR("event: x\nevent: y\nevent:z\ndata: b\n\n"), "z|b|33. "},
    {SSE, STR("data: b\nevent: x\nevent\n\n"), "|b|7. "},
    {SSE, STR("data: b\nevent: late\n\n"), "late|b|7. "},
    {SSE, STR("id: 1\nretry: 2\ndata: b\n\n"), "|b|22. "},
    {SSE, STR(":c\n:\ndata: b\n:d\n\n: e"), "|b|12. :4"},
    {SSE, STR("Data: a\n data: b\ndata : c\n\n"), "?Data: a ? data: b ?data : c "},
    {SSE, STR("<html>\n\n{\n"), "?<html> ?{ "},
    {SSE, STR("datum: a\ndat\n\n"), "?datum: a ?dat "},
    {SSE,
     STR("\xEF\xBB\xBF"
         "data: a\n\n"),
     "|a|10. "},
    {SSE,
     STR("\xEF\xBB\xBF\xEF\xBB\xBF"
         "data: a\n\n"),
     "?\xEF\xBB\xBF"
     "data: a "},
    {SSE,
     STR("\n\xEF\xBB\xBF"
         "data: a\n\n"),
     "?\xEF\xBB\xBF"
     "data: a "},
    {SSE,
     STR("\xEF\xBB"
         "data: a\n\n"),
     "?\xEF\xBB"
     "data: a "},
    {SSE, STR("\xEF\xBB"), "?\xEF\xBB "},
    {SSE, STR("\xEF\xBB\xBF"), ""},
    {SSE, STR("data: \0\xff\n\n"), "|\\0\xff|8. "},
    {SSE, STR(""), ""},
    {SSE, STR("\n\r\r\n\n"), ""},
    {NDJSON, STR("{}\n[]\n"), "{}|2. []|5. "},
    {NDJSON, STR("{}\r\n\r\n{\"a\":1}"), "{}|2. {\"a\":1}|12~ "},
    {NDJSON, STR("x\n\n{}\nx\n"), "x|1. {}|5. x|7. "},
    {NDJSON, STR("x\n{}"), "x|1. {}|3~ "},
    {NDJSON, STR("{}\nx"), "{}|2. x|3~ "},
    {NDJSON, STR("x\ny"), "plain:x\\ny"},
    {NDJSON, STR("<html>\r\n</html>\r\n"), "plain:<html>\\n</html>"},
    {NDJSON, STR("[1,\n2]\n"), "plain:[1,\\n2]"},
    {NDJSON, STR("{\"error\":\n\"x\"}"), "plain:{\"error\":\\n\"x\"}"},
    {NDJSON, STR("{x\n{y\n"), "{x|2. {y|5. "},
    {NDJSON, STR("{x\n{y"), "{x|2. {y|4~ "},
    {NDJSON, STR("\xEF\xBB\xBF{}\n"), "{}|5. "},
    {NDJSON, STR("  \n\t\n"), ""},
    {NDJSON, STR(""), ""},
};

/* The output with each mark replaced by 0 if that byte lies before `split`, else by 1. */
static void with_marks_of_split(struct buf *out, const char *text, size_t split)
{
    for (const char *p = text; *p;) {
        bool at_mark = (p[-(p > text)] == '|' || p[-(p > text)] == ',') && *p >= '0' && *p <= '9';
        if (!at_mark) {
            buf_add_byte(out, *p++);
            continue;
        }
        char *after;
        buf_add_text(out, strtoul(p, &after, 10) < split ? "0" : "1");
        p = after;
    }
}

static void test_byte_by_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct feeder f;
        start(&f, rows[i].framing, 1000);
        for (size_t at = 0; at < rows[i].in.len; at++)
            assert_true(feed(&f, str_upto(str_from(rows[i].in, at), 1), (int64_t)at));
        end(&f);
        assert_string_equal(buf_text(&f.out), rows[i].out);
        stop(&f);
    }
}

static void test_every_split(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t split = 0; split <= rows[i].in.len; split++) {
            struct feeder f;
            struct buf expect = {0};
            start(&f, rows[i].framing, 1000);
            assert_true(feed(&f, str_upto(rows[i].in, split), 0));
            assert_true(feed(&f, str_from(rows[i].in, split), 1));
            end(&f);
            with_marks_of_split(&expect, rows[i].out, split);
            assert_string_equal(buf_text(&f.out), buf_text(&expect));
            buf_done(&expect);
            stop(&f);
        }
    }
}

/* Bodies against a maximum of 10 bytes a line and an event; whether they pass. */
static void test_too_long(void **state)
{
    (void)state;
    static const struct {
        enum framing framing;
        struct str in;
        bool fits;
    } bodies[] = {
        {SSE, STR("data: abcd\n\n"), true},
        {SSE, STR("data: abcde\n\n"), false},
        {SSE, STR("data: abcde"), false},
        {SSE, STR(":3456789012\n"), false},
        {SSE, STR(":34567890\n"), true},
        {SSE, STR("data:abcde\ndata:fghi\n\n"), true},
        {SSE, STR("data:abcde\ndata:fghij\n\n"), false},
        {SSE, STR("data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n"), true},
        {SSE, STR("data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n"),
         false},
        {SSE, STR("data:abcde\n\ndata:fghij\n\n"), true},
        {NDJSON, STR("{\"abc\": 1}\n"), true},
        {NDJSON, STR("{\"abcd\": 1}\n"), false},
        {NDJSON, STR("           "), false},
    };
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        for (size_t size = 1; size <= bodies[i].in.len; size++) {
            struct feeder f;
            bool fits = true;
            start(&f, bodies[i].framing, 10);
            for (size_t at = 0; at < bodies[i].in.len && fits; at += size)
                fits = feed(&f, str_upto(str_from(bodies[i].in, at), size), 0);
            if (fits != bodies[i].fits)
                fail_msg("row %zu in parts of %zu: %s", i, size, fits ? "fits" : "too long");
            if (!fits)
                assert_false(feed(&f, STR("data: x\n\n"), 0)); /* for good */
            stop(&f);
        }
    }
}

/* Idle between events whatever came before, a parser holds next to nothing. */
static void test_idle_memory(void **state)
{
    (void)state;
    struct feeder f;
    struct str half = STR("event: n\ndata: 0123456789012345678901234567890123456789\n");
    start(&f, SSE, 1 << 20);
    for (int i = 0; i < 1000; i++)
        assert_true(feed(&f, half, i)); /* one event of 1000 lines, over as many feeds */
    assert_true(f.sse.data_copy.cap > 10000);
    assert_true(feed(&f, STR("\n"), 0));
    assert_true(f.sse.data_copy.cap <= 512 && f.sse.name_copy.cap <= 512);
    assert_true(f.sse.lines.rest.cap <= 512 && f.sse.marks.cap <= 16);
    stop(&f);
}

static void test_too_many_lines(void **state)
{
    (void)state;
    struct feeder f;
    start(&f, SSE, 1 << 20);
    for (int i = 0; i < SSE_LINES_MAX; i++)
        assert_true(feed(&f, STR("data\n"), i));
    assert_false(feed(&f, STR("data\n"), 0));
    stop(&f);
}

/* What may be held back until it is clear that these are no lines has an end. */
static void test_held_lines(void **state)
{
    (void)state;
    static const struct {
        const char *line, *begins;
    } kinds[] = {{"{broken\n", "{broken|0. {broken|1. "}, {"<p>\n", "plain:<p>\\n<p>\\n"}};
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        struct feeder f;
        start(&f, NDJSON, 1000);
        f.out.max = 64 << 20;
        for (int i = 0; i <= NDJSON_HELD_LINES_MAX; i++)
            assert_true(feed(&f, str_of(kinds[k].line), i));
        assert_true(str_starts(buf_str(&f.out), str_of(kinds[k].begins)));
        assert_int_equal(f.ndjson.held.cap, 0);
        stop(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_byte_by_byte),   cmocka_unit_test(test_every_split),
        cmocka_unit_test(test_too_long),       cmocka_unit_test(test_idle_memory),
        cmocka_unit_test(test_too_many_lines), cmocka_unit_test(test_held_lines),
    };
    return cmocka_run_group_tests(tests, make_edge, drop_edge);
}
