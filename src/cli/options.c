#include "cli/options.h"

#include <assert.h>

#include "base/fmt.h"

/* One walk over argv. */
struct walk {
    struct options *o;
    int argc, at; /* argv[at] is looked at */
    char **argv;
    const char *command;
    int bit;
    struct err *err;
};

void *option_slot(struct options *o, const struct option *entry)
{
    return (char *)o + entry->at;
}

struct str option_name(const struct option *entry)
{
    struct str rest = str_of(entry->names);
    return str_split(&rest, ',');
}

static bool has_name(const struct option *entry, struct str name)
{
    for (struct str rest = str_of(entry->names); rest.ptr;)
        if (str_eq(str_split(&rest, ','), name))
            return true;
    return false;
}

/* By long name, or by letter if `letter`; of this command, or of any if bit is FOR_ALL. */
static const struct option *find(struct str name, char letter, int bit)
{
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct option *entry = &option_table[i];
        bool ours = (entry->commands & bit) || entry->commands == FOR_ALL;
        if (ours && (letter ? entry->letter == letter : has_name(entry, name)))
            return entry;
    }
    return NULL;
}

static bool takes_value(const struct option *entry)
{
    return entry->kind != OPTION_FLAG && entry->kind != OPTION_SET && entry->kind != OPTION_OUTPUT;
}

/* "--runs" or "-n", as it was typed: never with its value, which may be a secret. */
struct typed {
    char text[80];
};

static struct typed as_typed(struct str name, char letter)
{
    struct typed t;
    struct buf b = {0};
    if (letter)
        buf_addf(&b, "-%c", letter);
    else
        buf_addf(&b, "--%.*s", (int)(name.len < 60 ? name.len : 60), name.ptr);
    str_copy(t.text, sizeof(t.text), buf_str(&b));
    buf_done(&b);
    return t;
}

static bool unknown(struct walk *w, struct str name, char letter)
{
    struct typed typed = as_typed(name, letter);
    const char *nearest = NULL;
    char copies[OPT_COUNT * 2][32];
    const char *words[OPT_COUNT * 2];
    size_t count = 0;
    for (size_t i = 0; i < OPT_COUNT && !letter; i++) {
        if (!(option_table[i].commands & w->bit))
            continue;
        for (struct str rest = str_of(option_table[i].names); rest.ptr && count < OPT_COUNT * 2;) {
            str_copy(copies[count], sizeof(copies[0]), str_split(&rest, ','));
            words[count] = copies[count];
            count++;
        }
    }
    nearest = str_nearest(name, words, count);
    err_set(w->err, EXIT_USAGE, "unknown_option", TEXT_CLI_UNKNOWN_OPTION, typed.text, w->command);
    if (find(name, letter, FOR_ALL))
        err_why(w->err, TEXT_CLI_OTHER_COMMAND, typed.text);
    else if (nearest)
        err_fix(w->err, TEXT_CLI_NEAREST_OPTION, nearest);
    err_fix(w->err, TEXT_CLI_HELP_OF, w->command);
    return false;
}

static void add_limit(struct buf *out, const struct option *entry, double limit)
{
    if (entry->kind == OPTION_DURATION)
        buf_add_text(out, fmt_duration((int64_t)limit).text);
    else if (entry->kind == OPTION_INT)
        buf_add_text(out, fmt_count((int64_t)limit).text);
    else
        buf_add_text(out, fmt_sig(limit).text);
}

static bool bad_value(struct walk *w, const struct option *entry, const char *typed,
                      const char *value)
{
    static const enum text_id needed[] = {
        [OPTION_INT] = TEXT_CLI_NEEDS_INT,
        [OPTION_DOUBLE] = TEXT_CLI_NEEDS_NUMBER,
        [OPTION_DURATION] = TEXT_CLI_NEEDS_DURATION,
        [OPTION_WORD] = TEXT_CLI_NEEDS_WORD,
    };
    struct buf least = {0}, most = {0};
    err_set(w->err, EXIT_USAGE, "bad_value", TEXT_CLI_BAD_VALUE, typed, value);
    if (entry->kind == OPTION_WORD) {
        for (struct str rest = str_of(entry->words); rest.ptr;) {
            buf_add_text(&least, least.len ? ", " : "");
            buf_add_str(&least, str_split(&rest, '|'));
        }
    } else {
        add_limit(&least, entry, entry->least);
        add_limit(&most, entry, entry->most);
    }
    err_why(w->err, needed[entry->kind], buf_text(&least), buf_text(&most));
    err_fix(w->err, TEXT_CLI_HELP_OF, w->command);
    buf_done(&least);
    buf_done(&most);
    return false;
}

