#!/usr/bin/env bash
# make install and make uninstall, with PREFIX and DESTDIR: what is there, what works, what is left.
. "$(dirname "$0")/lib.sh"

check "install" make -C "$root" -s install DESTDIR="$tmp/stage" PREFIX=/opt/weir
at=$tmp/stage/opt/weir
check "the program is there" test -x "$at/bin/weir"
run "$at/bin/weir" version
equal "it runs: exit code" 0 "$code"
matches "it runs" '[0-9]+\.[0-9]+\.[0-9]+' "$out"
for text in README.md LICENSE metrics.md; do
    check "$text is there" test -s "$at/share/doc/weir/$text"
done
equal "nobody else may write" "" "$(find "$tmp/stage" -type f -perm /022)"
equal "nothing outside PREFIX" opt "$(ls "$tmp/stage")"
if [ -e "$root/man/weir.1" ]; then check "the man page is there" test -s "$at/share/man/man1/weir.1"; fi

check "uninstall" make -C "$root" -s uninstall DESTDIR="$tmp/stage" PREFIX=/opt/weir
equal "nothing is left" "" "$(find "$tmp/stage" -type f)"
check "uninstall again" make -C "$root" -s uninstall DESTDIR="$tmp/stage" PREFIX=/opt/weir
finish
