#include "test.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "measure/metric.h"

/* docs/metrics.md is the definition, so it must name all there is. Run from the root of the tree.
 */
static int read_page(void **state)
{
    FILE *f = fopen("docs/metrics.md", "r");
    if (!f)
        return -1;
    struct buf *page = mem_zalloc(sizeof(*page));
    char *room = buf_room(page, 1 << 20);
    buf_grown(page, fread(room, 1, 1 << 20, f));
    *state = page;
    return fclose(f);
}

static int free_page(void **state)
{
    buf_done(*state);
    mem_free(*state);
    return 0;
}

/* Whether a table row has the name in its first cell. */
static bool is_defined(const struct buf *page, const char *name)
{
    struct buf quoted = {0};
    buf_addf(&quoted, "`%s`", name);
    bool found = false;
    for (struct str rest = buf_str(page); rest.ptr && !found;) {
        struct str line = str_split(&rest, '\n');
        if (str_starts(line, STR("| `"))) {
            line = str_from(line, 2);
            found = str_contains(str_split(&line, '|'), buf_str(&quoted));
        }
    }
    buf_done(&quoted);
    return found;
}

static void every_metric_is_defined(void **state)
{
    for (size_t i = 0; i < METRIC_COUNT; i++)
        if (!is_defined(*state, metrics[i].name))
            fail_msg("docs/metrics.md does not define `%s`", metrics[i].name);
}

static void every_outcome_is_defined(void **state)
{
    for (int o = OUTCOME_PENDING + 1; o < OUTCOME_COUNT; o++)
        if (!is_defined(*state, outcome_name((enum outcome)o)))
            fail_msg("docs/metrics.md does not define `%s`", outcome_name((enum outcome)o));
}

static void every_token_source_is_defined(void **state)
{
    for (int s = TOKENS_NONE; s <= TOKENS_CHUNKS; s++)
        if (!is_defined(*state, token_source_name((enum token_source)s)))
            fail_msg("docs/metrics.md does not define `%s`",
                     token_source_name((enum token_source)s));
}

static void what_does_not_exist_is_not_defined(void **state)
{
    assert_false(is_defined(*state, "no_such_metric"));
    assert_false(is_defined(*state, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_metric_is_defined),
        cmocka_unit_test(every_outcome_is_defined),
        cmocka_unit_test(every_token_source_is_defined),
        cmocka_unit_test(what_does_not_exist_is_not_defined),
    };
    return cmocka_run_group_tests(tests, read_page, free_page);
}
