#include "base/fmt.h"
#include "sim/script.h"

static const char *const fault_names[] = {
    [SIM_FAULT_NONE] = "none", [SIM_FAULT_DROP] = "drop", [SIM_FAULT_NODONE] = "nodone",
    [SIM_FAULT_429] = "429",   [SIM_FAULT_503] = "503",
};

bool sim_fault_parse(struct str name, enum sim_fault *out)
{
    for (int i = SIM_FAULT_NONE + 1; i < SIM_FAULT_COUNT; i++) {
        if (!str_eq(name, str_of(fault_names[i])))
            continue;
        *out = (enum sim_fault)i;
        return true;
    }
    return false;
}

static bool refuse_fail(struct str text, struct err *err)
{
    struct buf names = {0}, given = {0};
    for (int i = SIM_FAULT_NONE + 1; i < SIM_FAULT_COUNT; i++)
        buf_addf(&names, "%s%s", i > 1 ? ", " : "", fault_names[i]);
    buf_add_str(&given, text);
    err_set(err, EXIT_USAGE, "bad_fail", TEXT_SIM_BAD_FAIL, buf_text(&given));
    err_why(err, TEXT_SIM_BAD_FAIL_WHY, buf_text(&names));
    err_fix(err, TEXT_SIM_BAD_FAIL_FIX);
    buf_done(&names);
    buf_done(&given);
    return false;
}

bool sim_fail_parse(struct str text, double fail[SIM_FAULT_COUNT], struct err *err)
{
    double shares[SIM_FAULT_COUNT] = {0}, sum = 0;
    struct str rest = text;
    while (rest.ptr) {
        struct str share = str_split(&rest, ','), name = str_split(&share, ':');
        enum sim_fault fault;
        if (!sim_fault_parse(name, &fault) || !share.ptr ||
            !fmt_parse_double(share, 0, 1, &shares[fault]))
            return refuse_fail(text, err);
    }
    for (int i = 0; i < SIM_FAULT_COUNT; i++)
        sum += shares[i];
    if (sum > 1 + 1e-9)
        return refuse_fail(text, err);
    memcpy(fail, shares, sizeof(shares));
    return true;
}

void sim_profile_init(struct sim_profile *p)
{
    *p = (struct sim_profile){
        .seed = 1,
        .ttft_ns = 400000000,
        .gap_ns = 20000000,
        .tokens = 128,
        .tokens_per_chunk = 1,
        .model = "weir-sim",
    };
}
