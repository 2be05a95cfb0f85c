#include "wire/answer.h"

#include "base/utf8.h"

void answer_init(struct answer *a, bool keep_text)
{
    *a = (struct answer){.keep_text = keep_text};
    a->usage = (struct wire_usage){COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN};
}

void answer_done(struct answer *a)
{
    buf_done(&a->text);
    buf_done(&a->reasoning_text);
    buf_done(&a->finish_reason);
    vec_done(&a->more);
}

void answer_start_event(struct answer *a)
{
    a->pieces = 0;
    memset(a->chars, 0, sizeof(a->chars));
}

void answer_end(struct answer *a)
{
    json_text_end(&a->join, &a->text);
    json_text_end(&a->reasoning_join, &a->reasoning_text);
}

void answer_mark(struct answer *a, enum piece piece)
{
    a->pieces |= (uint8_t)(1 << piece);
}

bool answer_add(struct answer *a, enum piece piece, int64_t choice, const struct json_value *text)
{
    struct json_value string = *text;
    if (text->type == JSON_TYPE_NUMBER) {
        string.type = JSON_TYPE_STRING; /* R12: its source text */
        string.escaped = false;
    }
    if (!json_nonempty(&string))
        return false;
    answer_mark(a, piece);
    a->chars[piece] += json_units(&string);
    if (a->keep_text && choice == 0 && piece == PIECE_ANSWER)
        json_text_add(&a->join, &string, &a->text);
    if (a->keep_text && choice == 0 && piece == PIECE_REASONING)
        json_text_add(&a->reasoning_join, &string, &a->reasoning_text);
    return true;
}

struct answer_choice *answer_choice(struct answer *a, int64_t number)
{
    if (a->choice_count == 0)
        a->first = (struct answer_choice){.number = number};
    if (a->choice_count == 0 || a->first.number == number) {
        a->choice_count += a->choice_count == 0;
        return &a->first;
    }
    for (size_t i = 0; i < a->more.len && !a->too_many_choices; i++)
        if (a->more.items[i].number == number)
            return &a->more.items[i];
    if (a->choice_count == ANSWER_CHOICES_MAX) { /* no longer told apart, nor looked for */
        a->too_many_choices = true;
        return &a->more.items[a->more.len - 1];
    }
    a->choice_count++;
    vec_push(&a->more, (struct answer_choice){.number = number});
    return &a->more.items[a->more.len - 1];
}

void answer_finish_text(struct answer *a, struct str reason)
{
    reason = utf8_cut(reason, ANSWER_FINISH_BYTES);
    if (a->has_finish_reason && str_eq(buf_str(&a->finish_reason), reason))
        return;
    buf_clear(&a->finish_reason);
    buf_add_str(&a->finish_reason, reason);
    a->has_finish_reason = true;
}

void answer_finish(struct answer *a, const struct json_value *reason)
{
    if (!json_nonempty(reason))
        return;
    if (!reason->escaped && utf8_valid(json_raw(reason))) {
        answer_finish_text(a, json_raw(reason));
        return;
    }
    struct buf decoded = {0};
    json_decode(reason, &decoded);
    answer_finish_text(a, buf_str(&decoded));
    buf_done(&decoded);
}

bool answer_finished(const struct answer *a)
{
    if (a->stop_reason)
        return true;
    if (a->choice_count == 0 || a->too_many_choices || !a->first.finished)
        return false;
    for (size_t i = 0; i < a->more.len; i++)
        if (!a->more.items[i].finished)
            return false;
    return true;
}

void answer_count(int64_t *to, const struct json_value *count)
{
    int64_t n = json_count(count);
    if (n >= 0)
        *to = n;
}
