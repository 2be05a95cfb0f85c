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
