#ifndef WEIR_CONFIG_FILE_H
#define WEIR_CONFIG_FILE_H

#include "base/buf.h"
#include "base/err.h"

/* A whole small file ("-": standard input) into `out`, at most `max` bytes. Errors name the file,
 * exit code 2. */
MUST_USE bool file_read(const char *path, size_t max, struct buf *out, struct err *err);

#endif
