#include "sim/chat.h"

#include <jansson.h>
#include <stdlib.h>

#include "base/mem.h"

static bool refuse(struct buf *why, const char **param, const char *field, enum text_id id,
                   const char *arg)
{
    text_add(why, id, arg);
    *param = field;
    return false;
}

static bool read_bool(const json_t *root, const char *name, bool *out, struct buf *why,
                      const char **param)
{
    const json_t *v = json_object_get(root, name);
    if (!v || json_is_null(v))
        return true;
    if (!json_is_boolean(v))
        return refuse(why, param, name, TEXT_SIM_ERROR_STREAM, name);
    *out = json_is_true(v);
    return true;
}

static bool read_max_tokens(const json_t *root, const char *name, int64_t *out, struct buf *why,
                            const char **param)
{
    const json_t *v = json_object_get(root, name);
    if (!v || json_is_null(v))
        return true;
    if (!json_is_integer(v) || json_integer_value(v) < 1)
        return refuse(why, param, name, TEXT_SIM_ERROR_MAX_TOKENS, name);
    *out = json_integer_value(v);
    return true;
}

static int64_t count_chars(const json_t *text)
{
    const char *s = json_string_value(text);
    int64_t n = 0;
    for (size_t i = 0; s && i < json_string_length(text); i++)
        n += ((unsigned char)s[i] & 0xC0) != 0x80;
    return n;
}

static int64_t content_chars(const json_t *content)
{
    int64_t n = count_chars(content);
    size_t i;
    const json_t *part;
    json_array_foreach(content, i, part) n += count_chars(json_object_get(part, "text"));
    return n;
}

/* About four characters a token, as English has it. */
static bool read_messages(const json_t *root, int64_t *tokens)
{
    const json_t *messages = json_object_get(root, "messages"), *m;
    int64_t chars = 0;
    size_t i;
    json_array_foreach(messages, i, m)
    {
        const json_t *content = json_object_get(m, "content");
        if (!json_is_string(json_object_get(m, "role")) ||
            !(json_is_string(content) || json_is_array(content) || json_is_null(content)))
            return false;
        chars += content_chars(content);
    }
    *tokens = (chars + 3) / 4;
    return json_array_size(messages) > 0;
}

static bool read_model(const json_t *root, char **out)
{
    const json_t *model = json_object_get(root, "model");
    size_t len = json_string_length(model);
    if (!json_is_string(model) || len == 0 || len > SIM_MODEL_BYTES_MAX)
        return false;
    *out = json_dumps(model, JSON_ENCODE_ANY);
    return *out != NULL;
}

static bool read_root(const json_t *root, struct sim_chat *c, struct buf *why, const char **param)
{
    if (!json_is_object(root))
        return refuse(why, param, NULL, TEXT_SIM_ERROR_NOT_OBJECT, NULL);
    if (!read_model(root, &c->model_json))
        return refuse(why, param, "model", TEXT_SIM_ERROR_NO_MODEL, NULL);
    if (!read_messages(root, &c->prompt_tokens))
        return refuse(why, param, "messages", TEXT_SIM_ERROR_NO_MESSAGES, NULL);
    const json_t *options = json_object_get(root, "stream_options");
    if (options && !json_is_null(options) && !json_is_object(options))
        return refuse(why, param, "stream_options", TEXT_SIM_ERROR_STREAM_OPTIONS, NULL);
    return read_bool(root, "stream", &c->stream, why, param) &&
           read_bool(options, "include_usage", &c->usage, why, param) &&
           read_max_tokens(root, "max_tokens", &c->max_tokens, why, param) &&
           read_max_tokens(root, "max_completion_tokens", &c->max_tokens, why, param);
}

bool sim_chat_read(struct str body, struct sim_chat *out, struct buf *why, const char **param)
{
    json_error_t error;
    struct sim_chat c = {.max_tokens = INT64_MAX};
    json_t *root =
        json_loadb(body.ptr ? body.ptr : "", body.len, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
    if (!root)
        return refuse(why, param, NULL, TEXT_SIM_ERROR_NOT_JSON, error.text);
    bool good = read_root(root, &c, why, param);
    json_decref(root);
    if (good)
        *out = c;
    else
        sim_chat_done(&c);
    return good;
}

void sim_chat_done(struct sim_chat *c)
{
    free(c->model_json); /* jansson's */
    *c = (struct sim_chat){0};
}

void sim_add_error(struct buf *out, struct str message, const char *type, const char *param,
                   const char *code)
{
    json_t *text = json_stringn(message.ptr, message.len);
    if (!text) /* what was sent need not be UTF-8 */
        text = json_string("");
    json_t *root = json_pack("{s:{s:o,s:s,s:s?,s:s?}}", "error", "message", text, "type", type,
                             "param", param, "code", code);
    char *json = json_dumps(root, JSON_COMPACT);
    buf_add_text(out, json);
    buf_add_byte(out, '\n');
    free(json);
    json_decref(root);
}
