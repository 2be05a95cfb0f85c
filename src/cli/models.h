#ifndef WEIR_CLI_MODELS_H
#define WEIR_CLI_MODELS_H

#include "cli/probe_setup.h"

/* What GET …/models says: free of charge, not measured. */

/*
 * Without a named model: takes the only one listed. Several: an error that names them. No list: no
 * model is sent, and the first request shows whether that is one too few.
 */
MUST_USE bool models_choose(struct probe_setup *s, struct err *err);

/* A base URL with or without /v1 that lists models where the probe's own does not; NULL if none
 * does. Owned by the caller (mem_free). */
char *models_sibling(const struct probe_setup *s);

#endif
