#include "cli/models.h"

#include <jansson.h>

#include "base/utf8.h"
#include "net/control.h"

#define SECOND 1000000000LL
enum { LIST_BYTES_MAX = 8 << 20, NAMED = 5, ID_BYTES_MAX = 256 };

static bool get_list(const struct probe_setup *s, const char *base, int *status, struct buf *body)
{
    const struct options *o = &s->cli->options;
    char detail[256];
    struct buf url = {0};
    buf_addf(&url, "%s/models", base);
    struct control_get get = {
        .url = buf_text(&url),
        .key = s->probe.key,
        .headers = s->probe.headers,
        .header_count = s->probe.header_count,
        .insecure = o->insecure,
        .ca_file = o->cacert,
        .connect_ns = o->connect_timeout,
        .total_ns = o->timeout < 10 * SECOND ? o->timeout : 10 * SECOND,
        .body_max = LIST_BYTES_MAX,
    };
    bool answered = control_get(&get, status, body, detail);
    buf_done(&url);
    return answered;
}

/* {"data":[{"id":…}]}; NULL if it is not a list of models. Borrowed from `root`. */
static json_t *list_of(json_t *root)
{
    json_t *data = json_is_object(root) ? json_object_get(root, "data") : root;
    return json_is_array(data) ? data : NULL;
}

static json_t *parse(const struct buf *body)
{
    struct str s = buf_str(body);
    return json_loadb(s.ptr ? s.ptr : "", s.len, JSON_REJECT_DUPLICATES, NULL);
}

/* NULL if it is no name: empty, endless, or not to be shown as it is. */
static const char *id_at(json_t *list, size_t i)
{
    const char *id = json_string_value(json_object_get(json_array_get(list, i), "id"));
    struct buf shown = {0};
    if (!id || !*id || strlen(id) > ID_BYTES_MAX)
        return NULL;
    utf8_add_visible(&shown, str_of(id));
    bool plain = str_eq(buf_str(&shown), str_of(id));
    buf_done(&shown);
    return plain ? id : NULL;
}

static const char *first_id(json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (id_at(list, i))
            return id_at(list, i);
    return NULL;
}

/* Whether a shell takes it as one word: what we print is pasted. */
static bool is_word(const char *id)
{
    return id[strspn(id,
                     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@+-")] ==
           '\0';
}

static bool several(json_t *list, struct err *err)
{
    struct buf names = {0};
    size_t count = json_array_size(list), shown = 0;
    for (size_t i = 0; i < count && shown < NAMED; i++) {
        const char *id = id_at(list, i);
        if (!id)
            continue;
        buf_add_text(&names, shown++ ? ", " : "");
        buf_add_str(&names, utf8_cut(str_of(id), 60));
    }
    if (count > shown)
        buf_addf(&names, ", … (%zu)", count);
    err_set(err, EXIT_USAGE, "no_model", TEXT_CLI_MODELS_SEVERAL, buf_text(&names));
    buf_done(&names);
    const char *first = first_id(list);
    if (first && strlen(first) < 100 && is_word(first))
        err_fix(err, TEXT_CLI_MODELS_FIX, first);
    else
        err_fix(err, TEXT_CLI_MODELS_FIX_NAME);
    return false;
}

bool models_choose(struct probe_setup *s, struct err *err)
{
    struct buf body = {0};
    int status = 0;
    bool ok = true;
    if (*s->target.model)
        return true;
    json_t *root =
        get_list(s, s->target.base, &status, &body) && status == 200 ? parse(&body) : NULL;
    json_t *list = list_of(root);
    const char *only = json_array_size(list) == 1 ? id_at(list, 0) : NULL;
    if (only) {
        mem_free(s->target.model);
        mem_free(s->target.model_source);
        s->target.model = mem_strdup(only);
        s->target.model_source = mem_strdup(text_raw(TEXT_CLI_MODEL_SOURCE));
        s->probe.target.model = s->target.model;
    } else if (json_array_size(list) > 1 && first_id(list)) {
        ok = several(list, err);
    }
    json_decref(root);
    buf_done(&body);
    return ok;
}

char *models_sibling(const struct probe_setup *s)
{
    struct str base = str_of(s->target.base);
    struct buf url = {0}, body = {0};
    int status = 0;
    if (str_ends(base, STR("/v1")))
        base.len -= 3;
    buf_add_str(&url, base);
    if (base.len == strlen(s->target.base))
        buf_add_text(&url, "/v1");
    json_t *root =
        get_list(s, buf_text(&url), &status, &body) && status == 200 ? parse(&body) : NULL;
    bool found = list_of(root) != NULL;
    json_decref(root);
    buf_done(&body);
    char *result = found ? buf_take(&url) : NULL;
    buf_done(&url);
    return result;
}
