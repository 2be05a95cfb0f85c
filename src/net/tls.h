#ifndef WEIR_NET_TLS_H
#define WEIR_NET_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/str.h"

/*
 * TLS 1.2 and 1.3 of the measured path: OpenSSL over bytes that were read elsewhere. The caller
 * gives each read's bytes (tls_give) and then takes plain bytes until TLS_MORE, so that all of
 * them carry that read's instant and none waits inside for a wake that does not come. Writing goes
 * to the socket directly. Verification and host name check are on unless told otherwise. One
 * context per client; not for several threads.
 */
struct tls_context;
struct tls;

struct tls_options {
    bool insecure;       /* verify nothing */
    const char *ca_file; /* PEM; NULL: the system's */
};
MUST_USE struct tls_context *tls_context_new(const struct tls_options *options, struct err *err);
void tls_context_free(struct tls_context *c);

enum tls_step {
    TLS_OK,
    TLS_MORE,   /* all given bytes are used: read more */
    TLS_WRITE,  /* the socket takes no more now */
    TLS_CLOSED, /* the peer ended TLS in order */
    TLS_FAILED, /* see tls_detail */
};

/* `host` as in the URL: name or address, without brackets. `fd` stays the caller's. */
struct tls *tls_new(struct tls_context *c, int fd, struct str host);
void tls_free(struct tls *t); /* sends nothing */

/* The next bytes from the socket; a view, to be used up before the next call. */
void tls_give(struct tls *t, const char *bytes, size_t len);
void tls_forget(struct tls *t); /* what was given and not used is dropped */

/* Whether tls_read could give more before more is given to it: false saves asking until TLS_MORE,
 * which costs a buffer each time. */
bool tls_has_more(const struct tls *t);

MUST_USE enum tls_step tls_handshake(struct tls *t); /* OK: established */
MUST_USE enum tls_step tls_read(struct tls *t, char *out, size_t size, size_t *len);
/* OK: `*len` bytes, at least one, are on their way. */
MUST_USE enum tls_step tls_write(struct tls *t, const char *bytes, size_t size, size_t *len);
void tls_bye(struct tls *t); /* the closing message, if the socket takes it */

const char *tls_version(const struct tls *t); /* "TLSv1.3"; static */
/* Why it failed, one line: "the certificate has expired (…)". Lives as long as `t`. */
const char *tls_detail(const struct tls *t);

#endif
