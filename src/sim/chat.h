#ifndef WEIR_SIM_CHAT_H
#define WEIR_SIM_CHAT_H

#include "sim/script.h"

/* The chat completion request as the simulated endpoint reads it, and its errors. Part of
 * sim/script. */
struct sim_chat {
    char *model_json;   /* the model's name as a JSON string; owned */
    int64_t max_tokens; /* INT64_MAX: not stated */
    int64_t prompt_tokens;
    bool stream, usage;
};
enum { SIM_MODEL_BYTES_MAX = 256 };

/* False: `why` holds the answer's message and `param` the field it is about, or NULL. */
MUST_USE bool sim_chat_read(struct str body, struct sim_chat *out, struct buf *why,
                            const char **param);
void sim_chat_done(struct sim_chat *c);

/* The API's error object. `param` and `code` may be NULL. */
void sim_add_error(struct buf *out, struct str message, const char *type, const char *param,
                   const char *code);

#endif
