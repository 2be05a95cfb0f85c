#ifndef WEIR_WIRE_READING_H
#define WEIR_WIRE_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * What a response body says, whatever its dialect: framing (wire/sse, wire/ndjson), then each
 * event's JSON (wire/json, wire/dialect), added up to a reading. The rules are those of
 * docs/streams.md (R1 … R26). A push machine: any split of the bytes gives the same reading.
 *
 * It has no clock. Each feed carries a `mark`, an opaque number of the caller's (an instant, or an
 * index); an event carries the mark of the feed whose bytes ended its last data line.
 */

enum wire_format { WIRE_SSE, WIRE_NDJSON };
/* By a Content-Type, parameters aside; SSE if it names no kind of JSON lines. */
enum wire_format wire_format_of(struct str content_type);

enum piece { PIECE_ANSWER, PIECE_REASONING, PIECE_TOOL, PIECE_REFUSAL, PIECE_AUDIO, PIECE_COUNT };
const char *piece_name(enum piece piece); /* "answer" … */

enum reading_verdict {
    READING_COMPLETE,
    READING_INCOMPLETE,
    READING_ERROR,
    READING_MALFORMED,
    READING_NOT_A_STREAM,
    READING_EMPTY,
};
const char *reading_verdict_name(enum reading_verdict v);

/* What counts as the end of an answer (metrics.md §2). */
enum terminator_policy {
    TERMINATOR_DONE,   /* the terminator came */
    TERMINATOR_FINISH, /* every choice seen stated a finish reason (R22) */
    TERMINATOR_EITHER,
};

enum wire_tail { TAIL_NONE, TAIL_ACCEPTED, TAIL_DISCARDED };

enum { COUNT_UNKNOWN = -1 };
struct wire_usage {
    int64_t prompt_tokens, completion_tokens, reasoning_tokens,
        cached_tokens; /* or COUNT_UNKNOWN */
};

/* One event as it is dispatched. Views are valid during the callback only. */
struct reading_event {
    uint32_t index;        /* R20 */
    int64_t mark;          /* of the feed that ended its last data line */
    uint32_t bytes;        /* of its data */
    uint8_t pieces;        /* bit 1 << PIECE_x for each kind it carries, of any choice */
    uint32_t answer_chars; /* UTF-16 units of answer text it adds, all choices */
    uint32_t output_chars; /* the same over all kinds */
    bool terminator, malformed, states_error, after_done;
    struct str data, name;
};
typedef void reading_event_fn(void *arg, const struct reading_event *event);

struct reading_options {
    enum wire_format format;
    enum terminator_policy terminator;
    bool keep_text;         /* keep `text` and `reasoning_text` (else they stay empty) */
    size_t event_bytes_max; /* a line or event longer than this is malformed and ends the reading;
                               0: 16 MiB */
    reading_event_fn *on_event; /* may be NULL */
    void *arg;
};

/* The result so far; final after reading_end. Strings live as long as the reading. */
struct reading {
    const char *dialect; /* static name, or NULL (R11) */
    int64_t events, comments, malformed_events, after_done;
    int64_t chunks[PIECE_COUNT];
    int64_t first_event[PIECE_COUNT];                    /* index, or -1 */
    int64_t first_output_event;                          /* least of them, or -1 */
    int64_t answer_chars, reasoning_chars, output_chars; /* UTF-16 units, all choices */
    struct str text, reasoning_text;                     /* of choice 0, valid UTF-8 */
    struct str finish_reason;                            /* of choice 0; ptr NULL if none */
    bool done;                                           /* a terminator came */
    bool finished;                                       /* R22 holds */
    bool over_limit;                                     /* a line or event exceeded its maximum */
    bool has_error;
    struct str error_kind, error_message; /* ptr NULL for null */
    struct wire_usage usage;
    enum wire_tail tail;
    bool plain_body; /* R26 plain body, or foreign text only */
    struct str response_id, served_model, system_fingerprint; /* ptr NULL if never stated */
    enum reading_verdict verdict;                             /* valid after reading_end */

    struct reading_inside *inside; /* owned; its size is small until an event spans two feeds */
};

void reading_init(struct reading *r, const struct reading_options *options);
/* Returns false once over_limit is set; later bytes are ignored. */
bool reading_feed(struct reading *r, const char *bytes, size_t len, int64_t mark);
/* The body ended. Dispatches the tail (R6), settles text and verdict. No feed after it. */
void reading_end(struct reading *r);
void reading_done(struct reading *r);

/* A body of an HTTP status >= 400 (R25), or a plain body of a 2xx answer to a plain request.
 * Both give a reading by the same members; the body is at hand whole. The reading was initialised
 * and not fed; no reading_end after it. Events and chunks stay 0: there are none. */
void reading_http_error(struct reading *r, int status, struct str content_type, struct str body);
/* A non-streaming answer: text, finish reasons, usage, error. verdict complete if the body is JSON,
 * states no error and each choice has a finish reason; else malformed, error or incomplete. */
void reading_plain(struct reading *r, struct str body, bool keep_text);

#endif
