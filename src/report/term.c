#include "report/term.h"

#include <math.h>

#include "base/scrub.h"
#include "base/utf8.h"

void term_ink(struct buf *out, const struct report_style *s, enum ink ink)
{
    static const char *const escapes[] = {
        [INK_PLAIN] = "\033[0m",    /* everything off */
        [INK_BOLD] = "\033[1m",     /* bold */
        [INK_DIM] = "\033[2m",      /* faint */
        [INK_FAIL] = "\033[31m",    /* red */
        [INK_DNS] = "\033[36m",     /* teal */
        [INK_CONNECT] = "\033[33m", /* orange, as near as eight colours come */
        [INK_TLS] = "\033[35m",     /* purple */
        [INK_WAIT] = "\033[90m",    /* grey */
    };
    if (s->colour)
        buf_add_text(out, escapes[ink]);
}

int term_width(const struct report_style *s)
{
    return s->width > 0 ? s->width : 80;
}

void term_bar(struct buf *out, const struct report_style *s, double cells)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(cells > 0))
        return;
    if (s->ascii) {
        buf_add_repeat(out, "#", (size_t)lround(cells));
        return;
    }
    size_t parts = (size_t)lround(cells * 8);
    if (parts == 0)
        parts = 1;
    buf_add_repeat(out, "█", parts / 8);
    buf_add_text(out, eighths[parts % 8]);
}

void term_pad(struct buf *out, size_t columns)
{
    buf_add_repeat(out, " ", columns);
}

/* As much of `text` as one line of `room` columns takes, broken at a blank if there is one. */
static struct str first_line(struct str text, size_t room)
{
    struct str fit = utf8_fit(text, room);
    if (fit.len == text.len || text.ptr[fit.len] == ' ')
        return fit;
    for (size_t i = fit.len; i > 0; i--)
        if (text.ptr[i - 1] == ' ')
            return str_upto(text, i - 1);
    if (fit.len == 0) { /* not even one character fits: take it all the same */
        size_t len;
        utf8_decode(text, &len);
        return str_upto(text, len);
    }
    return fit;
}

/* Escapes (ESC [ … letter) take no columns. */
static size_t columns_of(const char *lead)
{
    size_t columns = 0;
    for (struct str rest = str_of(lead); rest.len;) {
        size_t escape = str_find(rest, '\033');
        columns += utf8_width(str_upto(rest, escape));
        rest = str_from(rest, escape);
        size_t end = str_find(rest, 'm');
        rest = str_from(rest, rest.len ? end + 1 : 0);
    }
    return columns;
}

void term_fold(struct buf *out, const struct report_style *s, const char *lead, struct str text)
{
    size_t indent = columns_of(lead);
    size_t width = (size_t)term_width(s);
    size_t room = width > indent ? width - indent : 1;
    struct buf clean = {0}; /* what looks like a secret looks less so once it is folded */
    scrub_text(NULL, text, &clean);
    text = buf_str(&clean);
    buf_add_text(out, lead);
    for (bool first = true; first || text.len; first = false) {
        if (!first)
            term_pad(out, indent);
        struct str line = first_line(text, room);
        buf_add_str(out, line);
        buf_add_byte(out, '\n');
        text = str_from(text, line.len);
        while (text.len && text.ptr[0] == ' ')
            text = str_from(text, 1);
    }
    buf_done(&clean);
}

static void add_stand_in(struct buf *out, uint32_t code)
{
    static const struct {
        uint32_t code;
        const char *ascii;
    } stand_ins[] = {{0x2013, "-"}, {0x2014, "-"},  {0x2026, "..."}, {0x00D7, "x"}, {0x2018, "'"},
                     {0x2019, "'"}, {0x201C, "\""}, {0x201D, "\""},  {0x00B5, "u"}};
    for (size_t i = 0; i < ARRAY_LEN(stand_ins); i++)
        if (stand_ins[i].code == code) {
            buf_add_text(out, stand_ins[i].ascii);
            return;
        }
    buf_add_byte(out, '?');
}

void term_finish(struct buf *out, size_t from, const struct report_style *s)
{
    struct buf neat = {.max = out->max};
    struct str rest = str_from(buf_str(out), from);
    while (rest.ptr && rest.len) {
        bool ended = str_find(rest, '\n') < rest.len;
        struct str line = str_split(&rest, '\n');
        while (line.len && line.ptr[line.len - 1] == ' ')
            line.len--;
        while (line.len) {
            size_t len;
            uint32_t code = utf8_decode(line, &len);
            if (s->ascii && code >= 0x80)
                add_stand_in(&neat, code);
            else
                buf_add(&neat, line.ptr, len);
            line = str_from(line, len);
        }
        if (ended)
            buf_add_byte(&neat, '\n');
    }
    if (from == 0)
        buf_clear(out);
    else
        out->len = from;
    buf_add_str(out, buf_str(&neat));
    buf_done(&neat);
}
