#ifndef WEIR_BASE_ERR_H
#define WEIR_BASE_ERR_H

#include <stdbool.h>

#include "base/attr.h"
#include "base/text.h"

/*
 * Why weir could not do what was asked. (What an endpoint does wrong is not an error but an
 * outcome, measure/outcome.h; a bug in weir is an assert.) Four parts: what happened, evidence,
 * why if known, what to type next. Only cli/ prints one. A zeroed err is "no error"; it owns
 * nothing; texts that do not fit are cut. Functions that fill one return false or NULL.
 */

enum {
    EXIT_OK = 0,
    EXIT_LIMIT = 1,       /* a limit failed, or a regression */
    EXIT_USAGE = 2,       /* usage or configuration; nothing was sent */
    EXIT_UNREACHABLE = 3, /* DNS, TCP, TLS */
    EXIT_REFUSED = 4,     /* 401, 403 */
    EXIT_NONE = 5,        /* none complete, or too many failed */
    EXIT_UNDECIDED = 6,   /* too few runs */
    EXIT_BUG = 70,
    EXIT_WRITE = 74, /* cannot write */
    EXIT_SIGINT = 130,
    EXIT_SIGTERM = 143,
};

enum { ERR_FIXES = 3 };

struct err {
    int exit_code;  /* 0: no error */
    const char *id; /* stable name for JSON, static: "unknown_option" */
    char what[320];
    char evidence[1024]; /* may hold line breaks */
    char why[512];
    char fix[ERR_FIXES][256];
};

/* Sets exit code, id and the first part, clears the others. Always returns false. */
bool err_set_args(struct err *e, int exit_code, const char *id, enum text_id what,
                  const char *const *args);
/* As it is: what was typed, sent, answered. */
void err_evidence_raw(struct err *e, struct str evidence);
void err_why_args(struct err *e, enum text_id why, const char *const *args);
/* Into the next free line; more than ERR_FIXES are left out. */
void err_fix_args(struct err *e, enum text_id fix, const char *const *args);

#define ERR_ARGS(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})
#define err_set(e, exit_code, id, what, ...)                                                       \
    err_set_args((e), (exit_code), (id), (what), ERR_ARGS(__VA_ARGS__))
#define err_why(e, why, ...) err_why_args((e), (why), ERR_ARGS(__VA_ARGS__))
#define err_fix(e, fix, ...) err_fix_args((e), (fix), ERR_ARGS(__VA_ARGS__))

#endif
