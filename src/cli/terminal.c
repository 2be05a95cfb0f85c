#include "cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fmt.h"

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 40 };

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static bool colour_of(const struct cli *cli, int fd)
{
    const char *term = getenv("TERM");
    if (cli->options.color != COLOR_AUTO)
        return cli->options.color == COLOR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("FORCE_COLOR") || is_set("CLICOLOR_FORCE"))
        return true;
    return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

static bool locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (is_set(names[i])) {
            struct str rest = str_of(getenv(names[i]));
            struct str charset = str_from(rest, str_find(rest, '.') + 1);
            charset = str_upto(charset, str_find(charset, '@'));
            return str_eq_nocase(charset, STR("UTF-8")) || str_eq_nocase(charset, STR("UTF8"));
        }
    return false;
}

static int width_of(const struct cli *cli)
{
    struct winsize size;
    int64_t columns;
    if (cli->options.width)
        return (int)cli->options.width;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
        size.ws_col >= WIDTH_LEAST)
        return size.ws_col;
    if (is_set("COLUMNS") && fmt_parse_int(str_of(getenv("COLUMNS")), WIDTH_LEAST, 1000, &columns))
        return (int)columns;
    return WIDTH_DEFAULT;
}

void terminal_style(struct cli *cli)
{
    cli->stderr_tty = isatty(STDERR_FILENO);
    cli->style = (struct report_style){
        .colour = colour_of(cli, STDOUT_FILENO),
        .ascii = cli->options.ascii || !locale_is_utf8(),
        .width = width_of(cli),
        .verbose = cli->options.verbose,
        .quiet = cli->options.quiet,
    };
}

struct report_style terminal_stderr_style(const struct cli *cli)
{
    struct report_style style = cli->style;
    style.colour = colour_of(cli, STDERR_FILENO);
    return style;
}
