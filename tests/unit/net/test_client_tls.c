#include "test.h"

#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <signal.h>
#include <stdlib.h>

#include "world.h"

/* Certificates for the occasion. */

struct identity {
    EVP_PKEY *key;
    X509 *cert;
};

static void add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    assert_non_null(e);
    X509_add_ext(cert, e, -1);
    X509_EXTENSION_free(e);
}

/* Signed by `ca`, or by itself. */
static struct identity make_identity(const char *name, const char *san, long from_s, long until_s,
                                     const struct identity *ca)
{
    struct identity id = {EVP_EC_gen("P-256"), X509_new()};
    const struct identity *issuer = ca ? ca : &id;
    X509_set_version(id.cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(id.cert), ca ? 2 : 1);
    X509_gmtime_adj(X509_getm_notBefore(id.cert), from_s);
    X509_gmtime_adj(X509_getm_notAfter(id.cert), until_s);
    X509_set_pubkey(id.cert, id.key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(id.cert), "CN", MBSTRING_ASC,
                               (const unsigned char *)name, -1, -1, 0);
    X509_set_issuer_name(id.cert, X509_get_subject_name(issuer->cert));
    add_extension(id.cert, issuer->cert, NID_basic_constraints, ca ? "CA:FALSE" : "CA:TRUE");
    if (san)
        add_extension(id.cert, issuer->cert, NID_subject_alt_name, san);
    assert_true(X509_sign(id.cert, issuer->key, EVP_sha256()) > 0);
    return id;
}

static void drop_identity(struct identity *id)
{
    EVP_PKEY_free(id->key);
    X509_free(id->cert);
}

static SSL_CTX *server_of(const struct identity *id, int version)
{
    SSL_CTX *c = SSL_CTX_new(TLS_server_method());
    assert_int_equal(SSL_CTX_use_certificate(c, id->cert), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(c, id->key), 1);
    SSL_CTX_set_min_proto_version(c, version);
    SSL_CTX_set_max_proto_version(c, version);
    return c;
}

struct ca_file {
    char path[32];
};

static struct ca_file write_ca(const struct identity *ca)
{
    struct ca_file f = {"/tmp/weir-test-ca-XXXXXX"};
    int fd = mkstemp(f.path);
    assert_true(fd >= 0);
    FILE *out = fdopen(fd, "w");
    PEM_write_X509(out, ca->cert);
    fclose(out);
    return f;
}

/* Verification. */

enum trust { TRUSTS_CA, TRUSTS_OTHERS, INSECURE };
struct tls_case {
    const char *name, *san, *host;
    bool self_signed;
    long from_s, until_s;
    int version;
    enum trust trust;
    enum outcome outcome;
    const char *detail;
};

