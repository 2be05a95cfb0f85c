#ifndef WEIR_SIM_SCRIPT_INSIDE_H
#define WEIR_SIM_SCRIPT_INSIDE_H

#include "sim/script.h"

/* What script.c (what is answered) and script_steps.c (step by step) share. */

enum {
    PHASE_WHOLE,
    PHASE_HEAD,
    PHASE_ROLE,
    PHASE_TOKENS,
    PHASE_FINISH,
    PHASE_USAGE,
    PHASE_DONE,
    PHASE_END,
    PHASE_CUT,
    PHASE_PLAIN,
    PHASE_PLAIN_HALF,
    PHASE_OVER,
};

enum { CREATED_S = 1767225600 /* fixed: an answer of the same seed is the same */ };
#define FINGERPRINT   "fp_weir_sim"
#define RETRY_AFTER_S "1"

#endif
