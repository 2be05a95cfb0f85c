#!/usr/bin/env bash
# make asan: every unit test and most whole-program tests under address and undefined-behaviour
# sanitizers.
. "$(dirname "$0")/common.sh"
tools/deps.sh build test dev || exit 1
B=build/asan
export SAN='-fsanitize=address,undefined -fno-sanitize-recover=all' OPT='-O1 -g'
export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
build "$B/weir" units
mapfile -t programs < <(unit_programs)
unit "${programs[@]}"
export WEIR=$PWD/$B/weir
mapfile -t scripts < <(whole_tests install demo readme engine floors deps)
whole "${scripts[@]}"
total
