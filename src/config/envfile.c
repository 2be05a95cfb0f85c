#include "config/envfile.h"

#include "base/fmt.h"
#include "config/file.h"

/* The grammar is that of python-dotenv 1.x (its parser.py), position by position. */

static bool is_break(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || is_break(c);
}

static void skip_spaces(struct str *s, bool breaks_too)
{
    while (s->len && is_space(s->ptr[0]) && (breaks_too || !is_break(s->ptr[0])))
        *s = str_from(*s, 1);
}

static void skip_line(struct str *s)
{
    while (s->len && !is_break(s->ptr[0]))
        *s = str_from(*s, 1);
}

static bool take_byte(struct str *s, char c)
{
    if (!s->len || s->ptr[0] != c)
        return false;
    *s = str_from(*s, 1);
    return true;
}

/* NAME or 'NAME'. */
static bool take_name(struct str *s, struct str *name)
{
    struct str rest = *s;
    bool quoted = take_byte(&rest, '\'');
    size_t n = 0;
    while (n < rest.len &&
           (quoted ? rest.ptr[n] != '\''
                   : rest.ptr[n] != '=' && rest.ptr[n] != '#' && !is_space(rest.ptr[n])))
        n++;
    *name = str_upto(rest, n);
    rest = str_from(rest, n);
    if (n == 0 || (quoted && !take_byte(&rest, '\'')))
        return false;
    *s = rest;
    return true;
}

static char escaped(char c)
{
    static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : c;
}

/* Where a quoted value ends: the first quote without a backslash before it, else the last one with.
 */
static size_t closing_quote(struct str s, char quote)
{
    size_t last = s.len;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != quote)
            continue;
        if (i == 0 || s.ptr[i - 1] != '\\')
            return i;
        last = i;
    }
    return last;
}

static bool take_quoted(struct str *s, struct buf *value)
{
    char quote = s->ptr[0];
    const char *known = quote == '"' ? "\\'\"abfnrtv" : "\\'";
    struct str rest = str_from(*s, 1);
    size_t end = closing_quote(rest, quote);
    if (end == rest.len)
        return false;
    for (size_t i = 0; i < end; i++) {
        char c = rest.ptr[i];
        if (c == '\\' && i + 1 < end && rest.ptr[i + 1] && strchr(known, rest.ptr[i + 1]))
            c = escaped(rest.ptr[++i]);
        buf_add_byte(value, c);
    }
    *s = str_from(rest, end + 1);
    return true;
}

/* Up to the end of the line, without a comment that follows a blank. */
static void take_plain(struct str *s, struct buf *value)
{
    size_t line = 0, end = 0;
    bool blank = false, comment = false;
    for (; line < s->len && !is_break(s->ptr[line]); line++) {
        bool space = is_space(s->ptr[line]);
        comment |= blank && s->ptr[line] == '#';
        if (!space && !comment)
            end = line + 1;
        blank = space;
    }
    buf_add(value, s->ptr, end);
    *s = str_from(*s, line);
}

static bool take_value(struct str *s, struct buf *value)
{
    if (s->len && (s->ptr[0] == '\'' || s->ptr[0] == '"'))
        return take_quoted(s, value);
    take_plain(s, value);
    return true;
}

static const struct envfile_pair *last_pair(const struct envfile *e, struct str name)
{
    for (size_t i = e->pairs.len; i > 0; i--)
        if (str_eq(str_of(e->pairs.items[i - 1].name), name))
            return &e->pairs.items[i - 1];
    return NULL;
}

/* ${NAME} and ${NAME:-default}, from the lines before. */
static void expand(const struct envfile *e, struct str value, struct buf *out)
{
    while (value.len) {
        size_t close = str_find(value, '}');
        size_t stop = 2;
        while (stop < close && value.ptr[stop] != ':')
            stop++;
        bool starts = str_starts(value, STR("${")) && close < value.len;
        bool has_default = starts && str_starts(str_from(value, stop), STR(":-"));
        if (!starts || (stop < close && !has_default)) {
            buf_add_byte(out, value.ptr[0]);
            value = str_from(value, 1);
            continue;
        }
        const struct envfile_pair *known = last_pair(e, str_make(value.ptr + 2, stop - 2));
        if (known)
            buf_add_str(out, str_of(known->value));
        else if (has_default)
            buf_add(out, value.ptr + stop + 2, close - stop - 2);
        value = str_from(value, close + 1);
    }
}

