#include "net/selfsigned.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <unistd.h>

enum { HOUR_S = 3600, DAYS_30_S = 30 * 24 * HOUR_S };

static void add_extension(X509 *cert, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, cert, cert, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    assert(extension);
    X509_add_ext(cert, extension, -1);
    X509_EXTENSION_free(extension);
}

static X509 *make_certificate(EVP_PKEY *key)
{
    X509 *cert = X509_new();
    assert(cert);
    uint64_t serial = 0;
    RAND_bytes((unsigned char *)&serial, sizeof(serial));
    X509_set_version(cert, X509_VERSION_3);
    ASN1_INTEGER_set_uint64(X509_get_serialNumber(cert), serial >> 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -HOUR_S); /* clocks differ */
    X509_gmtime_adj(X509_getm_notAfter(cert), DAYS_30_S);
    X509_set_pubkey(cert, key);
    X509_NAME *name = X509_get_subject_name(cert);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1,
                               0);
    X509_set_issuer_name(cert, name);
    add_extension(cert, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(cert, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1");
    add_extension(cert, NID_subject_key_identifier, "hash");
    int size = X509_sign(cert, key, EVP_sha256());
    assert(size > 0);
    (void)size;
    return cert;
}

static bool write_file(const char *path, int flags, mode_t mode, BIO *content)
{
    char *bytes;
    long len = BIO_get_mem_data(content, &bytes);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode);
    bool written = fd >= 0 && write(fd, bytes, (size_t)len) == len;
    return fd >= 0 && close(fd) == 0 && written;
}

bool selfsigned_make(const char *cert_file, const char *key_file, struct err *err)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    assert(key);
    X509 *cert = make_certificate(key);
    BIO *cert_pem = BIO_new(BIO_s_mem()), *key_pem = BIO_new(BIO_s_secmem());
    assert(cert_pem && key_pem);
    PEM_write_bio_X509(cert_pem, cert);
    PEM_write_bio_PrivateKey(key_pem, key, NULL, NULL, 0, NULL, NULL);
    const char *failed = NULL;
    if (!write_file(key_file, O_EXCL, 0600, key_pem))
        failed = key_file;
    else if (!write_file(cert_file, O_TRUNC, 0644, cert_pem))
        failed = cert_file;
    if (failed)
        err_set(err, EXIT_WRITE, "cannot_write", TEXT_SERVER_NO_CERTIFICATE, failed,
                strerror(errno));
    BIO_free(cert_pem);
    BIO_free(key_pem);
    X509_free(cert);
    EVP_PKEY_free(key);
    return !failed;
}
