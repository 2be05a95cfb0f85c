#include <stddef.h>

#include "cli/options.h"

#define AT(member)    .at = offsetof(struct options, member)
#define HELP(name)    .help = TEXT_CLI_OPT_##name
#define IN(cat, bits) .category = CATEGORY_##cat, .commands = (bits)
#define MS            1e6 /* durations are ns */
#define DAY           86400e9

const struct option option_table[OPT_COUNT] = {
    [OPT_HELP] = {"help", 'h', OPTION_FLAG, HELP(HELP), IN(OUTPUT, FOR_ALL), AT(help)},

    /* target */
    [OPT_URL] = {"url,base-url", 'u', OPTION_TEXT, "URL", HELP(URL), IN(TARGET, FOR_PROBE),
                 AT(url)},
    [OPT_MODEL] = {"model", 'm', OPTION_TEXT, "NAME", HELP(MODEL), IN(TARGET, FOR_PROBE),
                   AT(model)},
    [OPT_HEADER] = {"header", 'H', OPTION_HEADERS, "'K: V'", HELP(HEADER), IN(TARGET, FOR_PROBE),
                    AT(headers)},
    [OPT_API_KEY] = {"api-key", 0, OPTION_SECRET, "KEY", HELP(API_KEY), IN(TARGET, FOR_PROBE),
                     AT(api_key)},
    [OPT_API_KEY_ENV] = {"api-key-env", 0, OPTION_TEXT, "NAME", HELP(API_KEY_ENV),
                         IN(TARGET, FOR_PROBE), AT(api_key_env)},
    [OPT_API_KEY_FILE] = {"api-key-file", 0, OPTION_TEXT, "FILE|-", HELP(API_KEY_FILE),
                          IN(TARGET, FOR_PROBE), AT(api_key_file)},
    [OPT_NO_KEY] = {"no-key", 0, OPTION_FLAG, HELP(NO_KEY), IN(TARGET, FOR_PROBE), AT(no_key)},
    [OPT_ENV_FILE] = {"env-file", 0, OPTION_TEXT, "FILE", HELP(ENV_FILE), IN(TARGET, FOR_PROBE),
                      AT(env_file)},
    [OPT_NO_ENV_FILE] = {"no-env-file", 0, OPTION_FLAG, HELP(NO_ENV_FILE), IN(TARGET, FOR_PROBE),
                         AT(no_env_file)},

    /* request */
    [OPT_PROMPT] = {"prompt", 'p', OPTION_TEXT, "TEXT|@FILE|-", HELP(PROMPT),
                    IN(REQUEST, FOR_PROBE), AT(prompt)},
    [OPT_PROMPT_TOKENS] = {"prompt-tokens,isl", 0, OPTION_INT, "N", 1, 1e6, HELP(PROMPT_TOKENS),
                           IN(REQUEST, FOR_PROBE), AT(prompt_tokens)},
    [OPT_SAME_PROMPT] = {"same-prompt", 0, OPTION_FLAG, HELP(SAME_PROMPT), IN(REQUEST, FOR_PROBE),
                         AT(same_prompt)},
    [OPT_MAX_TOKENS] = {"max-tokens,osl", 0, OPTION_INT, "N", 1, 1e6, "256", HELP(MAX_TOKENS),
                        IN(REQUEST, FOR_PROBE), AT(max_tokens)},
    [OPT_TEMPERATURE] = {"temperature", 0, OPTION_DOUBLE, "T", 0, 10, "0", HELP(TEMPERATURE),
                         IN(REQUEST, FOR_PROBE), AT(temperature)},
    [OPT_NO_STREAM] = {"no-stream", 0, OPTION_FLAG, HELP(NO_STREAM), IN(REQUEST, FOR_PROBE),
                       AT(no_stream)},
    [OPT_TERMINATOR] = {"terminator", 0, OPTION_WORD, "WORD", .fallback = "done",
                        .words = "done|finish|either", HELP(TERMINATOR),
                        IN(REQUEST, FOR_PROBE | FOR_READ), AT(terminator)},

    /* load */
    [OPT_RUNS] = {"runs,requests", 'n', OPTION_INT, "N", 1, 1e6, "10", HELP(RUNS),
                  IN(LOAD, FOR_PROBE), AT(runs)},
    [OPT_WARMUP] = {"warmup", 'w', OPTION_INT, "N", 0, 1e5, "1", HELP(WARMUP), IN(LOAD, FOR_PROBE),
                    AT(warmup)},
    [OPT_CONCURRENCY] = {"concurrency", 'c', OPTION_INT, "N", 1, 10000, "1", HELP(CONCURRENCY),
                         IN(LOAD, FOR_PROBE), AT(concurrency)},
    [OPT_FRESH] = {"fresh", 0, OPTION_SET, .value = CONNECT_FRESH, HELP(FRESH), IN(LOAD, FOR_PROBE),
                   AT(connections)},
    [OPT_REUSE] = {"reuse", 0, OPTION_SET, .value = CONNECT_REUSE, HELP(REUSE), IN(LOAD, FOR_PROBE),
                   AT(connections)},
    [OPT_QUICK] = {"quick", 0, OPTION_FLAG, HELP(QUICK), IN(LOAD, FOR_PROBE), AT(quick)},
    [OPT_YES] = {"yes", 'y', OPTION_FLAG, HELP(YES), IN(LOAD, FOR_PROBE), AT(yes)},
    [OPT_DRY_RUN] = {"dry-run", 0, OPTION_FLAG, HELP(DRY_RUN), IN(LOAD, FOR_PROBE), AT(dry_run)},

    /* network */
    [OPT_CONNECT_TIMEOUT] = {"connect-timeout", 0, OPTION_DURATION, "T", MS, DAY, "5s",
                             HELP(CONNECT_TIMEOUT), IN(NETWORK, FOR_PROBE), AT(connect_timeout)},
    [OPT_FIRST_TIMEOUT] = {"first-timeout", 0, OPTION_DURATION, "T", MS, DAY, "120s",
                           HELP(FIRST_TIMEOUT), IN(NETWORK, FOR_PROBE), AT(first_timeout)},
    [OPT_GAP_TIMEOUT] = {"gap-timeout", 0, OPTION_DURATION, "T", MS, DAY, "60s", HELP(GAP_TIMEOUT),
                         IN(NETWORK, FOR_PROBE), AT(gap_timeout)},
    [OPT_IDLE_TIMEOUT] = {"idle-timeout", 0, OPTION_DURATION, "T", MS, DAY, "off",
                          HELP(IDLE_TIMEOUT), IN(NETWORK, FOR_PROBE), AT(idle_timeout)},
    [OPT_TIMEOUT] = {"timeout", 0, OPTION_DURATION, "T", MS, DAY, "600s", HELP(TIMEOUT),
                     IN(NETWORK, FOR_PROBE), AT(timeout)},
    [OPT_INSECURE] = {"insecure", 'k', OPTION_FLAG, HELP(INSECURE), IN(NETWORK, FOR_PROBE),
                      AT(insecure)},
    [OPT_CACERT] = {"cacert", 0, OPTION_TEXT, "FILE", HELP(CACERT), IN(NETWORK, FOR_PROBE),
                    AT(cacert)},

    /* limits */
    [OPT_SLO] = {"slo,assert", 0, OPTION_TEXTS, "LIMIT", HELP(SLO), IN(LIMITS, FOR_PROBE),
                 AT(slos)},
    [OPT_UNDECIDED] = {"undecided", 0, OPTION_WORD, "WORD", .words = "fail|pass", HELP(UNDECIDED),
                       IN(LIMITS, FOR_PROBE), AT(undecided)},
    [OPT_MAX_FAIL] = {"max-fail", 0, OPTION_TEXT, "N%", HELP(MAX_FAIL), IN(LIMITS, FOR_PROBE),
                      AT(max_fail)},

    /* sim */
    [OPT_LISTEN] = {"listen", 0, OPTION_TEXT, "HOST:PORT", .fallback = "127.0.0.1:8089",
                    HELP(LISTEN), IN(ENDPOINT, FOR_SIM), AT(listen)},
    [OPT_SIM_MODEL] = {"model", 'm', OPTION_TEXT, "NAME", HELP(SIM_MODEL), IN(ENDPOINT, FOR_SIM),
                       AT(model)},
    [OPT_TTFT] = {"ttft", 0, OPTION_DURATION, "T", 0, DAY, "400ms", HELP(TTFT),
                  IN(ENDPOINT, FOR_SIM), AT(ttft)},
    [OPT_GAP] = {"gap", 0, OPTION_DURATION, "T", 0, DAY, "20ms", HELP(GAP), IN(ENDPOINT, FOR_SIM),
                 AT(gap)},
    [OPT_JITTER] = {"jitter", 0, OPTION_DOUBLE, "X", 0, 10, "0", HELP(JITTER),
                    IN(ENDPOINT, FOR_SIM), AT(jitter)},
    [OPT_TOKENS] = {"tokens", 0, OPTION_INT, "N", 0, 1e6, "128", HELP(TOKENS),
                    IN(ENDPOINT, FOR_SIM), AT(tokens)},
    [OPT_TOKENS_PER_CHUNK] = {"tokens-per-chunk", 0, OPTION_INT, "N", 1, 1e6, "1",
                              HELP(TOKENS_PER_CHUNK), IN(ENDPOINT, FOR_SIM), AT(tokens_per_chunk)},
    [OPT_SLOTS] = {"slots", 0, OPTION_INT, "N", 0, 1e6, "0", HELP(SLOTS), IN(ENDPOINT, FOR_SIM),
                   AT(slots)},
    [OPT_FAIL] = {"fail", 0, OPTION_TEXT, "KIND:SHARE,…", HELP(FAIL), IN(ENDPOINT, FOR_SIM),
                  AT(fail)},
    [OPT_STAMP] = {"stamp", 0, OPTION_FLAG, HELP(STAMP), IN(ENDPOINT, FOR_SIM), AT(stamp)},
    [OPT_SEED] = {"seed", 0, OPTION_INT, "N", 0, 9007199254740992.0, "1", HELP(SEED),
                  IN(ENDPOINT, FOR_SIM), AT(seed)},
    [OPT_TLS] = {"tls", 0, OPTION_FLAG, HELP(TLS), IN(ENDPOINT, FOR_SIM), AT(tls)},

    /* read */
    [OPT_FORMAT] = {"format", 0, OPTION_WORD, "WORD", .fallback = "auto",
                    .words = "auto|sse|ndjson|http", HELP(FORMAT), IN(STREAM, FOR_READ),
                    AT(format)},
    [OPT_STATUS] = {"status", 0, OPTION_INT, "N", 100, 599, HELP(STATUS), IN(STREAM, FOR_READ),
                    AT(status)},
    [OPT_CONTENT_TYPE] = {"content-type", 0, OPTION_TEXT, "TYPE", HELP(CONTENT_TYPE),
                          IN(STREAM, FOR_READ), AT(content_type)},

    /* output */
    [OPT_JSON] = {"json", 0, OPTION_OUTPUT, "FILE", HELP(JSON), IN(OUTPUT, FOR_PROBE), AT(json)},
    [OPT_JSONL] = {"jsonl", 0, OPTION_OUTPUT, "FILE", HELP(JSONL), IN(OUTPUT, FOR_PROBE),
                   AT(jsonl)},
    [OPT_CSV] = {"csv", 0, OPTION_OUTPUT, "FILE", HELP(CSV), IN(OUTPUT, FOR_PROBE), AT(csv)},
    [OPT_EVENTS] = {"events", 0, OPTION_FLAG, HELP(EVENTS), IN(OUTPUT, FOR_PROBE), AT(events)},
    [OPT_QUIET] = {"quiet", 'q', OPTION_FLAG, HELP(QUIET), IN(OUTPUT, FOR_PROBE | FOR_SIM),
                   AT(quiet)},
    [OPT_VERBOSE] = {"verbose", 'v', OPTION_FLAG, HELP(VERBOSE), IN(OUTPUT, FOR_PROBE | FOR_READ),
                     AT(verbose)},
    [OPT_PROGRESS] = {"progress", 0, OPTION_WORD, "WORD", .fallback = "auto",
                      .words = "auto|bar|lines|none", HELP(PROGRESS), IN(OUTPUT, FOR_PROBE),
                      AT(progress)},
    [OPT_COLOR] = {"color,colour", 0, OPTION_WORD, "WORD", .fallback = "auto",
                   .words = "auto|always|never", HELP(COLOR), IN(OUTPUT, FOR_PROBE), AT(color)},
    [OPT_NO_COLOR] = {"no-color,no-colour", 0, OPTION_SET, .value = COLOR_NEVER, HELP(NO_COLOR),
                      IN(OUTPUT, FOR_PROBE), AT(color)},
    [OPT_ASCII] = {"ascii", 0, OPTION_FLAG, HELP(ASCII), IN(OUTPUT, FOR_PROBE), AT(ascii)},
    [OPT_WIDTH] = {"width", 0, OPTION_INT, "N", 40, 1000, HELP(WIDTH), IN(OUTPUT, FOR_PROBE),
                   AT(width)},
};
