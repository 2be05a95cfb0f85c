#include "test.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "wire/http1_transcript.h"

/* Small limits, so that the rows show them. */
static const struct http1_limits small = {
    .head_bytes = 300, .target_bytes = 40, .fields = 4, .body_bytes = 20};

struct row {
    const char *in, *out;
};

/* The end of a page that the next one must not be read after. */
static char *page_end(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = mmap(NULL, 17 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    assert_int_equal(mprotect(at + 16 * page, page, PROT_NONE), 0);
    return at + 16 * page;
}

static void check(const struct row *row, struct str in, bool response, bool head,
                  struct http1_cut cut)
{
    struct buf got = {0};
    http1_transcript(&got, in, response, head, &small, cut);
    if (strcmp(buf_text(&got), row->out) != 0)
        fail_msg("cut %zu/%zu of\n%s\nexpected\n%s\ngot\n%s", cut.first, cut.each, row->in,
                 row->out, buf_text(&got));
    buf_done(&got);
}

/* Whole, byte by byte, and every cut in two; each at a page's end. */
static void check_rows(const struct row *rows, size_t count, bool response, bool head)
{
    char *edge = page_end();
    for (size_t i = 0; i < count; i++) {
        struct str in = str_of(rows[i].in);
        check(&rows[i], in, response, head, (struct http1_cut){0, 0, edge});
        check(&rows[i], in, response, head, (struct http1_cut){1, 1, edge});
        for (size_t at = 1; at < in.len; at++)
            check(&rows[i], in, response, head, (struct http1_cut){at, 0, edge});
    }
}

#define HOST        "Host: a\r\n"
#define GET         "GET / HTTP/1.1\r\n" HOST
#define POST        "POST /x HTTP/1.1\r\n" HOST
#define GOT         "Host=[a]\n"
#define CHUNKED     POST "Transfer-Encoding: chunked\r\n\r\n"
#define GOT_CHUNKED "POST /x 1.1 keep chunked cl=-1\n" GOT "Transfer-Encoding=[chunked]\n"
#define TEN         "0123456789"

static void test_requests(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {GET "\r\n", "GET / 1.1 keep cl=-1\n" GOT "body []\nend\n"},
        {"\r\n" GET "\r\n", "GET / 1.1 keep cl=-1\n" GOT "body []\nend\n"},
        {GET "\r\n" GET "A:\r\n\r\n", "GET / 1.1 keep cl=-1\n" GOT "body []\n"
                                      "GET / 1.1 keep cl=-1\n" GOT "A=[]\nbody []\nend\n"},
        {GET "\r\n\r\n" GET "\r\n", "GET / 1.1 keep cl=-1\n" GOT "body []\n"
                                    "GET / 1.1 keep cl=-1\n" GOT "body []\nend\n"},
        {"GET /a?b=%20 HTTP/1.0\r\n\r\n", "GET /a?b=%20 1.0 close cl=-1\nbody []\nend\n"},
        {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
         "GET / 1.0 keep cl=-1\nConnection=[Keep-Alive]\nbody []\nend\n"},
        {GET "Connection: x, CLOSE\r\n\r\n",
         "GET / 1.1 close cl=-1\n" GOT "Connection=[x, CLOSE]\nbody []\nend\n"},
        {"GET / HTTP/1.7\r\n" HOST "\r\n", "GET / 1.1 keep cl=-1\n" GOT "body []\nend\n"},
        {"OPTIONS * HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
         "OPTIONS * 1.1 keep cl=-1\nHost=[[::1]:80]\nbody []\nend\n"},
        {GET "x!#$%&'*+-.^_`|~9:\t a\tb \xc3\xa9 \t\r\n\r\n",
         "GET / 1.1 keep cl=-1\n" GOT "x!#$%&'*+-.^_`|~9=[a\tb \xc3\xa9]\nbody []\nend\n"},
        {POST "Content-Length: 3\r\n\r\nabc" GET "\r\n",
         "POST /x 1.1 keep cl=3\n" GOT "Content-Length=[3]\nbody [abc]\n"
         "GET / 1.1 keep cl=-1\n" GOT "body []\nend\n"},
        {POST "content-length:0\r\n\r\n",
         "POST /x 1.1 keep cl=0\n" GOT "content-length=[0]\nbody []\nend\n"},
        {POST "Content-Length: 20\r\n\r\nabc",
         "POST /x 1.1 keep cl=20\n" GOT "Content-Length=[20]\ncut [abc]\n"},
        {CHUNKED "3\r\nabc\r\n00A\r\n" TEN "\r\n0\r\n\r\n", GOT_CHUNKED "body [abc" TEN "]\nend\n"},
        {CHUNKED "3;a=b\r\nabc\r\n1 \t; q=\"x;y\"\r\nd\r\n0;z\r\nT: u\r\nV:\r\n\r\n" GET "\r\n",
         GOT_CHUNKED "body [abcd]\nGET / 1.1 keep cl=-1\n" GOT "body []\nend\n"},
        {CHUNKED "3\r\nab", GOT_CHUNKED "cut [ab]\n"},
        {POST "Transfer-Encoding: \tChunked\r\n\r\n0\r\n\r\n",
         "POST /x 1.1 keep chunked cl=-1\n" GOT "Transfer-Encoding=[Chunked]\nbody []\nend\n"},
        {GET "A: b\r\n", "end\n"},
    };
    check_rows(rows, ARRAY_LEN(rows), false, false);
}

