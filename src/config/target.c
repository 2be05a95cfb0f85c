#include "config/target.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "config/envfile.h"
#include "config/key.h"
#include "wire/url.h"

static const char *const url_names[] = {"WEIR_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE"};
static const char *const model_names[] = {"WEIR_MODEL"};

/* A value and where it was found; both owned. */
struct setting {
    char *value, *source;
    bool from_file;
};

static char *joined(const char *a, const char *b, const char *c)
{
    struct buf out = {0};
    buf_add_text(&out, a);
    buf_add_text(&out, b);
    buf_add_text(&out, c);
    return buf_take(&out);
}

/* Option, then environment, then env file. */
static struct setting look_up(const char *option, const char *option_name, const char *const *names,
                              size_t count, const struct envfile *file, const char *file_name)
{
    if (option && *option)
        return (struct setting){mem_strdup(option), mem_strdup(option_name), false};
    for (size_t i = 0; i < count; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return (struct setting){mem_strdup(value), joined("$", names[i], ""), false};
    }
    for (size_t i = 0; i < count; i++) {
        const char *value = envfile_get(file, names[i]);
        if (value)
            return (struct setting){mem_strdup(value), joined(file_name, ": ", names[i]), true};
    }
    return (struct setting){mem_strdup(""), mem_strdup(""), false};
}

/* The env file asked for, or ./.env if there is one (a folder of that name is none). */
static bool read_env_file(const struct target_asked *asked, struct envfile *file, char **name,
                          struct err *err)
{
    struct stat st;
    const char *path = asked->env_file;
    if (!path && !asked->no_env_file && stat(".env", &st) == 0 && S_ISREG(st.st_mode))
        path = ".env";
    *name = mem_strdup(path && !asked->no_env_file ? path : "");
    if (!**name || envfile_read(file, path, err))
        return true;
    if (!asked->env_file)
        err_fix(err, TEXT_CONFIG_ENV_FILE_FIX);
    return false;
}

static bool no_url(struct err *err)
{
    err_set(err, EXIT_USAGE, "no_url", TEXT_CONFIG_NO_URL);
    err_why(err, TEXT_CONFIG_NO_URL_WHY);
    err_fix(err, TEXT_CONFIG_NO_URL_FIX);
    err_fix(err, TEXT_CONFIG_NO_URL_FIX_ENV);
    return false;
}

/* `host` is NUL-ended. */
static bool no_key(const struct target *t, const char *host, bool url_from_file, struct err *err)
{
    err_set(err, EXIT_USAGE, "no_key", TEXT_CONFIG_NO_KEY, host);
    err_evidence_raw(err, str_of(t->url));
    if (url_from_file) {
        err_why(err, TEXT_CONFIG_NO_KEY_FROM_SHELL, t->url_source);
        err_fix(err, TEXT_CONFIG_URL_YOURSELF_FIX, t->base);
    } else {
        err_fix(err, TEXT_CONFIG_NO_KEY_FIX);
    }
    err_fix(err, TEXT_CONFIG_NO_KEY_FIX_NONE);
    return false;
}

static bool key_in_clear(const struct target *t, const char *host, struct err *err)
{
    char *https = joined("https", t->base + strlen("http"), "");
    err_set(err, EXIT_USAGE, "key_in_clear", TEXT_CONFIG_KEY_IN_CLEAR, host);
    err_evidence_raw(err, str_of(t->url));
    err_fix(err, TEXT_CONFIG_KEY_IN_CLEAR_FIX, https);
    mem_free(https);
    return false;
}

/* What may be sent where. */
static bool check_key(struct target *t, const struct target_asked *asked, bool url_from_file,
                      struct err *err)
{
    struct url u;
    bool parsed = url_parse(str_of(t->url), &u);
    t->local = parsed && target_is_local(u.host);
    char *host = mem_dup(u.host.ptr, parsed ? u.host.len : 0);
    bool sends = *t->key || asked->key_in_header;
    bool ok = true;
    if (sends && !t->local && str_eq(u.scheme, STR("http")))
        ok = key_in_clear(t, host, err);
    else if (!sends && !t->local && !asked->no_key)
        ok = no_key(t, host, url_from_file, err);
    mem_free(host);
    return ok;
}

static bool find_key(struct target *t, const struct target_asked *asked, const struct envfile *file,
                     bool url_from_file, struct err *err)
{
    struct key_search search = {asked, file, t->env_file, url_from_file};
    if (!key_find(&search, &t->key, &t->key_source, err))
        return false;
    return check_key(t, asked, url_from_file, err);
}

static bool fill(struct target *t, const struct target_asked *asked, struct envfile *file,
                 struct scrub *secrets, struct err *err)
{
    struct buf resolved = {0}, base = {0};
    if (!read_env_file(asked, file, &t->env_file, err))
        return false;
    struct setting model =
        look_up(asked->model, "-m", model_names, ARRAY_LEN(model_names), file, t->env_file);
    t->model = model.value;
    t->model_source = model.source;
    struct setting url =
        look_up(asked->url, "argument", url_names, ARRAY_LEN(url_names), file, t->env_file);
    t->url_source = url.source;
    bool ok = *url.value ? target_url(str_of(url.value), &resolved, err) : no_url(err);
    if (ok) {
        target_base(buf_str(&resolved), &base);
        t->url = buf_take(&resolved);
        t->base = buf_take(&base);
        ok = find_key(t, asked, file, url.from_file, err);
    }
    if (t->key)
        scrub_add(secrets, str_of(t->key));
    mem_free(url.value);
    buf_done(&resolved);
    return ok;
}

bool target_resolve(struct target *t, const struct target_asked *asked, struct scrub *secrets,
                    struct err *err)
{
    struct envfile file = {0};
    struct target made = {0};
    bool ok = fill(&made, asked, &file, secrets, err);
    envfile_done(&file);
    if (ok)
        *t = made;
    else
        target_done(&made);
    return ok;
}

void target_done(struct target *t)
{
    if (t->key)
        mem_wipe(t->key, strlen(t->key));
    mem_free(t->url);
    mem_free(t->base);
    mem_free(t->url_source);
    mem_free(t->model);
    mem_free(t->model_source);
    mem_free(t->key);
    mem_free(t->key_source);
    mem_free(t->env_file);
    *t = (struct target){0};
}
