#include "cli/help.h"

#include "base/utf8.h"

static const enum text_id category_names[CATEGORY_COUNT] = {
    [CATEGORY_TARGET] = TEXT_CLI_CATEGORY_TARGET, [CATEGORY_REQUEST] = TEXT_CLI_CATEGORY_REQUEST,
    [CATEGORY_LOAD] = TEXT_CLI_CATEGORY_LOAD,     [CATEGORY_NETWORK] = TEXT_CLI_CATEGORY_NETWORK,
    [CATEGORY_LIMITS] = TEXT_CLI_CATEGORY_LIMITS, [CATEGORY_ENDPOINT] = TEXT_CLI_CATEGORY_ENDPOINT,
    [CATEGORY_STREAM] = TEXT_CLI_CATEGORY_STREAM, [CATEGORY_OUTPUT] = TEXT_CLI_CATEGORY_OUTPUT,
};

static const struct topic {
    const char *name;
    enum text_id about, text;
} topics[] = {
    {"urls", TEXT_CLI_TOPIC_URLS, TEXT_CLI_HELP_URLS},
    {"keys", TEXT_CLI_TOPIC_KEYS, TEXT_CLI_HELP_KEYS},
    {"exit-codes", TEXT_CLI_TOPIC_EXIT_CODES, TEXT_CLI_HELP_EXIT_CODES},
};

enum { COLUMNS = 80 };

/* Words from `column` on, over as many lines as they need. */
static void add_folded(struct buf *out, struct str words, size_t column)
{
    size_t at = column;
    while (words.ptr) {
        struct str word = str_split(&words, ' ');
        size_t width = utf8_width(word);
        if (at > column && at + 1 + width > COLUMNS) {
            buf_add_text(out, "\n");
            buf_add_repeat(out, " ", column);
            at = column;
        }
        buf_add_text(out, at > column ? " " : "");
        buf_add_str(out, word);
        at += width + (at > column);
    }
    buf_add_text(out, "\n");
}

/* "  left                     right", the right on a line of its own if the left is long. */
static void add_row(struct buf *out, struct str left, struct str right, size_t column)
{
    buf_add_text(out, "  ");
    buf_add_str(out, left);
    size_t width = 2 + utf8_width(left);
    if (width + 2 > column) {
        buf_add_text(out, "\n");
        width = 0;
    }
    buf_add_repeat(out, " ", column - width);
    add_folded(out, right, column);
}

static void add_name_row(struct buf *out, const char *name, enum text_id about)
{
    add_row(out, str_of(name), str_of(text_raw(about)), 15);
}

void help_overview(struct buf *out)
{
    text_add(out, TEXT_CLI_HELP_HEAD);
    text_add(out, TEXT_CLI_HELP_COMMANDS);
    buf_add_text(out, "\n");
    for (size_t i = 0; commands[i]; i++)
        add_name_row(out, commands[i]->name, commands[i]->about);
    text_add(out, TEXT_CLI_HELP_TOPICS);
    buf_add_text(out, "\n");
    for (size_t i = 0; i < ARRAY_LEN(topics); i++)
        add_name_row(out, topics[i].name, topics[i].about);
    text_add(out, TEXT_CLI_HELP_COMMON);
}

void help_option_names(struct buf *out, const struct option *entry)
{
    if (entry->letter)
        buf_addf(out, "-%c, ", entry->letter);
    else
        buf_add_text(out, "    ");
    size_t start = out->len;
    for (struct str rest = str_of(entry->names); rest.ptr;) {
        buf_add_text(out, out->len > start ? ", --" : "--");
        buf_add_str(out, str_split(&rest, ','));
    }
    if (entry->kind == OPTION_OUTPUT)
        buf_addf(out, "[=%s]", entry->argument);
    else if (entry->words)
        buf_addf(out, " %s", entry->words);
    else if (entry->argument)
        buf_addf(out, " %s", entry->argument);
}

static void add_option(struct buf *out, const struct option *entry)
{
    struct buf left = {0}, right = {0};
    help_option_names(&left, entry);
    text_add(&right, entry->help);
    if (entry->fallback)
        buf_addf(&right, " (%s)", entry->fallback);
    add_row(out, buf_str(&left), buf_str(&right), 32);
    buf_done(&left);
    buf_done(&right);
}

void help_command(struct buf *out, const struct command *c)
{
    buf_addf(out, "weir %s %s\n  ", c->name, c->usage);
    text_add(out, c->about);
    buf_add_text(out, "\n");
    bool durations = false;
    for (int category = 0; category < CATEGORY_COUNT; category++) {
        bool named = false;
        for (size_t i = 0; i < OPT_COUNT; i++) {
            const struct option *entry = &option_table[i];
            bool ours = (entry->commands & c->bit) || entry->commands == FOR_ALL;
            if (!ours || (int)entry->category != category)
                continue;
            if (!named)
                buf_addf(out, "%s\n", text_raw(category_names[category]));
            named = true;
            durations |= entry->kind == OPTION_DURATION;
            add_option(out, entry);
        }
    }
    if (durations)
        buf_addf(out, "%s\n", text_raw(TEXT_CLI_HELP_DURATIONS));
}

bool help_topic(struct buf *out, struct str name, const char **nearest)
{
    const struct command *c = command_find(name);
    const char *words[64];
    size_t count = 0;
    if (c) {
        help_command(out, c);
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(topics); i++) {
        if (str_eq(name, str_of(topics[i].name))) {
            text_add(out, topics[i].text);
            return true;
        }
        words[count++] = topics[i].name;
    }
    for (size_t i = 0; commands[i] && count < ARRAY_LEN(words); i++)
        words[count++] = commands[i]->name;
    *nearest = str_nearest(name, words, count);
    return false;
}
