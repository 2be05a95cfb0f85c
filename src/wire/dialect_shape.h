#ifndef WEIR_WIRE_DIALECT_SHAPE_H
#define WEIR_WIRE_DIALECT_SHAPE_H

#include "wire/json.h"

/*
 * The keys that events are read by. The root shape reaches into the first choice and its delta, so
 * that the usual chunk is read in one pass; everything rarer is a view, read when it is asked for.
 * See wire/json.h for how a list makes a shape.
 */

/* Of an error object. The root shape begins with the same six. */
#define ERROR_KEYS(X)                                                                              \
    X(ERROR_CODE, "code", NULL, 0)                                                                 \
    X(ERROR_TYPE, "type", NULL, 0)                                                                 \
    X(ERROR_STATUS, "status", NULL, 0)                                                             \
    X(ERROR_MESSAGE, "message", NULL, 0)                                                           \
    X(ERROR_MSG, "msg", NULL, 0)                                                                   \
    X(ERROR_DETAIL, "detail", NULL, 0)
enum { ERROR_KEYS(JSON_SLOT) ERROR_SLOTS };
extern const struct json_shape error_shape;

#define DELTA_KEYS(X)                                                                              \
    X(DELTA_CONTENT, "content", NULL, 0)                                                           \
    X(DELTA_REASONING_CONTENT, "reasoning_content", NULL, 0)                                       \
    X(DELTA_REASONING, "reasoning", NULL, 0)                                                       \
    X(DELTA_REASONING_DETAILS, "reasoning_details", NULL, 0)                                       \
    X(DELTA_TOOL_CALLS, "tool_calls", NULL, 0)                                                     \
    X(DELTA_FUNCTION_CALL, "function_call", NULL, 0)                                               \
    X(DELTA_REFUSAL, "refusal", NULL, 0)                                                           \
    X(DELTA_AUDIO, "audio", NULL, 0)
enum { DELTA_KEYS(JSON_SLOT) DELTA_SLOTS };
extern const struct json_shape delta_shape;

#define CHOICE_KEYS(X)                                                                             \
    X(CHOICE_INDEX, "index", NULL, 0)                                                              \
    X(CHOICE_DELTA, "delta", &delta_shape, CHOICE_KEYS_END)                                        \
    X(CHOICE_MESSAGE, "message", NULL, 0)                                                          \
    X(CHOICE_TEXT, "text", NULL, 0)                                                                \
    X(CHOICE_FINISH_REASON, "finish_reason", NULL, 0)                                              \
    X(CHOICE_USAGE, "usage", NULL, 0)                                                              \
    X(CHOICE_ERROR, "error", NULL, 0)
enum { CHOICE_KEYS(JSON_SLOT) CHOICE_KEYS_END, CHOICE_SLOTS = CHOICE_KEYS_END + DELTA_SLOTS };
extern const struct json_shape choice_shape;

#define ROOT_KEYS(X)                                                                               \
    X(ROOT_CODE, "code", NULL, 0)                                                                  \
    X(ROOT_TYPE, "type", NULL, 0)                                                                  \
    X(ROOT_STATUS, "status", NULL, 0)                                                              \
    X(ROOT_MESSAGE, "message", NULL, 0)                                                            \
    X(ROOT_MSG, "msg", NULL, 0)                                                                    \
    X(ROOT_DETAIL, "detail", NULL, 0)                                                              \
    X(ROOT_CHOICES, "choices", &choice_shape, ROOT_KEYS_END)                                       \
    X(ROOT_OBJECT, "object", NULL, 0)                                                              \
    X(ROOT_USAGE, "usage", NULL, 0)                                                                \
    X(ROOT_X_GROQ, "x_groq", NULL, 0)                                                              \
    X(ROOT_ID, "id", NULL, 0)                                                                      \
    X(ROOT_MODEL, "model", NULL, 0)                                                                \
    X(ROOT_SYSTEM_FINGERPRINT, "system_fingerprint", NULL, 0)                                      \
    X(ROOT_ERROR, "error", NULL, 0)                                                                \
    X(ROOT_ERROR_TYPE, "error_type", NULL, 0)                                                      \
    X(ROOT_ERROR_MESSAGE, "error_message", NULL, 0)                                                \
    X(ROOT_ERROR_CODE, "error_code", NULL, 0)                                                      \
    X(ROOT_ERROR_MSG, "error_msg", NULL, 0)                                                        \
    X(ROOT_BASE_RESP, "base_resp", NULL, 0)                                                        \
    X(ROOT_DELTA, "delta", NULL, 0)                                                                \
    X(ROOT_CONTENT_BLOCK, "content_block", NULL, 0)                                                \
    X(ROOT_RESPONSE, "response", NULL, 0)                                                          \
    X(ROOT_ITEM, "item", NULL, 0)                                                                  \
    X(ROOT_DONE, "done", NULL, 0)                                                                  \
    X(ROOT_DONE_REASON, "done_reason", NULL, 0)                                                    \
    X(ROOT_THINKING, "thinking", NULL, 0)                                                          \
    X(ROOT_PROMPT_EVAL_COUNT, "prompt_eval_count", NULL, 0)                                        \
    X(ROOT_EVAL_COUNT, "eval_count", NULL, 0)                                                      \
    X(ROOT_TOKEN, "token", NULL, 0)                                                                \
    X(ROOT_DETAILS, "details", NULL, 0)                                                            \
    X(ROOT_GENERATED_TEXT, "generated_text", NULL, 0)                                              \
    X(ROOT_TEXT_OUTPUT, "text_output", NULL, 0)                                                    \
    X(ROOT_OUTPUT, "output", NULL, 0)
enum { ROOT_KEYS(JSON_SLOT) ROOT_KEYS_END, ROOT_SLOTS = ROOT_KEYS_END + CHOICE_SLOTS };
extern const struct json_shape root_shape;

_Static_assert((int)ROOT_CODE == (int)ERROR_CODE && (int)ROOT_DETAIL == (int)ERROR_DETAIL,
               "the root begins like an error object");

#endif
