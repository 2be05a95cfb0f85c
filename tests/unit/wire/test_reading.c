#include "test.h"

#include <glob.h>
#include <jansson.h>
#include <malloc.h>
#include <stdio.h>

#include "base/mem.h"
#include "page_edge.h"
#include "wire/reading.h"

/*
 * Every stored stream of tests/streams, fed whole, byte by byte and in two parts at every place
 * (long ones: at many), must give the reading its case expects, and the same events each time.
 * Run from the root of the tree.
 */

enum { SPLITS_MAX = 700 };

static struct page_edge edge;

/* One line per event: what must not depend on how the bytes came. */
struct log {
    struct buf events;
    int64_t marks[2048];
    size_t count;
};

static void log_event(void *arg, const struct reading_event *e)
{
    struct log *log = arg;
    buf_addf(&log->events, "%u bytes=%u pieces=%x chars=%u/%u %s%s%s%s name=%.*s data=%.*s\n",
             e->index, e->bytes, e->pieces, e->answer_chars, e->output_chars,
             e->terminator ? "T" : "", e->malformed ? "M" : "", e->states_error ? "E" : "",
             e->after_done ? "A" : "", (int)e->name.len, e->name.ptr, (int)e->data.len,
             e->data.ptr);
    assert_true(log->count < sizeof(log->marks) / sizeof(log->marks[0]));
    log->marks[log->count++] = e->mark;
}

static json_t *string_or_null(struct str s)
{
    return s.ptr ? json_stringn_nocheck(s.ptr, s.len) : json_null();
}

static json_t *count_or_null(int64_t n)
{
    return n < 0 ? json_null() : json_integer(n);
}

static json_t *usage_or_null(const struct wire_usage *u)
{
    if (u->prompt_tokens < 0 && u->completion_tokens < 0 && u->reasoning_tokens < 0 &&
        u->cached_tokens < 0)
        return json_null();
    json_t *usage = json_object();
    json_object_set_new(usage, "prompt_tokens", count_or_null(u->prompt_tokens));
    json_object_set_new(usage, "completion_tokens", count_or_null(u->completion_tokens));
    json_object_set_new(usage, "reasoning_tokens", count_or_null(u->reasoning_tokens));
    json_object_set_new(usage, "cached_tokens", count_or_null(u->cached_tokens));
    return usage;
}

static json_t *as_json(const struct reading *r)
{
    static const char *const tails[] = {"none", "accepted", "discarded"};
    json_t *o = json_object();
    json_object_set_new(o, "dialect", r->dialect ? json_string(r->dialect) : json_null());
    json_object_set_new(o, "events", json_integer(r->events));
    json_object_set_new(o, "comments", json_integer(r->comments));
    for (int i = 0; i < PIECE_COUNT; i++) {
        char name[40];
        snprintf(name, sizeof(name), "%s_chunks", piece_name((enum piece)i));
        json_object_set_new(o, name, json_integer(r->chunks[i]));
    }
    json_object_set_new(o, "first_answer_event", count_or_null(r->first_event[PIECE_ANSWER]));
    json_object_set_new(o, "first_reasoning_event", count_or_null(r->first_event[PIECE_REASONING]));
    json_object_set_new(o, "first_output_event", count_or_null(r->first_output_event));
    json_object_set_new(o, "text", string_or_null(r->text));
    json_object_set_new(o, "reasoning_text", string_or_null(r->reasoning_text));
    json_object_set_new(o, "finish_reason", string_or_null(r->finish_reason));
    json_object_set_new(o, "done", json_boolean(r->done));
    json_object_set_new(o, "usage", usage_or_null(&r->usage));
    json_object_set_new(o, "malformed_events", json_integer(r->malformed_events));
    json_object_set_new(o, "after_done", json_integer(r->after_done));
    json_object_set_new(o, "tail", json_string(tails[r->tail]));
    json_object_set_new(o, "verdict", json_string(reading_verdict_name(r->verdict)));
    json_object_set_new(o, "error_kind", string_or_null(r->error_kind));
    json_object_set_new(o, "error_message", string_or_null(r->error_message));
    return o;
}

