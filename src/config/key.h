#ifndef WEIR_CONFIG_KEY_H
#define WEIR_CONFIG_KEY_H

#include "config/envfile.h"
#include "config/target.h"

/*
 * Where a key comes from: option > environment > env file. A URL that a file names gets no key of
 * the shell, only one of the same file (or one typed for this very call), so that a file somebody
 * else wrote cannot make weir send it.
 */
struct key_search {
    const struct target_asked *asked;
    const struct envfile *file;
    const char *file_name; /* of the env file, or "" */
    bool url_from_file;
};

/* `*key` and `*source` are owned by the caller (mem_free; wipe the key); both "" if there is none.
 */
MUST_USE bool key_find(const struct key_search *search, char **key, char **source, struct err *err);

/* Whether a key can stand in a header: printable ASCII without blanks, not too long. The error
 * names the source and never shows the key. */
MUST_USE bool key_valid(struct str key, const char *source, struct err *err);

#endif
