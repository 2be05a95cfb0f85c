# shellcheck shell=bash
# What the scripts behind the Makefile's targets share: where they are, and how they count.
# Each of them ends with one line "N passed, N failed" (", N skipped" may follow) and fails if any did.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES # a script's own make is no part of the caller's
export LC_ALL=C.UTF-8
: "${B:=build}" "${CC:=gcc}"
export B CC
jobs=$(nproc)
passed=0 failed=0 skipped=0

# build TARGET…: with B, CC, SAN and OPT as they are now; a failed build ends the script.
build() {
    printf "weir: building %s\n" "$*" >&2
    make -s -j"$jobs" "$@" && return
    printf 'weir: cannot build: make %s\n' "$*" >&2
    failed=$((failed + 1))
    total
}

say() { printf '%-32s %s\n' "$1" "$2"; }

# step NAME COMMAND…: one more passed or failed; its output only if it failed.
step() {
    local name=$1 log
    shift
    log=$(mktemp)
    if "$@" >"$log" 2>&1 </dev/null; then
        passed=$((passed + 1))
        say "$name" ok
    else
        failed=$((failed + 1))
        say "$name" FAILED
        tail -n "${STEP_LINES:-60}" "$log"
    fi
    rm -f "$log"
}

# tally NAME PASSED FAILED SKIPPED LOG: adds a test program's figures; its log only if it failed.
tally() {
    passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
    local line="$2 passed"
    if [ "$3" -gt 0 ]; then line="$line, $3 FAILED"; fi
    if [ "$4" -gt 0 ]; then line="$line, $4 skipped"; fi
    say "$1" "$line"
    if [ "$3" -gt 0 ]; then grep -vE '^ok |^1\.\.[0-9]' "$5" | tail -n 60; fi
}

# unit_programs [FLOOR…]: the unit tests' programs under $B, of those floors or of all.
unit_programs() {
    local floor source
    for floor in "${@:-*}"; do
        # shellcheck disable=SC2231 # a pattern on purpose
        for source in tests/unit/$floor/test_*.c; do
            source=${source%.c}
            if [ -e "$source.c" ]; then printf '%s\n' "$B/${source#tests/}"; fi
        done
    done
}

# unit PROGRAM…: cmocka programs. Each announces its tests ("1..N") before it runs them, so those
# that a crash took with it are known, and count as failed. (A program that clears its environment
# falls back to cmocka's other form of output in mid-run: both are read.)
unit() {
    local program log code planned ok bad skip
    log=$(mktemp)
    for program in "$@"; do
        # The braces keep the shell's own word on a crash ("Aborted") to ourselves.
        { CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 5 300 "$program" >"$log" 2>&1 </dev/null; } 2>/dev/null
        code=$?
        planned=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p; s/^\[=+\] Running ([0-9]+) test.*/\1/p' "$log" |
            awk '{ n += $1 } END { print n + 0 }')
        skip=$(grep -E '^(not )?ok [0-9]+ .*# SKIP|^\[  SKIPPED \] [^0-9]' "$log" | sort -u | wc -l)
        ok=$(($(grep -cE '^ok [0-9]+|^\[ +OK \]' "$log") - $(grep -cE '^ok .*# SKIP' "$log")))
        bad=$((planned - ok - skip))
        if [ "$bad" -lt 0 ]; then bad=0; fi
        if [ "$planned" -eq 0 ]; then echo "ran no test" >>"$log"; fi
        if [ "$planned" -eq 0 ] || { [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; }; then bad=1; fi
        if [ "$code" -gt 123 ]; then echo "exit code $code" >>"$log"; fi
        tally "${program#*/unit/}" "$ok" "$bad" "$skip" "$log"
    done
    rm -f "$log"
}

# whole SCRIPT…: each ends with its own "N passed, N failed"; without that line it failed.
whole() {
    local script log code last bad
    log=$(mktemp)
    for script in "$@"; do
        timeout -k 10 "${WHOLE_SECONDS:-900}" bash "$script" >"$log" 2>&1 </dev/null
        code=$?
        last=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" | tail -1)
        read -r -a last <<<"${last//[^0-9 ]/}"
        bad=${last[1]:-1}
        if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
        if [ "$bad" -gt 0 ]; then echo "exit code $code" >>"$log"; fi
        if [ "${last[2]:-0}" -gt 0 ]; then grep '^SKIP' "$log"; fi
        tally "whole/$(basename "$script")" "${last[0]:-0}" "$bad" "${last[2]:-0}" "$log"
    done
    rm -f "$log"
}

# whole_tests [EXCEPT…]: the scripts of tests/whole, less lib.sh and those named.
whole_tests() {
    local script
    for script in tests/whole/*.sh; do
        case " lib $* " in *" $(basename "$script" .sh) "*) ;; *) printf '%s\n' "$script" ;; esac
    done
}

total() {
    printf '%d passed, %d failed' "$passed" "$failed"
    if [ "$skipped" -gt 0 ]; then printf ', %d skipped' "$skipped"; fi
    printf '\n'
    [ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
    exit
}