static void test_requests_refused(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"\r\n\r\n" GET "\r\n", "BAD syntax at 4\n"},
        {"GET / HTTP/1.1\n", "BAD syntax at 15\n"},
        {"GET / HTTP/1.1\rHost", "BAD syntax at 16\n"},
        {"GET / HTTP/1.1 \r\n", "BAD syntax at 17\n"},
        {"GET  / HTTP/1.1\r\n", "BAD syntax at 17\n"},
        {" GET / HTTP/1.1\r\n", "BAD syntax at 17\n"},
        {"GET / a HTTP/1.1\r\n", "BAD syntax at 18\n"},
        {"GET /\r\n", "BAD syntax at 7\n"},
        {"GET\r\n", "BAD syntax at 5\n"},
        {"G(T / HTTP/1.1\r\n", "BAD syntax at 16\n"},
        {"GET /\x80 HTTP/1.1\r\n", "BAD syntax at 17\n"},
        {"GET /#a HTTP/1.1\r\n", "BAD syntax at 18\n"},
        {"GET / http/1.1\r\n", "BAD syntax at 16\n"},
        {"GET / HTTP/1.10\r\n", "BAD syntax at 17\n"},
        {"GET / HTTP/1.x\r\n", "BAD syntax at 16\n"},
        {"GET http://a/ HTTP/1.1\r\n", "BAD syntax at 24\n"},
        {"CONNECT a:1 HTTP/1.1\r\n", "BAD syntax at 22\n"},
        {"GET * HTTP/1.1\r\n", "BAD syntax at 16\n"},
        {"\x16\x03\x01", "BAD syntax at 1\n"},
        {"GET / HTTP/2.0\r\n", "BAD version at 16\n"},
        {"PRI * HTTP/2.0\r\n", "BAD version at 16\n"},
        {"GET / HTTP/0.9\r\n", "BAD version at 16\n"},
        {"GET /" TEN TEN TEN TEN " HTTP/1.1\r\n", "BAD target_long at 56\n"},
        {"GET /" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN, "BAD target_long at 84\n"},
        {GET "A b\r\n", "BAD syntax at 30\n"},
        {GET "A : b\r\n", "BAD syntax at 32\n"},
        {GET ": b\r\n", "BAD syntax at 30\n"},
        {GET " b: c\r\n", "BAD syntax at 32\n"},
        {GET "A: b\r\n c\r\n", "BAD syntax at 35\n"},
        {GET "A: b\n", "BAD syntax at 30\n"},
        {GET "A: \rb\r\n", "BAD syntax at 30\n"},
        {GET "A: \x01\r\n", "BAD syntax at 29\n"},
        {GET "A: \x7f\r\n", "BAD syntax at 29\n"},
        {GET "\xc3\xa9: a\r\n", "BAD syntax at 32\n"},
        {"GET / HTTP/1.1\r\n\r\n", "BAD host at 18\n"},
        {GET HOST "\r\n", "BAD host at 36\n"},
        {"GET / HTTP/1.0\r\n" HOST "host: b\r\n\r\n", "BAD host at 36\n"},
        {"GET / HTTP/1.1\r\nHost:\r\n\r\n", "BAD host at 25\n"},
        {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "BAD host at 29\n"},
        {"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", "BAD host at 30\n"},
        {"GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", "BAD host at 29\n"},
        {"GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", "BAD host at 29\n"},
        {"GET / HTTP/1.1\r\nHost: [a\r\n\r\n", "BAD host at 28\n"},
        {"GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n", "BAD host at 32\n"},
        {GET "A:\r\nB:\r\nC:\r\nD:\r\n", "BAD head_large at 41\n"},
        {GET "A: " TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
             TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN,
         "BAD head_large at 301\n"},
        {POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", "BAD framing at 76\n"},
        {POST "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", "BAD framing at 67\n"},
        {POST "Content-Length: 3\r\ncontent-length: 3\r\n\r\n", "BAD framing at 67\n"},
        {POST "Content-Length: 3, 3\r\n\r\n", "BAD framing at 51\n"},
        {POST "Content-Length: +3\r\n\r\n", "BAD framing at 49\n"},
        {POST "Content-Length: -3\r\n\r\n", "BAD framing at 49\n"},
        {POST "Content-Length: 0x3\r\n\r\n", "BAD framing at 50\n"},
        {POST "Content-Length:\r\n\r\n", "BAD framing at 46\n"},
        {POST "Content-Length: 1 2\r\n\r\n", "BAD framing at 50\n"},
        {POST "Content-Length: " TEN TEN TEN "\r\n\r\n", "BAD framing at 77\n"},
        {POST "Content-Length: 21\r\n\r\n", "BAD body_large at 49\n"},
        {POST "Transfer-Encoding: gzip\r\n\r\n", "BAD coding at 54\n"},
        {POST "Transfer-Encoding: gzip, chunked\r\n\r\n", "BAD coding at 63\n"},
        {POST "Transfer-Encoding: xchunked\r\n\r\n", "BAD coding at 58\n"},
        {POST "Transfer-Encoding: chunked;a=b\r\n\r\n", "BAD coding at 61\n"},
        {POST "Transfer-Encoding: chunked, gzip\r\n\r\n", "BAD framing at 63\n"},
        {POST "Transfer-Encoding: chunked, chunked\r\n\r\n", "BAD framing at 66\n"},
        {POST "Transfer-Encoding: chunked,\r\n\r\n", "BAD framing at 58\n"},
        {POST "Transfer-Encoding:\r\n\r\n", "BAD framing at 49\n"},
        {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "BAD framing at 47\n"},
        {CHUNKED "x", GOT_CHUNKED "body [] BAD framing at 58\n"},
        {CHUNKED "\r\n", GOT_CHUNKED "body [] BAD framing at 58\n"},
        {CHUNKED "+3\r\n", GOT_CHUNKED "body [] BAD framing at 58\n"},
        {CHUNKED "0x3\r\n", GOT_CHUNKED "body [] BAD framing at 59\n"},
        {CHUNKED "3\n", GOT_CHUNKED "body [] BAD framing at 59\n"},
        {CHUNKED "3 \r\n", GOT_CHUNKED "body [] BAD framing at 60\n"},
        {CHUNKED "3;a\n", GOT_CHUNKED "body [] BAD framing at 61\n"},
        {CHUNKED "3;\x01", GOT_CHUNKED "body [] BAD framing at 60\n"},
        {CHUNKED "3\rx", GOT_CHUNKED "body [] BAD framing at 60\n"},
        {CHUNKED "3\r\nabcd", GOT_CHUNKED "body [abc] BAD framing at 64\n"},
        {CHUNKED "3\r\nabc\n", GOT_CHUNKED "body [abc] BAD framing at 64\n"},
        {CHUNKED "15\r\n", GOT_CHUNKED "body [] BAD body_large at 59\n"},
        {CHUNKED "b\r\nabcdefghijk\r\na", GOT_CHUNKED "body [abcdefghijk] BAD body_large at 74\n"},
        {CHUNKED "0000000000000003\r\n", GOT_CHUNKED "body [] BAD framing at 73\n"},
        {CHUNKED "0\r\nA\r\n", GOT_CHUNKED "body [] BAD syntax at 62\n"},
        {CHUNKED "0\r\nA : b\r\n", GOT_CHUNKED "body [] BAD syntax at 62\n"},
        {CHUNKED "0\r\n b", GOT_CHUNKED "body [] BAD syntax at 61\n"},
        {CHUNKED "0\r\nA: b\r\n c", GOT_CHUNKED "body [] BAD syntax at 67\n"},
        {CHUNKED "0\r\nA: b\n", GOT_CHUNKED "body [] BAD syntax at 65\n"},
        {CHUNKED "0\r\n\rx", GOT_CHUNKED "body [] BAD framing at 62\n"},
    };
    check_rows(rows, ARRAY_LEN(rows), false, false);
}

