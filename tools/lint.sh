#!/usr/bin/env bash
# make lint: layout, shell, floors, lengths.
. "$(dirname "$0")/common.sh"
tools/deps.sh dev || exit 1

lengths() {
    local over
    over=$(git ls-files 'src/*.[ch]' | xargs wc -l | awk '$2 != "total" && $1 > 600')
    if [ -n "$over" ]; then printf 'over 600 lines:\n%s\n' "$over" && return 1; fi
}
# Sentences stand in base/text/*.def, attributes in base/attr.h, clocks are read in measure/clock.c.
places() {
    local bad=0
    git grep -nE '__attribute__' -- 'src/*.[ch]' ':!src/base/attr.h' ':!src/base/attr.c' && bad=1
    git grep -nE '\bclock_gettime\(' -- 'src/*.[ch]' ':!src/measure/clock.c' && bad=1
    git grep -nE '^typedef struct' -- 'src/*.[ch]' && bad=1
    return "$bad"
}
layout() { git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror; }
shells() { { git ls-files '*.sh' && echo .ci/run; } | xargs shellcheck -x -P SCRIPTDIR; }

step floors tools/floors.sh
step lengths lengths
step places places
step layout layout
step shell shells
total