#define DAY 86400L
/* clang-format off */
static const struct tls_case cases[] = {
    {"1.3, address", "IP:127.0.0.1", "127.0.0.1", false, -DAY, DAY, TLS1_3_VERSION, TRUSTS_CA, OUTCOME_COMPLETE, NULL},
    {"1.2, address", "IP:127.0.0.1", "127.0.0.1", false, -DAY, DAY, TLS1_2_VERSION, TRUSTS_CA, OUTCOME_COMPLETE, NULL},
    {"1.3, name", "DNS:localhost", "localhost", false, -DAY, DAY, TLS1_3_VERSION, TRUSTS_CA, OUTCOME_COMPLETE, NULL},
    {"expired", "IP:127.0.0.1", "127.0.0.1", false, -9 * DAY, -DAY, TLS1_3_VERSION, TRUSTS_CA, OUTCOME_UNREACHABLE, "has expired (20"},
    {"not yet valid", "IP:127.0.0.1", "127.0.0.1", false, DAY, 9 * DAY, TLS1_2_VERSION, TRUSTS_CA, OUTCOME_UNREACHABLE, "not valid yet (20"},
    {"another name", "DNS:api.example.org,DNS:example.org", "localhost", false, -DAY, DAY, TLS1_3_VERSION, TRUSTS_CA, OUTCOME_UNREACHABLE,
     "the certificate is for api.example.org, example.org, not for localhost"},
    {"another address", "IP:127.0.0.2", "127.0.0.1", false, -DAY, DAY, TLS1_2_VERSION, TRUSTS_CA, OUTCOME_UNREACHABLE,
     "the certificate is for 127.0.0.2, not for 127.0.0.1"},
    {"a name for an address", "DNS:127.0.0.1", "127.0.0.1", false, -DAY, DAY, TLS1_3_VERSION, TRUSTS_CA, OUTCOME_UNREACHABLE, "not for 127.0.0.1"},
    {"no names", NULL, "localhost", false, -DAY, DAY, TLS1_3_VERSION, TRUSTS_CA, OUTCOME_UNREACHABLE, "the certificate is for weir test, not for localhost"},
    {"self-signed", "IP:127.0.0.1", "127.0.0.1", true, -DAY, DAY, TLS1_3_VERSION, TRUSTS_OTHERS, OUTCOME_UNREACHABLE, "is self-signed"},
    {"unknown issuer", "IP:127.0.0.1", "127.0.0.1", false, -DAY, DAY, TLS1_3_VERSION, TRUSTS_OTHERS, OUTCOME_UNREACHABLE, "issuer is not trusted (weir test CA)"},
    {"self-signed, not verified", "IP:127.0.0.1", "127.0.0.1", true, -DAY, DAY, TLS1_3_VERSION, INSECURE, OUTCOME_COMPLETE, NULL},
    {"all wrong, not verified", "DNS:example.org", "localhost", true, -9 * DAY, -DAY, TLS1_2_VERSION, INSECURE, OUTCOME_COMPLETE, NULL},
    {"a name with a terminal's escape", NULL, "localhost", false, -DAY, DAY, TLS1_3_VERSION, TRUSTS_CA, OUTCOME_UNREACHABLE, "for evil\\x1b[2J, not for"},
    {"version too old", "IP:127.0.0.1", "127.0.0.1", false, -DAY, DAY, TLS1_1_VERSION, INSECURE, OUTCOME_UNREACHABLE, "TLS"},
};
/* clang-format on */

static void check_tls(const struct tls_case *c, const struct record *r)
{
    if (r->outcome != c->outcome)
        fail_msg("%s: expected %s, got %s (%s)", c->name, outcome_name(c->outcome),
                 outcome_name(r->outcome), r->detail);
    if (c->detail ? !strstr(r->detail, c->detail) : r->detail[0] != 0)
        fail_msg("%s: expected detail '%s', got '%s'", c->name, c->detail, r->detail);
    if (c->outcome != OUTCOME_COMPLETE)
        return;
    assert_string_equal(r->tls, c->version == TLS1_3_VERSION ? "TLSv1.3" : "TLSv1.2");
    assert_true(r->tls_done > r->connect_done);
    assert_true(r->headers >= r->tls_done);
    assert_int_equal(r->clock, CLOCK_KIND_KERNEL);
}

static void ask_over_tls(struct world *w, const struct tls_case *c, const struct identity *server,
                         const char *ca_file, const script *scripts, int count)
{
    SSL_CTX *tls = server_of(server, c->version);
    struct client_options options = {
        .insecure = c->trust == INSECURE,
        .ca_file = c->trust == INSECURE ? NULL : ca_file,
    };
    begin_with(w, scripts, count, &options, tls);
    snprintf(w->url, sizeof(w->url), "https://%s:%d/v1", c->host, w->peer.port);
    struct request r = request_to(w);
    ask(w, &r);
}