static bool same(const char *name, const char *how, json_t *expect, json_t *got)
{
    const char *key;
    json_t *want;
    bool all = true;
    json_object_foreach(expect, key, want)
    {
        json_t *have = json_object_get(got, key);
        if (strcmp(key, "http_status") == 0 || (have && json_equal(want, have)))
            continue;
        char *w = json_dumps(want, JSON_ENCODE_ANY), *h = json_dumps(have, JSON_ENCODE_ANY);
        print_error("%s, %s: %s is %.200s, expected %.200s\n", name, how, key, h, w);
        free(w);
        free(h);
        all = false;
    }
    return all;
}

struct part {
    size_t from, to;
    int64_t mark;
};

/* Reads the body in two parts, or with `size` > 0 in parts of that size; marks are part numbers. */
static bool run(const char *name, const json_t *test, struct str body, size_t split, size_t size,
                struct log *log)
{
    json_t *expect = json_object_get(test, "expect");
    const char *format = json_string_value(json_object_get(test, "format"));
    struct reading_options options = {
        .format = strcmp(format, "ndjson") == 0 ? WIRE_NDJSON : WIRE_SSE,
        .terminator = TERMINATOR_EITHER,
        .keep_text = true,
        .on_event = log_event,
        .arg = log,
    };
    struct reading r;
    char how[64];
    snprintf(how, sizeof(how), size ? "parts of %zu" : "split at %zu", size ? size : split);
    log->count = 0;
    buf_clear(&log->events);
    reading_init(&r, &options);
    if (strcmp(format, "http") == 0) {
        const json_t *http = json_object_get(test, "http");
        reading_http_error(&r, (int)json_integer_value(json_object_get(http, "status")),
                           str_of(json_string_value(json_object_get(http, "content_type"))),
                           str_make(page_edge_put(&edge, body.ptr, body.len), body.len));
    } else {
        int64_t mark = 0;
        for (size_t at = 0; at < body.len; mark++) {
            size_t len = size ? size : mark == 0 ? split : body.len - split;
            len = len < body.len - at ? len : body.len - at;
            assert_true(reading_feed(&r, page_edge_put(&edge, body.ptr + at, len), len, mark));
            at += len;
        }
        page_edge_put(&edge, "", 0);
        reading_end(&r);
    }
    json_t *got = as_json(&r);
    bool good = same(name, how, expect, got);
    json_decref(got);
    reading_done(&r);
    return good;
}

/* The bytes that ended each event, by the marks of the run byte by byte, say which part of any
 * other run did. */
static bool same_events(const char *name, size_t split, const struct log *bytewise,
                        const struct log *other)
{
    if (!str_eq(buf_str(&bytewise->events), buf_str(&other->events))) {
        print_error("%s, split at %zu: events\n%s, expected\n%s", name, split,
                    buf_text(&other->events), buf_text(&bytewise->events));
        return false;
    }
    for (size_t i = 0; i < other->count; i++) {
        int64_t expect = bytewise->marks[i] >= (int64_t)split && split > 0;
        if (other->marks[i] == expect)
            continue;
        print_error("%s, split at %zu: event %zu has mark %d, expected %d\n", name, split, i,
                    (int)other->marks[i], (int)expect);
        return false;
    }
    return true;
}

static bool run_case(const char *path)
{
    static struct log bytewise, other;
    json_error_t error;
    json_t *test = json_load_file(path, JSON_ALLOW_NUL, &error);
    const char *name = json_string_value(json_object_get(test, "case"));
    char file[256], bytes[1 << 17];
    snprintf(file, sizeof(file), "tests/streams/%s",
             json_string_value(json_object_get(test, "file")));
    FILE *f = fopen(file, "rb");
    assert_non_null(f);
    struct str body = str_make(bytes, fread(bytes, 1, sizeof(bytes), f));
    fclose(f);
    bool http = strcmp(json_string_value(json_object_get(test, "format")), "http") == 0;
    bool good =
        run(name, test, body, 0, 1, &bytewise) && run(name, test, body, body.len, 0, &other);
    good = good && (http || same_events(name, body.len, &bytewise, &other));
    for (size_t size = 2; size < 8 && good && !http; size++)
        good = run(name, test, body, 0, size, &other);
    size_t step = body.len / SPLITS_MAX + 1;
    for (size_t split = 1; split < body.len && good && !http; split += step)
        good =
            run(name, test, body, split, 0, &other) && same_events(name, split, &bytewise, &other);
    json_decref(test);
    return good;
}

