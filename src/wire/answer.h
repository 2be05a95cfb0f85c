#ifndef WEIR_WIRE_ANSWER_H
#define WEIR_WIRE_ANSWER_H

#include "base/vec.h"
#include "wire/json_text.h"
#include "wire/reading.h"

/*
 * What the events of one body add up to: text, pieces, finish reasons, counts. The dialects tell it
 * what they find (docs/streams.md R10–R17, R22–R24), the reading reads it. Bounded: so many
 * choices, so much text; what goes beyond is not kept.
 */

enum {
    ANSWER_CHOICES_MAX =
        1024, /* with their own state; an answer with more never counts as finished */
    ANSWER_FINISH_BYTES = 256,
};

struct answer_choice {
    int64_t number;
    bool finished, spoke;
};

struct answer {
    /* of the whole body */
    struct wire_usage usage;
    struct buf text, reasoning_text; /* of choice 0 */
    struct buf finish_reason;        /* of choice 0 */
    bool has_finish_reason, terminated;
    bool stop_reason; /* ended, said without a choice */
    bool keep_text;
    /* of the event under way */
    uint8_t pieces;
    size_t chars[PIECE_COUNT];
    /* inside */
    struct json_text join, reasoning_join;
    struct answer_choice first; /* nearly always the only one */
    VEC(struct answer_choice) more;
    uint32_t choice_count;
    bool too_many_choices;
};

void answer_init(struct answer *a, bool keep_text);
void answer_done(struct answer *a);
void answer_start_event(struct answer *a);
void answer_end(struct answer *a); /* settles the texts (R10) */

/* A piece of text of a choice, if it is a non-empty string (or a number: its digits). Returns
 * whether it was. Only answer and reasoning are kept. */
bool answer_add(struct answer *a, enum piece piece, int64_t choice, const struct json_value *text);
/* A piece that is no text of its own: an object of arguments, sound. */
void answer_mark(struct answer *a, enum piece piece);

/* The state of a choice, which from now on counts as seen. Good until the next call. */
struct answer_choice *answer_choice(struct answer *a, int64_t number);
/* Sets what choice 0 ended with; nothing if it is no non-empty string. */
void answer_finish(struct answer *a, const struct json_value *reason);
void answer_finish_text(struct answer *a, struct str reason);

/* R22: a stop reason came, or at least one choice was seen and every one has ended. */
bool answer_finished(const struct answer *a);

/* Takes over each count that is one (R24) and leaves the other as it is. */
void answer_count(int64_t *to, const struct json_value *count);

#endif
