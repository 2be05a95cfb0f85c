#ifndef WEIR_CLI_OPTIONS_H
#define WEIR_CLI_OPTIONS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

/*
 * One table of options (option_table.c). Parsing, range checks and help come from it; so will
 * completion and the man page. Adding an option: an id, a member of struct options, an entry.
 */

enum command_bit {
    FOR_PROBE = 1 << 0,
    FOR_SIM = 1 << 1,
    FOR_READ = 1 << 2,
    FOR_ALL = ~0,
};

enum option_kind {
    OPTION_FLAG,     /* bool */
    OPTION_SET,      /* int: stores `value` */
    OPTION_TEXT,     /* const char * */
    OPTION_SECRET,   /* const char *; its place in argv is overwritten at once */
    OPTION_TEXTS,    /* struct option_texts; may be repeated */
    OPTION_HEADERS,  /* the same; a secret inside is overwritten in argv */
    OPTION_INT,      /* int64_t */
    OPTION_DOUBLE,   /* double */
    OPTION_DURATION, /* int64_t ns; INT64_MAX is off */
    OPTION_WORD,     /* int: index into `words` */
    OPTION_OUTPUT,   /* struct option_output: --json or --json=FILE */
};

enum option_category {
    CATEGORY_TARGET,
    CATEGORY_REQUEST,
    CATEGORY_LOAD,
    CATEGORY_NETWORK,
    CATEGORY_LIMITS,
    CATEGORY_ENDPOINT,
    CATEGORY_STREAM,
    CATEGORY_OUTPUT,
    CATEGORY_COUNT
};

struct option {
    const char *names; /* "runs,requests": first the one that help shows */
    char letter;       /* 'n', or 0 */
    enum option_kind kind;
    const char *argument; /* "N" */
    double least, most;   /* of numbers; durations in ns */
    const char *fallback; /* the default as it would be typed, or NULL: zero */
    const char *words;    /* "auto|always|never" */
    int value;            /* of OPTION_SET */
    enum text_id help;
    enum option_category category;
    int commands; /* bits of command_bit */
    size_t at;    /* offset in struct options */
};

enum option_id {
    OPT_HELP,
    OPT_URL,
    OPT_MODEL,
    OPT_HEADER,
    OPT_API_KEY,
    OPT_API_KEY_ENV,
    OPT_API_KEY_FILE,
    OPT_NO_KEY,
    OPT_ENV_FILE,
    OPT_NO_ENV_FILE,
    OPT_PROMPT,
    OPT_PROMPT_TOKENS,
    OPT_SAME_PROMPT,
    OPT_MAX_TOKENS,
    OPT_TEMPERATURE,
    OPT_NO_STREAM,
    OPT_TERMINATOR,
    OPT_RUNS,
    OPT_WARMUP,
    OPT_CONCURRENCY,
    OPT_FRESH,
    OPT_REUSE,
    OPT_QUICK,
    OPT_YES,
    OPT_DRY_RUN,
    OPT_CONNECT_TIMEOUT,
    OPT_FIRST_TIMEOUT,
    OPT_GAP_TIMEOUT,
    OPT_IDLE_TIMEOUT,
    OPT_TIMEOUT,
    OPT_INSECURE,
    OPT_CACERT,
    OPT_SLO,
    OPT_UNDECIDED,
    OPT_MAX_FAIL,
    OPT_LISTEN,
    OPT_SIM_MODEL,
    OPT_TTFT,
    OPT_GAP,
    OPT_JITTER,
    OPT_TOKENS,
    OPT_TOKENS_PER_CHUNK,
    OPT_SLOTS,
    OPT_FAIL,
    OPT_STAMP,
    OPT_SEED,
    OPT_TLS,
    OPT_FORMAT,
    OPT_STATUS,
    OPT_CONTENT_TYPE,
    OPT_JSON,
    OPT_JSONL,
    OPT_CSV,
    OPT_EVENTS,
    OPT_QUIET,
    OPT_VERBOSE,
    OPT_PROGRESS,
    OPT_COLOR,
    OPT_NO_COLOR,
    OPT_ASCII,
    OPT_WIDTH,
    OPT_COUNT
};
extern const struct option option_table[OPT_COUNT];

enum { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_LINES, PROGRESS_NONE };
enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum { UNDECIDED_FAIL, UNDECIDED_PASS }; /* not given: an exit code of its own */
enum { CONNECT_FRESH, CONNECT_REUSE };
enum { FORMAT_AUTO, FORMAT_SSE, FORMAT_NDJSON, FORMAT_HTTP };

enum { OPTION_TEXTS_MAX = 64, ARGS_MAX = 2 };

struct option_texts {
    const char *items[OPTION_TEXTS_MAX];
    size_t count;
};
struct option_output {
    bool on;
    const char *file; /* NULL: stdout */
};

struct options {
    /* target */
    const char *url, *model, *api_key, *api_key_env, *api_key_file, *env_file;
    bool no_key, no_env_file;
    struct option_texts headers;
    /* request */
    const char *prompt;
    int64_t prompt_tokens, max_tokens;
    double temperature;
    bool same_prompt, no_stream;
    int terminator; /* enum terminator_policy */
    /* load */
    int64_t runs, warmup, concurrency;
    int connections;
    bool quick, yes, dry_run;
    /* network */
    int64_t connect_timeout, first_timeout, gap_timeout, idle_timeout, timeout;
    bool insecure;
    const char *cacert;
    /* limits */
    struct option_texts slos;
    int undecided;
    const char *max_fail;
    /* sim */
    const char *listen, *fail;
    int64_t ttft, gap, tokens, tokens_per_chunk, slots, seed;
    double jitter;
    bool stamp, tls;
    /* read */
    int format;
    int64_t status;
    const char *content_type;
    /* output */
    struct option_output json, jsonl, csv;
    bool help, events, quiet, verbose, ascii;
    int progress, color;
    int64_t width;

    const char *args[ARGS_MAX]; /* what is no option */
    size_t arg_count;
    bool given[OPT_COUNT];
    struct arena arena;  /* holds what was overwritten in argv; wiped by options_done */
    VEC(char *) secrets; /* of them, the ones to wipe and to scrub */
};

/*
 * Reads argv[from…] as options of one command; `*o` gets the defaults first. Texts are views into
 * argv, but for secrets. `-` and what follows `--` are arguments; at most `args_max` are taken. On
 * failure *o still is to be done.
 */
MUST_USE bool options_parse(struct options *o, int argc, char **argv, int from, const char *command,
                            int bit, size_t args_max, struct err *err);
void options_done(struct options *o);

/* Where a value of the entry is kept. */
void *option_slot(struct options *o, const struct option *entry);
/* The first of its names. */
struct str option_name(const struct option *entry);
/* Whether a header's value is a credential: Authorization, *api-key, Cookie … */
bool option_header_is_secret(struct str header);

#endif
