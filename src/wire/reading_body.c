#include "wire/reading_inside.h"

#include "base/mem.h"

/* Bodies that are at hand whole: errors of HTTP (R25), and plain answers. */

enum { PLAIN_MESSAGE_BYTES = 512 };

/* The body without byte order marks and blanks around it. */
static struct str bare(struct str body)
{
    static const struct str mark = STR("\xEF\xBB\xBF");
    while (str_starts(body, mark))
        body = str_from(body, mark.len);
    return str_trim(body);
}

static bool read_object(struct str text, struct json_value *whole, struct json_value *root)
{
    return json_read(text, &root_shape, whole, root);
}

/* An error that came as an event stream: the JSON of its first data line. */
struct first_data {
    struct str value;
    struct json_value *whole, *root;
    bool found, valid;
};

static bool take_line(void *arg, struct str line, bool steady)
{
    struct first_data *first = arg;
    (void)steady;
    if (!first->found && str_starts(line, STR("data:"))) {
        first->found = true;
        first->value = str_from(line, STR("data:").len);
    }
    return !first->found;
}

static bool read_first_data(struct str body, struct json_value *whole, struct json_value *root)
{
    struct first_data first = {0};
    struct lines lines = {.max = body.len};
    struct str last;
    lines_feed(&lines, body.ptr, body.len, take_line, &first);
    if (!first.found && lines_end(&lines, &last) && str_starts(last, STR("data:")))
        first =
            (struct first_data){.found = true, .value = str_from(body, body.len - last.len + 5)};
    bool valid = first.found && read_object(first.value, whole, root);
    lines_done(&lines);
    return valid;
}

void reading_http_error(struct reading *r, int status, struct str content_type, struct str body)
{
    struct json_value whole = {0}, root[ROOT_SLOTS];
    struct dialect_error error = {0};
    struct buf number = {0};
    struct str text = bare(body);
    (void)content_type; /* servers' words on it are not to be relied on */
    if (read_object(text, &whole, root) || read_first_data(body, &whole, root)) {
        if (!dialect_find_error(&whole, root, &error) && whole.type == JSON_TYPE_OBJECT)
            error = dialect_error_of(&whole);
    } else if (text.len > 0 && text.len <= PLAIN_MESSAGE_BYTES && text.ptr[0] != '<') {
        error.message = (struct json_value){
            .ptr = text.ptr, .len = (uint32_t)text.len, .type = JSON_TYPE_STRING};
    }
    buf_addf(&number, "http_%d", status);
    if (error.kind.type == JSON_TYPE_NONE)
        error.kind = dialect_word(buf_text(&number));
    reading_take_error(r, &error);
    r->verdict = READING_ERROR;
    buf_done(&number);
}

void reading_plain(struct reading *r, struct str body, bool keep_text)
{
    struct reading_inside *in = r->inside;
    struct json_value whole, root[ROOT_SLOTS];
    struct dialect_error error;
    in->answer.keep_text = keep_text;
    answer_start_event(&in->answer);
    if (!read_object(bare(body), &whole, root)) {
        r->verdict = READING_MALFORMED;
        return;
    }
    if (dialect_find_error(&whole, root, &error))
        reading_take_error(r, &error);
    if (whole.type == JSON_TYPE_OBJECT)
        reading_take_object(r, root);
    answer_end(&in->answer);
    reading_settle(r);
    r->done = in->answer.terminated;
    r->answer_chars = (int64_t)in->answer.chars[PIECE_ANSWER];
    r->reasoning_chars = (int64_t)in->answer.chars[PIECE_REASONING];
    for (size_t i = 0; i < PIECE_COUNT; i++)
        r->output_chars += (int64_t)in->answer.chars[i];
    bool over = r->finished || r->done;
    r->verdict = r->has_error ? READING_ERROR : over ? READING_COMPLETE : READING_INCOMPLETE;
}
