#include "net/server_socket.h"

#include <assert.h>
#include <errno.h>
#include <openssl/err.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static enum socket_step step_of_errno(void)
{
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
        return SOCKET_AGAIN;
    return SOCKET_LOST;
}

static enum socket_step step_of_ssl(struct server_socket *s, int rc)
{
    int error = SSL_get_error(s->ssl, rc);
    ERR_clear_error();
    s->want = error == SSL_ERROR_WANT_WRITE;
    if (s->want || error == SSL_ERROR_WANT_READ)
        return SOCKET_AGAIN;
    return error == SSL_ERROR_ZERO_RETURN ? SOCKET_EOF : SOCKET_LOST;
}

enum socket_step server_socket_handshake(struct server_socket *s)
{
    ERR_clear_error();
    int rc = SSL_accept(s->ssl);
    s->want = false;
    return rc == 1 ? SOCKET_OK : step_of_ssl(s, rc);
}

enum socket_step server_socket_read(struct server_socket *s, char *to, size_t len, size_t *done)
{
    *done = 0;
    if (s->ssl) {
        ERR_clear_error();
        int rc = SSL_read_ex(s->ssl, to, len, done);
        s->want = false;
        return rc == 1 ? SOCKET_OK : step_of_ssl(s, rc);
    }
    ssize_t n = recv(s->fd, to, len, 0);
    if (n < 0)
        return step_of_errno();
    *done = (size_t)n;
    return n > 0 ? SOCKET_OK : SOCKET_EOF;
}

enum socket_step server_socket_write(struct server_socket *s, const char *bytes, size_t len,
                                     size_t *done)
{
    *done = 0;
    if (s->ssl) {
        ERR_clear_error();
        int rc = SSL_write_ex(s->ssl, bytes, len, done);
        if (rc == 1)
            s->want = false;
        return rc == 1 ? SOCKET_OK : step_of_ssl(s, rc);
    }
    ssize_t n = send(s->fd, bytes, len, MSG_NOSIGNAL);
    if (n < 0)
        return step_of_errno();
    *done = (size_t)n;
    return SOCKET_OK;
}

void server_socket_bye(struct server_socket *s, bool alert)
{
    if (s->ssl && alert) {
        ERR_clear_error();
        SSL_shutdown(s->ssl);
    }
    shutdown(s->fd, SHUT_WR);
}

void server_socket_close(struct server_socket *s, bool reset)
{
    SSL_free(s->ssl);
    s->ssl = NULL;
    if (reset)
        setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1},
                   sizeof(struct linger));
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

bool server_socket_holds(const struct server_socket *s)
{
    return s->ssl && SSL_has_pending(s->ssl);
}

/* OpenSSL's own socket BIO writes without MSG_NOSIGNAL, so weir brings its own. */

static int bio_write(BIO *bio, const char *bytes, size_t len, size_t *done)
{
    struct server_socket *s = BIO_get_data(bio);
    ssize_t n = send(s->fd, bytes, len, MSG_NOSIGNAL);
    BIO_clear_retry_flags(bio);
    if (n < 0 && step_of_errno() == SOCKET_AGAIN)
        BIO_set_retry_write(bio);
    *done = n > 0 ? (size_t)n : 0;
    return n > 0;
}

static int bio_read(BIO *bio, char *to, size_t len, size_t *done)
{
    struct server_socket *s = BIO_get_data(bio);
    ssize_t n = recv(s->fd, to, len, 0);
    BIO_clear_retry_flags(bio);
    if (n < 0 && step_of_errno() == SOCKET_AGAIN)
        BIO_set_retry_read(bio);
    *done = n > 0 ? (size_t)n : 0;
    return n > 0;
}

static long bio_ctrl(BIO *bio, int what, long number, void *ptr)
{
    (void)bio;
    (void)number;
    (void)ptr;
    return what == BIO_CTRL_FLUSH;
}

static BIO_METHOD *bio_method; /* made once, never changed after */

static void make_bio_method(void)
{
    bio_method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "weir server socket");
    assert(bio_method);
    BIO_meth_set_write_ex(bio_method, bio_write);
    BIO_meth_set_read_ex(bio_method, bio_read);
    BIO_meth_set_ctrl(bio_method, bio_ctrl);
}

void server_socket_secure(struct server_socket *s, SSL_CTX *tls)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_bio_method);
    BIO *bio = BIO_new(bio_method);
    s->ssl = SSL_new(tls);
    assert(bio && s->ssl);
    BIO_set_data(bio, s);
    BIO_set_init(bio, 1);
    SSL_set_bio(s->ssl, bio, bio);
}

static bool refuse_files(struct err *err, const char *cert_file, const char *key_file)
{
    char reason[256];
    ERR_error_string_n(ERR_get_error(), reason, sizeof(reason));
    ERR_clear_error();
    return err_set(err, EXIT_USAGE, "bad_certificate", TEXT_SERVER_BAD_CERTIFICATE, cert_file,
                   key_file, reason);
}

SSL_CTX *server_tls_new(const char *cert_file, const char *key_file, struct err *err)
{
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    assert(tls);
    SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
    SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(tls, SSL_SESS_CACHE_OFF);
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(tls, cert_file) == 1 &&
        SSL_CTX_use_PrivateKey_file(tls, key_file, SSL_FILETYPE_PEM) == 1 &&
        SSL_CTX_check_private_key(tls) == 1)
        return tls;
    refuse_files(err, cert_file, key_file);
    SSL_CTX_free(tls);
    return NULL;
}
