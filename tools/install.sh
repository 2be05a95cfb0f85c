#!/usr/bin/env bash
# make install PREFIX=/usr/local DESTDIR=: the program, its man page if there is one, its texts.
# make uninstall takes the same files away again (called by that name).
. "$(dirname "$0")/common.sh"
: "${PREFIX:=/usr/local}" "${DESTDIR:=}"
to=$DESTDIR$PREFIX

files() { # MODE FROM TO, one a line
    local program=weir
    if [ "$B" != build ]; then program=$B/weir; fi
    echo "755 $program bin/weir"
    if [ -e man/weir.1 ]; then echo "644 man/weir.1 share/man/man1/weir.1"; fi
    for text in README*.md LICENSE docs/metrics.md; do
        if [ -e "$text" ]; then echo "644 $text share/doc/weir/$(basename "$text")"; fi
    done
}

case $(basename "$0") in
install.sh)
    tools/deps.sh build || exit 1
    build all
    files | while read -r mode from name; do
        install -D -m "$mode" "$from" "$to/$name" || exit 1
    done || exit 1
    echo "installed $to/bin/weir"
    ;;
uninstall.sh)
    files | while read -r _ _ name; do rm -f "$to/$name"; done
    rmdir "$to/share/doc/weir" 2>/dev/null
    echo "removed $to/bin/weir"
    ;;
esac
