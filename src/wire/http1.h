#ifndef WEIR_WIRE_HTTP1_H
#define WEIR_WIRE_HTTP1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/str.h"

/*
 * HTTP/1.1 messages, read as a push machine in both directions: heads and bodies (RFC 9112),
 * strict: what a peer could read in two ways is refused, never repaired. Fed any split of the bytes
 * it gives the same result. No clock, no sockets. Every limit is stated in http1_limits.
 */

enum http1_step {
    HTTP1_MORE, /* all bytes used, more are needed */
    HTTP1_DATA, /* http1_body_feed only: `data` holds body bytes; call again with the rest */
    HTTP1_DONE, /* head or body is whole; `*used` tells where the next thing begins */
    HTTP1_BAD,  /* see `bad` */
};

/* Why a message was refused. http1_bad_status gives the server's answer to it. */
enum http1_bad {
    HTTP1_OK = 0,
    HTTP1_BAD_SYNTAX,  /* grammar: bare CR, missing colon, space before colon, control bytes,
                          obs-fold … */
    HTTP1_BAD_VERSION, /* not HTTP/1.x → 505 */
    HTTP1_BAD_FRAMING, /* CL with TE, differing CLs, chunked not last, malformed CL or chunk size */
    HTTP1_BAD_HOST,    /* request without exactly one valid Host (HTTP/1.1) */
    HTTP1_BAD_CODING,  /* unknown transfer coding in a request → 501 */
    HTTP1_BAD_TARGET_LONG,   /* → 414 */
    HTTP1_BAD_HEAD_LARGE,    /* head or one line over its limit, or too many fields → 431 */
    HTTP1_BAD_BODY_LARGE,    /* declared or actual body over its limit → 413 */
    HTTP1_BAD_TRAILER_LARGE, /* trailers or chunk extensions over their limit */
};

struct http1_limits {
    size_t head_bytes;   /* whole head */
    size_t target_bytes; /* request target */
    size_t fields;       /* header fields */
    int64_t body_bytes;  /* declared or counted; INT64_MAX for none */
};
extern const struct http1_limits http1_limits_request;  /* what weir's servers accept */
extern const struct http1_limits http1_limits_response; /* what weir's client accepts */

struct http1_field {
    struct str name, value; /* value without surrounding blanks */
};

/*
 * One head. init, feed until not MORE, read the members (views into the head's own buffer, valid
 * until done or reset), then done; or reset for the next message of the connection.
 */
struct http1_head {
    /* result */
    bool response;
    int minor;                 /* HTTP/1.minor: 0 or 1 */
    struct str method, target; /* requests */
    int status;                /* responses */
    struct str reason;
    struct http1_field *fields;
    size_t field_count;
    int64_t content_length; /* -1: none stated */
    bool chunked;
    bool keep_alive; /* by version and Connection */
    enum http1_bad bad;
    /* inside */
    struct http1_limits limits;
    struct buf raw;
    size_t field_cap;
    uint32_t line_start;
    uint8_t state;
    bool skipped_blank;
};

void http1_head_init(struct http1_head *h, bool response, const struct http1_limits *limits);
void http1_head_reset(struct http1_head *h); /* keeps the memory */
void http1_head_done(struct http1_head *h);
MUST_USE enum http1_step http1_head_feed(struct http1_head *h, const char *bytes, size_t len,
                                         size_t *used);

/* The first field of that name (any case), or an empty view with ptr NULL. */
struct str http1_get(const struct http1_head *h, const char *name);
/* Whether the comma-separated list of all fields of that name holds `token` (any case). */
bool http1_has_token(const struct http1_head *h, const char *name, const char *token);

enum http1_framing { HTTP1_NO_BODY, HTTP1_LENGTH, HTTP1_CHUNKED, HTTP1_UNTIL_EOF };

/* A body after `h`. For responses say whether the request was HEAD. */
struct http1_body {
    enum http1_framing framing;
    int64_t left;  /* of the body (LENGTH) or of the current chunk */
    int64_t total; /* body bytes given so far */
    int64_t limit;
    enum http1_bad bad;
    uint32_t line_bytes;
    uint8_t state;
};
void http1_body_init(struct http1_body *b, const struct http1_head *h, bool to_head_request);
/* DATA, MORE, DONE or BAD. With DATA `*data` is a view into `bytes`. `*used` counts bytes taken.
 * After DATA call again with the rest, even if that is empty: it may be DONE. */
MUST_USE enum http1_step http1_body_feed(struct http1_body *b, const char *bytes, size_t len,
                                         size_t *used, struct str *data);
/* The connection ended here: true if that is a whole body (UNTIL_EOF, or already done). */
bool http1_body_eof(const struct http1_body *b);

/* Writing. A chunk of no bytes writes nothing (it would end the body). */
void http1_add_chunk(struct buf *out, struct str data);
void http1_add_last_chunk(struct buf *out);
/* Whether name and value may stand in a head: token, and no control bytes. Against header
 * injection. */
bool http1_field_valid(struct str name, struct str value);

int http1_bad_status(enum http1_bad bad);
const char *http1_reason(int status);         /* "Too Many Requests"; "" if unknown */
const char *http1_bad_name(enum http1_bad b); /* stable word for JSON and tests: "framing" */

#endif
