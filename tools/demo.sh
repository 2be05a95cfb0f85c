#!/usr/bin/env bash
# make demo: from a fresh clone to a measured endpoint. Starts `weir sim` on a free port of this
# machine, probes it, ends it. Nothing leaves this machine but package downloads.
. "$(dirname "$0")/common.sh"
tools/deps.sh build || exit 1
build

log=$(mktemp)
./weir sim --listen 127.0.0.1:0 --ttft 250ms --gap 15ms --jitter 0.1 --tokens 64 >"$log" 2>&1 &
sim=$!
trap 'kill $sim 2>/dev/null; wait $sim 2>/dev/null; rm -f "$log"' EXIT
deadline=$((SECONDS + 20))
until url=$(grep -oEm1 'https?://[^ /]+:[0-9]+' "$log"); do
    if [ $SECONDS -ge $deadline ] || ! kill -0 $sim 2>/dev/null; then
        echo "weir: the simulated endpoint did not start:" >&2
        cat "$log" >&2
        exit 1
    fi
    sleep 0.02
done
printf '\n$ weir sim --ttft 250ms --gap 15ms --jitter 0.1 --tokens 64 &\n$ weir probe %s\n' "$url"
./weir probe "$url" --no-env-file
