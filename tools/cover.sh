#!/usr/bin/env bash
# make cover: which lines the unit tests and whole-program tests reach, by floor; the pages are in
# build/cover/html.
. "$(dirname "$0")/common.sh"
tools/deps.sh build test dev || exit 1
B=build/cover CC=gcc
export SAN='--coverage' OPT='-O0 -g' WERROR=
build "$B/weir" units
find "$B" -name '*.gcda' -delete
mapfile -t programs < <(unit_programs)
unit "${programs[@]}"
export WEIR=$PWD/$B/weir
mapfile -t scripts < <(whole_tests install demo readme engine floors deps)
whole "${scripts[@]}"
lcov -q -c -d "$B" --no-external -b "$PWD" -o "$B/all.info" >"$B/lcov.log" 2>&1 &&
    lcov -q -e "$B/all.info" "$PWD/src/*" -o "$B/src.info" >>"$B/lcov.log" 2>&1 &&
    genhtml -q -p "$PWD/src" -o "$B/html" "$B/src.info" >>"$B/lcov.log" 2>&1
awk -F'[:/,]' -v top="$PWD/src/" '
    /^SF:/ { floor = substr($0, 4 + length(top)); sub("/.*", "", floor) }
    /^LF:/ { all[floor] += $2 } /^LH:/ { hit[floor] += $2 }
    END { for (f in all) printf "%-10s %5.1f %%  of %d lines\n", f, 100 * hit[f] / all[f], all[f] }
' "$B/src.info" | sort
total
