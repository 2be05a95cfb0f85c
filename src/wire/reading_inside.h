#ifndef WEIR_WIRE_READING_INSIDE_H
#define WEIR_WIRE_READING_INSIDE_H

#include "wire/dialect.h"
#include "wire/ndjson.h"
#include "wire/reading.h"
#include "wire/sse.h"

/* What a reading keeps to itself; shared by reading.c and reading_body.c only. */

enum {
    READING_EVENT_BYTES_MAX = 16 << 20,
    READING_MESSAGE_BYTES_MAX = 16 << 10, /* an error's message; the rest is cut */
    READING_WORD_BYTES_MAX = 256,         /* kinds, ids, names */
    READING_FOREIGN_BYTES_MAX = 64 << 10, /* of foreign text; beyond it no error is looked for */
};

struct reading_inside {
    struct reading_options options;
    struct answer answer;
    const struct dialect *dialect;
    bool choices_seen; /* undecided events with choices: chat, if nothing else tells */
    bool foreign_seen;
    int64_t json_events; /* before the terminator, malformed ones too */
    struct buf foreign;
    char *error_kind, *error_message, *response_id, *served_model, *system_fingerprint;
    union {
        struct sse sse;
        struct ndjson ndjson;
    };
};

/* An object that is read for what it carries; sets what the reading shows of it. */
void reading_take_object(struct reading *r, const struct json_value *root);
/* The first error counts (R18). */
void reading_take_error(struct reading *r, const struct dialect_error *error);
/* Members that are views into what the reading keeps, settled. */
void reading_settle(struct reading *r);

#endif
