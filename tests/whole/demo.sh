#!/usr/bin/env bash
# make demo: measures an endpoint that it starts itself, and leaves nothing running.
. "$(dirname "$0")/lib.sh"

run make -C "$root" -s demo
equal "exit code" 0 "$code"
contains "prints the result" "10 of 10 complete." "$out"
contains "where the wait went" "Where the first token's" "$out"
url=$(grep -oEm1 'http://127\.0\.0\.1:[0-9]+' <<<"$out")
refuse "its endpoint is gone" curl -s --max-time 5 "$url/v1/models"
finish
