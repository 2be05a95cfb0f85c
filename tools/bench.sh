#!/usr/bin/env bash
# make bench [ROUNDS=5] [TOKENS=250] [STREAMS="100 1000"] [KEEP=1]: what weir's instants, an event and
# a stream cost, beside a bare loop in C and a plain Python client on the same `weir sim --stamp`;
# endpoint and client each on a core of their own, programs in turn. Figures in
# build/bench/RESULTS.md; KEEP=1 puts them in bench/RESULTS.md. Quiet machines give the truth.
. "$(dirname "$0")/common.sh"
tools/deps.sh build bench || exit 1
: "${ROUNDS:=5}" "${TOKENS:=250}" "${STREAMS:=100 1000}"
out=build/bench
mkdir -p $out
programs=()
for source in bench/*.c; do programs+=("$B/$(basename "$source" .c)"); done
build "$B/weir" "${programs[@]}"

# As root before all others, so that what else the machine does is not in the figures.
first=() && how="with a core each"
if chrt -f 10 true 2>/dev/null; then first=(chrt -f 10) && how="with a core each, before other programs (SCHED_FIFO)"; fi

# measure CLIENT STREAMS SIM-OPTIONS…: one run, its line of JSON added to the figures.
measure() {
    local client=$1 streams=$2 url deadline=$((SECONDS + 20))
    shift 2
    : >$out/sim.log # the former address is no answer
    "${first[@]}" taskset -c 0 "$B/weir" sim --listen 127.0.0.1:0 --stamp --ttft 1ms --gap 20ms \
        --tokens "$TOKENS" "$@" >$out/sim.log 2>&1 &
    local sim=$!
    until url=$(grep -oEm1 'https?://[^ /]+:[0-9]+' $out/sim.log); do
        if [ $SECONDS -ge $deadline ]; then cat $out/sim.log >&2 && exit 1; fi
        sleep 0.02
    done
    local command=("$B/bench_streams")
    case $client in
    bare) command=("$B/bench_bare") ;;
    python) command=(/usr/bin/python3 bench/plain_client.py) ;;
    esac
    if "${first[@]}" taskset -c 1 "${command[@]}" "$url" "$streams" 20 "$TOKENS" >>$out/figures.jsonl; then
        tail -1 $out/figures.jsonl
    else
        echo "weir: $client with $streams streams did not complete" >&2
    fi
    kill $sim
    wait $sim
}
: >$out/figures.jsonl
load=$(cut -d' ' -f1-3 /proc/loadavg)
for _ in $(seq "$ROUNDS"); do
    for streams in $STREAMS; do
        for client in bare weir python; do measure "$client" "$streams"; done
        for client in weir python; do measure "$client" "$streams" --tls; done
    done
done

jq -sr '
    def median: map(select(. != null)) | sort | if length == 0 then "–" else .[length / 2 | floor] end;
    def best: map(select(. != null)) | if length == 0 then "–" else min end;
    group_by([.streams, .tls, (.client | {"bare": 0, "weir": 1, "python": 2}[.])])[] |
    "| \(.[0].streams) | \(if .[0].tls then "TLS" else "plain" end) | \(.[0].client) | \(map(.events_per_s) | median) | "
    + "\(map(.p50_us) | median) / \(map(.p99_us) | median) / \(map(.p999_us) | median) | "
    + "\(map(.p50_us) | best) / \(map(.p99_us) | best) / \(map(.p999_us) | best) | "
    + "\(map(.early) | map(select(. != null)) | if length == 0 then "–" else add end) | \(map(.cpu_us) | median) | \(map(.kib) | median) |"
' $out/figures.jsonl >$out/rows
{
    echo '# What the instrument costs, and how far off it is'
    echo
    echo "Written by \`make bench\` at commit $(git rev-parse --short HEAD)$(git diff --quiet HEAD -- src bench || echo ' and changes')."
    echo "Machine: $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), Linux $(uname -r); load average before it began: $load."
    echo "\`weir sim\` and the client ran $how; medians of $ROUNDS rounds, the programs in turn; $TOKENS events a stream, one each 20 ms."
    echo
    echo '| streams | | client | events/s | stamp error p50 / p99 / p99.9 µs | the best round of each | before they were sent | CPU µs/event | KiB/stream |'
    echo '| --- | --- | --- | --- | --- | --- | --- | --- | --- |'
    cat $out/rows
    cat <<'TEXT'

Stamp error: the instant the client gives an event less the instant (CLOCK_MONOTONIC) that the endpoint wrote into it just
before it sent it; it holds the way through the kernel. Figures are from when all streams ran to when the first ended.
CPU: user and system time of the client's process; every event read in full (framing, JSON, record), no event log.
KiB: growth of the process from before the first stream; buffers of the kernel are not in it.
`bare` is bench/bench_bare.c, the limit: epoll, one recvmsg with the kernel's stamp, nothing read but the send instant.
`weir` is bench/bench_streams.c on net/client; `python` is bench/plain_client.py: aiohttp, one line at a time, json.loads.
– : the client was so far behind that the first stream had ended before the last had begun.
TEXT
    for program in "${programs[@]}"; do
        case $program in */bench_streams | */bench_bare | */bench_stats) continue ;; esac
        printf '\n## %s\n\n```\n' "$(basename "$program")"
        "${first[@]}" taskset -c 1 "$program" 2>&1
        echo '```'
    done
} >$out/RESULTS.md
cat $out/RESULTS.md
if [ -n "${KEEP:-}" ]; then cp $out/RESULTS.md bench/RESULTS.md; fi
