#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <unistd.h>

#include "base/utf8.h"
#include "cli/command.h"
#include "config/file.h"
#include "report/json.h"
#include "wire/reading.h"

enum { ERROR_BODY_MAX = 16 << 20, SHOWN_BYTES = 200 };

/* -v: a line per event on stderr: number, kinds, bytes, data. */
static void show_event(void *arg, const struct reading_event *event)
{
    struct cli *cli = arg;
    struct buf line = {0};
    buf_addf(&line, "%5u", event->index);
    for (int piece = 0; piece < PIECE_COUNT; piece++)
        if (event->pieces & (1 << piece))
            buf_addf(&line, "  %s", piece_name((enum piece)piece));
    buf_add_text(&line, event->terminator ? "  terminator" : "");
    buf_add_text(&line, event->malformed ? "  malformed" : "");
    buf_add_text(&line, event->states_error ? "  error" : "");
    buf_add_text(&line, event->after_done ? "  after_done" : "");
    buf_addf(&line, "  %u  ", event->bytes);
    utf8_add_visible(&line, str_upto(event->data, SHOWN_BYTES));
    buf_add_text(&line, "\n");
    cli_note(cli, buf_str(&line));
    buf_done(&line);
}

/* As a whole null if no count was stated. */
static json_t *usage_json(const struct wire_usage *u)
{
    bool stated = u->prompt_tokens >= 0 || u->completion_tokens >= 0 || u->reasoning_tokens >= 0 ||
                  u->cached_tokens >= 0;
    return stated ? json_of_usage(u) : json_null();
}

static void put_chunks(json_t *j, const struct reading *r)
{
    for (int piece = 0; piece < PIECE_COUNT; piece++) {
        char key[32];
        snprintf(key, sizeof(key), "%s_chunks", piece_name((enum piece)piece));
        json_put_int(j, key, r->chunks[piece]);
    }
}

static json_t *reading_json(const struct reading *r)
{
    static const char *const tails[] = {"none", "accepted", "discarded"};
    json_t *j = json_object();
    json_put_text(j, "dialect", r->dialect);
    json_put_int(j, "events", r->events);
    json_put_int(j, "comments", r->comments);
    put_chunks(j, r);
    json_put_count(j, "first_answer_event", r->first_event[PIECE_ANSWER]);
    json_put_count(j, "first_reasoning_event", r->first_event[PIECE_REASONING]);
    json_put_count(j, "first_output_event", r->first_output_event);
    json_object_set_new(j, "text", json_text(r->text.ptr ? r->text : STR("")));
    json_object_set_new(j, "reasoning_text",
                        json_text(r->reasoning_text.ptr ? r->reasoning_text : STR("")));
    json_object_set_new(j, "finish_reason", json_text(r->finish_reason));
    json_put_bool(j, "done", r->done);
    json_object_set_new(j, "usage", usage_json(&r->usage));
    json_put_int(j, "malformed_events", r->malformed_events);
    json_put_int(j, "after_done", r->after_done);
    json_put_text(j, "tail", tails[r->tail]);
    json_put_text(j, "verdict", reading_verdict_name(r->verdict));
    json_object_set_new(j, "error_kind", json_text(r->error_kind));
    json_object_set_new(j, "error_message", json_text(r->error_message));
    return j;
}

static bool feed_file(struct reading *r, const char *path, struct err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "stdin" : *path ? path : "\"\"";
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 0;
    char chunk[64 << 10];
    while (fd >= 0 && ((n = read(fd, chunk, sizeof(chunk))) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0 && !reading_feed(r, chunk, (size_t)n, 0))
            break; /* over a limit: the reading says so */
    if (n < 0)
        err_set(err, EXIT_USAGE, "cannot_read", TEXT_CONFIG_FILE_OPEN, name, strerror(errno));
    if (fd >= 0 && !is_stdin)
        close(fd);
    return n >= 0;
}

static bool http_error(struct reading *r, const struct options *o, const char *path,
                       struct buf *body, struct err *err)
{
    if (!file_read(path, ERROR_BODY_MAX, body, err))
        return false;
    reading_http_error(r, (int)o->status, str_of(o->content_type), buf_str(body));
    return true;
}

static enum wire_format format_of(const struct options *o, const char *path)
{
    struct str type = str_of(o->content_type), name = str_of(path);
    if (o->format == FORMAT_SSE || o->format == FORMAT_NDJSON)
        return o->format == FORMAT_SSE ? WIRE_SSE : WIRE_NDJSON;
    if (type.len)
        return wire_format_of(type);
    return str_ends(name, STR(".ndjson")) || str_ends(name, STR(".jsonl")) ? WIRE_NDJSON : WIRE_SSE;
}

static int run(struct cli *cli, struct err *err)
{
    const struct options *o = &cli->options;
    struct reading reading = {0};
    struct buf body = {0}, out = {0};
    struct output place;
    if (o->arg_count == 0) {
        err_set(err, EXIT_USAGE, "no_file", TEXT_READ_NO_FILE);
        err_fix(err, TEXT_READ_NO_FILE_FIX);
        return err->exit_code;
    }
    const char *path = o->args[0];
    struct reading_options options = {
        .format = format_of(o, path),
        .terminator = (enum terminator_policy)o->terminator,
        .keep_text = true,
        .on_event = o->verbose ? show_event : NULL,
        .arg = cli,
    };
    bool is_error = o->status >= 400, ok;
    reading_init(&reading, &options);
    if (is_error)
        ok = http_error(&reading, o, path, &body, err);
    else
        ok = feed_file(&reading, path, err);
    if (ok) {
        if (!is_error)
            reading_end(&reading);
        json_t *j = reading_json(&reading);
        if (o->given[OPT_STATUS])
            json_put_int(j, "http_status", o->status);
        json_write(&out, j, false);
        ok = output_open(&place, NULL, err) &&
             output_write(&place, &cli->secrets, buf_str(&out), err);
    }
    reading_done(&reading);
    buf_done(&body);
    buf_done(&out);
    return ok ? EXIT_OK : err->exit_code;
}

const struct command cmd_read = {
    .name = "read",
    .bit = FOR_READ,
    .args_max = 1,
    .usage = "FILE|- [OPTIONS]",
    .about = TEXT_CLI_ABOUT_READ,
    .run = run,
};
