#include "measure/outcome.h"

#include <assert.h>
#include <string.h>

#include "base/attr.h"

static const char *const names[OUTCOME_COUNT] = {[OUTCOME_PENDING] = "pending",
#define X(id, name) [OUTCOME_##id] = name,
                                                 OUTCOMES(X)
#undef X
};

const char *outcome_name(enum outcome o)
{
    assert(o < OUTCOME_COUNT);
    return names[o];
}

bool outcome_parse(const char *name, enum outcome *out)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (enum outcome)i;
            return true;
        }
    }
    return false;
}

bool outcome_is_timeout(enum outcome o)
{
    return o == OUTCOME_TIMEOUT_CONNECT || o == OUTCOME_TIMEOUT_FIRST || o == OUTCOME_TIMEOUT_GAP ||
           o == OUTCOME_TIMEOUT_IDLE || o == OUTCOME_TIMEOUT_TOTAL;
}

/* What the way the transport ended says by itself; PENDING where it says nothing. */
static enum outcome by_transport(enum transport_end end)
{
    static const enum outcome of[] = {
        [END_BODY] = OUTCOME_PENDING,
        [END_ABORTED] = OUTCOME_ABORTED,
        [END_UNREACHABLE] = OUTCOME_UNREACHABLE,
        [END_TIMEOUT_CONNECT] = OUTCOME_TIMEOUT_CONNECT,
        [END_TIMEOUT_FIRST] = OUTCOME_TIMEOUT_FIRST,
        [END_TIMEOUT_GAP] = OUTCOME_TIMEOUT_GAP,
        [END_TIMEOUT_IDLE] = OUTCOME_TIMEOUT_IDLE,
        [END_TIMEOUT_TOTAL] = OUTCOME_TIMEOUT_TOTAL,
        [END_BROKEN] = OUTCOME_BROKEN,
        [END_BAD_RESPONSE] = OUTCOME_MALFORMED,
    };
    assert(end < ARRAY_LEN(of));
    return of[end];
}

static enum outcome by_reading(enum reading_verdict verdict)
{
    static const enum outcome of[] = {
        [READING_COMPLETE] = OUTCOME_COMPLETE,         [READING_INCOMPLETE] = OUTCOME_INCOMPLETE,
        [READING_ERROR] = OUTCOME_STREAM_ERROR,        [READING_MALFORMED] = OUTCOME_MALFORMED,
        [READING_NOT_A_STREAM] = OUTCOME_NOT_A_STREAM, [READING_EMPTY] = OUTCOME_EMPTY,
    };
    assert(verdict < ARRAY_LEN(of));
    return of[verdict];
}

/* The enum is in order of precedence, so each source names one candidate and the least wins. */
enum outcome outcome_decide(const struct outcome_facts *f)
{
    enum outcome first = by_transport(f->transport);
    assert(first != OUTCOME_PENDING || f->http_status != 0);
    enum outcome candidates[2] = {OUTCOME_COUNT, OUTCOME_COUNT};
    if (f->http_status != 0)
        candidates[0] = f->http_status / 100 == 2 ? by_reading(f->reading) : OUTCOME_HTTP_ERROR;
    if (f->over_limit)
        candidates[1] = OUTCOME_MALFORMED;
    for (size_t i = 0; i < ARRAY_LEN(candidates); i++)
        if (first == OUTCOME_PENDING || candidates[i] < first)
            first = candidates[i];
    return first;
}
