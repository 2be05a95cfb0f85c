#!/usr/bin/env bash
# What README.md shows is what happens: each command of its console blocks is run (but for blocks
# below "<!-- not run: why -->"), must succeed, and its output must hold the words that are shown.
# Ports are free ones instead of 8089.
. "$(dirname "$0")/lib.sh"
mkdir bin && ln -s "$WEIR" bin/weir && PATH=$tmp/bin:$PATH

# The blocks as lines: "$ command" and ">output", one after another.
awk '/^<!-- not run:/ { skip = 1; next }
    /^```/ { if (on) { on = 0 } else { on = /^```console/ && !skip; skip = 0 } next }
    on && /^\$ / { print; next }
    on { print ">" $0 }' "$root/README.md" >script
holds "there are commands to run" "$(grep -c '^\$' script) > 7"

SIM_URL=
# at_port COMMAND: with the port of the endpoint that runs here.
at_port() { sed -E "s#http://127\.0\.0\.1:8089#$SIM_URL#g" <<<"$1"; }
# words TEXT: what does not change from run to run.
words() { grep -oE '[[:alpha:]]{3,}' | sort -u; }

judge() { # COMMAND SHOWN: what the last run gave
    equal "$1: exit code" 0 "$code"
    equal "$1: shows the words of README.md" "" \
        "$(comm -13 <(words <<<"$out $err") <(words <<<"$2") | xargs)"
}
# The first example needs its endpoint before the text starts one.
sim_start --jitter 0.1
command='' shown=''
while IFS= read -r line; do
    case $line in
    '>'*) shown+=${line#>}$'\n' && continue ;;
    esac
    if [ -n "$command" ]; then judge "$command" "$shown"; fi
    command=${line#\$ } shown=''
    case $command in
    'weir sim'*'&')
        arguments=${command#weir sim} && arguments=${arguments%&}
        # shellcheck disable=SC2086 # words are meant
        sim_start ${arguments/--listen 127.0.0.1:0/}
        code=0 out=$(<"$SIM_LOG") err=''
        ;;
    *) run bash -c "$(at_port "$command")" ;;
    esac
done < <(cat script && echo "\$ true")
holds "run.jsonl has the events" "$(jq -s 'map(select(.kind == "request") | .events | length) | add' run.jsonl) > 20"

# The files it points to are there, and those of the other pages.
for page in README.md CONTRIBUTING.md docs/architecture.md; do
    while read -r link; do
        check "$page: $link is there" test -e "$root/$(dirname "$page")/$link"
    done < <(grep -oE '\]\([^)#:]+\)' "$root/$page" | tr -d '])(' | sort -u)
done
finish
