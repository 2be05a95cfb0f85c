#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "base/mem.h"

enum { BLOCK_BYTES = 4096 };

struct arena_block {
    struct arena_block *next;
    alignas(max_align_t) char bytes[];
};

void *arena_alloc(struct arena *a, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 2)
        size = SIZE_MAX / 2; /* cannot be had: mem_alloc aborts */
    size = (size + align - 1) / align * align;
    if (!a->blocks || size > a->size - a->used) {
        size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        struct arena_block *block = mem_alloc(sizeof(*block) + room);
        block->next = a->blocks;
        *a = (struct arena){.blocks = block, .used = 0, .size = room};
    }
    void *ptr = a->blocks->bytes + a->used;
    a->used += size;
    return memset(ptr, 0, size);
}

char *arena_dup(struct arena *a, struct str s)
{
    char *copy = arena_alloc(a, s.len + 1);
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
    return arena_dup(a, str_of(text));
}

void arena_done(struct arena *a)
{
    struct arena_block *block = a->blocks;
    while (block) {
        struct arena_block *next = block->next;
        mem_free(block);
        block = next;
    }
    *a = (struct arena){0};
}
