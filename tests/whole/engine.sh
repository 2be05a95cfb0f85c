#!/usr/bin/env bash
# A real engine (llama.cpp, a small model with random weights) behind a server that writes down
# what it sends: weir's figures are held against it.
. "$(dirname "$0")/lib.sh"

if ! node=$("$root/tools/node.sh" 2>"$tmp/node.log"); then
    cat "$tmp/node.log" >&2
    if [ -n "${CI:-}" ]; then fail "node and its packages"; else skip "the engine" "no node packages"; fi
    finish
fi
at=$root/tests/node
"$node" "$at/make_gguf.mjs" "$tmp/model.gguf" || fail "the model is written"

# engine_start NAME ARGS…: a server with its own log; ENGINE_URL, ENGINE_LOG.
engine_start() {
    local name=$1
    shift
    ENGINE_LOG=$tmp/$name.chunks
    background "$tmp/$name.log" "$node" "$at/engine_server.mjs" --model "$tmp/model.gguf" --log "$ENGINE_LOG" "$@"
    if ! wait_for 60 grep -q '^listening on ' "$tmp/$name.log"; then
        fail "the engine starts" "$(tail -5 "$tmp/$name.log")"
        finish
    fi
    ENGINE_URL=$(sed -n 's/^listening on //p' "$tmp/$name.log")
}
# checks NAME COMMAND…: each line "NAME<tab>ok" that the command prints is one check.
checks() {
    local about=$1 name result
    shift
    if ! "$node" "$at/engine_check.mjs" "$@" >"$tmp/checks" 2>"$tmp/checks.err"; then
        fail "$about" "$(tail -5 "$tmp/checks.err")"
    fi
    while IFS=$'\t' read -r name result; do equal "$about: $name" ok "$result"; done <"$tmp/checks"
}
probe() { run "$WEIR" probe "$ENGINE_URL" --progress none "$@"; }

# What weir saw is what the server wrote: events, bytes, characters, tokens.
engine_start usage
probe -n 3 -w 1 --max-tokens 40 --events --jsonl=seen.jsonl
equal "probe: exit code" 0 "$code"
checks "probe" same "$ENGINE_LOG" seen.jsonl
equal "probe: token_source" usage "$(jq -r 'select(.kind == "request") | .token_source' seen.jsonl | sort -u)"
# Prompts differ from their first characters on, so the engine's cache had nearly nothing for them.
holds "different prompts: cached tokens" \
    "$(jq -s 'map(select(.kind == "request") | .usage.cached_tokens) | max' seen.jsonl) < 16"

# The text of a stored stream is the text that the engine made.
curl -sN "$ENGINE_URL/v1/chat/completions" -o stored.sse \
    -d '{"messages":[{"role":"user","content":"tell me"}],"max_tokens":60,"stream":true,"stream_options":{"include_usage":true}}'
run "$WEIR" read stored.sse
equal "read: verdict" complete "$(jq -r .verdict <<<"$out")"
equal "read: text" "$(tail -1 "$ENGINE_LOG" | jq .text)" "$(jq .text <<<"$out")"
equal "read: tokens" "$(tail -1 "$ENGINE_LOG" | jq .completion_tokens)" "$(jq .usage.completion_tokens <<<"$out")"
matches "read: the text is not ASCII alone" '[^ -~]' "$(jq -r .text <<<"$out")"

# The same prompt again comes from the engine's cache, and is said to.
probe -n 3 -w 1 --max-tokens 8 --same-prompt --prompt-tokens 100 --jsonl=same.jsonl
equal "same prompt: exit code" 0 "$code"
holds "same prompt: cached tokens" \
    "$(jq -s 'map(select(.kind == "request" and (.warmup | not)) | .usage.cached_tokens) | min' same.jsonl) > 50"

# Longer prompts take longer, by a slope whose interval leaves zero out.
sizes=(40 120 240 420 640) files=()
for size in "${sizes[@]}"; do
    probe -n 4 -w 0 --max-tokens 2 --prompt-tokens "$size" --jsonl="size-$size.jsonl"
    files+=("size-$size.jsonl")
    equal "prompt of $size: exit code" 0 "$code"
done
checks "slope" slope "${files[@]}"
cat "$tmp/checks.err" >&2

# A plain answer: its text and count too.
probe -n 2 -w 0 --max-tokens 20 --no-stream --jsonl=plain.jsonl
equal "plain: exit code" 0 "$code"
equal "plain: tokens" 20 "$(jq -s 'map(select(.kind == "request") | .tokens) | unique[]' plain.jsonl)"

# Without usage the unit is the chunk, and said to be.
engine_start chunks --no-usage
probe -n 2 -w 0 --max-tokens 24 --events --jsonl=chunks.jsonl
equal "no usage: exit code" 0 "$code"
checks "no usage" same "$ENGINE_LOG" chunks.jsonl
equal "no usage: token_source" chunks "$(jq -r 'select(.kind == "request") | .token_source' chunks.jsonl | sort -u)"
finish
