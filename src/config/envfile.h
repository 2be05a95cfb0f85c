#ifndef WEIR_CONFIG_ENVFILE_H
#define WEIR_CONFIG_ENVFILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

/*
 * NAME=value files as python-dotenv reads them: `export`, quotes, escapes, comments, values over
 * several lines; a line that cannot be read is skipped. One difference, on purpose: ${NAME} and
 * ${NAME:-default} are filled from the same file only, never from the environment, so that a file
 * somebody else wrote cannot place your key in its URL. A zeroed envfile is empty.
 */
struct envfile_pair {
    const char *name, *value; /* value NULL: a name without = */
};
struct envfile {
    struct arena arena; /* owns all texts */
    VEC(struct envfile_pair) pairs;
    size_t bytes; /* of all values */
    bool over;    /* it held more than the maximum below: what follows was not read */
};

enum {
    ENVFILE_BYTES_MAX = 1 << 20,
    ENVFILE_PAIRS_MAX = 2000,
    ENVFILE_VALUE_MAX = 64 << 10,
    ENVFILE_FILLED_MAX = 4 << 20, /* of all values, their ${NAME} filled */
};

void envfile_parse(struct envfile *e, struct str text);
/* Errors: cannot be opened or read, too large, holds a NUL byte, values over a maximum. */
MUST_USE bool envfile_read(struct envfile *e, const char *path, struct err *err);
/* The last value of that name; NULL if it has none or an empty one. */
const char *envfile_get(const struct envfile *e, const char *name);
void envfile_done(struct envfile *e); /* wipes the values */

#endif
