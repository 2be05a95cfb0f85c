#ifndef WEIR_CONFIG_TARGET_H
#define WEIR_CONFIG_TARGET_H

#include "base/err.h"
#include "base/scrub.h"

/*
 * Which URL, which key, and where each comes from. Rules: docs/reference.md (URLs, keys). Reads
 * environment and env files; sends nothing.
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
    bool
        key_in_header; /* -H has the credentials: no other key is looked for, the same care holds */
    const char *env_file; /* --env-file; NULL: ./.env if there is one */
    bool no_env_file;
};

MUST_USE bool target_resolve(struct target *t, const struct target_asked *asked,
                             struct scrub *secrets, struct err *err);
void target_done(struct target *t);

/*
 * The URL rule alone, pure: "https://h" → "https://h/v1/chat/completions".
 *   a  ends in a known endpoint: used as it is
 *   b  no path: /v1/chat/completions is added
 *   c  any other path: /chat/completions is added, never a second /v1
 *   d  ends in #: exactly this, without the #
 * No scheme: http for local hosts, else https.
 */
MUST_USE bool target_url(struct str typed, struct buf *url, struct err *err);
/* What precedes the endpoint, without query: https://h/v1. Of a URL that ends in no known endpoint
 * it is the URL itself. */
void target_base(struct str url, struct buf *base);
/* Loopback, private and link-local addresses, and names that no public DNS holds: localhost,
 * *.local, *.internal, names without a dot. */
bool target_is_local(struct str host);

enum { TARGET_URL_MAX = 2048 };

#endif
