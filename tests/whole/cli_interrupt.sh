#!/usr/bin/env bash
# Ctrl-C: what was measured is printed; SIGTERM and hang-up the same; the second leaves at once.
. "$(dirname "$0")/lib.sh"

# Job control gives children the default SIGINT, as a terminal would.
set -m
sim_start --ttft 20ms --gap 2ms --tokens 20
start() { # ARGS…: a long probe, underway when this returns
    rm -f run.jsonl
    "$WEIR" probe "$SIM_URL" -n 100000 -y --jsonl=run.jsonl "$@" >out 2>err </dev/null &
    pid=$!
    started+=("$pid")
    wait_for 20 grep -q '"number": *3' run.jsonl || fail "three requests" "$(cat err)"
}
await() {
    wait "$pid"
    code=$?
}
for signal in INT TERM HUP; do
    start
    kill -$signal "$pid"
    await
    equal "$signal: exit code" $((128 + $(kill -l $signal))) "$code"
    matches "$signal: says so" "interrupted, [0-9]+ of 100,?000" "$(cat out)"
    contains "$signal: figures" "TTFT" "$(cat out)"
    contains "$signal: a summary line" '"kind": *"summary"' "$(tail -1 run.jsonl | sed 's/"kind": *"summary"/"kind": *"summary"/')"
done

# One request that takes for ever: nothing complete, still an orderly end.
sim_start --ttft 60s
"$WEIR" probe "$SIM_URL" -n 2 -w 0 --jsonl=slow.jsonl >out 2>err </dev/null &
pid=$!
started+=("$pid")
wait_for 20 grep -q '"run"' slow.jsonl
kill -INT "$pid"
await
equal "nothing complete: exit code" 130 "$code"
contains "nothing complete: said" "Interrupted" "$(cat err)"
contains "the aborted request has its record" '"aborted"' "$(cat slow.jsonl)"

# The sim ends when told, with its last line.
kill -INT "$SIM_PID"
pid=$SIM_PID
await
equal "sim: exit code" 0 "$code"
contains "sim: last line" "requests" "$(tail -1 "$SIM_LOG")"

finish
