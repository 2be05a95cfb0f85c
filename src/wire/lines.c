#include "wire/lines.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BOM_BYTES = 3, LINES_BEGUN = 4, KEEP_BYTES = 512 };
static const char bom[BOM_BYTES] = "\xEF\xBB\xBF";

/* The first CR or LF, or `end`. */
static const char *line_stop(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
    for (; end - p >= 16; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)p);
        __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(bytes, lf), _mm_cmpeq_epi8(bytes, cr));
        int mask = _mm_movemask_epi8(hit);
        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
#endif
    while (p < end && *p != '\n' && *p != '\r')
        p++;
    return p;
}

static bool add_rest(struct lines *l, const char *bytes, size_t len)
{
    l->rest.max = l->max;
    return buf_add(&l->rest, bytes, len);
}

/* Returns how many bytes of the BOM these are; what only looked like one begins the first line. */
static size_t skip_bom(struct lines *l, const char *bytes, size_t len)
{
    size_t taken = 0;
    while (l->bom < BOM_BYTES && taken < len && bytes[taken] == bom[l->bom]) {
        l->bom++;
        taken++;
    }
    if (l->bom < BOM_BYTES && taken < len)
        add_rest(l, bom, l->bom);
    if (l->bom == BOM_BYTES || taken < len)
        l->bom = LINES_BEGUN;
    return taken;
}

static void forget_rest(struct lines *l)
{
    if (l->rest.cap > KEEP_BYTES)
        buf_done(&l->rest);
    else
        buf_clear(&l->rest);
}

static bool take_line(struct lines *l, const char *bytes, size_t len, lines_fn *on_line, void *arg)
{
    if (l->rest.len == 0)
        return len <= l->max && on_line(arg, str_make(bytes, len), true);
    bool going = add_rest(l, bytes, len) && on_line(arg, buf_str(&l->rest), false);
    forget_rest(l);
    return going;
}

bool lines_feed(struct lines *l, const char *bytes, size_t len, lines_fn *on_line, void *arg)
{
    const char *p = bytes, *end = bytes + len;
    if (l->bom != LINES_BEGUN)
        p += skip_bom(l, bytes, len);
    while (p < end && !l->too_long) {
        if (l->skip_lf) {
            l->skip_lf = false;
            if (*p == '\n') {
                p++;
                continue;
            }
        }
        const char *stop = line_stop(p, end);
        size_t part = (size_t)(stop - p);
        if (stop == end) {
            l->too_long = !add_rest(l, p, part);
            break;
        }
        l->skip_lf = *stop == '\r';
        l->too_long = !take_line(l, p, part, on_line, arg);
        p = stop + 1;
    }
    return !l->too_long;
}

bool lines_end(struct lines *l, struct str *last)
{
    if (l->bom < BOM_BYTES)
        add_rest(l, bom, l->bom);
    l->bom = LINES_BEGUN;
    *last = buf_str(&l->rest);
    return last->len > 0 && !l->too_long;
}

void lines_done(struct lines *l)
{
    buf_done(&l->rest);
}
