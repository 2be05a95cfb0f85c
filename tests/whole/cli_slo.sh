#!/usr/bin/env bash
# Limits: --slo, --undecided, --max-fail, and exit codes 0, 1, 2, 5, 6.
. "$(dirname "$0")/lib.sh"
sim_start --ttft 20ms --gap 1ms --tokens 25
good=$SIM_URL
# probe CODE ARGS…: probes the good endpoint; the exit code must be CODE.
probe() {
    local expected=$1
    shift
    run "$WEIR" probe "$good" "$@"
    equal "$*: exit code" "$expected" "$code"
}

probe 0 -n 6 --slo ttft.p50:30s --slo gap.p99:30s --assert 'total.max<30s' --slo complete:100%
for name in ttft.p50 gap.p99 total.max complete; do contains "holds" "✓ $name" "$out"; done
contains "all hold" "4 hold   exit 0" "$out"

probe 1 -n 6 --slo ttft.p50:1ms --slo total.max:30s
contains "one fails" "✗ ttft.p50" "$out"
contains "one fails" "1 failed, 1 holds   exit 1" "$out"
probe 1 -n 6 --slo ttft.p50:1ms --undecided pass
probe 1 -n 6 --slo tps.min:1000000 -q
contains "in short too" "✗ tps.min" "$out"

probe 0 -n 1 --slo complete:100%
probe 1 -n 60 --slo ttft.p95:15ms

# Before anything is sent: limits that cannot hold, and what is no limit.
probe 2 -n 10 --slo ttft.p95:2s
contains "an impossible limit says how many runs it takes" "-n 59" "$err"
equal "nothing was measured" "" "$out"
probe 2 -n 100 --slo ttft.p99:2s
contains "p99" "-n 299" "$err"
probe 2 --slo complete:99%
contains "a share" "-n 299" "$err"
probe 2 --slo ttft.p95
probe 2 --slo tftt.p50:2s
contains "the nearest metric" "ttft" "$err"
probe 2 --slo ttft.p50:2parsecs
probe 2 --max-fail 0.1
contains "a percentage" "10%" "$err"
probe 2 --max-fail 101%
probe 2 --undecided maybe

probe 1 -n 6 --slo ttft.p50:1ms --slo complete:100% --json
equal "limits in JSON" "ttft.p50 fails 1 6, complete holds 1 6" "$(jq -r \
    '[.limits[] | "\(.name) \(.verdict) \(.limit) \(.n)"] | join(", ")' <<<"$out")"
equal "the bounds too" true "$(jq '.limits[0] | .lo <= .value and .value <= .hi and .unit == "ms"' <<<"$out")"
probe 0 -n 1 --json
equal "no limits, an empty list" '[]' "$(jq -c .limits <<<"$out")"

# Failures: each is beyond a limit, and --max-fail counts them.
sim_start --ttft 5ms --gap 1ms --tokens 5 --fail 503:0.5 --seed 3
run "$WEIR" probe "$SIM_URL" -n 20 -w 0 --reuse --json=result
equal "without limits a failed request is no failure of the run" 0 "$code"
lost=$(jq '.requests - .complete.count' result)
holds "some fail, some do not" "$lost > 2 && $lost < 18"
run "$WEIR" probe "$SIM_URL" -n 20 -w 0 --reuse --max-fail 1% --slo ttft.max:30s
equal "--max-fail comes before limits" 5 "$code"
contains "--max-fail is said" "--max-fail 1% allows" "$out"
run "$WEIR" probe "$SIM_URL" -n 20 -w 0 --reuse --max-fail 99%
equal "--max-fail 99%" 0 "$code"
run "$WEIR" probe "$SIM_URL" -n 20 -w 0 --reuse --slo ttft.max:30s
equal "a failed request is beyond every limit" 1 "$code"
run "$WEIR" probe "$SIM_URL" -n 20 -w 0 --reuse --slo complete:50%
equal "half of the requests: undecided" 6 "$code"
contains "half of the requests: undecided" "1 undecided   exit 6" "$out"
run "$WEIR" probe "$SIM_URL" -n 20 -w 0 --reuse --slo complete:50% --undecided pass
equal "--undecided pass" 0 "$code"
run "$WEIR" probe "$SIM_URL" -n 20 -w 0 --reuse --slo complete:50% --undecided fail
equal "--undecided fail" 1 "$code"

# None complete: what is wrong with the endpoint comes before any limit.
sim_start --fail 503:1
run "$WEIR" probe "$SIM_URL" -n 6 -w 0 --slo ttft.p50:1s
equal "none complete" 5 "$code"
finish
