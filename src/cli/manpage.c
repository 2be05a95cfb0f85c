#include "cli/manpage.h"

#include "cli/help.h"

/* Text that troff takes as it is. */
static void add_plain(struct buf *out, struct str s)
{
    bool line_start = true;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (line_start && (c == '.' || c == '\''))
            buf_add_text(out, "\\&");
        if (c == '-')
            buf_add_text(out, "\\-");
        else if (c == '\\')
            buf_add_text(out, "\\e");
        else
            buf_add_byte(out, c);
        line_start = c == '\n';
    }
}

static void add_text(struct buf *out, enum text_id id)
{
    add_plain(out, str_of(text_raw(id)));
    buf_add_text(out, "\n");
}

static void add_section(struct buf *out, const char *title)
{
    buf_addf(out, ".SH %s\n", title);
}

/* A page of help as it stands, without its first line, which is the title. */
static void add_page(struct buf *out, const char *title, enum text_id id)
{
    struct str text = str_of(text_raw(id));
    add_section(out, title);
    buf_add_text(out, ".nf\n");
    add_plain(out, str_from(text, str_find(text, '\n') + 1));
    buf_add_text(out, ".fi\n");
}

static void add_option(struct buf *out, const struct option *entry)
{
    struct buf names = {0};
    help_option_names(&names, entry);
    buf_add_text(out, ".TP\n.B ");
    add_plain(out, str_trim(buf_str(&names)));
    buf_add_text(out, "\n");
    buf_done(&names);
    add_plain(out, str_of(text_raw(entry->help)));
    if (entry->fallback) {
        buf_add_text(out, " (");
        add_plain(out, str_of(entry->fallback));
        buf_add_text(out, ")");
    }
    buf_add_text(out, "\n");
}

static void add_command(struct buf *out, const struct command *c)
{
    buf_add_text(out, ".SS weir ");
    add_plain(out, str_of(c->name));
    buf_add_text(out, " ");
    add_plain(out, str_of(c->usage));
    buf_add_text(out, "\n");
    add_text(out, c->about);
    for (size_t i = 0; i < OPT_COUNT; i++)
        if (option_table[i].commands & c->bit && option_table[i].commands != FOR_ALL)
            add_option(out, &option_table[i]);
}

void manpage(struct buf *out)
{
    buf_add_text(out, ".\\\" Made by `weir help man`; do not edit.\n"
                      ".TH WEIR 1 \"\" \"weir " WEIR_VERSION "\"\n");
    add_section(out, "NAME");
    add_text(out, TEXT_CLI_MAN_NAME);
    add_section(out, "SYNOPSIS");
    buf_add_text(out, ".nf\n");
    for (size_t i = 0; commands[i]; i++) {
        buf_addf(out, "\\fBweir %s\\fR ", commands[i]->name);
        add_plain(out, str_of(commands[i]->usage));
        buf_add_text(out, "\n");
    }
    buf_add_text(out, ".fi\n");
    add_section(out, "DESCRIPTION");
    add_text(out, TEXT_CLI_MAN_ABOUT);
    add_section(out, "COMMANDS");
    for (size_t i = 0; commands[i]; i++)
        add_command(out, commands[i]);
    buf_add_text(out, ".PP\n");
    add_text(out, TEXT_CLI_HELP_DURATIONS);
    add_page(out, "URLS", TEXT_CLI_HELP_URLS);
    add_page(out, "KEYS", TEXT_CLI_HELP_KEYS);
    add_page(out, "EXIT STATUS", TEXT_CLI_HELP_EXIT_CODES);
}
