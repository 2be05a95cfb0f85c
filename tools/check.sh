#!/usr/bin/env bash
# make check: everything that must hold, on a machine with git, make and gcc. Ends with the sum.
. "$(dirname "$0")/common.sh"
tools/deps.sh build test || exit 1
build all
build units

step floors tools/floors.sh
mapfile -t programs < <(unit_programs)
unit "${programs[@]}"
WEIR=$PWD/weir
if [ "$B" != build ]; then WEIR=$PWD/$B/weir; fi
export WEIR
mapfile -t scripts < <(whole_tests)
whole "${scripts[@]}"
total
