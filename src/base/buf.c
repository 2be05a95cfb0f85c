#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"

enum { FIRST_CAP = 64 };

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf){.max = max};
}

void buf_done(struct buf *b)
{
    mem_free(b->ptr);
    *b = (struct buf){.max = b->max};
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    b->over = false;
    if (b->ptr)
        b->ptr[0] = '\0';
}

static bool reserve(struct buf *b, size_t more)
{
    size_t max = b->max ? b->max : BUF_MAX_DEFAULT;
    if (more > max - b->len) {
        b->over = true;
        return false;
    }
    size_t need = b->len + more + 1;
    if (need <= b->cap)
        return true;
    size_t cap = b->cap ? b->cap : FIRST_CAP;
    while (cap < need)
        cap *= 2;
    b->ptr = mem_realloc(b->ptr, cap, 1);
    b->cap = cap;
    return true;
}

bool buf_add(struct buf *b, const void *bytes, size_t len)
{
    if (!reserve(b, len))
        return false;
    if (len)
        memcpy(b->ptr + b->len, bytes, len);
    buf_grown(b, len);
    return true;
}

bool buf_add_str(struct buf *b, struct str s)
{
    return buf_add(b, s.ptr, s.len);
}

bool buf_add_text(struct buf *b, const char *text)
{
    return buf_add(b, text, strlen(text));
}

bool buf_add_byte(struct buf *b, char c)
{
    return buf_add(b, &c, 1);
}

bool buf_add_repeat(struct buf *b, const char *text, size_t times)
{
    while (times--)
        if (!buf_add_text(b, text))
            return false;
    return true;
}

bool buf_addf(struct buf *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    bool fits = len >= 0 && reserve(b, (size_t)len);
    if (fits) {
        vsnprintf(b->ptr + b->len, (size_t)len + 1, format, again);
        b->len += (size_t)len;
    }
    va_end(again);
    va_end(args);
    return fits;
}

char *buf_room(struct buf *b, size_t len)
{
    return reserve(b, len) ? b->ptr + b->len : NULL;
}

void buf_grown(struct buf *b, size_t len)
{
    b->len += len;
    b->ptr[b->len] = '\0';
}

void buf_drop(struct buf *b, size_t len)
{
    if (len >= b->len) {
        b->len = 0;
    } else {
        memmove(b->ptr, b->ptr + len, b->len - len);
        b->len -= len;
    }
    if (b->ptr)
        b->ptr[b->len] = '\0';
}

struct str buf_str(const struct buf *b)
{
    return (struct str){buf_text(b), b->len};
}

const char *buf_text(const struct buf *b)
{
    return b->ptr ? b->ptr : "";
}

char *buf_take(struct buf *b)
{
    char *text = b->ptr ? b->ptr : mem_strdup("");
    *b = (struct buf){.max = b->max};
    return text;
}
