#ifndef WEIR_CLI_OUTPUT_H
#define WEIR_CLI_OUTPUT_H

#include "base/err.h"
#include "base/scrub.h"

/*
 * The only way out: scrubbed, written whole, and checked. A place that failed once stays failed
 * (`error`) and takes nothing more.
 */
struct output {
    int fd;
    const char *name; /* file name, or "stdout" */
    bool is_file;
    bool started; /* a file keeps its old content until the first byte is written */
    bool json;    /* set by the caller where JSON of our own is written: scrub_json */
    int error;    /* errno of the first failure */
};

/* `file` NULL is stdout. A file is opened now, so that a bad name fails before anything is sent. */
MUST_USE bool output_open(struct output *o, const char *file, struct err *err);
MUST_USE bool output_write(struct output *o, const struct scrub *secrets, struct str text,
                           struct err *err);
/* Checks what closing finds. Safe on a zeroed or failed one. */
MUST_USE bool output_close(struct output *o, struct err *err);

/* To stderr, as far as it takes it. */
void output_note(const struct scrub *secrets, struct str text);

/* Text in pure ASCII: … becomes ..., – becomes -, what has no likeness ?. */
void output_ascii(struct str text, struct buf *out);

#endif
