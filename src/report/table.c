#include "report/table.h"

#include <assert.h>

#include "base/utf8.h"

static const char dots[] = " .. ";

void table_cell(struct table *t, const char *text)
{
    vec_push(&t->cells, arena_strdup(&t->arena, text ? text : ""));
}

void table_done(struct table *t)
{
    arena_done(&t->arena);
    vec_done(&t->cells);
}

/* Columns of a cell before its dots (`left`) and from there on; without dots all is right. */
struct extent {
    size_t left, right;
};

static struct extent extent_of(const char *cell, enum align align)
{
    const char *at = align == ALIGN_RANGE ? strstr(cell, dots) : NULL;
    size_t whole = utf8_width(str_of(cell));
    size_t left = at ? utf8_width(str_make(cell, (size_t)(at - cell))) : 0;
    return (struct extent){left, whole - left};
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* The greatest extents of a column over all its rows. */
static struct extent column_extent(const struct table *t, size_t column)
{
    struct extent all = {0, 0};
    for (size_t i = column; i < t->cells.len; i += t->count) {
        struct extent one = extent_of(t->cells.items[i], t->columns[column].align);
        all.left = most(all.left, one.left);
        all.right = most(all.right, one.right);
    }
    return all;
}

struct layout {
    struct extent extent;
    size_t gap, width;
};

/* Takes blanks between columns, the widest gaps first, until the table fits or they are all two. */
static void narrow(struct layout *layouts, size_t count, size_t room)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += layouts[i].gap + layouts[i].width;
    while (total > room) {
        size_t widest = 0;
        for (size_t i = 1; i < count; i++)
            if (layouts[i].gap > layouts[widest].gap)
                widest = i;
        if (layouts[widest].gap <= 2)
            return;
        layouts[widest].gap--;
        total--;
    }
}

static void add_cell(struct buf *out, const struct report_style *s, const struct table_column *c,
                     const struct layout *l, const char *cell, bool head)
{
    size_t own = utf8_width(str_of(cell));
    size_t before = 0;
    if (c->align == ALIGN_RIGHT)
        before = l->width - own;
    else if (c->align == ALIGN_RANGE && strstr(cell, dots))
        before = l->width - l->extent.left - l->extent.right + l->extent.left -
                 extent_of(cell, c->align).left;
    else if (c->align == ALIGN_RANGE && !head) /* a dash stands where the dots would */
        before = l->width - l->extent.right + (l->extent.right > 1);
    if (before + own > l->width)
        before = l->width - own;
    term_pad(out, l->gap + before);
    if (!head && c->ink != INK_PLAIN)
        term_ink(out, s, c->ink);
    buf_add_text(out, cell);
    if (!head && c->ink != INK_PLAIN)
        term_ink(out, s, INK_PLAIN);
    term_pad(out, l->width - before - own);
}

void table_add(struct buf *out, const struct table *t, const struct report_style *s)
{
    enum { COLUMNS_MAX = 16 };
    struct layout layouts[COLUMNS_MAX];
    assert(t->count > 0 && t->count <= COLUMNS_MAX && t->cells.len % t->count == 0);
    bool heads = false;
    for (size_t i = 0; i < t->count; i++) {
        const struct table_column *c = &t->columns[i];
        layouts[i].extent = column_extent(t, i);
        layouts[i].gap = c->gap;
        layouts[i].width = most(most(c->least, utf8_width(str_of(c->head))),
                                layouts[i].extent.left + layouts[i].extent.right);
        heads = heads || c->head[0];
    }
    narrow(layouts, t->count, (size_t)term_width(s));
    for (size_t i = 0; heads && i < t->count; i++)
        add_cell(out, s, &t->columns[i], &layouts[i], t->columns[i].head, true);
    if (heads)
        buf_add_byte(out, '\n');
    for (size_t i = 0; i < t->cells.len; i++) {
        size_t column = i % t->count;
        add_cell(out, s, &t->columns[column], &layouts[column], t->cells.items[i], false);
        if (column == t->count - 1)
            buf_add_byte(out, '\n');
    }
}
