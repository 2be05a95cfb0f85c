#include "wire/reading_inside.h"

#include <assert.h>

#include "base/mem.h"
#include "base/utf8.h"

/* The type of `text/event-stream; charset=utf-8`, without parameters. */
static bool is_type(struct str content_type, const char *type)
{
    struct str rest = content_type;
    return str_eq_nocase(str_trim(str_split(&rest, ';')), str_of(type));
}

enum wire_format wire_format_of(struct str content_type)
{
    static const char *const ndjson[] = {"application/x-ndjson",  "application/ndjson",
                                         "application/jsonl",     "application/x-jsonlines",
                                         "application/jsonlines", "application/json-seq"};
    for (size_t i = 0; i < ARRAY_LEN(ndjson); i++)
        if (is_type(content_type, ndjson[i]))
            return WIRE_NDJSON;
    return WIRE_SSE;
}

const char *piece_name(enum piece piece)
{
    static const char *const names[PIECE_COUNT] = {
        [PIECE_ANSWER] = "answer",   [PIECE_REASONING] = "reasoning", [PIECE_TOOL] = "tool",
        [PIECE_REFUSAL] = "refusal", [PIECE_AUDIO] = "audio",
    };
    assert(piece < PIECE_COUNT);
    return names[piece];
}

const char *reading_verdict_name(enum reading_verdict v)
{
    static const char *const names[] = {
        [READING_COMPLETE] = "complete",
        [READING_INCOMPLETE] = "incomplete",
        [READING_ERROR] = "error",
        [READING_MALFORMED] = "malformed",
        [READING_NOT_A_STREAM] = "not_a_stream",
        [READING_EMPTY] = "empty",
    };
    assert(v < ARRAY_LEN(names));
    return names[v];
}

/* A value as kept text: decoded, cut at a character's end. NULL for no value; `*view` looks at it.
 */
static char *keep(const struct json_value *v, size_t max, struct str *view)
{
    struct buf decoded = {0};
    if (v->type == JSON_TYPE_NUMBER)
        buf_add_str(&decoded, json_raw(v));
    else if (v->type == JSON_TYPE_STRING)
        json_decode(v, &decoded);
    else
        return NULL;
    struct str cut = utf8_cut(buf_str(&decoded), max);
    char *kept = mem_dup(cut.ptr, cut.len);
    *view = str_make(kept, cut.len);
    buf_done(&decoded);
    return kept;
}

static void keep_first(char **to, struct str *view, const struct json_value *v)
{
    if (!*to && json_nonempty(v))
        *to = keep(v, READING_WORD_BYTES_MAX, view);
}

void reading_take_error(struct reading *r, const struct dialect_error *error)
{
    struct reading_inside *in = r->inside;
    if (r->has_error)
        return;
    r->has_error = true;
    in->error_kind = keep(&error->kind, READING_WORD_BYTES_MAX, &r->error_kind);
    in->error_message = keep(&error->message, READING_MESSAGE_BYTES_MAX, &r->error_message);
}

/* Ids stand at the root, or in the object that an opening event carries. */
static void take_names(struct reading *r, const struct json_value *root)
{
    static const int inner[] = {ROOT_MESSAGE, ROOT_RESPONSE};
    struct reading_inside *in = r->inside;
    keep_first(&in->response_id, &r->response_id, &root[ROOT_ID]);
    keep_first(&in->served_model, &r->served_model, &root[ROOT_MODEL]);
    keep_first(&in->system_fingerprint, &r->system_fingerprint, &root[ROOT_SYSTEM_FINGERPRINT]);
    for (size_t i = 0; i < ARRAY_LEN(inner); i++) {
        struct json_value slots[ROOT_SLOTS];
        if (root[inner[i]].type != JSON_TYPE_OBJECT || (in->response_id && in->served_model))
            continue;
        json_fill(&root[inner[i]], &root_shape, slots);
        keep_first(&in->response_id, &r->response_id, &slots[ROOT_ID]);
        keep_first(&in->served_model, &r->served_model, &slots[ROOT_MODEL]);
    }
}

void reading_take_object(struct reading *r, const struct json_value *root)
{
    struct reading_inside *in = r->inside;
    const struct dialect *dialect = dialect_of(root);
    take_names(r, root);
    if (!dialect)
        return;
    if (dialect->name && !in->dialect)
        in->dialect = dialect;
    in->choices_seen |= root[ROOT_CHOICES].type != JSON_TYPE_NONE;
    dialect->read(&in->answer, root);
}

