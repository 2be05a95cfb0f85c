# shellcheck shell=bash
# shellcheck disable=SC2034 # what it sets is for the tests
# What every whole-program test sources. A test is a bash script that calls the checks below and
# ends with `finish`, which prints "N passed, N failed" and sets the exit code:
#
#     . "$(dirname "$0")/lib.sh"
#     sim_start --ttft 50ms --tokens 20
#     run "$WEIR" probe "$SIM_URL" -n 3 --json
#     equal    "probe: exit code" 0 "$code"
#     contains "probe: names the metric" '"ttft_ms"' "$out"
#     finish
#
# WEIR is the program under test (default ./weir); `tmp` is a folder that goes away at the end.
# Everything started with sim_start or background is ended at the end, by its process id.
# Nothing of the caller's environment reaches weir's choice of URL or key.

set -u
export LC_ALL=C.UTF-8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WEIR=$(realpath -m "${WEIR:-$root/weir}")
test_name=$(basename "$0" .sh)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/weir-$test_name.XXXXXX")
passed=0 failed=0 skipped=0
started=()
unset WEIR_URL WEIR_API_KEY WEIR_MODEL WEIR_LANG OPENAI_BASE_URL OPENAI_API_BASE OPENAI_API_KEY \
    OPENAI_MODEL http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY \
    NO_COLOR FORCE_COLOR CLICOLOR_FORCE COLUMNS
cd "$tmp" || exit 1

lib_end() {
    for pid in "${started[@]}"; do
        kill "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    cd / && rm -rf "$tmp"
}
trap lib_end EXIT
trap 'exit 130' INT TERM

ok() { passed=$((passed + 1)); }
# fail NAME [LINE…]: counts a failure and says what was seen.
fail() {
    failed=$((failed + 1))
    printf 'FAIL %s: %s\n' "$test_name" "$1" >&2
    shift
    if [ $# -gt 0 ]; then printf '     %s\n' "$@" >&2; fi
}
# skip NAME REASON: counted and printed, never silent.
skip() {
    skipped=$((skipped + 1))
    printf 'SKIP %s: %s (%s)\n' "$test_name" "$1" "$2" >&2
}

# run COMMAND…: its exit code in `code`, its output in `out`, its messages in `err`.
run() {
    "$@" >"$tmp/.out" 2>"$tmp/.err" </dev/null
    code=$?
    out=$(tr -d '\0' <"$tmp/.out") err=$(tr -d '\0' <"$tmp/.err")
    return 0
}

# check NAME COMMAND…: the command succeeds.
check() {
    local name=$1
    shift
    if "$@" >"$tmp/.check" 2>&1 </dev/null; then
        ok
    else
        fail "$name" "exit code $? of: $*" "$(tail -5 "$tmp/.check")"
    fi
}
# refuse NAME COMMAND…: the command fails.
refuse() {
    local name=$1
    shift
    if "$@" >"$tmp/.check" 2>&1 </dev/null; then fail "$name" "succeeded: $*"; else ok; fi
}
equal() { # NAME EXPECTED ACTUAL
    if [ "$2" = "$3" ]; then ok; else fail "$1" "expected: $2" "actual:   $3"; fi
}
contains() { # NAME NEEDLE HAYSTACK
    case $3 in *"$2"*) ok ;; *) fail "$1" "lacks: $2" "in:    ${3:0:2000}" ;; esac
}
lacks() { # NAME NEEDLE HAYSTACK
    case $3 in *"$2"*) fail "$1" "has: $2" "in:  ${3:0:2000}" ;; *) ok ;; esac
}
matches() { # NAME REGEX TEXT
    if [[ $3 =~ $2 ]]; then ok; else fail "$1" "no match: $2" "in:       ${3:0:2000}"; fi
}
# holds NAME EXPRESSION: an awk condition over numbers: holds "ttft" "$ttft >= 50".
holds() {
    if awk "BEGIN { exit !($2) }" </dev/null 2>/dev/null; then ok; else fail "$1" "not so: $2"; fi
}

# wait_for SECONDS COMMAND…: until the command succeeds; false at the deadline.
wait_for() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || return 1
        sleep 0.02
    done
}

# background LOG COMMAND…: runs it with its output and messages in LOG; its id in `pid`.
background() {
    local log=$1
    shift
    "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    started+=("$pid")
}
# stop PID: ends it and waits; its exit code in `code`.
stop() {
    kill "$1" 2>/dev/null
    wait "$1" 2>/dev/null
    code=$?
}

# sim_start ARGS…: `weir sim` on a free port; sets SIM_URL, SIM_PID and SIM_LOG.
sim_start() {
    SIM_LOG=$tmp/sim.${#started[@]}.log
    background "$SIM_LOG" "$WEIR" sim --listen 127.0.0.1:0 "$@"
    SIM_PID=$pid
    if ! wait_for 20 grep -qE 'https?://[^ ]+:[0-9]+' "$SIM_LOG"; then
        fail "weir sim $* says where it listens" "$(cat "$SIM_LOG")"
        finish
    fi
    SIM_URL=$(grep -oE 'https?://[^ /]+:[0-9]+' "$SIM_LOG" | head -1)
}

finish() {
    if [ "$skipped" -gt 0 ]; then
        printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    else
        printf '%d passed, %d failed\n' "$passed" "$failed"
    fi
    [ "$failed" -eq 0 ]
    exit
}
