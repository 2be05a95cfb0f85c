#!/usr/bin/env bash
# The simulated endpoint as a foreign client sees it: curl, over http and https.
. "$(dirname "$0")/lib.sh"

if ! command -v curl >/dev/null; then
    skip "sim with curl" "curl is not installed"
    finish
fi
chat='{"model":"any","messages":[{"role":"user","content":"hello"}]'
ask() { # BODY CURL-ARGS…
    local body=$1
    shift
    run curl -sS -N --max-time 20 -H 'Content-Type: application/json' -d "$body" "$@"
}

sim_start --ttft 20ms --gap 1ms --tokens 5 --seed 3
url=$SIM_URL/v1/chat/completions
ask "$chat,\"stream\":true,\"stream_options\":{\"include_usage\":true}}" "$url"
equal "stream: curl is content" 0 "$code"
equal "stream: events" 9 "$(grep -c '^data: ' <<<"$out")"
equal "stream: ends with [DONE]" "data: [DONE]" "$(grep '^data: ' <<<"$out" | tail -1)"
contains "stream: a role chunk without content" '"delta":{"role":"assistant","content":""' "$out"
contains "stream: a finish reason" '"finish_reason":"stop"' "$out"
contains "stream: usage without choices" '"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":5,"total_tokens":7' "$out"
text=$(grep -o '"content":"[^"]*"' <<<"$out" | cut -d'"' -f4 | tr -d '\n')
matches "stream: words" "^[A-Z][a-z]+ [a-z]" "$text"

ask "$chat,\"stream\":true,\"max_tokens\":2}" "$url"
contains "max_tokens: says so" '"finish_reason":"length"' "$out"
lacks "no usage unless asked for" '"usage"' "$out"

ask "$chat}" "$url" -w '\n%{http_code} %{content_type} %{time_starttransfer}'
contains "plain: one answer" '"object":"chat.completion"' "$out"
contains "plain: status and type" $'\n200 application/json ' "$out"
holds "plain: takes as long as the stream" "$(awk 'END { print $3 }' <<<"$out") >= 0.024"

ask '{' "$url" -w '%{http_code}'
contains "not JSON: 400" '"type":"invalid_request_error"' "$out"
matches "not JSON: 400" '400$' "$out"
run curl -sS -i --max-time 20 "$url"
contains "GET: 405" 'HTTP/1.1 405 ' "$out"
contains "GET: says what is allowed" 'Allow: POST' "$out"
run curl -sS --max-time 20 "$SIM_URL/v1/models"
equal "models" '{"object":"list","data":[{"id":"weir-sim","object":"model","created":1767225600,"owned_by":"weir"}]}' "$out"
run curl -sS --max-time 20 -o /dev/null -w '%{http_code}' "$SIM_URL/elsewhere"
equal "elsewhere: 404" 404 "$out"
stop "$SIM_PID"

sim_start --ttft 20ms --gap 1ms --tokens 5 --seed 3
ask "$chat,\"stream\":true}" "$SIM_URL/v1/chat/completions"
equal "same seed, same text" "$text" "$(grep -o '"content":"[^"]*"' <<<"$out" | cut -d'"' -f4 | tr -d '\n')"
stop "$SIM_PID"

sim_start --ttft 1ms --gap 1ms --tokens 5 --fail drop:1 --stamp
ask "$chat,\"stream\":true}" "$SIM_URL/v1/chat/completions"
equal "drop: curl sees the cut" 18 "$code"
lacks "drop: no [DONE]" '[DONE]' "$out"
matches "stamp: in each chunk" '"sent_ns": +[0-9]+,' "$out"
stop "$SIM_PID"

sim_start --fail 429:1
ask "$chat}" "$SIM_URL/v1/chat/completions" -i
contains "429: status" 'HTTP/1.1 429 Too Many Requests' "$out"
contains "429: when to come again" 'Retry-After: 1' "$out"
contains "429: the API's error" '"code":"rate_limit_exceeded"' "$out"
stop "$SIM_PID"

sim_start --tls --ttft 1ms --gap 1ms --tokens 5
cert=$(grep -o '/[^ ]*\.pem' "$SIM_LOG" | head -1)
ask "$chat,\"stream\":true}" "$SIM_URL/v1/chat/completions" --cacert "$cert"
equal "tls: trusted with --cacert" 0 "$code"
contains "tls: whole" '[DONE]' "$out"
ask "$chat}" "$SIM_URL/v1/chat/completions"
equal "tls: not trusted without" 60 "$code"
stop "$SIM_PID"
refuse "tls: its certificate is gone with it" test -e "$cert"

run "$WEIR" sim --listen 127.0.0.1:0 --fail drop:2
equal "bad --fail: exit code" 2 "$code"
finish
