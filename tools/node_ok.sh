#!/usr/bin/env bash
# Whether the system's node is there and 20 or newer.
command -v node >/dev/null || exit 1
version=$(node --version) && version=${version#v}
[ "${version%%.*}" -ge 20 ]
