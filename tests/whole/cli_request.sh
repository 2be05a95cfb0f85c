#!/usr/bin/env bash
# What probe sends, by option: held against the log of a server that writes down every byte.
. "$(dirname "$0")/lib.sh"

log=$tmp/requests
printf 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n' >good
background "$tmp/canned" "$root/tests/whole/canned.pl" "$log" POST /v1/chat/completions good POST /odd good
wait_for 20 grep -q http "$tmp/canned"
URL=$(cat "$tmp/canned")
bodies() { grep '^{' "$log"; }
send() { # ARGS…: one run, without warm-up
    : >"$log"
    run "$WEIR" probe "$URL" -m m1 -n 1 -w 0 "$@"
    equal "probe $*: exit code" 0 "$code"
}

send
equal "defaults" '["m1",true,256,0,true]' \
    "$(bodies | jq -c '[.model, .stream, .max_tokens, .temperature, .stream_options.include_usage]')"
send -p 'say "hi"' --same-prompt --max-tokens 7 --temperature 0.5
equal "prompt" '["say \"hi\"",7,0.5]' "$(bodies | jq -c '[.messages[0].content, .max_tokens, .temperature]')"
printf 'from a file é\n' >prompt.txt
send -p @prompt.txt --same-prompt
equal "prompt from a file" '"from a file é\n"' "$(bodies | jq -c '.messages[0].content')"
: >"$log"
run bash -c 'printf "from stdin" | "$1" probe "$2" -m m1 -n 1 -w 0 -p - --same-prompt' - "$WEIR" "$URL"
equal "prompt from stdin" '"from stdin"' "$(bodies | jq -c '.messages[0].content')"
send --prompt-tokens 400
holds "made-up prompt of about 400 tokens" \
    "$(bodies | jq '.messages[0].content | length') > 1000 && $(bodies | jq '.messages[0].content | length') < 3000"
send -H 'X-Team: red' -H 'X-Empty:'
contains "headers" $'X-Team: red\r' "$(cat "$log")"
contains "empty header" "X-Empty:" "$(cat "$log")"
send -H 'Authorization: Bearer mine'
equal "the key of a header goes once" 1 "$(grep -ci '^authorization' "$log")"
: >"$log"
run "$WEIR" probe "$URL" -m m1 -n 3 -w 2 -p x
equal "runs and warm-ups" 5 "$(bodies | wc -l)"
equal "prompts differ from their beginning" 5 "$(bodies | jq -r '.messages[0].content[0:8]' | sort -u | wc -l)"
: >"$log"
run "$WEIR" probe "$URL" -m m1 -n 3 -w 0 -p x --same-prompt
equal "the same prompt" 1 "$(bodies | jq -r '.messages[0].content' | sort -u | wc -l)"

# Where the URL, the model and the key come from.
: >"$log"
WEIR_URL=$URL/odd# WEIR_MODEL=m2 run "$WEIR" probe -n 1 -w 0
equal "from the environment" '"m2"' "$(bodies | jq -c .model)"
contains "an exact URL" "POST /odd HTTP" "$(cat "$log")"
printf 'export OPENAI_BASE_URL="%s/v1" # here\nWEIR_MODEL=m3\n' "$URL" >.env
: >"$log"
run "$WEIR" probe -n 1 -w 0
equal "from .env" '"m3"' "$(bodies | jq -c .model)"
run "$WEIR" probe -n 1 --no-env-file
equal "--no-env-file: exit code" 2 "$code"
rm .env

# A killed run leaves what it measured.
sim_start --ttft 5ms --gap 0 --tokens 3
background "$tmp/killed" "$WEIR" probe "$SIM_URL" -n 100000 -y --jsonl=run.jsonl
wait_for 20 grep -q '"number":5,' run.jsonl
kill -KILL "$pid"
wait "$pid" 2>/dev/null
check "every line of a killed run is whole" bash -c 'jq -e .kind run.jsonl'
holds "a killed run keeps its requests" "$(wc -l <run.jsonl) >= 6"

finish
