#ifndef WEIR_TEST_PAGE_EDGE_H
#define WEIR_TEST_PAGE_EDGE_H

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Memory whose end is the end of a page with a forbidden one behind it: a parser that reads one
 * byte too far crashes, without a sanitizer. What was put there is overwritten by the next put, so
 * that a view kept too long shows.
 */
struct page_edge {
    char *base;
    size_t size; /* readable; a multiple of the page size */
};

static inline void page_edge_init(struct page_edge *e, size_t at_least)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    e->size = (at_least / page + 1) * page;
    e->base =
        mmap(NULL, e->size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(e->base != MAP_FAILED);
    int denied = mprotect(e->base + e->size, page, PROT_NONE);
    assert(denied == 0);
    (void)denied;
}

/* A copy of `bytes` that ends where the readable memory ends. */
static inline const char *page_edge_put(struct page_edge *e, const char *bytes, size_t len)
{
    assert(len <= e->size);
    memset(e->base, 0xA5, e->size);
    if (len)
        memcpy(e->base + e->size - len, bytes, len);
    return e->base + e->size - len;
}

static inline void page_edge_done(struct page_edge *e)
{
    munmap(e->base, e->size + (size_t)sysconf(_SC_PAGESIZE));
}

#endif
