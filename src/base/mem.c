#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static NORETURN void exhausted(void)
{
    fputs("weir: out of memory\n", stderr);
    abort();
}

void *mem_alloc(size_t size)
{
    void *ptr = malloc(size ? size : 1);
    if (!ptr)
        exhausted();
    return ptr;
}

void *mem_array(size_t count, size_t size)
{
    void *ptr = calloc(count ? count : 1, size ? size : 1);
    if (!ptr)
        exhausted();
    return ptr;
}

void *mem_zalloc(size_t size)
{
    return mem_array(1, size);
}

void *mem_realloc(void *ptr, size_t count, size_t size)
{
    void *bigger = reallocarray(ptr, count ? count : 1, size ? size : 1);
    if (!bigger)
        exhausted();
    return bigger;
}

char *mem_dup(const char *bytes, size_t len)
{
    if (len == SIZE_MAX)
        exhausted();
    char *copy = mem_alloc(len + 1);
    if (len)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    return copy;
}

char *mem_strdup(const char *text)
{
    return mem_dup(text, strlen(text));
}

void mem_free(void *ptr)
{
    free(ptr);
}

void mem_wipe(void *ptr, size_t len)
{
    if (len)
        explicit_bzero(ptr, len);
}
