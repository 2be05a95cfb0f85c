#ifndef WEIR_REPORT_TABLE_H
#define WEIR_REPORT_TABLE_H

#include "base/arena.h"
#include "base/vec.h"
#include "report/term.h"

/* Columns of text by display width. A zeroed table is empty; table_done frees what it copied. */
enum align {
    ALIGN_LEFT,
    ALIGN_RIGHT,
    ALIGN_RANGE /* "586 .. 720": the dots stand below each other, at the right; head at the left */
};

struct table_column {
    const char *head; /* borrowed; "" for none */
    enum align align;
    size_t gap, least; /* blanks before it; columns it takes at least */
    enum ink ink;
};

struct table {
    const struct table_column *columns; /* borrowed */
    size_t count;
    struct arena arena;
    VEC(const char *) cells; /* row after row */
};

void table_cell(struct table *t, const char *text); /* the next one, copied; NULL: empty */
void table_add(struct buf *out, const struct table *t, const struct report_style *s); /* with LFs */
void table_done(struct table *t);

#endif
