#!/usr/bin/env bash
# tools/deps.sh [GROUP…]: installs what is missing of those groups of tools/packages.txt (all of
# them if none is named). Says nothing and is quick if nothing is.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C.UTF-8

groups=${*:-build test node dev bench}
# Debian's npm brings a node with it: wanted only where there is no node that is new enough.
if command -v npm >/dev/null && tools/node_ok.sh; then groups=${groups//node/}; fi
wanted=$(awk -v groups=" $groups " '$1 !~ /^#/ && index(groups, " " $1 " ") { print $2 }' tools/packages.txt)

if ! command -v dpkg-query >/dev/null; then
    echo "weir: no Debian here: install the likes of" "${wanted//$'\n'/ }" >&2
    exit 0
fi
# shellcheck disable=SC2086 # one word a package
present=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p')
missing=$(comm -23 <(sort -u <<<"$wanted") <(sort -u <<<"$present") | xargs)
if [ -z "$missing" ]; then exit 0; fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "weir: missing packages; as root: apt-get install $missing" >&2
        exit 1
    fi
    as_root="sudo"
fi
echo "weir: installing${as_root:+ with sudo}: $missing" >&2
log=$(mktemp)
quietly() { DEBIAN_FRONTEND=noninteractive $as_root "$@" >>"$log" 2>&1; }
# shellcheck disable=SC2086
if quietly apt-get update && quietly apt-get install -y --no-install-recommends $missing; then
    rm -f "$log"
    exit 0
fi
tail -20 "$log" >&2
rm -f "$log"
echo "weir: cannot install; by hand: ${as_root:+sudo }apt-get install $missing" >&2
exit 1
