#ifndef WEIR_BASE_MEM_H
#define WEIR_BASE_MEM_H

#include <stddef.h>

#include "base/attr.h"

/*
 * Heap memory that is either there or ends the program: exhausted memory prints one line and
 * aborts, so no caller tests for NULL. Sizes that overflow abort too. Every function is safe to
 * call from several threads.
 */

RETURNS_NONNULL void *mem_alloc(size_t size);  /* uninitialised; size 0 gives a unique pointer */
RETURNS_NONNULL void *mem_zalloc(size_t size); /* zeroed */
RETURNS_NONNULL void *mem_array(size_t count, size_t size); /* zeroed; count * size is checked */
RETURNS_NONNULL void *mem_realloc(void *ptr, size_t count, size_t size);
RETURNS_NONNULL char *mem_dup(const char *bytes, size_t len); /* a copy with a NUL after it */
RETURNS_NONNULL char *mem_strdup(const char *text);
void mem_free(void *ptr); /* NULL is fine */

/* Overwrites `len` bytes so that the compiler may not drop it: for keys. */
void mem_wipe(void *ptr, size_t len);

#endif
