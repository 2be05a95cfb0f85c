#!/usr/bin/env bash
# A key goes where it may and shows nowhere else: not in text, data, files, errors, nor in `ps`.
# shellcheck disable=SC2016,SC2086 # messages name variables; arguments are words
. "$(dirname "$0")/lib.sh"

secret=tangerine-dream-42
log=$tmp/requests
: >"$log"
echoed='{"error":{"message":"bad key tangerine-dream-42 in Bearer tangerine-dream-42, url https://me:pw@h?key=abc"}}'
printf 'HTTP/1.1 400 Bad\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' ${#echoed} "$echoed" >echo400
stream='data: {"choices":[{"index":0,"delta":{"content":"tangerine-dream-42"}}]}'
printf '%s\n\ndata: {"error":{"message":"tangerine-dream-42"}}\n\n' "$stream" >echo200
background "$tmp/canned" "$root/tests/whole/canned.pl" "$log" POST /bad/chat/completions echo400 \
    POST /ok/chat/completions echo200
wait_for 20 grep -q http "$tmp/canned"
URL=$(cat "$tmp/canned")

export OPENAI_API_KEY=$secret
for path in bad ok; do
    for form in "" --json --jsonl --csv "--jsonl --events" -v -q "--json=f.json --jsonl=f.jsonl --csv=f.csv"; do
        run "$WEIR" probe "$URL/$path" -m m1 -n 2 $form
        lacks "$path $form" tangerine "$out$err"
        lacks "$path $form: user and password" "me:pw" "$out$err"
    done
    lacks "$path: files" tangerine "$(cat f.json f.jsonl f.csv)"
done
contains "the key was sent" "Authorization: Bearer $secret" "$(cat "$log")"
contains "the source is shown" 'key from $OPENAI_API_KEY' "$err$out"
run "$WEIR" probe "$URL/bad" -m m1 --dry-run
contains "curl line has the variable" '-H "Authorization: Bearer $OPENAI_API_KEY"' "$out"
lacks "curl line has no key" tangerine "$out$err"
unset OPENAI_API_KEY

# A key that is longer than a line, and one that is a figure too.
long=$(printf 'longtangerine%.0s' 1 2 3 4 5 6 7 8 9)
printf '{"error":{"message":"no %s, nor %s\\n%s"}}' "$long" "${long:0:30}" "${long:30}" >body
{ printf 'HTTP/1.1 401 No\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n' "$(wc -c <body)"; cat body; } >echo401
background "$tmp/canned2" "$root/tests/whole/canned.pl" "$log" POST /v1/chat/completions echo401
wait_for 20 grep -q http "$tmp/canned2"
for form in "" --json --csv "-v --width 40"; do
    OPENAI_API_KEY=$long run "$WEIR" probe "$(cat "$tmp/canned2")" -m m1 -n 1 -w 0 $form
    equal "a long key $form: exit code" 4 "$code"
    lacks "a long key $form" tangerine "${out//[!a-z]/}${err//[!a-z]/}"
done
OPENAI_API_KEY=1000 run "$WEIR" probe "$(cat "$tmp/canned2")" -m m1 -n 1 -w 0 --max-tokens 1000 --json
contains "a key that is a figure: the figure" '"max_tokens": 1000,' "$out"

# The dry run's curl line does what it says.
sim_start --ttft 1ms --gap 0 --tokens 3
run "$WEIR" probe "$SIM_URL" -m m1 --dry-run -p "it's \$HOME" --connect-timeout 1500s
if command -v curl >/dev/null; then
    printf '%s\n' "$out" | sed -n '/^curl/,$p' >curl.sh
    run bash curl.sh
    contains "the curl line works" "[DONE]" "$out"
    contains "the curl line's numbers are curl's" "--connect-timeout 1500 " "$(cat curl.sh)"
fi

# In argv it is overwritten at once.
sim_start --ttft 30s
for args in "--api-key $secret" "--api-key=$secret" "-H Authorization:$secret"; do
    slow=$(mktemp "$tmp/slow.XXXXXX")
    background "$slow" "$WEIR" probe "$SIM_URL" -n 1 $args
    wait_for 20 grep -q weir-sim "$slow"
    lacks "$args: not in argv" tangerine "$(tr '\0' ' ' <"/proc/$pid/cmdline")"
    stop "$pid"
    lacks "$args: not in the output" tangerine "$(cat "$slow")"
done
contains "advice" "export OPENAI_API_KEY" "$("$WEIR" probe "$SIM_URL" -n 1 --api-key "$secret" --timeout 10ms 2>&1)"

# Where it must not go.
refused() { # NAME ID ARGS…
    local name=$1 id=$2
    shift 2
    run "$WEIR" probe --json "$@"
    equal "$name: exit code" 2 "$code"
    contains "$name" "\"id\": \"$id\"" "$out"
    lacks "$name: not shown" tangerine "$out$err"
}
export OPENAI_API_KEY=$secret
refused "plain http to a public host" key_in_clear http://api.example.com
refused "the same as a header" key_in_clear http://api.example.com -H "Authorization: Bearer $secret"
printf 'OPENAI_BASE_URL=https://api.example.com\n' >.env
refused "a URL of .env gets no key of the shell" no_key
refused "nor a named one" key_of_shell --api-key-env OPENAI_API_KEY
printf 'OPENAI_BASE_URL=%s/x${OPENAI_API_KEY}\n' "$URL" >.env
: >"$log"
run "$WEIR" probe -m m1
lacks "nor by way of its URL" tangerine "$(cat "$log")"
contains "but it was asked" "POST /x/chat/completions" "$(cat "$log")"
printf 'OPENAI_BASE_URL=%s/bad\nOPENAI_API_KEY=mandarin-dream-43\n' "$URL" >.env
: >"$log"
run "$WEIR" probe -m m1
contains "a key of the same file is sent" "Authorization: Bearer mandarin-dream-43" "$(cat "$log")"
contains "and its source is shown" "key from .env: OPENAI_API_KEY" "$err"
rm .env
OPENAI_API_KEY=$secret$'\n'x refused "a key with a line break" bad_key "$URL"
OPENAI_API_KEY=$secret$'\x01' refused "a key with a control byte" bad_key "$URL"
unset OPENAI_API_KEY
printf '%s\n' "$secret" >key.txt
: >"$log"
run "$WEIR" probe "$URL/bad" -m m1 --api-key-file key.txt
contains "a key from a file" "Authorization: Bearer $secret"$'\r' "$(cat "$log")"
lacks "a key from a file: hidden" tangerine "$out$err"

finish
