#!/usr/bin/env bash
# weir read: the reading of a stored stream as one JSON object, however it is handed over.
. "$(dirname "$0")/lib.sh"

field() { jq -c ".$1" <<<"$out"; }
printf 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\r\n\r\n: ping\r\n\r\ndata: {"choices":[{"index":0,"delta":{"content":"h\\u00e9 \\u0000"}}]}\r\n\r\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}\r\n\r\n' >open.sse
{ cat open.sse && printf 'data: [DONE]\n\n'; } >whole.sse
printf '{"message":{"content":"hi"},"done":false}\n{"message":{"content":""},"done":true,"done_reason":"stop"}\n' >ollama.ndjson
printf '{"error":{"message":"slow down","code":"rate_limited"}}' >e.body

run "$WEIR" read whole.sse
equal "exit code" 0 "$code"
equal "fields" '["after_done","answer_chunks","audio_chunks","comments","dialect","done","error_kind","error_message","events","finish_reason","first_answer_event","first_output_event","first_reasoning_event","malformed_events","reasoning_chunks","reasoning_text","refusal_chunks","tail","text","tool_chunks","usage","verdict"]' "$(jq -c keys <<<"$out")"
equal "verdict" '"complete"' "$(field verdict)"
equal "text with NUL" '"hé \u0000"' "$(field text)"
equal "comments" 1 "$(field comments)"
equal "first answer" 1 "$(field first_answer_event)"
equal "unknown is null" null "$(field first_reasoning_event)"
equal "usage" '{"prompt_tokens":3,"completion_tokens":2,"reasoning_tokens":null,"cached_tokens":null}' "$(field usage)"
whole=$out
run bash -c 'while IFS= read -r -n1 -d "" c; do printf "%s" "$c"; done <whole.sse | "$1" read -' - "$WEIR"
equal "stdin, byte by byte" "$whole" "$out"
run "$WEIR" read open.sse
equal "no terminator" '"incomplete"' "$(field verdict)"
run "$WEIR" read open.sse --terminator either
equal "no terminator, either" '"complete"' "$(field verdict)"
run "$WEIR" read ollama.ndjson
equal "ndjson by its name" '"ollama"' "$(field dialect)"
run "$WEIR" read --format ndjson - <ollama.ndjson
equal "ndjson of nothing" '"empty"' "$(field verdict)"
run "$WEIR" read --format http --status 429 --content-type application/json e.body
equal "http error: verdict" '"error"' "$(field verdict)"
equal "http error: kind" '"rate_limited"' "$(field error_kind)"
equal "http error: status" 429 "$(field http_status)"
run "$WEIR" read -v whole.sse
equal "-v leaves stdout as it is" "$whole" "$out"
equal "-v: a line an event" 4 "$(wc -l <<<"$err")"
contains "-v: kinds" "answer" "$err"
head -c 100000 /dev/urandom >noise
run "$WEIR" read noise
equal "noise: exit code" 0 "$code"
check "noise: still an object" jq -e .verdict "$tmp/.out"
head -c 40000000 /dev/zero | tr '\0' x >endless
run "$WEIR" read endless
equal "a line without end: exit code" 0 "$code"
run "$WEIR" read .
equal "a folder: exit code" 2 "$code"
contains "a folder: message" "cannot be read" "$err"

finish