static void add_pair(struct envfile *e, struct str name, const struct buf *raw, bool has_value)
{
    struct envfile_pair pair = {.name = arena_dup(&e->arena, name)};
    struct buf value = {.max = ENVFILE_VALUE_MAX};
    if (has_value) {
        expand(e, buf_str(raw), &value);
        e->bytes += value.len;
        pair.value = value.over ? NULL : arena_dup(&e->arena, buf_str(&value));
    }
    vec_push(&e->pairs, pair);
    e->over |= value.over || e->bytes > ENVFILE_FILLED_MAX || e->pairs.len > ENVFILE_PAIRS_MAX;
    if (value.ptr)
        mem_wipe(value.ptr, value.len);
    buf_done(&value);
}

/* One binding. False: this line cannot be read; `*s` is somewhere in it. */
static bool take_binding(struct envfile *e, struct str *s)
{
    struct str name, word = *s;
    if (str_starts(word, STR("export")) && word.len > 6 && is_space(word.ptr[6]) &&
        !is_break(word.ptr[6])) {
        *s = str_from(*s, 6);
        skip_spaces(s, false);
    }
    if (!take_name(s, &name))
        return false;
    skip_spaces(s, false);
    struct buf value = {.max = ENVFILE_VALUE_MAX};
    bool has_value = take_byte(s, '='), ok = true;
    if (has_value) {
        skip_spaces(s, false);
        ok = take_value(s, &value);
    }
    skip_spaces(s, false);
    if (ok && s->len && s->ptr[0] == '#')
        skip_line(s);
    ok = ok && !value.over && (!s->len || is_break(s->ptr[0]));
    if (ok)
        add_pair(e, name, &value, has_value);
    if (value.ptr)
        mem_wipe(value.ptr, value.len);
    buf_done(&value);
    return ok;
}

void envfile_parse(struct envfile *e, struct str text)
{
    if (str_starts(text, STR("\xEF\xBB\xBF")))
        text = str_from(text, 3);
    for (skip_spaces(&text, true); text.len && !e->over; skip_spaces(&text, true)) {
        if (text.ptr[0] == '#' || !take_binding(e, &text))
            skip_line(&text);
    }
}

bool envfile_read(struct envfile *e, const char *path, struct err *err)
{
    struct buf text = {.max = ENVFILE_BYTES_MAX};
    bool ok = file_read(path, ENVFILE_BYTES_MAX, &text, err);
    if (ok && text.len && memchr(text.ptr, 0, text.len))
        ok = err_set(err, EXIT_USAGE, "not_a_text", TEXT_CONFIG_FILE_NUL, path);
    if (ok)
        envfile_parse(e, buf_str(&text));
    if (ok && e->over)
        ok = err_set(err, EXIT_USAGE, "env_file_too_large", TEXT_CONFIG_ENV_LARGE, path,
                     fmt_count(ENVFILE_PAIRS_MAX).text, fmt_bytes(ENVFILE_VALUE_MAX).text,
                     fmt_bytes(ENVFILE_FILLED_MAX).text);
    if (text.ptr)
        mem_wipe(text.ptr, text.len);
    buf_done(&text);
    return ok;
}

const char *envfile_get(const struct envfile *e, const char *name)
{
    const struct envfile_pair *pair = last_pair(e, str_of(name));
    return pair && pair->value && *pair->value ? pair->value : NULL;
}

void envfile_done(struct envfile *e)
{
    for (size_t i = 0; i < e->pairs.len; i++) {
        union {
            const char *read;
            char *write;
        } value = {e->pairs.items[i].value}; /* in our own arena */
        if (value.read)
            mem_wipe(value.write, strlen(value.read));
    }
    vec_done(&e->pairs);
    arena_done(&e->arena);
    *e = (struct envfile){0};
}
