#include "net/tls.h"

#include <assert.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/mem.h"

enum { DETAIL_BYTES = 160, NAMES_MAX = 3, FRAGMENT_BYTES = 4096 };

struct tls_context {
    SSL_CTX *ssl;
    BIO_METHOD *window;
    bool insecure;
};

struct tls {
    SSL *ssl;
    const char *given;
    size_t given_len;
    int fd;
    char *host;   /* for the texts; NULL if insecure */
    char *detail; /* owned; NULL until something failed */
};

/* The window: a BIO that reads what tls_give was given and writes to the socket. */

static int window_read(BIO *b, char *out, int size)
{
    struct tls *t = BIO_get_data(b);
    BIO_clear_retry_flags(b);
    if (t->given_len == 0) {
        BIO_set_retry_read(b);
        return -1;
    }
    size_t n = (size_t)size < t->given_len ? (size_t)size : t->given_len;
    memcpy(out, t->given, n);
    t->given += n;
    t->given_len -= n;
    return (int)n;
}

static int window_write(BIO *b, const char *bytes, int size)
{
    struct tls *t = BIO_get_data(b);
    BIO_clear_retry_flags(b);
    ssize_t n = send(t->fd, bytes, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        BIO_set_retry_write(b);
    return (int)n;
}

static long window_ctrl(BIO *b, int what, long number, void *ptr)
{
    (void)b, (void)number, (void)ptr;
    return what == BIO_CTRL_FLUSH ? 1 : 0;
}

static BIO_METHOD *window_method(void)
{
    BIO_METHOD *m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "weir window");
    assert(m);
    BIO_meth_set_read(m, window_read);
    BIO_meth_set_write(m, window_write);
    BIO_meth_set_ctrl(m, window_ctrl);
    return m;
}

static BIO *window_new(const struct tls_context *c, struct tls *t)
{
    BIO *b = BIO_new(c->window);
    assert(b);
    BIO_set_data(b, t);
    BIO_set_init(b, 1);
    return b;
}

/* What went wrong, in words. */

static void add_names(X509 *cert, struct buf *out)
{
    GENERAL_NAMES *names = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);
    int count = names ? sk_GENERAL_NAME_num(names) : 0, said = 0;
    for (int i = 0; i < count && said < NAMES_MAX; i++) {
        GENERAL_NAME *n = sk_GENERAL_NAME_value(names, i);
        BIO *text = BIO_new(BIO_s_mem());
        char *ptr = NULL;
        if (n->type == GEN_DNS)
            ASN1_STRING_print_ex(text, n->d.dNSName, ASN1_STRFLGS_ESC_CTRL);
        else if (n->type == GEN_IPADD)
            GENERAL_NAME_print(text, n);
        long len = BIO_get_mem_data(text, &ptr);
        struct str name = str_make(ptr, len > 0 ? (size_t)len : 0);
        if (str_starts(name, STR("IP Address:")))
            name = str_from(name, sizeof("IP Address:") - 1);
        if (name.len) {
            buf_add_text(out, said++ ? ", " : "");
            buf_add_str(out, name);
        }
        BIO_free(text);
    }
    GENERAL_NAMES_free(names);
    if (said == 0) {
        char common[64] = "";
        X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, common,
                                  sizeof(common));
        buf_add_text(out, common[0] ? common : "-");
    }
}

