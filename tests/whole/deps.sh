#!/usr/bin/env bash
# tools/deps.sh with stand-ins for Debian's tools: silent if nothing is missing; as root; with sudo,
# saying so; with neither, saying what to type.
. "$(dirname "$0")/lib.sh"

mkdir fake
stand_in() { # NAME SCRIPT
    printf '#!/bin/sh\n%s\n' "$2" >"fake/$1"
    chmod +x "fake/$1"
}
# Installed is what the file `installed` lists; apt-get and sudo write down how they were called.
stand_in dpkg-query "for p; do grep -qx \"\$p\" $tmp/installed && echo \"installed \$p\"; done; true"
stand_in apt-get "echo apt-get \"\$@\" >>$tmp/calls; exit \$(cat $tmp/apt.code)"
# shellcheck disable=SC2016 # for the stand-in to expand
stand_in id 'echo "$FAKE_UID"'
deps() { # UID GROUP…
    : >calls
    run env FAKE_UID="$1" PATH="$tmp/fake:$tmp/system" "$tmp/system/bash" "$root/tools/deps.sh" "${@:2}"
}
# No sudo but the stand-in, wherever this runs.
mkdir system
for name in echo bash awk sort sed comm xargs grep cat mktemp rm tail dirname env; do
    ln -s "$(type -P $name)" "system/$name"
done
echo 0 >apt.code
awk '$1 == "test" { print $2 }' "$root/tools/packages.txt" >installed

deps 0 test
equal "nothing missing: silent" "0||" "$code|$out|$err"
equal "nothing missing: apt-get is left alone" "" "$(cat calls)"

sed -i '/^jq$/d' installed
deps 0 test
equal "root: exit code" 0 "$code"
contains "root: says what" "installing: jq" "$err"
lacks "root: no sudo" "sudo" "$err"
equal "root: what is called" "apt-get update apt-get install -y --no-install-recommends jq" "$(xargs <calls)"

deps 1000 test
equal "no root, no sudo: exit code" 1 "$code"
contains "no root, no sudo: what to type" "as root: apt-get install jq" "$err"
equal "no root, no sudo: nothing is called" "" "$(cat calls)"

# shellcheck disable=SC2016
stand_in sudo 'echo sudo >>'"$tmp"'/calls; exec "$@"'
deps 1000 test
equal "sudo: exit code" 0 "$code"
contains "sudo: says so" "installing with sudo: jq" "$err"
contains "sudo: is called" "sudo apt-get install" "$(xargs <calls)"

echo 100 >apt.code
deps 0 test
equal "apt-get fails: exit code" 1 "$code"
contains "apt-get fails: what to type" "by hand: apt-get install jq" "$err"

rm fake/dpkg-query
deps 0 test
equal "no Debian: goes on" 0 "$code"
contains "no Debian: says so" "no Debian here" "$err"
finish
