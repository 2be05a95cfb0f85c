#include "base/utf8.h"
#include "report/json.h"
#include "report/term.h"

/* "  Why  " and so on: the word, then blanks up to `width` columns. */
static void labelled(struct buf *out, const struct report_style *s, enum text_id label,
                     const char *text)
{
    struct buf lead = {0};
    buf_add_text(&lead, "  ");
    text_add(&lead, label);
    buf_add_text(&lead, "  ");
    term_fold(out, s, buf_text(&lead), str_of(text));
    buf_done(&lead);
}

static void evidence(struct buf *out, const struct report_style *s, struct str text)
{
    while (text.ptr && text.len) {
        struct str line = str_split(&text, '\n');
        struct buf safe = {0};
        utf8_add_visible(&safe, line);
        term_fold(out, s, "       ", buf_str(&safe));
        buf_done(&safe);
    }
}

void report_error_text(struct buf *out, const struct err *e, const struct report_style *s)
{
    size_t from = out->len;
    term_fold(out, s, "  ", str_of(e->what));
    evidence(out, s, str_of(e->evidence));
    if (e->why[0])
        labelled(out, s, TEXT_REPORT_WHY, e->why);
    for (int i = 0; i < ERR_FIXES && e->fix[i][0]; i++)
        labelled(out, s, TEXT_REPORT_FIX, e->fix[i]);
    term_finish(out, from, s);
}

json_t *json_of_error(const struct err *e)
{
    json_t *j = json_object(), *fixes = json_array();
    json_put_text(j, "id", e->id);
    json_put_text(j, "what", e->what);
    json_put_text(j, "evidence", e->evidence[0] ? e->evidence : NULL);
    json_put_text(j, "why", e->why[0] ? e->why : NULL);
    for (int i = 0; i < ERR_FIXES && e->fix[i][0]; i++)
        json_array_append_new(fixes, json_text(str_of(e->fix[i])));
    json_object_set_new(j, "fix", fixes);
    json_put_int(j, "exit_code", e->exit_code);
    return j;
}

void report_error_json(struct buf *out, const struct err *e)
{
    json_t *j = json_object();
    json_put_int(j, "schema", 1);
    json_put_text(j, "kind", "error");
    json_object_set_new(j, "error", json_of_error(e));
    json_write(out, j, false);
}
