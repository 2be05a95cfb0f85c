#ifndef WEIR_SIM_SCRIPT_H
#define WEIR_SIM_SCRIPT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/*
 * What a simulated endpoint answers, as a list of delays and bytes. Pure: the same seed, profile,
 * request and serial number give the same script, byte for byte (but for the send stamps, which the player fills in). sim/endpoint plays it on sockets,
 * sim/virtual in virtual time.
 */

enum sim_fault { SIM_FAULT_NONE, SIM_FAULT_DROP, SIM_FAULT_NODONE, SIM_FAULT_429, SIM_FAULT_503, SIM_FAULT_COUNT };
bool sim_fault_parse(struct str name, enum sim_fault *out);

struct sim_profile {
    uint64_t seed;
    int64_t ttft_ns, gap_ns;
    double jitter;           /* coefficient of variation; acts on ttft and gaps, each drawn */
    int64_t tokens;          /* of an answer, unless max_tokens is less */
    int64_t tokens_per_chunk;
    int64_t slots;           /* 0: no limit */
    double fail[SIM_FAULT_COUNT]; /* probability of each */
    bool stamp;              /* each chunk carries its send instant: "sent_ns" */
    const char *model;       /* the name it serves */
};
void sim_profile_init(struct sim_profile *p); /* the defaults of `weir sim` */

/* What the endpoint understood of the request. */
struct sim_request {
    struct str method, path, content_type;
    struct str body;
};

enum sim_op {
    SIM_HEAD,  /* status line and fields: `status`, then chunked body follows */
    SIM_WHOLE, /* a whole answer: `status`, `bytes` is the body */
    SIM_BYTES, /* one body chunk: one write */
    SIM_END,   /* clean end of the body */
    SIM_CUT,   /* connection closed without the final chunk */
    SIM_RESET,
};
struct sim_step {
    int64_t delay_ns; /* after the step before (the first: after the slot was given) */
    enum sim_op op;
    int status;                /* HEAD, WHOLE */
    const char *content_type;  /* HEAD, WHOLE */
    const char *retry_after;   /* or NULL */
    struct str bytes;
    size_t stamp_at; /* where in `bytes` the player writes 20 digits of its CLOCK_MONOTONIC ns; 0: nowhere */
};
struct sim_script {
    struct arena arena; /* owns everything below */
    struct sim_step *steps;
    size_t count;
    bool needs_slot; /* takes a slot from first to last step (errors and /v1/models do not) */
};

/* Never fails: what is wrong with a request is an answer of status 400, 404 or 405. */
void sim_script_make(struct sim_script *s, const struct sim_profile *p, const struct sim_request *r,
                     uint64_t serial);
void sim_script_done(struct sim_script *s);

#endif
