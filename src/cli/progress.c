#include "cli/progress.h"

#include <math.h>
#include <stdlib.h>

#include "base/fmt.h"
#include "base/utf8.h"
#include "measure/metric.h"

#define MS     1000000LL
#define SECOND (1000 * MS)

enum { BAR_LEAST = 4, BAR_MOST = 20, TTFT_MAX = 4096 };

/* There must be one. */
static double median_ttft(const struct progress *p)
{
    return p->ttft_ms[p->ttft_count / 2];
}

/* 0:19, 12:05, 2:03:10 */
static void add_clock(struct buf *out, int64_t ns)
{
    int64_t s = (ns + SECOND / 2) / SECOND;
    if (s >= 3600)
        buf_addf(out, "%lld:%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60),
                 (long long)(s % 60));
    else
        buf_addf(out, "%lld:%02lld", (long long)(s / 60), (long long)(s % 60));
}

/* Eighths of cells; in ASCII whole ones. */
static void add_bar(struct buf *out, double share, int cells, bool ascii)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int eighths = (int)(share * cells * 8);
    buf_add_repeat(out, ascii ? "#" : "█", (size_t)(eighths / 8));
    if (!ascii)
        buf_add_text(out, parts[eighths % 8]);
}

void progress_line(struct buf *out, const struct progress *p, int64_t now, int columns, bool ascii)
{
    struct buf text = {0}, left = {0}, ttft = {0}, speed = {0};
    if (p->done)
        add_clock(&left, (now - p->started) / p->done * (p->total - p->done));
    else
        buf_add_text(&left, "-:--");
    if (p->ttft_count)
        buf_addf(&ttft, "ttft %s s  ", fmt_sig(median_ttft(p) / 1000).text);
    if (!isnan(p->last_tps))
        buf_addf(&speed, "%s tok/s  ", fmt_sig(p->last_tps).text);
    text_add(&text, TEXT_CLI_PROGRESS_LEFT, fmt_int(p->done).text, fmt_int(p->total).text,
             buf_text(&left), buf_text(&ttft), buf_text(&speed), fmt_int(p->failed).text);
    int room = columns - 3 - (int)utf8_width(buf_str(&text));
    buf_add_str(out, utf8_fit(buf_str(&text), columns > 1 ? (size_t)(columns - 1) : 0));
    if (room >= BAR_LEAST) {
        buf_add_text(out, "  ");
        add_bar(out, (double)p->done / (double)p->total, room < BAR_MOST ? room : BAR_MOST, ascii);
    }
    buf_done(&text);
    buf_done(&left);
    buf_done(&ttft);
    buf_done(&speed);
}

static void draw(struct progress *p)
{
    struct buf frame = {0};
    buf_add_text(&frame, "\r");
    progress_line(&frame, p, clock_now(), p->cli->style.width, p->cli->style.ascii);
    buf_add_text(&frame, "\033[K"); /* erase to the end of the line */
    output_note(&p->cli->secrets, buf_str(&frame));
    buf_done(&frame);
    p->drawn = true;
}

/* After 10 s, then with each 10 % or 30 s. */
static void say(struct progress *p, int64_t now)
{
    bool first = p->said_at == NEVER;
    bool due = first ? now - p->started >= 10 * SECOND
                     : (p->done - p->said_done) * 10 >= p->total || now - p->said_at >= 30 * SECOND;
    if (!due || p->done == p->total)
        return;
    struct buf line = {0}, ttft = {0};
    if (p->ttft_count)
        text_add(&ttft, TEXT_CLI_PROGRESS_TTFT, fmt_sig(median_ttft(p) / 1000).text);
    text_add(&line, TEXT_CLI_PROGRESS_PLAIN, fmt_int(p->done).text, fmt_int(p->total).text,
             fmt_int(p->failed).text, buf_text(&ttft));
    buf_add_text(&line, "\n");
    cli_note(p->cli, buf_str(&line));
    buf_done(&line);
    buf_done(&ttft);
    p->said_at = now;
    p->said_done = p->done;
}

static void tick(struct loop_timer *t)
{
    struct progress *p = (struct progress *)t; /* its first member */
    int64_t now = clock_now();
    if (p->mode == PROGRESS_BAR)
        draw(p);
    else
        say(p, now);
    loop_timer_start(p->loop, t, now + (p->mode == PROGRESS_BAR ? 100 * MS : SECOND));
}

void progress_start(struct progress *p, struct cli *cli, struct loop *l, int64_t total)
{
    int mode = cli->options.progress;
    bool plain = mode == PROGRESS_AUTO || mode == PROGRESS_BAR;
    *p = (struct progress){.cli = cli,
                           .loop = l,
                           .total = total,
                           .mode = plain && cli->stderr_tty ? PROGRESS_BAR
                                   : plain                  ? PROGRESS_AUTO
                                                            : mode,
                           .started = clock_now(),
                           .said_at = NEVER,
                           .last_tps = (double)NAN};
    if (cli->options.quiet)
        p->mode = PROGRESS_NONE;
    p->timer.fire = tick;
    if (p->mode == PROGRESS_BAR || p->mode == PROGRESS_AUTO)
        tick(&p->timer);
}

static void add_ttft(struct progress *p, double ms)
{
    if (p->ttft_count == TTFT_MAX) /* the first ones are enough for a hint */
        return;
    p->ttft_ms = mem_realloc(p->ttft_ms, p->ttft_count + 1, sizeof(double));
    size_t at = p->ttft_count++;
    for (; at > 0 && p->ttft_ms[at - 1] > ms; at--)
        p->ttft_ms[at] = p->ttft_ms[at - 1];
    p->ttft_ms[at] = ms;
}

void progress_add(struct progress *p, const struct record *r)
{
    if (p->mode == PROGRESS_LINES) {
        struct buf line = {0};
        struct report_style plain = {.ascii = p->cli->style.ascii, .width = p->cli->style.width};
        report_run_line(&line, r, &plain);
        buf_add_text(&line, "\n");
        cli_note(p->cli, buf_str(&line));
        buf_done(&line);
    }
    if (r->warmup)
        return;
    p->done++;
    p->failed += r->outcome != OUTCOME_COMPLETE;
    double ttft = metric_of(METRIC_TTFT, r), tps = metric_of(METRIC_TPS, r);
    if (r->outcome == OUTCOME_COMPLETE && !isnan(ttft))
        add_ttft(p, ttft);
    if (!isnan(tps))
        p->last_tps = tps;
}

void progress_done(struct progress *p)
{
    loop_timer_stop(&p->timer);
    if (p->drawn)
        output_note(NULL, STR("\r\033[K"));
    mem_free(p->ttft_ms);
    *p = (struct progress){0};
}
