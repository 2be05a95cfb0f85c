#!/usr/bin/env bash
# Endpoints that do not answer as they should: exit code, and four parts that say what to do.
# shellcheck disable=SC2016,SC2094 # messages name variables; nothing is read while it is written
. "$(dirname "$0")/lib.sh"

log=$tmp/requests
http() { # STATUS TYPE BODY: a whole answer
    printf 'HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s' "$1" "$2" "${#3}" "$3"
}
canned() { # RULES…: starts a canned server, its URL in URL
    : >"$log"
    local out=$tmp/canned.${#started[@]}
    background "$out" "$root/tests/whole/canned.pl" "$log" "$@"
    wait_for 20 grep -q http "$out"
    URL=$(cat "$out")
}
sent() { grep -c "^$1 " "$log"; }
parts() { # NAME CODE NEEDLE…: the exit code, nothing on stdout, each needle on stderr
    local name=$1 expected=$2
    shift 2
    equal "$name: exit code" "$expected" "$code"
    equal "$name: stdout" "" "$out"
    for needle in "$@"; do contains "$name" "$needle" "$err"; done
}
chat=/v1/chat/completions
models='{"object":"list","data":[{"id":"m1","object":"model"}]}'
http '200 OK' application/json "$models" >models
http '200 OK' text/html '<!doctype html><title>Welcome</title>' >page
http '200 OK' application/json '{"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]}' >plain
http '401 Unauthorized' application/json '{"error":{"message":"Incorrect API key provided: sk-tangerine123","type":"invalid_request_error"}}' >refused
http '429 Too Many Requests' application/json '{"error":{"message":"slow down","type":"rate_limit"}}' >limited
http '500 Oops' text/plain 'boom' >boom
printf 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n' >good
printf 'data: {"choices":[{"index":0,"delta":{"content":"a\0b"}}]}\n\n\0\0: \0\n\ndata: [DONE]\n\n' >nul
head -c 40000000 /dev/zero | tr '\0' x >endless
{ printf 'data: "'; cat endless; } >long_line
{ printf 'HTTP/1.1 200 OK\r\nX: '; cat endless; } >long_head
printf 'HTTP/9 what\r\n\r\nSSH-2.0-OpenSSH_9.2\r\n' >weird
: >nothing

# Nobody there: a port that was free a moment ago.
canned && stop "$pid"
run "$WEIR" probe "$URL" -m m1
parts "refused" 3 "connection refused" "POST $URL$chat" "Fix  "
run "$WEIR" probe http://no-such-host.invalid -m m1 --no-key
parts "no such name" 3 "no-such-host.invalid" "Fix  "

# A wrong path.
canned GET /openai/v1/models models
run "$WEIR" probe "$URL/openai" -m m1
parts "404" 5 "404" "POST $URL/openai/chat/completions" '{"detail":"Not Found"}' \
    "Why  GET $URL/openai/v1/models answers 200: /v1 is missing" \
    "Fix  weir probe $URL/openai/v1 -m m1"
equal "404: one request" 1 "$(sent POST)"
canned GET /models models
run "$WEIR" probe "$URL/v1" -m m1
parts "404, /v1 too many" 5 "answers 200: /v1 is one too many" "Fix  weir probe $URL/chat/completions -m m1"
canned
run "$WEIR" probe "$URL/v1" -m m1
parts "404 everywhere" 5 "404" "Fix  "
lacks "404 everywhere: no invention" "answers 200" "$err"

# A web page, a plain answer, bytes of any kind.
canned POST /chat/completions page POST $chat page GET /v1/models models
run "$WEIR" probe "$URL/chat/completions" -m m1 -n 2
parts "a page" 5 "<!doctype html>" "Why  GET $URL/v1/models answers 200: /v1 is missing" "Fix  weir probe $URL/v1"
canned POST $chat plain
run "$WEIR" probe "$URL" -m m1 -n 2
parts "a plain answer" 5 "not_a_stream" "--no-stream"
run "$WEIR" probe "$URL" -m m1 -n 2 --no-stream
equal "a plain answer, asked for: exit code" 0 "$code"
for kind in long_line long_head weird nothing; do
    canned POST $chat "$kind"
    run "$WEIR" probe "$URL" -m m1 -n 1 -w 0
    parts "$kind" 5 "Nothing was measured" "Fix  "
done
canned POST $chat nul
run "$WEIR" probe "$URL" -m m1 -n 1 -w 0 --jsonl
equal "NUL bytes: exit code" 5 "$code"
contains "NUL bytes: outcome" '"outcome":"malformed"' "${out// /}"

# Refusals.
canned POST $chat refused
export OPENAI_API_KEY=sk-tangerine123
run "$WEIR" probe "$URL" -m m1
parts "401" 4 "401" 'key from $OPENAI_API_KEY' "Fix  "
lacks "401: the key stays hidden" tangerine "$out$err"
equal "401: one request" 1 "$(sent POST)"
contains "401: the key was sent" "Authorization: Bearer sk-tangerine123" "$(cat "$log")"
unset OPENAI_API_KEY
canned POST $chat limited
run "$WEIR" probe "$URL" -m m1 -n 2
parts "429" 5 "429" "slow down"
canned POST $chat boom
run "$WEIR" probe "$URL" -m m1 -n 2
parts "500" 5 "500" "boom"

# TLS where none is spoken, and a certificate nobody vouches for.
sim_start
run "$WEIR" probe "${SIM_URL/http:/https:}" -m m1 --no-key
parts "no TLS there" 3 "No connection to https" "TLS"
sim_start --tls --ttft 1ms --gap 0 --tokens 4
run "$WEIR" probe "$SIM_URL" -m m1 -n 1
parts "unknown certificate" 3 "certificate" "--cacert"
run "$WEIR" probe "$SIM_URL" -n 1 -k
equal "unknown certificate, -k: exit code" 0 "$code"
cert=$(sed -n 's/^weir sim: certificate //p' "$SIM_LOG")
run "$WEIR" probe "$SIM_URL" -n 1 --cacert "$cert"
equal "its own certificate: exit code" 0 "$code"
contains "its model is taken, over TLS too" "model weir-sim, the only one listed" "$err"
run "$WEIR" probe "$SIM_URL" -n 1 --cacert none.pem
equal "no such authority: exit code" 2 "$code"

# The model.
canned GET /v1/models models POST $chat good
run "$WEIR" probe "$URL" -n 1
equal "the only model: exit code" 0 "$code"
contains "the only model is taken" "model m1, the only one listed" "$err"
contains "the only model is asked" '"model":"m1"' "$(cat "$log")"
http '200 OK' application/json '{"data":[{"id":"m1"},{"id":"m2"}]}' >two
canned GET /v1/models two POST $chat good
run "$WEIR" probe "$URL" -n 1
parts "two models" 2 "m1, m2" "Fix  -m m1"
equal "two models: nothing measured" 0 "$(sent POST)"
# Nor is what it says of its errors obeyed, in whatever form it is printed.
http '400 Bad' application/json '{"error":{"message":"\u001b[31m \u009b2J \u202e end","code":"\u001b[2J"}}' >hostile
canned POST $chat hostile
for form in "" -v --json --jsonl --csv; do
    run "$WEIR" probe "$URL" -m m1 -n 1 -w 0 $form
    equal "hostile words $form: exit code" 5 "$code"
    contains "hostile words $form: are there" "end" "$out$err"
    for obeyed in $'\e' $'\u009b' $'\u202e'; do lacks "hostile words $form" "$obeyed" "$out$err"; done
done
# What a server calls a model is its word, not ours: neither a terminal nor a shell obeys it.
listed() { # NAME LIST: a server that lists so
    http '200 OK' application/json "{\"data\":[$2]}" >listed
    canned GET /v1/models listed POST $chat good
    run "$WEIR" probe "$URL" -n 1 -w 0
}
listed "escapes" '{"id":"m\u001b[31m\u202e"}'
lacks "escapes in a model's name" $'\e' "$out$err"
lacks "escapes in a model's name: not taken" '"model"' "$(cat "$log")"
listed "shell" '{"id":"a; rm -rf x"},{"id":"b"}'
contains "a name that a shell would obey: shown" "a; rm -rf x, b" "$err"
lacks "a name that a shell would obey: not to be pasted" "Fix  -m a" "$err"
listed "no names" '{"id":5},null,[]'
equal "no names: goes without" 0 "$code"
canned POST $chat good
run "$WEIR" probe "$URL" -n 1
equal "no list: exit code" 0 "$code"
lacks "no list: none is sent" '"model"' "$(cat "$log")"

# Timeouts end a stream that goes on and on.
sim_start --ttft 60s
run "$WEIR" probe "$SIM_URL" -n 1 -w 0 --first-timeout 100ms
parts "no first output" 5 "timeout_first" "--first-timeout"
run "$WEIR" probe "$SIM_URL" -n 1 -w 0 --timeout 100ms
parts "not over in time" 5 "timeout_total"

finish
