#ifndef WEIR_STUDY_PROBE_H
#define WEIR_STUDY_PROBE_H

#include "measure/result.h"
#include "net/driver.h"

/*
 * The study behind `weir probe`: warm-ups, then n requests, so many at a time, on any driver.
 * Prints nothing, keeps every record, retries nothing. The first warm-up goes alone: an outcome
 * that would repeat (401, 403, 404, no connection) stops the study after this one request. One
 * thread.
 */
struct probe_options {
    struct result_target target; /* borrowed strings */
    struct str key;
    const struct request_header *headers;
    size_t header_count;
    int64_t runs, warmup;
    int64_t concurrency;   /* requests in flight at once; 0 is 1 */
    const char *prompt;    /* NULL: the default, which asks for an answer of about 200 words */
    int64_t prompt_tokens; /* > 0: made-up text of about so many tokens instead */
    bool same_prompt;      /* else a nonce at the head of the first message */
    int64_t max_tokens;
    double temperature; /* NaN: not sent */
    bool streamed, fresh, keep_text, quick;
    enum terminator_policy terminator;
    struct request_timeouts timeouts;
    uint64_t seed; /* of the nonces */
    /* Events kept for gaps, of all requests together (0: 64 Mi, a gigabyte). The logs of requests
     * that end beyond it are dropped after `progress` saw them. */
    size_t log_events_max;
};

/* Called after each request ends; `done` counts measured ones. `last` is valid during the call. */
typedef void probe_progress_fn(void *arg, const struct probe_options *o, size_t done,
                               const struct record *last);

/* Target, plan and price of what a probe would do, for report_probe_head: no records. */
void probe_plan(const struct probe_options *o, struct probe_result *out);

struct probe; /* running */
/* Sends the first request; the rest follows within driver_run. `o` is copied, what it points to is
 * borrowed until probe_finish. */
struct probe *probe_start(struct driver *d, const struct probe_options *o,
                          probe_progress_fn *progress, void *arg);
/* Start nothing more, abort what runs; safe from the driver's callbacks. */
void probe_interrupt(struct probe *p);
/* After driver_run returned: the result (moved out). Frees the probe. */
void probe_finish(struct probe *p, struct probe_result *out);

/* The JSON body of measured request `number`, as probe sends it: for --dry-run and tests. */
void probe_body(const struct probe_options *o, uint64_t number, struct buf *out);

#endif
