#ifndef WEIR_NET_SERVER_SOCKET_H
#define WEIR_NET_SERVER_SOCKET_H

#include <openssl/ssl.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * One accepted, non-blocking connection: plain or TLS behind the same three calls. Never raises
 * SIGPIPE. Part of net/server.
 */
struct server_socket {
    int fd;    /* -1: closed */
    SSL *ssl;  /* NULL: plain */
    bool want; /* TLS cannot go on before the socket takes bytes */
};

enum socket_step { SOCKET_OK, SOCKET_AGAIN, SOCKET_EOF, SOCKET_LOST };

enum socket_step server_socket_handshake(struct server_socket *s);
/* SOCKET_OK: `*done` bytes, at least 1. */
enum socket_step server_socket_read(struct server_socket *s, char *to, size_t len, size_t *done);
enum socket_step server_socket_write(struct server_socket *s, const char *bytes, size_t len,
                                     size_t *done);
/* FIN; with TLS, if `alert`, its close alert first. */
void server_socket_bye(struct server_socket *s, bool alert);
void server_socket_close(struct server_socket *s, bool reset);

/* Bytes that were taken from the kernel but not yet read: no readiness will announce them. */
bool server_socket_holds(const struct server_socket *s);

/* TLS 1.2 and 1.3 with this certificate chain and key (PEM); NULL and `err` if they are no good. */
MUST_USE SSL_CTX *server_tls_new(const char *cert_file, const char *key_file, struct err *err);
void server_socket_secure(struct server_socket *s, SSL_CTX *tls);

#endif