static void add_time(const ASN1_TIME *time, struct buf *out)
{
    struct tm tm;
    if (time && ASN1_TIME_to_tm(time, &tm))
        buf_addf(out, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
    else
        buf_add_text(out, "-");
}

static void add_issuer(X509 *cert, struct buf *out)
{
    char name[80] = "";
    X509_NAME *issuer = X509_get_issuer_name(cert);
    if (X509_NAME_get_text_by_NID(issuer, NID_commonName, name, sizeof(name)) <= 0)
        X509_NAME_get_text_by_NID(issuer, NID_organizationName, name, sizeof(name));
    buf_add_text(out, name[0] ? name : "-");
}

static void set_detail(struct tls *t, const struct buf *text)
{
    if (t->detail)
        return; /* the first failure is the cause */
    struct str s = str_upto(buf_str(text), DETAIL_BYTES - 1);
    t->detail = mem_dup(s.ptr, s.len);
}

static void say_certificate(struct tls *t, int code, X509 *cert, struct buf *out)
{
    struct buf part = {0};
    switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
        add_time(X509_get0_notAfter(cert), &part);
        text_add(out, TEXT_NET_TLS_EXPIRED, buf_text(&part));
        break;
    case X509_V_ERR_CERT_NOT_YET_VALID:
        add_time(X509_get0_notBefore(cert), &part);
        text_add(out, TEXT_NET_TLS_NOT_YET, buf_text(&part));
        break;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
        text_add(out, TEXT_NET_TLS_SELF_SIGNED);
        break;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        add_issuer(cert, &part);
        text_add(out, TEXT_NET_TLS_UNKNOWN_CA, buf_text(&part));
        break;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        add_names(cert, &part);
        text_add(out, TEXT_NET_TLS_WRONG_NAME, buf_text(&part), t->host);
        break;
    default:
        text_add(out, TEXT_NET_TLS_NOT_TRUSTED, X509_verify_cert_error_string(code));
    }
    buf_done(&part);
}

/* Called by OpenSSL for each certificate of the chain, and for each thing wrong with one. */
static int on_verify(int ok, X509_STORE_CTX *store)
{
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct tls *t = SSL_get_app_data(ssl);
    X509 *cert = X509_STORE_CTX_get_current_cert(store);
    if (ok || !cert)
        return ok;
    struct buf why = {0};
    say_certificate(t, X509_STORE_CTX_get_error(store), cert, &why);
    set_detail(t, &why);
    buf_done(&why);
    return 0;
}

static void say_ssl_error(unsigned long code, struct buf *out)
{
    int reason = ERR_GET_REASON(code);
    const char *words = ERR_reason_error_string(code);
    char numbered[64];
    if (!words)
        ERR_error_string_n(code, numbered, sizeof(numbered));
    words = words ? words : numbered;
    if (ERR_GET_LIB(code) == ERR_LIB_SSL && reason == SSL_R_WRONG_VERSION_NUMBER)
        text_add(out, TEXT_NET_TLS_NOT_SPOKEN);
    else if (ERR_GET_LIB(code) == ERR_LIB_SSL && reason >= SSL_AD_REASON_OFFSET)
        text_add(out, TEXT_NET_TLS_ALERT, words);
    else
        text_add(out, TEXT_NET_TLS_FAILED, words);
}

static enum tls_step fail(struct tls *t, int saved_errno)
{
    unsigned long code = ERR_peek_error();
    struct buf why = {0};
    if (code)
        say_ssl_error(code, &why);
    else
        text_add(&why, TEXT_NET_LOST, strerror(saved_errno));
    set_detail(t, &why);
    buf_done(&why);
    ERR_clear_error();
    return TLS_FAILED;
}

static enum tls_step step_of(struct tls *t, int rc)
{
    int saved_errno = errno;
    switch (SSL_get_error(t->ssl, rc)) {
    case SSL_ERROR_NONE:
        return TLS_OK;
    case SSL_ERROR_WANT_READ:
        return TLS_MORE;
    case SSL_ERROR_WANT_WRITE:
        return TLS_WRITE;
    case SSL_ERROR_ZERO_RETURN:
        return TLS_CLOSED;
    default:
        return fail(t, saved_errno);
    }
}

/* Contexts. */

static bool load_trust(SSL_CTX *ssl, const char *ca_file, struct err *err)
{
    if (!ca_file) {
        SSL_CTX_set_default_verify_paths(ssl);
        return true;
    }
    if (SSL_CTX_load_verify_file(ssl, ca_file) == 1)
        return true;
    ERR_clear_error();
    return err_set(err, EXIT_USAGE, "ca_file", TEXT_NET_NO_CA_FILE, ca_file);
}

