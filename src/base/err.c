#include "base/err.h"

static void fill(char *to, size_t size, enum text_id id, const char *const *args)
{
    struct buf b = {0};
    text_add_args(&b, id, args);
    str_copy(to, size, buf_str(&b));
    buf_done(&b);
}

bool err_set_args(struct err *e, int exit_code, const char *id, enum text_id what,
                  const char *const *args)
{
    *e = (struct err){.exit_code = exit_code, .id = id};
    fill(e->what, sizeof(e->what), what, args);
    return false;
}

void err_evidence_raw(struct err *e, struct str evidence)
{
    str_copy(e->evidence, sizeof(e->evidence), evidence);
}

void err_why_args(struct err *e, enum text_id why, const char *const *args)
{
    fill(e->why, sizeof(e->why), why, args);
}

void err_fix_args(struct err *e, enum text_id fix, const char *const *args)
{
    for (int i = 0; i < ERR_FIXES; i++)
        if (!e->fix[i][0]) {
            fill(e->fix[i], sizeof(e->fix[i]), fix, args);
            return;
        }
}
