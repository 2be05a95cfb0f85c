#ifndef WEIR_BASE_VEC_H
#define WEIR_BASE_VEC_H

#include "base/mem.h"

/*
 * A growing array of any type, as three members of a struct: VEC(int) squares;
 * A zeroed one is empty. Pointers into it are good until the next vec_push.
 */
#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t len, cap;                                                                           \
    }

#define vec_push(v, ...)                                                                           \
    do {                                                                                           \
        if ((v)->len == (v)->cap) {                                                                \
            (v)->cap = (v)->cap ? (v)->cap * 2 : 8;                                                \
            (v)->items = mem_realloc((v)->items, (v)->cap, sizeof(*(v)->items));                   \
        }                                                                                          \
        (v)->items[(v)->len++] = (__VA_ARGS__);                                                    \
    } while (0)

#define vec_done(v)                                                                                \
    do {                                                                                           \
        mem_free((v)->items);                                                                      \
        (v)->items = NULL;                                                                         \
        (v)->len = (v)->cap = 0;                                                                   \
    } while (0)

#endif