static void test_responses(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
         "200 [OK] 1.1 keep cl=2\nContent-Length=[2]\nbody [hi]\nend\n"},
        {"HTTP/1.1 200\r\n\r\nhi", "200 [] 1.1 keep cl=-1\neof is the end [hi]\n"},
        {"HTTP/1.0 200 \r\n\r\n", "200 [] 1.0 close cl=-1\neof is the end []\n"},
        {"HTTP/1.1 404 Not  Here \xc3\xa9\r\nContent-Length: 0\r\n\r\n",
         "404 [Not  Here \xc3\xa9] 1.1 keep cl=0\nContent-Length=[0]\nbody []\nend\n"},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\nHTTP/1.1 304 N\r\nContent-Length: "
         "9\r\n\r\n",
         "100 [Continue] 1.1 keep cl=-1\nbody []\n204 [No] 1.1 keep cl=-1\nbody []\n"
         "304 [N] 1.1 keep cl=9\nContent-Length=[9]\nbody []\nend\n"},
        {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
         "200 [OK] 1.1 keep chunked cl=-1\ntransfer-encoding=[chunked]\nbody [hi]\nend\n"},
        {"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n",
         "200 [OK] 1.1 keep chunked cl=-1\ntransfer-encoding=[chunked]\ncut [hi]\n"},
        {"HTTP/1.1 200 OK\r\n\r\n" TEN TEN "x",
         "200 [OK] 1.1 keep cl=-1\nbody [" TEN TEN "] BAD body_large at 39\n"},
        {"\r\nHTTP/1.1 200 OK\r\n\r\n", "BAD syntax at 2\n"},
        {"HTTP/1.1 200 OK\n", "BAD syntax at 16\n"},
        {"HTTP/1.1 20 OK\r\n", "BAD syntax at 16\n"},
        {"HTTP/1.1 2000 OK\r\n", "BAD syntax at 18\n"},
        {"HTTP/1.1 2x0 OK\r\n", "BAD syntax at 17\n"},
        {"HTTP/1.1 099 OK\r\n", "BAD syntax at 17\n"},
        {"HTTP/1.1  200 OK\r\n", "BAD syntax at 18\n"},
        {"HTTP/1.1\r\n", "BAD syntax at 10\n"},
        {"HTTP/2 200\r\n", "BAD syntax at 12\n"},
        {"HTTP/3.0 200 OK\r\n", "BAD version at 17\n"},
        {"ICY 200 OK\r\n", "BAD syntax at 12\n"},
        {"HTTP/1.1 200 O\x01K\r\n", "BAD syntax at 15\n"},
        {"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n", "BAD syntax at 27\n"},
        {"HTTP/1.1 200 OK\r\nA : b\r\n", "BAD syntax at 24\n"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
         "BAD framing at 66\n"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "BAD coding at 53\n"},
    };
    check_rows(rows, ARRAY_LEN(rows), true, false);
}

