#include <stddef.h>

#include "cli/options.h"

#define AT(member) .at = offsetof(struct options, member)
#define S          1e9 /* durations are ns */
#define DAY        (86400 * S)

/* clang-format off */
const struct option option_table[OPT_COUNT] = {
    [OPT_HELP] = {"help", 'h', OPTION_FLAG, .help = TEXT_CLI_OPT_HELP, .category = CATEGORY_OUTPUT, .commands = FOR_ALL, AT(help)},

    /* target */
    [OPT_URL] = {"url,base-url", 'u', OPTION_TEXT, "URL", .help = TEXT_CLI_OPT_URL, .category = CATEGORY_TARGET, .commands = FOR_PROBE, AT(url)},
    [OPT_MODEL] = {"model", 'm', OPTION_TEXT, "NAME", .help = TEXT_CLI_OPT_MODEL, .category = CATEGORY_TARGET, .commands = FOR_PROBE, AT(model)},
    [OPT_HEADER] = {"header", 'H', OPTION_HEADERS, "'K: V'", .help = TEXT_CLI_OPT_HEADER, .category = CATEGORY_TARGET, .commands = FOR_PROBE, AT(headers)},
    [OPT_API_KEY] = {"api-key", 0, OPTION_SECRET, "KEY", .help = TEXT_CLI_OPT_API_KEY, .category = CATEGORY_TARGET, .commands = FOR_PROBE, AT(api_key)},
    [OPT_API_KEY_ENV] = {"api-key-env", 0, OPTION_TEXT, "NAME", .help = TEXT_CLI_OPT_API_KEY_ENV, .category = CATEGORY_TARGET, .commands = FOR_PROBE, AT(api_key_env)},
    [OPT_API_KEY_FILE] = {"api-key-file", 0, OPTION_TEXT, "FILE|-", .help = TEXT_CLI_OPT_API_KEY_FILE, .category = CATEGORY_TARGET, .commands = FOR_PROBE, AT(api_key_file)},
    [OPT_NO_KEY] = {"no-key", 0, OPTION_FLAG, .help = TEXT_CLI_OPT_NO_KEY, .category = CATEGORY_TARGET, .commands = FOR_PROBE, AT(no_key)},
    [OPT_ENV_FILE] = {"env-file", 0, OPTION_TEXT, "FILE", .help = TEXT_CLI_OPT_ENV_FILE, .category = CATEGORY_TARGET, .commands = FOR_PROBE, AT(env_file)},
    [OPT_NO_ENV_FILE] = {"no-env-file", 0, OPTION_FLAG, .help = TEXT_CLI_OPT_NO_ENV_FILE, .category = CATEGORY_TARGET, .commands = FOR_PROBE, AT(no_env_file)},

    /* request */
    [OPT_PROMPT] = {"prompt", 'p', OPTION_TEXT, "TEXT|@FILE|-", .help = TEXT_CLI_OPT_PROMPT, .category = CATEGORY_REQUEST, .commands = FOR_PROBE, AT(prompt)},
    [OPT_PROMPT_TOKENS] = {"prompt-tokens,isl", 0, OPTION_INT, "N", 1, 1e6, .help = TEXT_CLI_OPT_PROMPT_TOKENS, .category = CATEGORY_REQUEST, .commands = FOR_PROBE, AT(prompt_tokens)},
    [OPT_SAME_PROMPT] = {"same-prompt", 0, OPTION_FLAG, .help = TEXT_CLI_OPT_SAME_PROMPT, .category = CATEGORY_REQUEST, .commands = FOR_PROBE, AT(same_prompt)},
    [OPT_MAX_TOKENS] = {"max-tokens,osl", 0, OPTION_INT, "N", 1, 1e6, "256", .help = TEXT_CLI_OPT_MAX_TOKENS, .category = CATEGORY_REQUEST, .commands = FOR_PROBE, AT(max_tokens)},
    [OPT_TEMPERATURE] = {"temperature", 0, OPTION_DOUBLE, "T", 0, 10, "0", .help = TEXT_CLI_OPT_TEMPERATURE, .category = CATEGORY_REQUEST, .commands = FOR_PROBE, AT(temperature)},
    [OPT_NO_STREAM] = {"no-stream", 0, OPTION_FLAG, .help = TEXT_CLI_OPT_NO_STREAM, .category = CATEGORY_REQUEST, .commands = FOR_PROBE, AT(no_stream)},
    [OPT_TERMINATOR] = {"terminator", 0, OPTION_WORD, "WORD", .fallback = "done", .words = "done|finish|either", .help = TEXT_CLI_OPT_TERMINATOR, .category = CATEGORY_REQUEST, .commands = FOR_PROBE | FOR_READ, AT(terminator)},

    /* load */
    [OPT_RUNS] = {"runs,requests", 'n', OPTION_INT, "N", 1, 1e6, "10", .help = TEXT_CLI_OPT_RUNS, .category = CATEGORY_LOAD, .commands = FOR_PROBE, AT(runs)},
    [OPT_WARMUP] = {"warmup", 'w', OPTION_INT, "N", 0, 1e5, "1", .help = TEXT_CLI_OPT_WARMUP, .category = CATEGORY_LOAD, .commands = FOR_PROBE, AT(warmup)},
    [OPT_CONCURRENCY] = {"concurrency", 'c', OPTION_INT, "N", 1, 10000, "1", .help = TEXT_CLI_OPT_CONCURRENCY, .category = CATEGORY_LOAD, .commands = FOR_PROBE, AT(concurrency)},
    [OPT_FRESH] = {"fresh", 0, OPTION_SET, .value = CONNECT_FRESH, .help = TEXT_CLI_OPT_FRESH, .category = CATEGORY_LOAD, .commands = FOR_PROBE, AT(connections)},
    [OPT_REUSE] = {"reuse", 0, OPTION_SET, .value = CONNECT_REUSE, .help = TEXT_CLI_OPT_REUSE, .category = CATEGORY_LOAD, .commands = FOR_PROBE, AT(connections)},
    [OPT_QUICK] = {"quick", 0, OPTION_FLAG, .help = TEXT_CLI_OPT_QUICK, .category = CATEGORY_LOAD, .commands = FOR_PROBE, AT(quick)},
    [OPT_YES] = {"yes", 'y', OPTION_FLAG, .help = TEXT_CLI_OPT_YES, .category = CATEGORY_LOAD, .commands = FOR_PROBE, AT(yes)},
    [OPT_DRY_RUN] = {"dry-run", 0, OPTION_FLAG, .help = TEXT_CLI_OPT_DRY_RUN, .category = CATEGORY_LOAD, .commands = FOR_PROBE, AT(dry_run)},

    /* network */
    [OPT_CONNECT_TIMEOUT] = {"connect-timeout", 0, OPTION_DURATION, "T", 1e6, DAY, "5s", .help = TEXT_CLI_OPT_CONNECT_TIMEOUT, .category = CATEGORY_NETWORK, .commands = FOR_PROBE, AT(connect_timeout)},
    [OPT_FIRST_TIMEOUT] = {"first-timeout", 0, OPTION_DURATION, "T", 1e6, DAY, "120s", .help = TEXT_CLI_OPT_FIRST_TIMEOUT, .category = CATEGORY_NETWORK, .commands = FOR_PROBE, AT(first_timeout)},
    [OPT_GAP_TIMEOUT] = {"gap-timeout", 0, OPTION_DURATION, "T", 1e6, DAY, "60s", .help = TEXT_CLI_OPT_GAP_TIMEOUT, .category = CATEGORY_NETWORK, .commands = FOR_PROBE, AT(gap_timeout)},
    [OPT_IDLE_TIMEOUT] = {"idle-timeout", 0, OPTION_DURATION, "T", 1e6, DAY, "off", .help = TEXT_CLI_OPT_IDLE_TIMEOUT, .category = CATEGORY_NETWORK, .commands = FOR_PROBE, AT(idle_timeout)},
    [OPT_TIMEOUT] = {"timeout", 0, OPTION_DURATION, "T", 1e6, DAY, "600s", .help = TEXT_CLI_OPT_TIMEOUT, .category = CATEGORY_NETWORK, .commands = FOR_PROBE, AT(timeout)},
    [OPT_INSECURE] = {"insecure", 'k', OPTION_FLAG, .help = TEXT_CLI_OPT_INSECURE, .category = CATEGORY_NETWORK, .commands = FOR_PROBE, AT(insecure)},
    [OPT_CACERT] = {"cacert", 0, OPTION_TEXT, "FILE", .help = TEXT_CLI_OPT_CACERT, .category = CATEGORY_NETWORK, .commands = FOR_PROBE, AT(cacert)},

    /* sim */
    [OPT_LISTEN] = {"listen", 0, OPTION_TEXT, "HOST:PORT", .fallback = "127.0.0.1:8089", .help = TEXT_CLI_OPT_LISTEN, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(listen)},
    [OPT_SIM_MODEL] = {"model", 'm', OPTION_TEXT, "NAME", .help = TEXT_CLI_OPT_SIM_MODEL, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(model)},
    [OPT_TTFT] = {"ttft", 0, OPTION_DURATION, "T", 0, DAY, "400ms", .help = TEXT_CLI_OPT_TTFT, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(ttft)},
    [OPT_GAP] = {"gap", 0, OPTION_DURATION, "T", 0, DAY, "20ms", .help = TEXT_CLI_OPT_GAP, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(gap)},
    [OPT_JITTER] = {"jitter", 0, OPTION_DOUBLE, "X", 0, 10, "0", .help = TEXT_CLI_OPT_JITTER, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(jitter)},
    [OPT_TOKENS] = {"tokens", 0, OPTION_INT, "N", 0, 1e6, "128", .help = TEXT_CLI_OPT_TOKENS, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(tokens)},
    [OPT_TOKENS_PER_CHUNK] = {"tokens-per-chunk", 0, OPTION_INT, "N", 1, 1e6, "1", .help = TEXT_CLI_OPT_TOKENS_PER_CHUNK, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(tokens_per_chunk)},
    [OPT_SLOTS] = {"slots", 0, OPTION_INT, "N", 0, 1e6, "0", .help = TEXT_CLI_OPT_SLOTS, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(slots)},
    [OPT_FAIL] = {"fail", 0, OPTION_TEXT, "KIND:SHARE,…", .help = TEXT_CLI_OPT_FAIL, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(fail)},
    [OPT_STAMP] = {"stamp", 0, OPTION_FLAG, .help = TEXT_CLI_OPT_STAMP, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(stamp)},
    [OPT_SEED] = {"seed", 0, OPTION_INT, "N", 0, 9007199254740992.0, "1", .help = TEXT_CLI_OPT_SEED, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(seed)},
    [OPT_TLS] = {"tls", 0, OPTION_FLAG, .help = TEXT_CLI_OPT_TLS, .category = CATEGORY_ENDPOINT, .commands = FOR_SIM, AT(tls)},

    /* read */
    [OPT_FORMAT] = {"format", 0, OPTION_WORD, "WORD", .fallback = "auto", .words = "auto|sse|ndjson|http", .help = TEXT_CLI_OPT_FORMAT, .category = CATEGORY_STREAM, .commands = FOR_READ, AT(format)},
    [OPT_STATUS] = {"status", 0, OPTION_INT, "N", 100, 599, .help = TEXT_CLI_OPT_STATUS, .category = CATEGORY_STREAM, .commands = FOR_READ, AT(status)},
    [OPT_CONTENT_TYPE] = {"content-type", 0, OPTION_TEXT, "TYPE", .help = TEXT_CLI_OPT_CONTENT_TYPE, .category = CATEGORY_STREAM, .commands = FOR_READ, AT(content_type)},

    /* output */
    [OPT_JSON] = {"json", 0, OPTION_OUTPUT, "FILE", .help = TEXT_CLI_OPT_JSON, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE, AT(json)},
    [OPT_JSONL] = {"jsonl", 0, OPTION_OUTPUT, "FILE", .help = TEXT_CLI_OPT_JSONL, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE, AT(jsonl)},
    [OPT_CSV] = {"csv", 0, OPTION_OUTPUT, "FILE", .help = TEXT_CLI_OPT_CSV, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE, AT(csv)},
    [OPT_EVENTS] = {"events", 0, OPTION_FLAG, .help = TEXT_CLI_OPT_EVENTS, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE, AT(events)},
    [OPT_QUIET] = {"quiet", 'q', OPTION_FLAG, .help = TEXT_CLI_OPT_QUIET, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE | FOR_SIM, AT(quiet)},
    [OPT_VERBOSE] = {"verbose", 'v', OPTION_FLAG, .help = TEXT_CLI_OPT_VERBOSE, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE | FOR_READ, AT(verbose)},
    [OPT_PROGRESS] = {"progress", 0, OPTION_WORD, "WORD", .fallback = "auto", .words = "auto|bar|lines|none", .help = TEXT_CLI_OPT_PROGRESS, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE, AT(progress)},
    [OPT_COLOR] = {"color,colour", 0, OPTION_WORD, "WORD", .fallback = "auto", .words = "auto|always|never", .help = TEXT_CLI_OPT_COLOR, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE, AT(color)},
    [OPT_NO_COLOR] = {"no-color,no-colour", 0, OPTION_SET, .value = COLOR_NEVER, .help = TEXT_CLI_OPT_NO_COLOR, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE, AT(color)},
    [OPT_ASCII] = {"ascii", 0, OPTION_FLAG, .help = TEXT_CLI_OPT_ASCII, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE, AT(ascii)},
    [OPT_WIDTH] = {"width", 0, OPTION_INT, "N", 40, 1000, .help = TEXT_CLI_OPT_WIDTH, .category = CATEGORY_OUTPUT, .commands = FOR_PROBE, AT(width)},
};
/* clang-format on */
