#include "config/key.h"

#include <stdlib.h>

#include "base/fmt.h"
#include "config/file.h"

enum { KEY_MAX = 8192 };

static const char *const key_names[] = {"WEIR_API_KEY", "OPENAI_API_KEY"};

static enum text_id byte_name(unsigned char c)
{
    if (c == '\n' || c == '\r')
        return TEXT_CONFIG_BYTE_BREAK;
    if (c == ' ' || c == '\t')
        return TEXT_CONFIG_BYTE_BLANK;
    return c < 0x20 || c == 0x7F ? TEXT_CONFIG_BYTE_CONTROL : TEXT_CONFIG_BYTE_OTHER;
}

bool key_valid(struct str key, const char *source, struct err *err)
{
    if (key.len > KEY_MAX)
        return err_set(err, EXIT_USAGE, "bad_key", TEXT_CONFIG_KEY_LONG, source,
                       fmt_int(KEY_MAX).text);
    for (size_t i = 0; i < key.len; i++) {
        unsigned char c = (unsigned char)key.ptr[i];
        if (c > ' ' && c < 0x7F)
            continue;
        err_set(err, EXIT_USAGE, "bad_key", TEXT_CONFIG_KEY_BYTES, source,
                fmt_int((int64_t)i + 1).text, fmt_int((int64_t)key.len).text,
                text_raw(byte_name(c)));
        err_why(err, TEXT_CONFIG_KEY_BYTES_WHY);
        return false;
    }
    return true;
}

static char *joined(const char *a, const char *b)
{
    struct buf out = {0};
    buf_add_text(&out, a);
    buf_add_text(&out, b);
    return buf_take(&out);
}

static bool found(struct str value, char *source_owned, char **key, char **source, struct err *err)
{
    if (!key_valid(value, source_owned, err)) {
        mem_free(source_owned);
        return false;
    }
    *key = mem_dup(value.ptr, value.len);
    *source = source_owned;
    return true;
}

/* One line break at the end is the editor's, not the key's. */
static struct str without_break(struct str s)
{
    if (s.len && s.ptr[s.len - 1] == '\n')
        s.len--;
    if (s.len && s.ptr[s.len - 1] == '\r')
        s.len--;
    return s;
}

static bool from_key_file(const char *path, char **key, char **source, struct err *err)
{
    struct buf text = {.max = KEY_MAX + 4};
    bool ok = file_read(path, KEY_MAX + 2, &text, err);
    struct str value = without_break(buf_str(&text));
    if (ok && !value.len)
        ok = err_set(err, EXIT_USAGE, "no_key", TEXT_CONFIG_KEY_EMPTY, path);
    if (ok)
        ok = found(value, mem_strdup(strcmp(path, "-") == 0 ? "stdin" : path), key, source, err);
    if (text.ptr)
        mem_wipe(text.ptr, text.len);
    buf_done(&text);
    return ok;
}

static bool from_file(const struct key_search *s, const char *name, char **key, char **source,
                      struct err *err)
{
    char *label = joined(s->file_name, ": ");
    char *full = joined(label, name);
    mem_free(label);
    return found(str_of(envfile_get(s->file, name)), full, key, source, err);
}

/* --api-key-env NAME: where the URL comes from a file, only that file is asked. */
static bool from_named(const struct key_search *s, char **key, char **source, struct err *err)
{
    const char *name = s->asked->api_key_env;
    const char *value = getenv(name);
    if (!s->url_from_file && value && *value)
        return found(str_of(value), joined("$", name), key, source, err);
    if (envfile_get(s->file, name))
        return from_file(s, name, key, source, err);
    char *shown = joined("$", name);
    if (s->url_from_file && value && *value)
        err_set(err, EXIT_USAGE, "key_of_shell", TEXT_CONFIG_KEY_SHELL_REFUSED, shown,
                s->file_name);
    else
        err_set(err, EXIT_USAGE, "no_key", TEXT_CONFIG_KEY_EMPTY, shown);
    mem_free(shown);
    return false;
}

bool key_find(const struct key_search *s, char **key, char **source, struct err *err)
{
    const struct target_asked *asked = s->asked;
    int ways = (asked->api_key != NULL) + (asked->api_key_env != NULL) +
               (asked->api_key_file != NULL) + asked->no_key + asked->key_in_header;
    if (ways > 1)
        return err_set(err, EXIT_USAGE, "conflict", TEXT_CONFIG_KEY_TWICE);
    if (asked->api_key && !*asked->api_key)
        return err_set(err, EXIT_USAGE, "no_key", TEXT_CONFIG_KEY_EMPTY, "--api-key");
    if (asked->api_key)
        return found(str_of(asked->api_key), mem_strdup("--api-key"), key, source, err);
    if (asked->api_key_file)
        return from_key_file(asked->api_key_file, key, source, err);
    if (asked->api_key_env)
        return from_named(s, key, source, err);
    bool looks = !asked->no_key && !asked->key_in_header;
    for (size_t i = 0; i < ARRAY_LEN(key_names) && looks && !s->url_from_file; i++) {
        const char *value = getenv(key_names[i]);
        if (value && *value)
            return found(str_of(value), joined("$", key_names[i]), key, source, err);
    }
    for (size_t i = 0; i < ARRAY_LEN(key_names) && looks; i++)
        if (envfile_get(s->file, key_names[i]))
            return from_file(s, key_names[i], key, source, err);
    *key = mem_strdup("");
    *source = mem_strdup("");
    return true;
}