static void configure(SSL_CTX *ssl, bool insecure)
{
    static const unsigned char alpn[] = "\x08http/1.1";
    SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION);
    SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                              SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    /* A session ticket makes OpenSSL keep a buffer to write one fragment, as long as nothing is
     * written: 16 KiB a stream. */
    SSL_CTX_set_max_send_fragment(ssl, FRAGMENT_BYTES);
    SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_protos(ssl, alpn, sizeof(alpn) - 1);
    SSL_CTX_set_verify(ssl, insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER,
                       insecure ? NULL : on_verify);
}

struct tls_context *tls_context_new(const struct tls_options *options, struct err *err)
{
    SSL_CTX *ssl = SSL_CTX_new(TLS_client_method());
    if (!ssl) {
        const char *why = ERR_reason_error_string(ERR_get_error());
        err_set(err, EXIT_USAGE, "no_tls", TEXT_NET_NO_TLS, why ? why : "?");
        return NULL;
    }
    configure(ssl, options->insecure);
    if (!options->insecure && !load_trust(ssl, options->ca_file, err)) {
        SSL_CTX_free(ssl);
        return NULL;
    }
    struct tls_context *c = mem_zalloc(sizeof(*c));
    *c = (struct tls_context){ssl, window_method(), options->insecure};
    return c;
}

void tls_context_free(struct tls_context *c)
{
    if (!c)
        return;
    SSL_CTX_free(c->ssl);
    BIO_meth_free(c->window);
    mem_free(c);
}

/* Connections. */

/* An address is checked against the certificate's addresses, and never sent as a server name. */
static void name_peer(struct tls *t, bool insecure)
{
    X509_VERIFY_PARAM *param = SSL_get0_param(t->ssl);
    if (X509_VERIFY_PARAM_set1_ip_asc(param, t->host) != 1) {
        ERR_clear_error();
        SSL_set_tlsext_host_name(t->ssl, t->host);
        X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        if (!insecure)
            SSL_set1_host(t->ssl, t->host);
    }
}

struct tls *tls_new(struct tls_context *c, int fd, struct str host)
{
    struct tls *t = mem_zalloc(sizeof(*t));
    t->fd = fd;
    t->host = mem_dup(host.ptr, host.len);
    t->ssl = SSL_new(c->ssl);
    assert(t->ssl);
    BIO *window = window_new(c, t);
    SSL_set_bio(t->ssl, window, window);
    SSL_set_app_data(t->ssl, t);
    SSL_set_connect_state(t->ssl);
    name_peer(t, c->insecure);
    return t;
}

void tls_free(struct tls *t)
{
    if (!t)
        return;
    SSL_free(t->ssl);
    mem_free(t->host);
    mem_free(t->detail);
    mem_free(t);
}

void tls_give(struct tls *t, const char *bytes, size_t len)
{
    assert(t->given_len == 0);
    t->given = bytes;
    t->given_len = len;
}

bool tls_has_more(const struct tls *t)
{
    return t->given_len > 0 || SSL_has_pending(t->ssl);
}

void tls_forget(struct tls *t)
{
    t->given_len = 0;
}

enum tls_step tls_handshake(struct tls *t)
{
    ERR_clear_error();
    errno = 0;
    return step_of(t, SSL_do_handshake(t->ssl));
}

enum tls_step tls_read(struct tls *t, char *out, size_t size, size_t *len)
{
    ERR_clear_error();
    errno = 0;
    return step_of(t, SSL_read_ex(t->ssl, out, size, len));
}

enum tls_step tls_write(struct tls *t, const char *bytes, size_t size, size_t *len)
{
    ERR_clear_error();
    errno = 0;
    return step_of(t, SSL_write_ex(t->ssl, bytes, size, len));
}

void tls_bye(struct tls *t)
{
    ERR_clear_error();
    SSL_shutdown(t->ssl);
    ERR_clear_error();
}

const char *tls_version(const struct tls *t)
{
    return SSL_get_version(t->ssl);
}

const char *tls_detail(const struct tls *t)
{
    return t->detail ? t->detail : "";
}
