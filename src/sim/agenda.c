#include "sim/agenda.h"

static bool earlier(const struct agenda_item *a, const struct agenda_item *b)
{
    if (a->due != b->due)
        return a->due < b->due;
    if (a->deadline != b->deadline)
        return b->deadline;
    return a->order < b->order;
}

void agenda_add(struct agenda *a, int64_t due, bool deadline,
                void (*happen)(void *arg, bool dropped), void *arg)
{
    struct agenda_item item = {due, a->asked++, deadline, happen, arg};
    vec_push(&a->heap, item);
    size_t at = a->heap.len - 1;
    for (; at > 0 && earlier(&item, &a->heap.items[(at - 1) / 2]); at = (at - 1) / 2)
        a->heap.items[at] = a->heap.items[(at - 1) / 2];
    a->heap.items[at] = item;
}

bool agenda_next(struct agenda *a, struct agenda_item *item)
{
    if (a->heap.len == 0)
        return false;
    struct agenda_item *heap = a->heap.items;
    *item = heap[0];
    struct agenda_item last = heap[--a->heap.len];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < a->heap.len; at = child) {
        if (child + 1 < a->heap.len && earlier(&heap[child + 1], &heap[child]))
            child++;
        if (!earlier(&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return true;
}

void agenda_done(struct agenda *a)
{
    for (size_t i = 0; i < a->heap.len; i++)
        a->heap.items[i].happen(a->heap.items[i].arg, true);
    vec_done(&a->heap);
}
