#!/usr/bin/env bash
# make tsan: the tests of the floors that know threads (loop, client, server, drivers) under the
# thread sanitizer. Without address randomisation: its shadow wants the old layout.
. "$(dirname "$0")/common.sh"
tools/deps.sh build test dev || exit 1
B=build/tsan CC=clang
export SAN='-fsanitize=thread' OPT='-O1 -g' TSAN_OPTIONS='halt_on_error=1'
mapfile -t programs < <(unit_programs net sim study app)
build "${programs[@]}"
if [ "${WEIR_FIXED_LAYOUT:-}" != 1 ] && setarch -R true 2>/dev/null; then
    WEIR_FIXED_LAYOUT=1 exec setarch -R "$0"
fi
unit "${programs[@]}"
total
