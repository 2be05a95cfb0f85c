#ifndef WEIR_WIRE_URL_H
#define WEIR_WIRE_URL_H

#include "base/attr.h"
#include "base/str.h"

/* An absolute http or https URL taken apart; views into the text given. No decoding. */
struct url {
    struct str scheme;   /* "http" or "https", as written */
    struct str userinfo; /* before @; ptr NULL if none */
    struct str host;     /* without brackets */
    int port;            /* stated, else 80 or 443 */
    bool port_stated, ipv6;
    struct str path;  /* with its leading /; empty if none */
    struct str query; /* behind ?; ptr NULL if none */
};
/* False: not an http(s) URL with a valid host and port, or it holds blanks or control bytes. */
MUST_USE bool url_parse(struct str text, struct url *out);

#endif