static void test_stored_streams(void **state)
{
    (void)state;
    glob_t found;
    size_t failed = 0;
    assert_int_equal(glob("tests/streams/*.json", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 80);
    page_edge_init(&edge, 1 << 17);
    for (size_t i = 0; i < found.gl_pathc; i++)
        failed += !run_case(found.gl_pathv[i]);
    page_edge_done(&edge);
    globfree(&found);
    if (failed)
        fail_msg("%zu of the stored streams are read wrongly", failed);
}

/* A body fed in parts of that size; the verdict, and what it rests on. */
static void read_body(struct buf *out, struct str body, const struct reading_options *options,
                      size_t size)
{
    static const char *const tails[] = {"", " tail", " cut"};
    struct reading r;
    buf_clear(out);
    reading_init(&r, options);
    for (size_t at = 0; at < body.len; at += size) {
        struct str part = str_upto(str_from(body, at), size);
        bool going = reading_feed(&r, page_edge_put(&edge, part.ptr, part.len), part.len, 0);
        assert_int_equal(going, !r.over_limit);
    }
    reading_end(&r);
    buf_addf(out, "%s %d:%d/%d%s%s%s%s%s", reading_verdict_name(r.verdict), (int)r.events,
             (int)r.malformed_events, (int)r.after_done, r.done ? " done" : "",
             r.finished ? " finished" : "", tails[r.tail], r.over_limit ? " over" : "",
             r.plain_body ? " plain" : "");
    if (r.has_error)
        buf_addf(out, " %s: %s", r.error_kind.ptr ? r.error_kind.ptr : "-",
                 r.error_message.ptr ? r.error_message.ptr : "-");
    reading_done(&r);
}

#define SAY(text)   "data: {\"choices\":[{\"delta\":{\"content\":\"" text "\"}}]}\n\n"
#define STOP        "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n"
#define DONE        "data: [DONE]\n\n"
#define LOCAL(text) "{\"message\":{\"content\":\"" text "\"},\"done\":false}\n"
#define LOCAL_LAST  "{\"done\":true,\"done_reason\":\"stop\"}\n"

static void test_rules(void **state)
{
    (void)state;
    static const struct {
        struct str body;
        struct reading_options options;
        const char *expect; /* verdict events:malformed/after_done … */
    } rows[] = {
        /* what ends an answer */
        {STR(SAY("a") STOP DONE), {.terminator = TERMINATOR_DONE}, "complete 3:0/0 done finished"},
        {STR(SAY("a") STOP), {.terminator = TERMINATOR_DONE}, "incomplete 2:0/0 finished"},
        {STR(SAY("a") STOP), {.terminator = TERMINATOR_FINISH}, "complete 2:0/0 finished"},
        {STR(SAY("a") STOP), {.terminator = TERMINATOR_EITHER}, "complete 2:0/0 finished"},
        {STR(SAY("a") DONE), {.terminator = TERMINATOR_DONE}, "complete 2:0/0 done"},
        {STR(SAY("a") DONE), {.terminator = TERMINATOR_FINISH}, "incomplete 2:0/0 done"},
        {STR(SAY("a") DONE), {.terminator = TERMINATOR_EITHER}, "complete 2:0/0 done"},
        {STR(SAY("a")), {.terminator = TERMINATOR_EITHER}, "incomplete 1:0/0"},
        /* a terminator that is the only statement of its dialect satisfies `finish` */
        {STR(LOCAL("a") LOCAL_LAST),
         {.format = WIRE_NDJSON, .terminator = TERMINATOR_FINISH},
         "complete 2:0/0 done"},
        /* R26 */
        {STR("[]\n" LOCAL("a") LOCAL_LAST), {.format = WIRE_NDJSON}, "malformed 3:1/0 done"},
        {STR("[DONE]\n" LOCAL("a") LOCAL_LAST), {.format = WIRE_NDJSON}, "malformed 3:1/0 done"},
        {STR(LOCAL("a") LOCAL_LAST "[]\n"), {.format = WIRE_NDJSON}, "complete 3:0/1 done"},
        {STR("[{\"error\":\"no\"}]"), {.format = WIRE_NDJSON}, "error 0:0/0 plain -: no"},
        {STR("{\"a\":1\n"), {.format = WIRE_NDJSON}, "malformed 1:1/0"},
        {STR("{\"a\":1"), {.format = WIRE_NDJSON}, "incomplete 0:0/0 cut"},
        {STR("oops"), {.format = WIRE_NDJSON}, "not_a_stream 0:0/0 plain"},
        {STR(""), {.format = WIRE_NDJSON}, "empty 0:0/0"},
        /* R5, R6 */
        {STR("data: {}\ndata: [DONE]\n\n"), {0}, "complete 2:0/0 done"},
        {STR("data: {}\ndata: []\n\n"), {0}, "malformed 1:1/0"},
        {STR("data: {}\n\ndata: {\"a\":\n"), {0}, "incomplete 1:0/0 cut"},
        {STR("data: {}\n\ndata: 1"), {0}, "incomplete 1:0/0 cut"},
        {STR("data: {}\n\ndata: {}\ndata: {\"a"), {0}, "incomplete 2:0/0 cut"},
        {STR("data: [1]\n\ndata: \"s\"\n\ndata: 1\n\n"), {0}, "incomplete 3:0/0"},
        /* R18: the event's name; text that is no JSON keeps its backslashes */
        {STR("event: error\ndata: a\\b\n\n"), {0}, "error 1:0/0 error: a\\b"},
        {STR("event: error\ndata: [1]\n\n"), {0}, "error 1:0/0 error: -"},
        {STR("data: [[[{\"error\":{\"message\":\"m\"}}]]]\n\n"), {0}, "error 1:0/0 -: m"},
        /* R19 */
        {STR("error: {\"code\":7,\"msg\":\"m\"}\n\n"), {0}, "error 0:0/0 7: m"},
        {STR("error: x\n"), {0}, "not_a_stream 0:0/0 plain"},
        {STR(DONE "error: {\"code\":7}\n\n"), {0}, "empty 1:0/0 done"},
        /* a choice that is no object is none */
        {STR("data: {\"choices\":[null]}\n\n"),
         {.terminator = TERMINATOR_EITHER},
         "incomplete 1:0/0"},
        /* limits */
        {STR(SAY(
             "a") "data: 0123456789012345678901234567890123456789012345678901234567890\n\n" DONE),
         {.event_bytes_max = 60},
         "malformed 2:1/0 over"},
    };
    struct buf got = {0};
    page_edge_init(&edge, 1 << 12);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t size = 1; size <= rows[i].body.len + 1; size++) {
            read_body(&got, rows[i].body, &rows[i].options, size);
            if (strcmp(buf_text(&got), rows[i].expect) != 0)
                fail_msg("row %zu in parts of %zu: %s, expected %s", i, size, buf_text(&got),
                         rows[i].expect);
        }
    }
    page_edge_done(&edge);
    buf_done(&got);
}

