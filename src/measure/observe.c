#include "measure/observe.h"

#include <assert.h>

#include "base/mem.h"
#include "base/utf8.h"

enum {
    BODY_HEAD_BYTES = 512,
    HTTP_ERROR_BYTES = 1 << 20,
    PLAIN_BYTES = 16 << 20,
    NAME_BYTES = 256,     /* ids, models, reasons, kinds: cut to this in the record */
    MESSAGE_BYTES = 4096, /* error messages likewise */
    LAG_UNIT_NS = 100,
};

void observe_start(struct observe *o, struct record *record, const struct observe_options *options)
{
    *o = (struct observe){.record = record, .options = *options};
    o->last_byte = o->last_mark = NEVER;
    record->streamed = options->streamed;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b; /* NEVER is the least */
}

/* Takes a stamp over. Returns whether it belongs to another read than the one before. */
static bool arrive(struct observe *o, const struct stamp *stamp)
{
    struct record *r = o->record;
    struct stamp s = *stamp;
    s.at = later(s.at, later(o->last_byte, r->start));
    if (o->last_byte != NEVER && s.at == o->stamp.at && s.read_at == o->stamp.read_at)
        return false;
    int64_t since = o->last_byte != NEVER ? o->last_byte : later(r->sent, r->start);
    r->silence_max = later(r->silence_max, s.at > since ? s.at - since : 0);
    o->before = o->stamp;
    o->stamp = s;
    o->last_byte = s.at;
    return true;
}

/* The lag of the read that brought the bytes marked `mark`: this one or the one before it. */
static uint16_t lag_of(const struct observe *o, int64_t mark)
{
    const struct stamp *s = mark == o->before.at ? &o->before : &o->stamp;
    int64_t lag = s->read_at > s->at ? (s->read_at - s->at) / LAG_UNIT_NS : 0;
    return (uint16_t)(lag < UINT16_MAX ? lag : UINT16_MAX);
}

static void log_event(struct observe *o, const struct reading_event *event, bool coalesced)
{
    struct record_event e = {
        .at = event->mark,
        .bytes = event->bytes,
        .lag = lag_of(o, event->mark),
        .pieces = event->pieces,
    };
    const struct {
        bool holds;
        uint8_t flag;
    } flags[] = {
        {event->terminator, RECORD_EVENT_TERMINATOR},
        {event->malformed, RECORD_EVENT_MALFORMED},
        {event->states_error, RECORD_EVENT_ERROR},
        {coalesced, RECORD_EVENT_COALESCED},
        {o->stamp.clock == CLOCK_KIND_USER, RECORD_EVENT_USER_CLOCK},
    };
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        e.flags |= flags[i].holds ? flags[i].flag : 0;
    record_log_event(o->record, &e);
}

static void note_output(struct observe *o, const struct reading_event *event)
{
    struct record *r = o->record;
    if (r->output_events++ == 0) {
        r->first_output = event->mark;
        r->first_output_chars = event->output_chars;
    }
    if (r->first_answer == NEVER && event->pieces & 1 << PIECE_ANSWER)
        r->first_answer = event->mark;
    r->last_output = event->mark;
    o->brought |= OBSERVED_OUTPUT;
}

/* Every event of every stream passes here: its instant is that of the bytes that ended its data. */
static void on_event(void *arg, const struct reading_event *event)
{
    struct observe *o = arg;
    struct record *r = o->record;
    bool coalesced = event->mark == o->last_mark;
    o->last_mark = event->mark;
    o->brought |= OBSERVED_EVENT;
    r->coalesced += coalesced;
    if (r->first_event == NEVER)
        r->first_event = event->mark;
    if (event->pieces) /* never of an event after the terminator */
        note_output(o, event);
    if (event->terminator && r->terminator == NEVER)
        r->terminator = event->mark;
    if (o->options.keep_events)
        log_event(o, event, coalesced);
    if (o->options.on_event)
        o->options.on_event(o->options.arg, event);
}

static char *copy(struct str s, size_t max)
{
    if (!s.ptr)
        return NULL;
    struct str whole = utf8_cut(s, max);
    return mem_dup(whole.ptr, whole.len);
}

static size_t plain_max(const struct observe *o)
{
    switch (o->mode) {
    case OBSERVE_STREAM:
        return BODY_HEAD_BYTES;
    case OBSERVE_HTTP_ERROR:
        return HTTP_ERROR_BYTES;
    case OBSERVE_PLAIN:
        return o->options.plain_bytes_max ? o->options.plain_bytes_max : PLAIN_BYTES;
    case OBSERVE_NO_HEAD:
    default:
        return 1;
    }
}

void observe_head(struct observe *o, int status, struct str content_type, const struct stamp *stamp)
{
    struct record *r = o->record;
    assert(o->mode == OBSERVE_NO_HEAD && r->start != NEVER && status != 0);
    arrive(o, stamp);
    r->headers = o->stamp.at;
    r->clock = stamp->clock;
    r->http_status = status;
    r->content_type = copy(content_type, NAME_BYTES);
    o->mode = status / 100 != 2     ? OBSERVE_HTTP_ERROR
              : o->options.streamed ? OBSERVE_STREAM
                                    : OBSERVE_PLAIN;
    buf_init(&o->plain, plain_max(o));
    reading_init(&o->reading, &(struct reading_options){
                                  .format = wire_format_of(content_type),
                                  .terminator = o->options.terminator,
                                  .keep_text = o->options.keep_text,
                                  .on_event = on_event,
                                  .arg = o,
                              });
}