static bool parse_word(const struct option *entry, struct str value, int *out)
{
    int index = 0;
    for (struct str rest = str_of(entry->words); rest.ptr; index++)
        if (str_eq(str_split(&rest, '|'), value)) {
            *out = index;
            return true;
        }
    return false;
}

static bool parse_duration(const struct option *entry, struct str value, int64_t *out)
{
    int64_t ns;
    if (!fmt_parse_duration(value, &ns))
        return false;
    bool off = ns == INT64_MAX && entry->least > 0; /* `off` is for limits, not for delays */
    if (!off && ((double)ns < entry->least || (double)ns > entry->most))
        return false;
    *out = ns;
    return true;
}

static bool parse_number(struct options *o, const struct option *entry, struct str value)
{
    void *slot = option_slot(o, entry);
    switch (entry->kind) {
    case OPTION_INT:
        return fmt_parse_int(value, (int64_t)entry->least, (int64_t)entry->most, slot);
    case OPTION_DOUBLE:
        return fmt_parse_double(value, entry->least, entry->most, slot);
    case OPTION_DURATION:
        return parse_duration(entry, value, slot);
    case OPTION_WORD:
        return parse_word(entry, value, slot);
    case OPTION_FLAG:
    case OPTION_SET:
    case OPTION_TEXT:
    case OPTION_SECRET:
    case OPTION_TEXTS:
    case OPTION_HEADERS:
    case OPTION_OUTPUT:
        break;
    }
    return false;
}

/* A copy of our own; what stood in argv is overwritten, so that `ps` does not show it. */
static const char *take_secret(struct options *o, char *value, size_t from)
{
    char *copy = arena_strdup(&o->arena, value);
    for (char *at = value + from; *at; at++)
        *at = '*';
    vec_push(&o->secrets, copy);
    return copy;
}

bool option_header_is_secret(struct str header)
{
    static const char *const exact[] = {"authorization", "proxy-authorization", "cookie"};
    static const char *const parts[] = {"api-key", "apikey", "api_key", "token", "secret"};
    struct str name = str_trim(str_upto(header, str_find(header, ':')));
    char lower[64];
    if (!str_copy(lower, sizeof(lower), name))
        return false;
    for (char *at = lower; *at; at++)
        *at = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
    for (size_t i = 0; i < ARRAY_LEN(exact); i++)
        if (strcmp(lower, exact[i]) == 0)
            return true;
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        if (strstr(lower, parts[i]))
            return true;
    return false;
}

static bool add_text(struct walk *w, const struct option *entry, const char *typed, char *value)
{
    struct option_texts *list = option_slot(w->o, entry);
    if (list->count == OPTION_TEXTS_MAX)
        return err_set(w->err, EXIT_USAGE, "too_many", TEXT_CLI_TOO_MANY, typed,
                       fmt_int(OPTION_TEXTS_MAX).text);
    const char *kept = value;
    if (entry->kind == OPTION_HEADERS && option_header_is_secret(str_of(value)))
        kept = take_secret(w->o, value, str_find(str_of(value), ':'));
    list->items[list->count++] = kept;
    return true;
}

static bool store(struct walk *w, const struct option *entry, const char *typed, char *value)
{
    void *slot = option_slot(w->o, entry);
    switch (entry->kind) {
    case OPTION_FLAG:
        *(bool *)slot = true;
        break;
    case OPTION_SET:
        *(int *)slot = entry->value;
        break;
    case OPTION_OUTPUT:
        if (value && strcmp(value, "-") == 0)
            value = NULL; /* as everywhere: the standard stream */
        *(struct option_output *)slot = (struct option_output){true, value};
        break;
    case OPTION_TEXT:
        *(const char **)slot = value;
        break;
    case OPTION_SECRET:
        *(const char **)slot = take_secret(w->o, value, 0);
        break;
    case OPTION_TEXTS:
    case OPTION_HEADERS:
        if (!add_text(w, entry, typed, value))
            return false;
        break;
    case OPTION_INT:
    case OPTION_DOUBLE:
    case OPTION_DURATION:
    case OPTION_WORD:
        if (!parse_number(w->o, entry, str_of(value)))
            return bad_value(w, entry, typed, value);
        break;
    }
    w->o->given[entry - option_table] = true;
    return true;
}

