#!/usr/bin/env bash
# make fuzz [FUZZ_SECONDS=60] [FUZZ="sse json"]: for each fuzz/fuzz_X.c first the seeds of
# fuzz/corpus/X again, then new input for so long. Finds stay in build/fuzz/found, crashes in
# build/fuzz/crash.
. "$(dirname "$0")/common.sh"
tools/deps.sh build dev || exit 1
B=build/fuzz CC=clang
export SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' OPT='-O1 -g'
export UBSAN_OPTIONS=print_stacktrace=1 STEP_LINES=40
: "${FUZZ_SECONDS:=60}"
: "${FUZZ:=$(for f in fuzz/fuzz_*.c; do f=${f#fuzz/fuzz_} && echo "${f%.c}"; done)}"

# shellcheck disable=SC2046,SC2086 # one word a fuzzer
build $(printf "$B/fuzz_%s " $FUZZ)
mkdir -p "$B/crash"

# One process a core, each fuzzer in one: its figures come back as a line of a file.
one() {
    local name=$1 limits="-timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=0 -verbosity=0"
    mkdir -p "$B/found/$name"
    # shellcheck disable=SC2086
    step "fuzz/$name seeds" "$B/fuzz_$name" $limits -runs=0 "fuzz/corpus/$name"
    # shellcheck disable=SC2086
    step "fuzz/$name $FUZZ_SECONDS s" "$B/fuzz_$name" $limits -max_total_time="$FUZZ_SECONDS" \
        -artifact_prefix="$B/crash/$name-" "$B/found/$name" "fuzz/corpus/$name"
    echo "$passed $failed" >"$B/$name.figures"
}
running=0
for name in $FUZZ; do
    if [ "$running" -ge "$jobs" ]; then wait -n && :; fi
    one "$name" &
    running=$((running + 1))
done
wait
for name in $FUZZ; do
    read -r good bad <"$B/$name.figures"
    passed=$((passed + good)) failed=$((failed + bad))
done
total
