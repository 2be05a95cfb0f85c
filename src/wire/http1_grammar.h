#ifndef WEIR_WIRE_HTTP1_GRAMMAR_H
#define WEIR_WIRE_HTTP1_GRAMMAR_H

#include "wire/http1.h"

/* What the parts of wire/http1 share: byte classes of RFC 9110 §5.5–5.6 and the head's framing. */

bool http1_is_token_byte(unsigned char c);
/* VCHAR, obs-text, SP, HTAB: what may stand in a field value, a reason or a chunk extension. */
bool http1_is_value_byte(unsigned char c);
bool http1_is_token(struct str s);

/* One field line without its line end: false if it is not `name: value`. */
bool http1_split_field(struct str line, struct http1_field *out);

/* Once the fields are known: content_length, chunked, keep_alive, Host. RFC 9112 §3.2, §6, §9.3. */
enum http1_bad http1_settle_framing(struct http1_head *h);

#endif
