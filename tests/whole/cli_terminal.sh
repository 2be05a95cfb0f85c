#!/usr/bin/env bash
# On a terminal: progress on one line that goes away, one heading, a question before large plans.
. "$(dirname "$0")/lib.sh"

# on_tty COMMAND: run in a pseudo-terminal of 80 columns; what it showed in `out`, exit code in `code`.
on_tty() {
    TERM=xterm script -qec "stty cols 80 rows 24; $1" /dev/null >"$tmp/.tty" 2>&1 </dev/null
    code=$?
    out=$(tr -d '\0' <"$tmp/.tty")
}
sim_start --ttft 20ms --gap 2ms --tokens 60

on_tty "'$WEIR' probe $SIM_URL -n 5"
equal "exit code" 0 "$code"
matches "progress: redrawn" $'\r[0-5]/5  ' "$out"
contains "progress: a bar" "█" "$out"
contains "progress: erased" $'\r\e[K' "${out##*/5  }"
contains "figures" "TTFT" "${out##*$'\e[K'}"
matches "colour" $'\e\\[[0-9;]+m' "$out"

on_tty "'$WEIR' probe $SIM_URL -n 3 -m weir-sim"
equal "one heading" 1 "$(grep -c 'weir-sim at http' <<<"$out")"
on_tty "NO_COLOR=1 '$WEIR' probe $SIM_URL -n 3"
lacks "NO_COLOR" $'\e[3' "$out"
on_tty "TERM=dumb '$WEIR' probe $SIM_URL -n 3 --progress none"
lacks "a dumb terminal" $'\e' "$out"
on_tty "'$WEIR' probe $SIM_URL -n 3 -q"
lacks "quiet: no progress" $'\e[K' "$out"

# 600 requests of one token: asked about.
on_tty "echo n | '$WEIR' probe $SIM_URL -n 600 --max-tokens 1"
equal "nobody to ask: exit code" 2 "$code"
contains "nobody to ask" "601 requests" "$out"
# ask ANSWER: waits for the question, then types.
ask() {
    rm -f answer seen && mkfifo answer
    TERM=xterm script -qec "'$WEIR' probe $SIM_URL -n 600 -w 0 -c 300 --max-tokens 1" /dev/null \
        <answer >seen 2>&1 &
    pid=$!
    started+=("$pid")
    exec 9>answer
    wait_for 20 grep -q 'Go on' seen || fail "asked" "$(cat seen)"
    printf '%s\r' "$1" >&9
    wait "$pid"
    code=$?
    exec 9>&-
    out=$(tr -d '\0' <seen)
}
ask n
equal "declined: exit code" 2 "$code"
contains "declined: said" "Nothing was sent" "$out"
ask y
equal "agreed: exit code" 0 "$code"
contains "agreed: done" "600 of 600 complete" "$out"

finish