/* `value`: what follows = or the letter, or NULL. */
static bool take(struct walk *w, const struct option *entry, const char *typed, char *value)
{
    if (takes_value(entry) && !value) {
        if (w->at + 1 >= w->argc) {
            err_set(w->err, EXIT_USAGE, "needs_value", TEXT_CLI_NEEDS_VALUE, typed,
                    entry->argument);
            err_fix(w->err, TEXT_CLI_HELP_OF, w->command);
            return false;
        }
        value = w->argv[++w->at];
    }
    bool empty_file = entry->kind == OPTION_OUTPUT && value && !*value;
    if ((value && !takes_value(entry) && entry->kind != OPTION_OUTPUT) || empty_file) {
        err_set(w->err, EXIT_USAGE, "no_value",
                empty_file ? TEXT_CLI_NEEDS_FILE : TEXT_CLI_TAKES_NO_VALUE, typed);
        err_fix(w->err, TEXT_CLI_HELP_OF, w->command);
        return false;
    }
    return store(w, entry, typed, value);
}

static bool parse_long(struct walk *w, char *arg)
{
    struct str text = str_of(arg + 2);
    size_t eq = str_find(text, '=');
    struct str name = str_upto(text, eq);
    const struct option *entry = find(name, 0, w->bit);
    if (!entry)
        return unknown(w, name, 0);
    return take(w, entry, as_typed(name, 0).text, eq < text.len ? arg + 2 + eq + 1 : NULL);
}

/* -kq, -n10, -n 10. */
static bool parse_letters(struct walk *w, char *arg)
{
    for (char *at = arg + 1; *at; at++) {
        const struct option *entry = find((struct str){0}, *at, w->bit);
        if (!entry)
            return unknown(w, str_of(arg), *at);
        bool valued = takes_value(entry);
        if (!take(w, entry, as_typed(str_of(arg), *at).text, valued && at[1] ? at + 1 : NULL))
            return false;
        if (valued)
            break;
    }
    return true;
}

static bool add_arg(struct walk *w, const char *arg, size_t args_max)
{
    if (w->o->arg_count < args_max) {
        w->o->args[w->o->arg_count++] = arg;
        return true;
    }
    err_set(w->err, EXIT_USAGE, "too_many_arguments", TEXT_CLI_ONE_TOO_MANY, arg, w->command);
    err_fix(w->err, TEXT_CLI_HELP_OF, w->command);
    return false;
}

static void set_defaults(struct walk *w)
{
    for (size_t i = 0; i < OPT_COUNT; i++) {
        const struct option *entry = &option_table[i];
        if (!entry->fallback || !(entry->commands & w->bit))
            continue;
        if (entry->kind == OPTION_TEXT)
            *(const char **)option_slot(w->o, entry) = entry->fallback;
        else
            assert(parse_number(w->o, entry, str_of(entry->fallback)));
    }
}

bool options_parse(struct options *o, int argc, char **argv, int from, const char *command, int bit,
                   size_t args_max, struct err *err)
{
    assert(args_max <= ARGS_MAX);
    struct walk w = {o, argc, from, argv, command, bit, err};
    *o = (struct options){0};
    set_defaults(&w);
    bool only_args = false;
    for (; w.at < argc; w.at++) {
        char *arg = argv[w.at];
        bool ok;
        if (only_args || arg[0] != '-' || !arg[1])
            ok = add_arg(&w, arg, args_max);
        else if (strcmp(arg, "--") == 0)
            ok = only_args = true;
        else if (arg[1] == '-')
            ok = parse_long(&w, arg);
        else
            ok = parse_letters(&w, arg);
        if (!ok)
            return false;
        if (o->help) /* asked for help: what else is wrong does not matter */
            break;
    }
    return true;
}

void options_done(struct options *o)
{
    for (size_t i = 0; i < o->secrets.len; i++)
        mem_wipe(o->secrets.items[i], strlen(o->secrets.items[i]));
    vec_done(&o->secrets);
    arena_done(&o->arena);
    *o = (struct options){0};
}
