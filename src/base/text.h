#ifndef WEIR_BASE_TEXT_H
#define WEIR_BASE_TEXT_H

#include "base/buf.h"

/*
 * Every sentence that people read, by id. The sentences stand in text/AREA.def, one X(ID,
 * "English") a line; nothing outside those files holds prose. Other languages become further
 * columns there.
 *
 * Placeholders are {1}, {2} … and take strings only: numbers are formatted first (base/fmt.h), so
 * a translation may reorder its parts and no argument can have the wrong type.
 *
 *     text_add(&out, TEXT_PROBE_COMPLETE, "9", "10");      "{1} of {2} complete" → 9 of 10 complete
 */

enum text_id {
#define X(id, en) TEXT_##id,
#include "base/text/all.def"
#undef X
    TEXT_COUNT
};

/* The sentence as it stands in the table, placeholders and all. Never NULL; lives for ever. */
RETURNS_NONNULL const char *text_raw(enum text_id id);

/* Adds the sentence with its placeholders filled; `args` ends with NULL. */
void text_add_args(struct buf *out, enum text_id id, const char *const *args);

#define text_add(out, id, ...)                                                                     \
    text_add_args((out), (id), (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

#endif
