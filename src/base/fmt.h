#ifndef WEIR_BASE_FMT_H
#define WEIR_BASE_FMT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/str.h"

/*
 * Numbers to text and back, the same in every locale (`.` is the decimal point). The results are
 * values: `fmt_sig(x).text` is good for the rest of the full expression and may be copied.
 */
struct fmt {
    char text[40];
};

struct fmt fmt_int(int64_t n);   /* 2550 */
struct fmt fmt_count(int64_t n); /* 2,550: thousands separated */
struct fmt fmt_sig(double x);    /* 3 significant digits: 21.4  1,180  0.1; NaN: – */
struct fmt fmt_fixed(double x, int decimals);
struct fmt fmt_share(double share);  /* 0.134 → 13 % */
struct fmt fmt_duration(int64_t ns); /* 78 ms, 6.18 s, 2m 5s: with its unit */
struct fmt fmt_bytes(int64_t bytes); /* 1.5 KiB */

/* Whole text or nothing: false leaves `*out` untouched. */
MUST_USE bool fmt_parse_int(struct str s, int64_t least, int64_t most, int64_t *out);
MUST_USE bool fmt_parse_double(struct str s, double least, double most, double *out);
/* 500ms, 2s, 15m, 7d, 1h, 10us, 100ns; a bare number is seconds; `off` is INT64_MAX. Not
 * negative. */
MUST_USE bool fmt_parse_duration(struct str s, int64_t *ns);

#endif
