#include "measure/result.h"

#include "base/mem.h"

void probe_result_done(struct probe_result *r)
{
    for (size_t i = 0; i < r->record_count; i++)
        record_done(&r->records[i]);
    mem_free(r->records);
    r->records = NULL;
    r->record_count = 0;
    r->summary = (struct summary){0}; /* it borrows from the records */
}

bool result_exceeds_max_fail(const struct probe_result *r)
{
    const struct summary *s = &r->summary;
    size_t failed = s->requests - s->complete;
    return r->limits.has_max_fail && (double)failed > r->limits.max_fail * (double)s->requests;
}

enum slo_verdict result_limits_verdict(const struct probe_result *r)
{
    enum slo_verdict worst = SLO_HOLDS;
    for (size_t i = 0; i < r->limits.count; i++) {
        enum slo_verdict one = r->limits.items[i].result.verdict;
        if (one == SLO_UNDECIDED)
            one = r->limits.undecided_is;
        if (one > worst)
            worst = one;
    }
    return worst;
}