static void test_plain_answers(void **state)
{
    (void)state;
    static const struct {
        struct str body;
        const char *verdict, *text;
        int chars;
    } rows[] = {
        {STR("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"h\\u00e9\"},"
             "\"finish_reason\":\"stop\"}]}"),
         "complete", "h\xc3\xa9", 2},
        {STR(" {\"choices\":[{\"text\":\"old\",\"finish_reason\":\"length\"}]}\n"), "complete",
         "old", 3},
        {STR("{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":null}]}"),
         "incomplete", "x", 1},
        {STR("{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_reason\":\"stop\"},"
             "{\"index\":1,\"message\":{\"content\":\"yz\"}}]}"),
         "incomplete", "x", 3},
        {STR("{\"message\":{\"content\":\"l\"},\"done\":true}"), "complete", "l", 1},
        {STR("{\"error\":{\"message\":\"no\"}}"), "error", "", 0},
        {STR("{}"), "incomplete", "", 0},
        {STR("[]"), "incomplete", "", 0},
        {STR("<html>"), "malformed", "", 0},
        {STR(""), "malformed", "", 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct reading r;
        reading_init(&r, &(struct reading_options){0});
        reading_plain(&r, rows[i].body, true);
        assert_string_equal(reading_verdict_name(r.verdict), rows[i].verdict);
        assert_true(str_eq(r.text, str_of(rows[i].text)));
        assert_int_equal(r.answer_chars, rows[i].chars);
        assert_int_equal(r.events, 0);
        reading_done(&r);
    }
}

