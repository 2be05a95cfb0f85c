#!/usr/bin/env bash
# The other compiler: everything builds with clang without a warning, and its units pass.
. "$(dirname "$0")/common.sh"
tools/deps.sh build test dev || exit 1
B=build/clang CC=clang
export WERROR=-Werror
step 'clang -Werror' make -s -j"$jobs" "$B/weir" units
mapfile -t programs < <(unit_programs)
unit "${programs[@]}"
total
