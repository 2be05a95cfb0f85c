#!/usr/bin/env bash
# Results: where they go, that what cannot be written is said, and that nothing measured is lost.
. "$(dirname "$0")/lib.sh"

sim_start --ttft 5ms --gap 1ms --tokens 30
probe() { "$WEIR" probe "$SIM_URL" -n 3 "$@"; }

run probe
equal "text: exit code" 0 "$code"
contains "text on stdout" "TTFT" "$out"
lacks "no colour in a pipe" $'\e' "$out$err"
lacks "no cursor movement in a pipe" $'\r' "$out$err"
contains "the plan on stderr" "3 runs" "$err"
run probe -q
equal "quiet: nothing on stderr" "" "$err"
contains "quiet: figures" "3 of 3 complete" "$out"
run probe --color always
contains "colour if asked for" $'\e[' "$out"
NO_COLOR=1 run probe
lacks "NO_COLOR" $'\e' "$out"
FORCE_COLOR=1 run probe
contains "FORCE_COLOR" $'\e[' "$out"
FORCE_COLOR=1 run probe --no-color
lacks "--no-color wins" $'\e' "$out"
LC_ALL=C run probe -v
equal "ASCII where the locale is not UTF-8" "" "$(printf '%s' "$out$err" | LC_ALL=C grep -P '[^\x00-\x7f]')"

# Data forms.
run probe --json
equal "json: exit code" 0 "$code"
contains "json" '"schema": 1' "$out"
lacks "json: no text beside it" "TTFT" "$out"
run probe --json=-
contains "json=-: to stdout" '"schema": 1' "$out"
equal "json=-: no file of that name" no "$([ -e ./- ] && echo yes || echo no)"
run probe --jsonl --events
kinds=$(printf '%s\n' "$out" | sed -n 's/^{[^{]*"kind": *"\([a-z]*\)".*/\1/p' | uniq -c | tr -s ' ' | tr '\n' ';')
equal "jsonl: a run, its requests, a summary" " 1 run; 4 request; 1 summary;" "$kinds"
run probe --csv
equal "csv: a head and four rows" 5 "$(printf '%s\n' "$out" | wc -l)"
run probe --json=a.json --jsonl=a.jsonl --csv=a.csv
contains "files: text on stdout" "TTFT" "$out"
contains "files: json" '"schema": 1' "$(cat a.json)"
equal "files: jsonl" 6 "$(wc -l <a.jsonl)"
printf 'old content that is longer than what follows, %0900d\n' 1 >a.csv
run probe --csv=a.csv
lacks "a file is replaced" "old content" "$(cat a.csv)"

# Nowhere to write.
run bash -c '"$1" probe "$2" -n 2 >/dev/full' - "$WEIR" "$SIM_URL"
equal "full disk: exit code" 74 "$code"
contains "full disk: message" "stdout could not be written: No space left" "$err"
contains "full disk: the figures are not lost" "TTFT" "$err"
run bash -c '"$1" probe "$2" -n 2 --json >/dev/full' - "$WEIR" "$SIM_URL"
equal "full disk, json: exit code" 74 "$code"
contains "full disk, json: the figures are not lost" "TTFT" "$err"
run probe --jsonl=/dev/full
equal "full file: exit code" 74 "$code"
contains "full file: its name" "/dev/full could not be written" "$err"
contains "full file: text goes on" "3 of 3 complete" "$out"
run bash -c '"$1" probe "$2" -n 2 >&-' - "$WEIR" "$SIM_URL"
equal "closed stdout: exit code" 74 "$code"
contains "closed stdout: the figures are not lost" "TTFT" "$err"
run bash -c '"$1" probe "$2" -n 2 --json | true; echo "${PIPESTATUS[0]}"' - "$WEIR" "$SIM_URL"
equal "closed pipe: exit code" 74 "$out"
run probe --json=no/such/folder/f
equal "no such folder: exit code" 74 "$code"
contains "no such folder: before anything is sent" "Nothing was sent" "$err"
for page in help version "help probe" "read $tmp/a.jsonl"; do
    run bash -c '"$1" $2 >/dev/full' - "$WEIR" "$page"
    equal "weir $page to a full disk: exit code" 74 "$code"
done
# A file at its limit.
run bash -c '(ulimit -f 1; "$1" probe "$2" -n 2 --jsonl=limited.jsonl --events) 2>&1 | cat; exit "${PIPESTATUS[0]}"' - "$WEIR" "$SIM_URL"
equal "file size limit: exit code" 74 "$code"
contains "file size limit: its name" "limited.jsonl could not be written: File too large" "$out"
contains "file size limit: figures" "TTFT" "$out"
run bash -c '"$1" sim --listen 127.0.0.1:0 >/dev/full' - "$WEIR"
equal "weir sim to a full disk: exit code" 74 "$code"

# Progress that is no animation.
run probe --progress lines
equal "lines: one a request" 4 "$(printf '%s\n' "$err" | grep -cE '(run|warm-up) [0-9]+  complete')"
run probe --progress none
lacks "none" "done" "$err"

# --dry-run sends nothing.
: >"$tmp/before" && run "$WEIR" probe http://127.0.0.1:1 --dry-run -m m1 -n 1000000
equal "dry run of anything: exit code" 0 "$code"
contains "dry run: plan" "1,000,000 runs" "$out"

finish