static uint32_t clamp(size_t n)
{
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Adds up what the event under way carried. */
static void add_pieces(struct reading *r, struct reading_event *event)
{
    const struct answer *a = &r->inside->answer;
    size_t output = 0;
    for (size_t i = 0; i < PIECE_COUNT; i++)
        output += a->chars[i];
    event->pieces = a->pieces;
    event->answer_chars = clamp(a->chars[PIECE_ANSWER]);
    event->output_chars = clamp(output);
    r->answer_chars += (int64_t)a->chars[PIECE_ANSWER];
    r->reasoning_chars += (int64_t)a->chars[PIECE_REASONING];
    r->output_chars += (int64_t)output;
    for (size_t i = 0; i < PIECE_COUNT; i++) {
        if (!(a->pieces & 1 << i))
            continue;
        r->chunks[i]++;
        if (r->first_event[i] < 0)
            r->first_event[i] = event->index;
    }
    if (a->pieces && r->first_output_event < 0)
        r->first_output_event = event->index;
}

/* R18, its last case: the event's name says it. `root` is NULL if the data is not JSON. */
static struct dialect_error named_error(const struct reading_event *event,
                                        const struct json_value *whole)
{
    struct dialect_error error = {.kind = dialect_word("error")};
    if (!whole) {
        error.message = (struct json_value){
            .ptr = event->data.ptr, .len = clamp(event->data.len), .type = JSON_TYPE_STRING};
    } else if (whole->type == JSON_TYPE_OBJECT) {
        error = dialect_error_of(whole);
        if (error.kind.type == JSON_TYPE_NONE)
            error.kind = dialect_word("error");
    }
    return error;
}

static void take_json(struct reading *r, struct reading_event *event,
                      const struct json_value *whole, const struct json_value *root)
{
    struct reading_inside *in = r->inside;
    struct dialect_error error;
    event->states_error = dialect_find_error(whole, root, &error);
    if (!event->states_error && str_eq(event->name, STR("error"))) {
        error = named_error(event, whole);
        event->states_error = true;
    }
    if (event->states_error)
        reading_take_error(r, &error);
    if (whole->type != JSON_TYPE_OBJECT)
        return;
    reading_take_object(r, root);
    add_pieces(r, event);
    event->terminator = in->answer.terminated;
}

static void take_broken(struct reading *r, struct reading_event *event)
{
    event->states_error = str_eq(event->name, STR("error"));
    event->malformed = !event->states_error;
    r->malformed_events += event->malformed;
    if (event->states_error) {
        struct dialect_error error = named_error(event, NULL);
        reading_take_error(r, &error);
    }
}

/* R17: the terminator that is no JSON. */
static bool is_done_word(struct str data)
{
    return str_eq_nocase(str_trim(data), STR("[DONE]"));
}

static void take_data(struct reading *r, struct reading_event *event)
{
    struct json_value whole, root[ROOT_SLOTS];
    bool lines = r->inside->options.format == WIRE_NDJSON;
    if (!lines && is_done_word(event->data)) {
        event->terminator = true;
        return;
    }
    r->inside->json_events++;
    if (json_read(event->data, &root_shape, &whole, root) &&
        (!lines || whole.type == JSON_TYPE_OBJECT)) /* R26: no other line is an event */
        take_json(r, event, &whole, root);
    else
        take_broken(r, event);
}

/* One event, its data not blank: R7, R17, R20. */
static void give(struct reading *r, struct str data, struct str name, int64_t mark)
{
    struct reading_inside *in = r->inside;
    struct reading_event event = {
        .index = (uint32_t)r->events,
        .mark = mark,
        .bytes = clamp(data.len),
        .after_done = r->done,
        .data = data,
        .name = name,
    };
    r->events++;
    r->after_done += r->done;
    answer_start_event(&in->answer);
    if (!r->done)
        take_data(r, &event);
    r->done |= event.terminator;
    reading_settle(r);
    if (in->options.on_event)
        in->options.on_event(in->options.arg, &event);
}

/* Something that is whole by itself, so that it can be no part of something longer (R5, R6). */
static bool is_whole(struct str data)
{
    struct json_value whole;
    return is_done_word(data) ||
           (json_read(data, NULL, &whole, NULL) && whole.type == JSON_TYPE_OBJECT);
}

static bool is_blank(struct str s)
{
    return str_trim(s).len == 0;
}

/* R5: at least two non-blank lines, each of them whole. */
static bool is_glued(const struct sse_event *e)
{
    struct str rest = e->data;
    size_t parts = 0;
    while (rest.ptr) {
        struct str line = str_split(&rest, '\n');
        if (is_blank(line))
            continue;
        if (!is_whole(line))
            return false;
        parts++;
    }
    return parts > 1;
}

/* Gives the lines at the front that are whole, each with its own mark. Whether that was all. */
static bool give_lines(struct reading *r, const struct sse_event *e)
{
    struct str rest = e->data;
    for (uint32_t line = 0; rest.ptr; line++) {
        struct str part = str_split(&rest, '\n');
        if (is_blank(part))
            continue;
        if (!is_whole(part))
            return false;
        give(r, part, e->name, sse_mark_of(e, line));
    }
    return true;
}

/* R6 */
static void give_tail(struct reading *r, const struct sse_event *e)
{
    bool accepted = is_whole(e->data);
    if (accepted)
        give(r, e->data, e->name, sse_mark_of(e, e->lines - 1));
    else if (e->lines > 1)
        accepted = give_lines(r, e);
    r->tail = accepted ? TAIL_ACCEPTED : TAIL_DISCARDED;
}

static void on_sse_event(void *arg, const struct sse_event *e)
{
    struct reading *r = arg;
    struct json_value whole;
    if (is_blank(e->data))
        return;
    if (e->tail)
        give_tail(r, e);
    else if (e->lines > 1 && !is_done_word(e->data) && !json_read(e->data, NULL, &whole, NULL) &&
             is_glued(e))
        give_lines(r, e);
    else
        give(r, e->data, e->name, sse_mark_of(e, e->lines - 1));
}

/* R19: `error: {…}`. Whether it was one. */
static bool take_error_field(struct reading *r, struct str line)
{
    struct json_value whole, root[ROOT_SLOTS];
    struct dialect_error error;
    if (!str_starts(line, STR("error:")) ||
        !json_read(str_from(line, STR("error:").len), &root_shape, &whole, root) ||
        whole.type != JSON_TYPE_OBJECT)
        return false;
    if (!dialect_find_error(&whole, root, &error))
        error = dialect_error_of(&whole);
    reading_take_error(r, &error);
    return true;
}

static void on_sse_other(void *arg, struct str line)
{
    struct reading *r = arg;
    struct reading_inside *in = r->inside;
    if (r->done || is_blank(line) || take_error_field(r, line))
        return;
    in->foreign_seen = true;
    buf_add_str(&in->foreign, line);
    buf_add_byte(&in->foreign, '\n');
}

static void on_ndjson_line(void *arg, struct str line, int64_t mark, bool tail)
{
    struct reading *r = arg;
    struct json_value whole;
    if (tail) {
        bool object = json_read(line, NULL, &whole, NULL) && whole.type == JSON_TYPE_OBJECT;
        r->tail = object ? TAIL_ACCEPTED : TAIL_DISCARDED;
        if (!object)
            return;
    }
    give(r, line, (struct str){0}, mark);
}

static void on_ndjson_plain(void *arg, struct str body)
{
    struct reading *r = arg;
    r->inside->foreign_seen = true;
    r->tail = TAIL_NONE;
    buf_add_str(&r->inside->foreign, body);
}

void reading_init(struct reading *r, const struct reading_options *options)
{
    struct reading_inside *in = mem_zalloc(sizeof(*in));
    *r = (struct reading){.inside = in, .first_output_event = -1};
    for (size_t i = 0; i < PIECE_COUNT; i++)
        r->first_event[i] = -1;
    in->options = *options;
    if (in->options.event_bytes_max == 0)
        in->options.event_bytes_max = READING_EVENT_BYTES_MAX;
    answer_init(&in->answer, options->keep_text);
    buf_init(&in->foreign, READING_FOREIGN_BYTES_MAX);
    reading_settle(r);
    if (options->format == WIRE_NDJSON)
        ndjson_init(&in->ndjson, &(struct ndjson_handler){on_ndjson_line, on_ndjson_plain, r},
                    in->options.event_bytes_max);
    else
        sse_init(&in->sse, &(struct sse_handler){on_sse_event, on_sse_other, r},
                 in->options.event_bytes_max);
}

/* A line or event without end: counted as malformed, and nothing is read after it. */
static void give_up(struct reading *r, int64_t mark)
{
    struct reading_event event = {
        .index = (uint32_t)r->events, .mark = mark, .malformed = !r->done, .after_done = r->done};
    r->over_limit = true;
    r->events++;
    r->after_done += r->done;
    r->malformed_events += event.malformed;
    r->inside->json_events++;
    if (r->inside->options.on_event)
        r->inside->options.on_event(r->inside->options.arg, &event);
}

bool reading_feed(struct reading *r, const char *bytes, size_t len, int64_t mark)
{
    struct reading_inside *in = r->inside;
    if (r->over_limit)
        return false;
    bool going = in->options.format == WIRE_NDJSON ? ndjson_feed(&in->ndjson, bytes, len, mark)
                                                   : sse_feed(&in->sse, bytes, len, mark);
    if (in->options.format == WIRE_SSE)
        r->comments = in->sse.comments;
    if (!going)
        give_up(r, mark);
    return going;
}

void reading_settle(struct reading *r)
{
    struct reading_inside *in = r->inside;
    const struct answer *a = &in->answer;
    r->dialect = in->dialect ? in->dialect->name : in->choices_seen ? "openai-chat" : NULL;
    r->usage = a->usage;
    r->finish_reason = a->has_finish_reason ? buf_str(&a->finish_reason) : (struct str){0};
    r->finished = answer_finished(a) || (in->dialect && in->dialect->no_end_mark);
    r->text = buf_str(&a->text);
    r->reasoning_text = buf_str(&a->reasoning_text);
}

/* R19, and the body that is no stream (R26). */
static void end_foreign(struct reading *r)
{
    struct reading_inside *in = r->inside;
    struct json_value whole, root[ROOT_SLOTS];
    struct dialect_error error;
    r->plain_body = in->foreign_seen && in->json_events == 0;
    if (in->foreign.over || !json_read(buf_str(&in->foreign), &root_shape, &whole, root))
        return;
    if (dialect_find_error(&whole, root, &error))
        reading_take_error(r, &error);
}

static bool is_over(const struct reading *r)
{
    const struct dialect *d = r->inside->dialect;
    bool finished = r->finished || (r->done && d && d->terminator_finishes);
    switch (r->inside->options.terminator) {
    case TERMINATOR_DONE:
        return r->done;
    case TERMINATOR_FINISH:
        return finished;
    case TERMINATOR_EITHER:
        return r->done || finished;
    }
    return false;
}

/* R21 */
static enum reading_verdict verdict_of(const struct reading *r)
{
    if (r->has_error)
        return READING_ERROR;
    if (r->inside->json_events == 0) {
        if (r->inside->foreign_seen)
            return READING_NOT_A_STREAM;
        return r->tail == TAIL_DISCARDED ? READING_INCOMPLETE : READING_EMPTY;
    }
    if (r->malformed_events)
        return READING_MALFORMED;
    return is_over(r) ? READING_COMPLETE : READING_INCOMPLETE;
}

void reading_end(struct reading *r)
{
    struct reading_inside *in = r->inside;
    if (!r->over_limit && in->options.format == WIRE_NDJSON) {
        ndjson_end(&in->ndjson);
    } else if (!r->over_limit) {
        sse_end(&in->sse);
        r->comments = in->sse.comments;
        if (in->sse.lines.too_long)
            give_up(r, in->sse.mark);
    }
    end_foreign(r);
    answer_end(&in->answer);
    reading_settle(r);
    r->verdict = verdict_of(r);
}

void reading_done(struct reading *r)
{
    struct reading_inside *in = r->inside;
    if (!in)
        return;
    if (in->options.format == WIRE_NDJSON)
        ndjson_done(&in->ndjson);
    else
        sse_done(&in->sse);
    answer_done(&in->answer);
    buf_done(&in->foreign);
    char *const kept[] = {in->error_kind, in->error_message, in->response_id, in->served_model,
                          in->system_fingerprint};
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        mem_free(kept[i]);
    mem_free(in);
    *r = (struct reading){0};
}
