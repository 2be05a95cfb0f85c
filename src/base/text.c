#include "base/text.h"

#include <assert.h>

static const char *const table[TEXT_COUNT] = {
#define X(id, en) [TEXT_##id] = en,
#include "base/text/all.def"
#undef X
};

const char *text_raw(enum text_id id)
{
    assert((unsigned)id < TEXT_COUNT);
    return table[id];
}

void text_add_args(struct buf *out, enum text_id id, const char *const *args)
{
    size_t count = 0;
    while (args[count])
        count++;
    for (const char *at = text_raw(id); *at;) {
        if (at[0] == '{' && at[1] >= '1' && at[1] <= '9' && at[2] == '}') {
            size_t nth = (size_t)(at[1] - '1');
            assert(nth < count); /* a sentence asks for more than its caller gives */
            buf_add_text(out, args[nth]);
            at += 3;
        } else {
            buf_add_byte(out, *at++);
        }
    }
}