static void certificates_are_verified(void **state)
{
    (void)state;
    static const script whole[] = {{ASKED, SEND(WHOLE), HOLD}};
    struct identity ca = make_identity("weir test CA", NULL, -DAY, DAY, NULL);
    struct identity other = make_identity("weir test CA of others", NULL, -DAY, DAY, NULL);
    struct ca_file trusted = write_ca(&ca), untrusted = write_ca(&other);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct tls_case *c = &cases[i];
        struct world w;
        struct identity server =
            make_identity(strstr(c->name, "escape") ? "evil\x1b[2J" : "weir test", c->san,
                          c->from_s, c->until_s, c->self_signed ? NULL : &ca);
        ask_over_tls(&w, c, &server, c->trust == TRUSTS_CA ? trusted.path : untrusted.path, whole,
                     1);
        check_tls(c, &w.record);
        SSL_CTX *tls = w.peer.tls;
        finish(&w);
        SSL_CTX_free(tls);
        drop_identity(&server);
    }
    unlink(trusted.path);
    unlink(untrusted.path);
    drop_identity(&ca);
    drop_identity(&other);
}

static void a_ca_file_without_certificates_is_refused(void **state)
{
    (void)state;
    struct err err = {0};
    struct loop *l = loop_new(&err);
    assert_non_null(l);
    assert_null(client_new(l, &(struct client_options){.ca_file = "/dev/null"}, &err));
    assert_string_equal(err.id, "ca_file");
    assert_non_null(strstr(err.what, "/dev/null"));
    loop_free(l);
}

/* Bytes. */

struct bytes_case {
    const char *name;
    script script;
    enum outcome outcome;
    const char *detail;
};

#define HEAD_UNTIL_EOF "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
/* clang-format off */
static const struct bytes_case streams[] = {
    {"record by record", {ASKED, TRICKLE(WHOLE), HOLD}, OUTCOME_COMPLETE, NULL},
    {"many records at once", {ASKED, SEND(HEAD), SEND(CHUNK_HI), SEND(CHUNK_HI), SEND(CHUNK_HI), SEND(CHUNK_DONE LAST_CHUNK), HOLD}, OUTCOME_COMPLETE, NULL},
    {"until its closing message", {ASKED, SEND(HEAD_UNTIL_EOF EVENT_HI EVENT_DONE), BYE}, OUTCOME_COMPLETE, NULL},
    {"cut", {ASKED, SEND(HEAD_UNTIL_EOF EVENT_HI EVENT_DONE), END}, OUTCOME_BROKEN, "without its closing message"},
    {"whole, then cut", {ASKED, SEND(WHOLE), END}, OUTCOME_COMPLETE, NULL},
    {"closing message within the body", {ASKED, SEND(HEAD CHUNK_HI), BYE, HOLD}, OUTCOME_BROKEN, "within the body"},
    {"reset", {ASKED, SEND(HEAD CHUNK_HI), RESET}, OUTCOME_BROKEN, "reset"},
    {"no answer", {ASKED, BYE}, OUTCOME_UNREACHABLE, "before any byte"},
};
/* clang-format on */

static void streams_over_tls(void **state)
{
    (void)state;
    struct identity server = make_identity("weir test", "IP:127.0.0.1", -DAY, DAY, NULL);
    for (size_t i = 0; i < 2 * ARRAY_LEN(streams); i++) {
        const struct bytes_case *c = &streams[i / 2];
        const struct tls_case how = {.host = "127.0.0.1",
                                     .version = i % 2 ? TLS1_2_VERSION : TLS1_3_VERSION,
                                     .trust = INSECURE};
        struct world w;
        ask_over_tls(&w, &how, &server, NULL, &c->script, 1);
        if (w.record.outcome != c->outcome)
            fail_msg("%s: expected %s, got %s (%s)", c->name, outcome_name(c->outcome),
                     outcome_name(w.record.outcome), w.record.detail);
        if (c->detail && !strstr(w.record.detail, c->detail))
            fail_msg("%s: expected detail '%s', got '%s'", c->name, c->detail, w.record.detail);
        check_order(c->name, &w.record);
        SSL_CTX *tls = w.peer.tls;
        finish(&w);
        SSL_CTX_free(tls);
    }
    drop_identity(&server);
}

