#!/usr/bin/env bash
# What is wrong with a command line is said in four parts, exit code 2, before anything is sent.
. "$(dirname "$0")/lib.sh"

log=$tmp/requests
: >"$log"
background "$tmp/canned" "$root/tests/whole/canned.pl" "$log"
wait_for 20 grep -q http "$tmp/canned"
URL=$(cat "$tmp/canned")

# usage NAME ID-OR-WORDS ARGS…: exit 2, nothing on stdout, the words on stderr.
usage() {
    local name=$1 words=$2
    shift 2
    run "$WEIR" "$@"
    equal "$name: exit code" 2 "$code"
    equal "$name: stdout" "" "$out"
    contains "$name: message" "$words" "$err"
    lacks "$name: no shouting" "ERROR" "$err"
}

usage "no command" "weir --help"
usage "unknown command" "Fix  weir probe" prob
usage "a URL for a command" "Fix  weir probe https://example.com" https://example.com
usage "a host for a command" "Fix  weir probe api.example.com" api.example.com
usage "unknown option" "Fix  --runs" probe "$URL" --runz 3
usage "no abbreviations" "Fix  --temperature" probe "$URL" --temperatur 0
usage "unknown letter" "-Z is not an option" probe "$URL" -Z
usage "option of another command" "belongs to another command" probe "$URL" --slots 4
usage "bad number" "whole number from 1 to 1,000,000" probe "$URL" -n many
usage "out of range" "whole number from 1 to 1,000,000" probe "$URL" -n 0
usage "fraction" "whole number" probe "$URL" -n 1.5
usage "negative" "from 0 to 10" probe "$URL" --temperature -1
usage "not a number" "from 0 to 10" probe "$URL" --temperature nan
usage "bad time" "It takes a time" probe "$URL" --timeout 5x
usage "time out of range" "It takes a time" probe "$URL" --timeout 0
usage "off where it makes no sense" "It takes a time" sim --ttft off
usage "unknown word" "one of: done, finish, either" probe "$URL" --terminator maybe
usage "value missing" "-n needs a value" probe "$URL" -n
usage "value where none is taken" "takes no value" probe "$URL" --quick=yes
usage "empty file name" "needs the name of a file" probe "$URL" --json=
usage "one argument too many" "one argument too many" probe "$URL" "$URL"
usage "two URLs" "Two URLs" probe "$URL" -u http://127.0.0.1:2
usage "both prompts" "exclude each other" probe "$URL" -p x --prompt-tokens 100
usage "fresh and reuse" "exclude each other" probe "$URL" --fresh --reuse
usage "quick is for streams" "exclude each other" probe "$URL" --quick --no-stream
usage "impossible plan" "-n 32" probe "$URL" -c 8 -n 4
ulimited() { # N ARGS…: a probe that may open N files
    run bash -c 'ulimit -n "$1"; exec "$2" probe "${@:3}"' - "$1" "$WEIR" "${@:2}"
}
ulimited 64 "$URL" -m m1 -c 100
equal "too few files: exit code" 2 "$code"
contains "too few files" "100 at once may need 116 open files. The system allows 64." "$err"
contains "too few files: remedy" "ulimit -n 116" "$err"
ulimited 64 http://localhost -m m1 -c 20
contains "too few files, with names to look up" "ulimit -n 76" "$err"
equal "too few files: nothing was sent" "" "$(cat "$log")"
usage "a file without a name" '"" cannot be read' probe "$URL" -p @
usage "a stream without a name" '"" cannot be read' read ""
usage "no such port" "a port is 1 to 65535" probe http://127.0.0.1:99999
usage "no such scheme" "Only http and https" probe ftp://h/v1
usage "two to one file" "same file" probe "$URL" --json=x --csv=x
usage "two names of one file" "same file" probe "$URL" --json=x --csv=./x
usage "stdin twice" "both read stdin" probe "$URL" -p - --api-key-file -
usage "empty prompt" "empty" probe "$URL" -p ""
usage "prompt file missing" "cannot be read" probe "$URL" -p @none.txt
usage "bad header" "is not a header" probe "$URL" -H nonsense
usage "header injection" "is not a header" probe "$URL" -H $'X: a\r\nY: b'
usage "header of our own" "is not a header" probe "$URL" -H 'Content-Length: 5'
usage "too large without a terminal" "-y" probe "$URL" -n 501
usage "too many tokens without a terminal" "-y" probe "$URL" -n 100 --max-tokens 10000
usage "no URL" "weir probe http://127.0.0.1:8089" probe
usage "bad URL" "Only http and https" probe ftp://example.com
usage "password in the URL" "header" probe https://me:tangerine@example.com
lacks "password in the URL: hidden" tangerine "$err"
usage "public without key" "no-key" probe https://api.example.com
usage "unknown topic" "Fix  weir help exit-codes" help exit-cods
usage "no such fault" "drop" sim --fail explode:1
usage "read what is not there" "cannot be read" read none.sse
usage "read nothing" "weir read FILE" read

# Both data forms to stdout: refused, and said as data too.
run "$WEIR" probe "$URL" --json --csv
equal "two on stdout: exit code" 2 "$code"
contains "two on stdout: message" "cannot both go to stdout" "$err"
contains "two on stdout: as data" '"id": "conflict"' "$out"
run "$WEIR" probe "$URL" --json --runz
contains "an error is an object with --json" '"id": "unknown_option"' "$out"
contains "an error is text, too" "--runs" "$err"

# NUL bytes, folders, escapes.
printf 'a\0b' >nul.txt
usage "NUL in the prompt" "NUL" probe "$URL" -p @nul.txt
printf '\377\376' >latin.txt
usage "prompt not UTF-8" "UTF-8" probe "$URL" -p @latin.txt
usage "a folder as prompt" "cannot be read" probe "$URL" -p @.
usage "NUL in the env file" "NUL" probe "$URL" --env-file nul.txt
usage "env file missing" "cannot be read" probe "$URL" --env-file none.env
run "$WEIR" probe "$URL" --$'\e[2J'
lacks "no escape reaches the terminal" $'\e' "$err"

# .env of the folder
printf 'OPENAI_BASE_URL=%s\0\n' "$URL" >.env
usage "NUL in .env" "--no-env-file" probe
rm .env && mkdir .env
usage "a folder named .env is none" "No URL" probe
rmdir .env

equal "nothing was sent" "" "$(cat "$log")"

# Help and version go to stdout and are right in their own right.
for page in --help -h help; do
    run "$WEIR" $page
    equal "weir $page: exit code" 0 "$code"
    contains "weir $page" "weir probe http://127.0.0.1:8089" "$out"
done
for page in probe sim read help version urls keys exit-codes; do
    run "$WEIR" help $page
    equal "weir help $page: exit code" 0 "$code"
    equal "weir help $page: stderr" "" "$err"
    equal "weir help $page: fits 80 columns" "" "$(printf '%s\n' "$out" | LC_ALL=C.UTF-8 grep -E '^.{81}')"
done
equal "man/weir.1 is up to date (weir help man >man/weir.1)" "" "$("$WEIR" help man | diff - "$root/man/weir.1")"
run "$WEIR" probe --runs 3 --help
contains "weir probe --help" "--prompt-tokens" "$out"
run "$WEIR" version
matches "weir version" '^weir [0-9]+\.[0-9]+\.[0-9]+$' "$out"

finish
