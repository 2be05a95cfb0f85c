#ifndef WEIR_BASE_ARENA_H
#define WEIR_BASE_ARENA_H

#include <stddef.h>

#include "base/attr.h"
#include "base/str.h"

/*
 * Memory that dies together: allocations are never freed one by one, arena_done frees all. A
 * zeroed arena is empty. One thread at a time. Allocations are aligned for any type and zeroed.
 */
struct arena_block;
struct arena {
    struct arena_block *blocks; /* newest first */
    size_t used, size;          /* of the newest block */
};

RETURNS_NONNULL void *arena_alloc(struct arena *a, size_t size);
RETURNS_NONNULL char *arena_dup(struct arena *a, struct str s); /* NUL-ended copy */
RETURNS_NONNULL char *arena_strdup(struct arena *a, const char *text);
void arena_done(struct arena *a);

#endif