static void test_names_and_usage(void **state)
{
    (void)state;
    static const struct str bodies[] = {
        STR("data: {\"id\":\"i1\",\"model\":\"m1\",\"system_fingerprint\":\"f\",\"choices\":[]}\n\n"
            "data: {\"id\":\"i2\",\"model\":\"m2\",\"choices\":[]}\n\n"),
        STR("data: {\"type\":\"message_start\",\"message\":{\"id\":\"i1\",\"model\":\"m1\"}}\n\n"),
        STR("data: "
            "{\"type\":\"response.created\",\"response\":{\"id\":\"i1\",\"model\":\"m1\"}}\n\n"),
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        struct reading r;
        reading_init(&r, &(struct reading_options){0});
        reading_feed(&r, bodies[i].ptr, bodies[i].len, 0);
        reading_end(&r);
        assert_true(str_eq(r.response_id, STR("i1")));
        assert_true(str_eq(r.served_model, STR("m1")));
        assert_true(i > 0 ? r.system_fingerprint.ptr == NULL
                          : str_eq(r.system_fingerprint, STR("f")));
        assert_null(r.finish_reason.ptr);
        reading_done(&r);
    }
}

static void test_more_choices_than_are_kept(void **state)
{
    (void)state;
    struct reading r;
    reading_init(&r, &(struct reading_options){.terminator = TERMINATOR_EITHER});
    for (int i = 0; i < 3000; i++) {
        char event[128];
        int len =
            snprintf(event, sizeof(event),
                     "data: {\"choices\":[{\"index\":%d,\"finish_reason\":\"stop\"}]}\n\n", i);
        reading_feed(&r, event, (size_t)len, 0);
        assert_int_equal(r.finished, i < 1024);
    }
    reading_end(&r);
    assert_int_equal(r.verdict, READING_INCOMPLETE);
    reading_done(&r);
}

/* A thousand streams that wait for their next event, each cut within one before. (A sanitizer's
 * allocator says 0 here.) */
static void test_memory_of_waiting_streams(void **state)
{
    (void)state;
    enum { STREAMS = 1000, BYTES_MAX = 1400 };
    static struct reading readings[STREAMS];
    struct str body =
        STR("data: {\"id\":\"chatcmpl-0123456789\",\"model\":\"some-model-1\",\"choices\":"
            "[{\"index\":0,\"delta\":{\"content\":\"some text\"}}]}\n\n");
    size_t before = mallinfo2().uordblks;
    for (size_t i = 0; i < STREAMS; i++) {
        reading_init(&readings[i], &(struct reading_options){0});
        for (size_t n = 0; n < 3; n++) {
            reading_feed(&readings[i], body.ptr, 70, 0);
            reading_feed(&readings[i], body.ptr + 70, body.len - 70, 0);
        }
    }
    size_t each = (mallinfo2().uordblks - before) / STREAMS + sizeof(readings[0]);
    if (each > BYTES_MAX)
        fail_msg("a stream that waits costs %zu bytes, at most %d expected", each, BYTES_MAX);
    for (size_t i = 0; i < STREAMS; i++)
        reading_done(&readings[i]);
}

static void test_formats(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        enum wire_format format;
    } types[] = {
        {"text/event-stream", WIRE_SSE},
        {"", WIRE_SSE},
        {"application/json", WIRE_SSE},
        {"application/x-ndjson", WIRE_NDJSON},
        {"Application/JSONL; charset=utf-8", WIRE_NDJSON},
        {"application/x-ndjson-not", WIRE_SSE},
    };
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (wire_format_of(str_of(types[i].type)) != types[i].format)
            fail_msg("%s: expected %d", types[i].type, types[i].format);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stored_streams),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_plain_answers),
        cmocka_unit_test(test_names_and_usage),
        cmocka_unit_test(test_more_choices_than_are_kept),
        cmocka_unit_test(test_memory_of_waiting_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