/* TLS 1.3 session tickets come after the handshake: also while the connection is idle. */
static void a_connection_with_tickets_is_reused(void **state)
{
    (void)state;
    static const script twice[] = {
        {ASKED, SEND(WHOLE), {STEP_TICKET, 0}, ASKED, SEND(WHOLE), HOLD}};
    const struct tls_case how = {.host = "127.0.0.1", .version = TLS1_3_VERSION, .trust = INSECURE};
    struct identity server = make_identity("weir test", "IP:127.0.0.1", -DAY, DAY, NULL);
    struct world w;
    ask_over_tls(&w, &how, &server, NULL, twice, 1);
    assert_int_equal(w.client->pool.count, 1);
    struct request r = request_to(&w);
    ask(&w, &r);
    assert_true(w.record.reused);
    assert_string_equal(w.record.tls, "TLSv1.3");
    assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
    SSL_CTX *tls = w.peer.tls;
    finish(&w);
    assert_int_equal(w.peer.accepted, 1);
    SSL_CTX_free(tls);
    drop_identity(&server);
}

static void a_large_body_goes_out_whole(void **state)
{
    (void)state;
    enum { LARGE = 8 << 20 };
    static const script scripts[] = {{ASKED, SEND(WHOLE), SWALLOW, SEND(WHOLE), HOLD}};
    const struct tls_case how = {.host = "127.0.0.1", .version = TLS1_3_VERSION, .trust = INSECURE};
    struct identity server = make_identity("weir test", "IP:127.0.0.1", -DAY, DAY, NULL);
    struct world w;
    ask_over_tls(&w, &how, &server, NULL, scripts, 1);
    struct request r = request_to(&w);
    char *body = mem_alloc(LARGE);
    memset(body, 'x', LARGE);
    body[LARGE - 1] = '!';
    r.body = str_make(body, LARGE);
    ask(&w, &r);
    assert_int_equal(w.record.outcome, OUTCOME_COMPLETE);
    assert_true(w.record.sent != NEVER);
    SSL_CTX *tls = w.peer.tls;
    finish(&w);
    SSL_CTX_free(tls);
    drop_identity(&server);
    mem_free(body);
}

/* No TLS at all. */

static void a_peer_without_tls_is_named(void **state)
{
    (void)state;
    static const struct bytes_case table[] = {
        {"plain HTTP",
         {SEND("HTTP/1.1 400 Bad Request\r\n\r\n"), HOLD},
         OUTCOME_UNREACHABLE,
         "does not speak TLS"},
        {"closes", {END}, OUTCOME_UNREACHABLE, ""},
        {"says nothing", {HOLD}, OUTCOME_TIMEOUT_CONNECT, ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct world w;
        begin(&w, &table[i].script, 1);
        snprintf(w.url, sizeof(w.url), "https://127.0.0.1:%d/", w.peer.port);
        struct request r = request_to(&w);
        if (table[i].outcome == OUTCOME_TIMEOUT_CONNECT)
            r.timeouts.connect = MILLIS(20);
        ask(&w, &r);
        if (w.record.outcome != table[i].outcome || !strstr(w.record.detail, table[i].detail))
            fail_msg("%s: got %s (%s)", table[i].name, outcome_name(w.record.outcome),
                     w.record.detail);
        assert_true(w.record.tls_done == NEVER);
        finish(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_are_verified),
        cmocka_unit_test(a_ca_file_without_certificates_is_refused),
        cmocka_unit_test(streams_over_tls),
        cmocka_unit_test(a_connection_with_tickets_is_reused),
        cmocka_unit_test(a_large_body_goes_out_whole),
        cmocka_unit_test(a_peer_without_tls_is_named),
    };
    signal(SIGPIPE, SIG_IGN); /* the peer's SSL_write */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
