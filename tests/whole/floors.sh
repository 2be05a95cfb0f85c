#!/usr/bin/env bash
# tools/floors.sh on small trees: it lets a good one pass and names each kind of fault.
. "$(dirname "$0")/lib.sh"

mkdir -p tree/docs tree/src/{base,wire,cli}
# shellcheck disable=SC2016 # the backticks are the page's
printf '%s\n' '| folder | what | may include |' '| --- | --- | --- |' '| `src/base/` | bytes | – |' \
    '| `src/wire/` | parsing | base |' '| `src/cli/` | commands | all |' '' \
    'base/' '- `mem` memory' '' 'wire/' '- `sse` and `http1_*`' '' 'cli/' '- `main`' >tree/docs/architecture.md
printf '/*\n * base/ mem\n * wire/ sse http1_*\n * cli/ main\n */\n#include "wire/sse.h"\n' >tree/src/cli/main.c
printf '#include <stddef.h>\n' >tree/src/base/mem.h
printf '#include "base/mem.h"\n#include "wire/sse.h"\n' >tree/src/wire/sse.c
touch tree/src/wire/sse.h tree/src/wire/http1_head.c
cp -r tree good
floors() { run env TREE="$tmp/tree" "$root/tools/floors.sh"; }
# fault NAME WHAT-IT-SAYS: after the tree was changed; then it is made good again.
fault() {
    floors
    equal "$1: exit code" 1 "$code"
    contains "$1" "$2" "$out"
    rm -rf tree && cp -r good tree
}

floors
equal "a good tree passes" "0 " "$code $out"

echo '#include "wire/sse.h"' >>tree/src/base/mem.h
fault "upwards" "src/base/mem.h: base may not include wire (wire/sse.h)"
echo '  #  include "cli/main.h"' >>tree/src/wire/sse.h
fault "upwards, oddly spaced" "wire may not include cli"
echo '#include "sse.h"' >>tree/src/wire/http1_head.c
fault "without its floor" 'src/wire/http1_head.c: "sse.h" does not name its floor'
touch tree/src/wire/json.c
fault "not in the guide's map" "docs/architecture.md: its map does not name src/wire/json.c"
touch tree/src/wire/json.c
fault "not in main's map" "src/cli/main.c: its map does not name src/wire/json.c"
touch tree/src/base/sse.c
fault "named on another floor" "does not name src/base/sse.c"
mkdir tree/src/attic && touch tree/src/attic/old.c
fault "no such floor" "src/attic/old.c: no floor attic"
finish