static void test_response_to_head_has_no_body(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
         "200 [OK] 1.1 keep cl=9\nContent-Length=[9]\nbody []\n"
         "200 [OK] 1.1 keep cl=-1\nbody []\nend\n"},
    };
    check_rows(rows, ARRAY_LEN(rows), true, true);
}

static void test_nul_is_refused(void **state)
{
    (void)state;
    static const struct row row = {GET "A: b", "BAD syntax at 30\n"};
    struct str in = STR(GET "A: b\0c\r\n\r\n");
    check(&row, in, false, false, (struct http1_cut){0});
    check(&row, in, false, false, (struct http1_cut){.first = 1, .each = 1});
}

/* Lines and trailers that never end, and a chunk of extensions. */
static void test_unbounded_parts(void **state)
{
    (void)state;
    static const struct {
        const char *head, *fill, *expect;
    } rows[] = {
        {CHUNKED "1;", "x", "BAD trailer_large at 4154\n"},
        {CHUNKED "0\r\n", "A: b\r\n", "BAD trailer_large at 16445\n"},
        {CHUNKED "0\r\nA:", "x", "BAD trailer_large at 16445\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf in = {0}, got = {0};
        buf_add_text(&in, rows[i].head);
        buf_add_repeat(&in, rows[i].fill, 20000);
        http1_transcript(&got, buf_str(&in), false, false, &small, (struct http1_cut){0});
        if (!strstr(buf_text(&got), rows[i].expect))
            fail_msg("expected %s got %s", rows[i].expect, buf_text(&got));
        buf_done(&in);
        buf_done(&got);
    }
}

static void test_lookups(void **state)
{
    (void)state;
    struct http1_head h;
    size_t used;
    struct str in = STR(GET "A: 1\r\na: 2, x ,Y\r\n\r\n");
    http1_head_init(&h, false, &http1_limits_request);
    assert_int_equal(http1_head_feed(&h, in.ptr, in.len, &used), HTTP1_DONE);
    assert_true(str_eq(http1_get(&h, "A"), STR("1")));
    assert_null(http1_get(&h, "b").ptr);
    assert_true(http1_has_token(&h, "A", "y"));
    assert_true(http1_has_token(&h, "A", "1"));
    assert_false(http1_has_token(&h, "A", "2, x"));
    assert_int_equal(http1_head_feed(&h, "x", 1, &used), HTTP1_DONE);
    assert_int_equal(used, 0);
    http1_head_done(&h);
    http1_head_done(&h);
}

static void test_writing(void **state)
{
    (void)state;
    struct buf out = {0};
    http1_add_chunk(&out, STR(""));
    http1_add_chunk(&out, STR("abc"));
    http1_add_chunk(&out, STR(TEN TEN));
    http1_add_last_chunk(&out);
    assert_string_equal(buf_text(&out), "3\r\nabc\r\n14\r\n" TEN TEN "\r\n0\r\n\r\n");
    buf_done(&out);

    assert_true(http1_field_valid(STR("X-A"), STR("b\tc d")));
    assert_false(http1_field_valid(STR(""), STR("b")));
    assert_false(http1_field_valid(STR("a b"), STR("b")));
    assert_false(http1_field_valid(STR("a"), STR("b\r\nc: d")));
    assert_false(http1_field_valid(STR("a"), STR("b\0")));

    static const int statuses[] = {200, 400, 505, 400, 400, 501, 414, 431, 413, 431};
    for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
        assert_int_equal(http1_bad_status((enum http1_bad)i), statuses[i]);
    assert_string_equal(http1_reason(429), "Too Many Requests");
    assert_string_equal(http1_reason(299), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),       cmocka_unit_test(test_requests_refused),
        cmocka_unit_test(test_responses),      cmocka_unit_test(test_response_to_head_has_no_body),
        cmocka_unit_test(test_nul_is_refused), cmocka_unit_test(test_unbounded_parts),
        cmocka_unit_test(test_lookups),        cmocka_unit_test(test_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
