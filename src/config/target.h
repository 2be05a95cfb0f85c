#ifndef WEIR_CONFIG_TARGET_H
#define WEIR_CONFIG_TARGET_H

#include "base/err.h"
#include "base/scrub.h"

/*
 * Which URL, which key, and where each comes from. Rules: docs/reference.md (URLs, keys). Reads environment and
 * env files; sends nothing.
 */
struct target {
    char *url;        /* the endpoint, resolved: https://host/v1/chat/completions; owned */
    char *base;       /* the URL without the endpoint: https://host/v1; owned */
    char *url_source; /* "argument", "$OPENAI_BASE_URL", ".env: OPENAI_BASE_URL" */
    char *model;      /* "" if none was named */
    char *model_source;
    char *key;        /* "" for none; owned, wiped by target_done */
    char *key_source; /* "$OPENAI_API_KEY", "--api-key", "" */
    char *env_file;   /* which one was read, or "" */
    bool local;       /* loopback or private host: needs no key */
};

struct target_asked {
    const char *url;          /* option or argument; NULL */
    const char *model;        /* NULL */
    const char *api_key;      /* --api-key; NULL */
    const char *api_key_env;  /* --api-key-env; NULL */
    const char *api_key_file; /* --api-key-file, "-" is stdin; NULL */
    bool no_key;
    const char *env_file; /* --env-file; NULL: ./.env if there is one */
    bool no_env_file;
};

MUST_USE bool target_resolve(struct target *t, const struct target_asked *asked,
                             struct scrub *secrets, struct err *err);
void target_done(struct target *t);

/* The URL rule alone (ux: a–d), pure: "https://h" → "https://h/v1/chat/completions". */
MUST_USE bool target_url(struct str typed, struct buf *url, struct err *err);
/* Loopback, private and link-local addresses and names (localhost, *.local, 10.x …). */
bool target_is_local(struct str host);

#endif