static void feed_stream(struct observe *o, struct str bytes)
{
    if (o->record->first_event == NEVER && o->plain.len < BODY_HEAD_BYTES)
        buf_add_str(&o->plain, str_upto(bytes, BODY_HEAD_BYTES - o->plain.len));
    o->over_limit |= !reading_feed(&o->reading, bytes.ptr, bytes.len, o->stamp.at);
    if (o->record->first_event != NEVER)
        buf_done(&o->plain);
    bool finished = o->options.terminator != TERMINATOR_DONE && o->reading.finished;
    if (o->record->terminator != NEVER || finished)
        o->brought |= OBSERVED_TERMINATOR;
}

/* Keeps what fits, so that an error's message is there even where its body goes on. */
static void feed_plain(struct observe *o, struct str bytes)
{
    size_t room = plain_max(o) - o->plain.len;
    o->over_limit |= bytes.len > room;
    buf_add_str(&o->plain, str_upto(bytes, room));
}

unsigned observe_body(struct observe *o, const char *bytes, size_t len, const struct stamp *stamp)
{
    struct record *r = o->record;
    assert(o->mode != OBSERVE_NO_HEAD);
    o->brought = 0;
    if (len == 0)
        return 0;
    bool another = arrive(o, stamp);
    r->reads += another || r->reads == 0;
    r->clock = stamp->clock;
    r->body_bytes += (int64_t)len;
    r->lag_max = later(r->lag_max, o->stamp.read_at - o->stamp.at);
    if (o->mode == OBSERVE_STREAM)
        feed_stream(o, str_make(bytes, len));
    else
        feed_plain(o, str_make(bytes, len));
    return o->brought | (o->over_limit ? OBSERVED_OVER_LIMIT : 0u);
}

/* A C string cannot hold NUL, so it becomes U+FFFD; other bytes are kept as they came. */
static char *head_of_body(struct str body)
{
    struct buf head;
    buf_init(&head, BODY_HEAD_BYTES);
    for (size_t i = 0; i < body.len && i < BODY_HEAD_BYTES; i++)
        if (!(body.ptr[i] ? buf_add_byte(&head, body.ptr[i]) : utf8_add(&head, UTF8_REPLACEMENT)))
            break;
    return buf_take(&head);
}

static void settle_reading(struct observe *o)
{
    switch (o->mode) {
    case OBSERVE_NO_HEAD:
        return;
    case OBSERVE_STREAM:
        reading_end(&o->reading);
        return;
    case OBSERVE_PLAIN:
        reading_plain(&o->reading, buf_str(&o->plain), o->options.keep_text);
        return;
    case OBSERVE_HTTP_ERROR:
        reading_http_error(&o->reading, o->record->http_status, str_of(o->record->content_type),
                           buf_str(&o->plain));
        return;
    }
}

static void copy_reading(struct record *r, const struct reading *reading)
{
    r->events = reading->events;
    r->comments = reading->comments;
    r->malformed_events = reading->malformed_events;
    r->after_done = reading->after_done;
    for (size_t i = 0; i < PIECE_COUNT; i++)
        r->chunks[i] = reading->chunks[i];
    r->answer_chars = reading->answer_chars;
    r->reasoning_chars = reading->reasoning_chars;
    r->output_chars = reading->output_chars;
    r->done = reading->done;
    r->finished = reading->finished;
    r->tail = reading->tail;
    r->usage = reading->usage;
    r->dialect = reading->dialect;
    r->finish_reason = copy(reading->finish_reason, NAME_BYTES);
    r->error_kind = copy(reading->error_kind, NAME_BYTES);
    r->error_message = copy(reading->error_message, MESSAGE_BYTES);
    r->response_id = copy(reading->response_id, NAME_BYTES);
    r->served_model = copy(reading->served_model, NAME_BYTES);
    r->system_fingerprint = copy(reading->system_fingerprint, NAME_BYTES);
}

void observe_end(struct observe *o, enum transport_end how, int64_t at)
{
    struct record *r = o->record;
    assert(r->end == NEVER && r->start != NEVER);
    r->end = later(at, later(o->last_byte, r->start));
    r->transport = how;
    int64_t since = later(o->last_byte, r->sent);
    if (since != NEVER)
        r->silence_max = later(r->silence_max, r->end - since);
    settle_reading(o);
    if (o->mode != OBSERVE_NO_HEAD) {
        copy_reading(r, &o->reading);
        if (o->options.keep_text) {
            r->text = copy(o->reading.text, SIZE_MAX);
            r->reasoning_text = copy(o->reading.reasoning_text, SIZE_MAX);
        }
    }
    r->outcome = outcome_decide(&(struct outcome_facts){
        .transport = how,
        .http_status = r->http_status,
        .over_limit = o->over_limit,
        .reading = o->mode == OBSERVE_NO_HEAD ? READING_EMPTY : o->reading.verdict,
    });
    record_count_tokens(r, 0);
    if (r->outcome != OUTCOME_COMPLETE && o->plain.len > 0)
        r->body_head = head_of_body(buf_str(&o->plain));
}

void observe_done(struct observe *o)
{
    if (!o)
        return;
    if (o->mode != OBSERVE_NO_HEAD)
        reading_done(&o->reading);
    buf_done(&o->plain);
    o->mode = OBSERVE_NO_HEAD;
}
