#ifndef WEIR_SIM_SCRIPT_H
#define WEIR_SIM_SCRIPT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "sim/random.h"

/*
 * What a simulated endpoint answers, as a sequence of delays and bytes. Pure: the same seed,
 * profile, request and serial number give the same script, byte for byte (but for the send stamps,
 * which the player fills in). sim/endpoint plays it on sockets, sim/virtual in virtual time.
 */

enum sim_fault {
    SIM_FAULT_NONE,
    SIM_FAULT_DROP,   /* cut in the middle, without the final chunk */
    SIM_FAULT_NODONE, /* ends cleanly, without finish reason and terminator */
    SIM_FAULT_429,
    SIM_FAULT_503,
    SIM_FAULT_COUNT
};
bool sim_fault_parse(struct str name, enum sim_fault *out);

struct sim_profile {
    uint64_t seed;
    int64_t ttft_ns, gap_ns; /* slot given → first content; content chunk → content chunk */
    double jitter;           /* coefficient of variation; acts on ttft and gaps, each drawn */
    int64_t tokens;          /* of an answer, unless max_tokens is less */
    int64_t tokens_per_chunk;
    int64_t slots;                /* 0: no limit */
    double fail[SIM_FAULT_COUNT]; /* probability of each; together at most 1 */
    bool stamp;                   /* each chunk carries its send instant: "sent_ns" */
    const char *model;            /* the name it lists; answers carry the name asked for */
};
void sim_profile_init(struct sim_profile *p); /* the defaults of `weir sim` */
/* "drop:0.1,429:0.05" into `fail`, which is untouched on failure. */
MUST_USE bool sim_fail_parse(struct str text, double fail[SIM_FAULT_COUNT], struct err *err);

/* What the endpoint understood of the request. */
struct sim_request {
    struct str method, path; /* a query behind the path is ignored */
    struct str body;
};

enum sim_op {
    SIM_HEAD,  /* status line and fields: `status`, then chunked body follows */
    SIM_WHOLE, /* a whole answer: `status`, `bytes` is the body; the last step */
    SIM_BYTES, /* one body chunk: one write */
    SIM_END,   /* clean end of the body; the last step */
    SIM_CUT,   /* connection closed without the final chunk; the last step */
};
enum { SIM_STAMP_DIGITS = 20 };
struct sim_step {
    int64_t delay_ns; /* after the step before (the first: after the slot was given) */
    enum sim_op op;
    int status;               /* HEAD, WHOLE */
    const char *content_type; /* HEAD, WHOLE */
    const char *request_id;   /* HEAD, WHOLE: for x-request-id */
    const char *retry_after;  /* or NULL */
    const char *allow;        /* or NULL */
    char *bytes;              /* good until the next step is asked for; or NULL */
    size_t len;
    size_t stamp_at; /* where in `bytes` sim_stamp writes the send instant; 0: nowhere */
};
bool sim_op_is_last(enum sim_op op);
/* Writes the instant into `step->bytes`, right-aligned in SIM_STAMP_DIGITS bytes; if it has a
 * place. */
void sim_stamp(const struct sim_step *step, int64_t ns);

/* A script under way, made step by step so that a long answer takes no memory. */
struct sim_script {
    bool is_chat;    /* a chat completion was asked for: it uses up its serial number */
    bool needs_slot; /* takes a slot from first to last step (errors and /v1/models do not) */
    /* inside */
    const struct sim_profile *profile;
    struct sim_random words, delays;
    uint8_t phase;
    uint8_t words_left; /* of the sentence */
    bool stream, usage; /* asked for */
    bool cut_short;     /* max_tokens is less than the answer */
    enum sim_fault fault;
    int64_t tokens, given; /* of the answer; of them in steps so far */
    int64_t cut_at;        /* SIM_FAULT_DROP: after so many tokens */
    int64_t prompt_tokens;
    int status;
    const char *allow;
    struct buf bytes;    /* of the latest step; begins with what all chunks share */
    size_t shared_bytes; /* the length of that */
    size_t stamp_at;
    char id[24];
};

/* Never fails: what is wrong with a request is an answer of status 400, 404 or 405. The profile
 * must live as long as the script, the request may go. */
void sim_script_start(struct sim_script *s, const struct sim_profile *p,
                      const struct sim_request *r, uint64_t serial);
/* False: the step before was the last. */
bool sim_script_next(struct sim_script *s, struct sim_step *step);
void sim_script_done(struct sim_script *s);

#endif
