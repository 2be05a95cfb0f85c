#ifndef WEIR_NET_SELFSIGNED_H
#define WEIR_NET_SELFSIGNED_H

#include "base/err.h"

/*
 * Makes a key and a certificate for localhost, 127.0.0.1 and ::1, signed by itself, good for 30
 * days, and writes both as PEM. The key's file is new, readable by its owner only; the
 * certificate's is replaced. For simulated endpoints and tests.
 */
MUST_USE bool selfsigned_make(const char *cert_file, const char *key_file, struct err *err);

#endif
