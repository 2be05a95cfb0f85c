#include "wire/dialect.h"

/* R18: how servers say inside of a stream that something went wrong. */

#define BASE_RESP_KEYS(X)                                                                          \
    X(BASE_STATUS_CODE, "status_code", NULL, 0)                                                    \
    X(BASE_STATUS_MSG, "status_msg", NULL, 0)
enum { BASE_RESP_KEYS(JSON_SLOT) BASE_RESP_SLOTS };
JSON_SHAPE(base_resp_shape, BASE_RESP_KEYS, BASE_RESP_SLOTS);

#define FAILED_KEYS(X) X(FAILED_ERROR, "error", NULL, 0)
enum { FAILED_KEYS(JSON_SLOT) FAILED_SLOTS };
JSON_SHAPE(failed_shape, FAILED_KEYS, FAILED_SLOTS);

struct json_value dialect_word(const char *text)
{
    return (struct json_value){
        .ptr = text, .len = (uint32_t)strlen(text), .type = JSON_TYPE_STRING};
}

static struct json_value nonempty_or_none(const struct json_value *v)
{
    return json_nonempty(v) ? *v : (struct json_value){0};
}

/* kind(E), leaving out the type where `typed` is false. */
static struct json_value kind_of(const struct json_value *e, bool typed)
{
    const struct json_value *code = &e[ERROR_CODE], *type = &e[ERROR_TYPE];
    if (json_nonempty(code) && !json_is_digits(code))
        return *code;
    if (typed && json_nonempty(type) && !json_is(type, STR("None")))
        return *type;
    if (json_nonempty(&e[ERROR_STATUS]))
        return e[ERROR_STATUS];
    return code->type == JSON_TYPE_NUMBER ? *code : nonempty_or_none(code);
}

static struct json_value message_of(const struct json_value *e)
{
    static const int slots[] = {ERROR_MESSAGE, ERROR_MSG, ERROR_DETAIL};
    for (size_t i = 0; i < ARRAY_LEN(slots); i++)
        if (json_nonempty(&e[slots[i]]))
            return e[slots[i]];
    return (struct json_value){0};
}

static struct dialect_error both_of(const struct json_value *e)
{
    return (struct dialect_error){kind_of(e, true), message_of(e)};
}

struct dialect_error dialect_error_of(const struct json_value *object)
{
    struct json_value slots[ERROR_SLOTS];
    json_fill(object, &error_shape, slots);
    return both_of(slots);
}

static bool is_filled_object(const struct json_value *v)
{
    return v->type == JSON_TYPE_OBJECT && v->count > 0;
}

/* One case of R18 each; `false` if it does not hold. */
typedef bool error_case(const struct json_value *root, struct dialect_error *error);

static bool error_object(const struct json_value *root, struct dialect_error *error)
{
    if (!is_filled_object(&root[ROOT_ERROR]))
        return false;
    *error = dialect_error_of(&root[ROOT_ERROR]);
    return true;
}

static struct json_value type_or_kind(const struct json_value *root)
{
    return json_nonempty(&root[ROOT_ERROR_TYPE]) ? root[ROOT_ERROR_TYPE] : kind_of(root, true);
}

static bool error_string(const struct json_value *root, struct dialect_error *error)
{
    if (!json_nonempty(&root[ROOT_ERROR]))
        return false;
    *error = (struct dialect_error){type_or_kind(root), root[ROOT_ERROR]};
    return true;
}

static bool object_is_error(const struct json_value *root, struct dialect_error *error)
{
    if (!json_is(&root[ROOT_OBJECT], STR("error")))
        return false;
    *error = both_of(root);
    return true;
}

static bool type_is_error(const struct json_value *root, struct dialect_error *error)
{
    if (!json_is(&root[ROOT_TYPE], STR("error")))
        return false;
    *error = (struct dialect_error){kind_of(root, false), message_of(root)};
    if (error->kind.type == JSON_TYPE_NONE)
        error->kind = dialect_word("error");
    return true;
}

static bool response_failed(const struct json_value *root, struct dialect_error *error)
{
    struct json_value failed[FAILED_SLOTS];
    if (!json_is(&root[ROOT_TYPE], STR("response.failed")))
        return false;
    json_fill(&root[ROOT_RESPONSE], &failed_shape, failed);
    *error = (struct dialect_error){.kind = dialect_word("response.failed")};
    if (is_filled_object(&failed[FAILED_ERROR]))
        *error = dialect_error_of(&failed[FAILED_ERROR]);
    return true;
}

static bool error_message(const struct json_value *root, struct dialect_error *error)
{
    if (!json_nonempty(&root[ROOT_ERROR_MESSAGE]))
        return false;
    *error = (struct dialect_error){type_or_kind(root), root[ROOT_ERROR_MESSAGE]};
    return true;
}

static bool base_resp(const struct json_value *root, struct dialect_error *error)
{
    struct json_value base[BASE_RESP_SLOTS];
    if (root[ROOT_BASE_RESP].type != JSON_TYPE_OBJECT)
        return false;
    json_fill(&root[ROOT_BASE_RESP], &base_resp_shape, base);
    if (!json_nonzero(&base[BASE_STATUS_CODE]))
        return false;
    *error =
        (struct dialect_error){base[BASE_STATUS_CODE], nonempty_or_none(&base[BASE_STATUS_MSG])};
    return true;
}

static bool error_code(const struct json_value *root, struct dialect_error *error)
{
    const struct json_value *code = &root[ROOT_ERROR_CODE];
    if (!json_nonempty(code) && !json_nonzero(code))
        return false;
    *error = (struct dialect_error){*code, nonempty_or_none(&root[ROOT_ERROR_MSG])};
    return true;
}

static bool code_and_message(const struct json_value *root, struct dialect_error *error)
{
    const struct json_value *code = &root[ROOT_CODE];
    if (!json_nonempty(code) || json_is_digits(code) ||
        root[ROOT_MESSAGE].type != JSON_TYPE_STRING || root[ROOT_CHOICES].type != JSON_TYPE_NONE ||
        root[ROOT_OUTPUT].type != JSON_TYPE_NONE)
        return false;
    *error = both_of(root);
    return true;
}

static bool choice_error(const struct json_value *root, struct dialect_error *error)
{
    struct dialect_choices choices;
    const struct json_value *choice;
    int64_t position;
    dialect_choices_start(&choices, root);
    while ((choice = dialect_choices_next(&choices, &position))) {
        const struct json_value *finish = &choice[CHOICE_FINISH_REASON];
        if (is_filled_object(&choice[CHOICE_ERROR])) {
            *error = dialect_error_of(&choice[CHOICE_ERROR]);
            return true;
        }
        if (json_is(finish, STR("error")) || json_is(finish, STR("abort"))) {
            *error = (struct dialect_error){.kind = *finish};
            return true;
        }
    }
    return false;
}

/* In the order of R18. */
static error_case *const cases[] = {
    error_object,  error_string, object_is_error, type_is_error,    response_failed,
    error_message, base_resp,    error_code,      code_and_message, choice_error,
};

static bool find_error(const struct json_value *root, struct dialect_error *error)
{
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (cases[i](root, error))
            return true;
    return false;
}

bool dialect_find_error(const struct json_value *whole, const struct json_value *root,
                        struct dialect_error *error)
{
    struct json_value front, slots[ROOT_SLOTS];
    if (whole->type == JSON_TYPE_OBJECT)
        return find_error(root, error);
    if (!json_front(whole, &front) || front.type != JSON_TYPE_OBJECT)
        return false;
    json_fill(&front, &root_shape, slots);
    return find_error(slots, error);
}
