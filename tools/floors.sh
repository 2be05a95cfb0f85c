#!/usr/bin/env bash
# Holds the tree to docs/architecture.md: includes go only where its table of floors allows, every
# include names its floor, and every file under src stands in both maps (docs/architecture.md and
# the head of src/cli/main.c). TREE is another tree to look at, for the test of this script.
set -u
cd "${TREE:-$(dirname "$0")/..}" || exit 1
export LC_ALL=C.UTF-8
guide=docs/architecture.md
bad=0
complain() {
    printf '%s\n' "$*"
    bad=1
}

# The table's rows: | `src/wire/` | what | base, measure |
floors=()
# shellcheck disable=SC2016 # the backticks are the page's
row='^\| *`src/[a-z]+/` *\|'
declare -A may
while IFS='|' read -r _ name _ allowed _; do
    name=${name//[\` ]/} && name=${name#src/} && name=${name%/}
    floors+=("$name")
    may[$name]=" ${allowed//,/ } "
done < <(grep -E "$row" "$guide")
if [ ${#floors[@]} -eq 0 ]; then complain "$guide: no table of floors"; fi
for name in "${floors[@]}"; do
    case ${may[$name]} in
    *' all but '*) may[$name]=" ${floors[*]} " && may[$name]=${may[$name]/ cli / } ;;
    *' all '*) may[$name]=" ${floors[*]} " ;;
    esac
done

mapfile -t files < <(find src -name '*.[ch]' | sort)
for file in "${files[@]}"; do
    floor=${file#src/} && floor=${floor%%/*}
    if [ -z "${may[$floor]:-}" ]; then
        complain "$file: no floor $floor in the table of $guide"
        continue
    fi
    while read -r included; do
        to=${included%%/*}
        case $included in
        */*) ;;
        *) complain "$file: \"$included\" does not name its floor" && continue ;;
        esac
        if [ "$to" != "$floor" ] && [[ ${may[$floor]} != *" $to "* ]]; then
            complain "$file: $floor may not include $to ($included)"
        fi
    done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]+)".*/\1/p' "$file")
done

# A map has a paragraph for each floor that begins with its name and a slash and names its modules;
# `http1_*` stands for all that begin so.
words_of_map() { # FILE: "floor word" lines
    awk '/\*\// && FILENAME ~ /\.c$/ { exit }
        { gsub(/^ \* ?|^\/\* ?/, ""); gsub(/[`|,;:()·]/, " ") }
        /^ *$/ { floor = "" }
        match($0, /^ *(src\/)?[a-z]+\/( |$)/) {
            floor = $1; sub(/^src\//, "", floor); sub(/\/$/, "", floor); $1 = ""
        }
        floor { for (i = 1; i <= NF; i++) print floor, $i }' "$1"
}
for map in "$guide" src/cli/main.c; do
    if [ ! -e "$map" ]; then
        complain "$map: not there"
        continue
    fi
    declare -A named=()
    while read -r floor word; do named[$floor]+=" ${word%.[ch]}"; done < <(words_of_map "$map")
    for file in "${files[@]}"; do
        floor=${file#src/} && floor=${floor%%/*}
        module=$(basename "$file") && module=${module%.[ch]}
        found=0
        set -f
        for word in ${named[$floor]:-}; do
            # shellcheck disable=SC2053 # the word may be a pattern
            if [[ $module == $word ]]; then found=1 && break; fi
        done
        set +f
        if [ $found -eq 0 ]; then complain "$map: its map does not name $file"; fi
    done
done
exit $bad
