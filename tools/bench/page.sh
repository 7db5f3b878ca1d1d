#!/bin/sh
# Writes the tables of docs/speed.md anew: what stands between `<!-- begin NAME -->` and `<!-- end NAME -->`.
# Usage: tools/bench/page.sh BUILD_FOLDER [NAME ...]; without names: all of them whose programs are built.
set -eu

build=$1
shift
page=docs/speed.md
here=$(dirname "$0")
bench=$build/bench/bench
names=${*:-"speed yardstick simgrid profile instructions growth"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compared() { sed -n '/^### Beside/,$p' | sed '/^### [^B]/,$d; /^Memory:/d'; }

write() {
    case $1 in
    speed) "$bench" --markdown | sed '/^### Speed/d; /^Memory:/d' ;;
    yardstick) [ ! -x "$build/bench/yardstick" ] || "$bench" --markdown --engine none --yardstick "$build/bench/yardstick" | compared ;;
    simgrid) [ ! -x "$build/bench/simgrid-driver" ] || "$bench" --markdown --group none --simgrid "$build/bench/simgrid-driver" | compared ;;
    profile) "$here/profile.sh" "$bench" window ;;
    instructions) sed -n 's/^# row, engine.*; \(.*\)/| row | engine | instructions per chunk-hop, \1 |\n|---|---|--:|/p; /^#/!s/^\(.*\)\t\(.*\)\t\(.*\)$/| \1 | \2 | \3 |/p' "$here/instructions.tsv" ;;
    growth) "$bench" --markdown --group endpoints,messages,chunks,time,scale ;;
    *) echo "no table $1" >&2; return 2 ;;
    esac
}

for name in $names; do
    write "$name" >"$work/table"
    [ -s "$work/table" ] || continue
    awk -v name="$name" -v table="$work/table" '
        $0 == "<!-- end " name " -->" { inside = 0 }
        !inside { print }
        $0 == "<!-- begin " name " -->" { inside = 1; print ""; while ((getline line < table) > 0) if (line != "" || last != "") { print line; last = line }; if (last != "") print "" }
    ' "$page" >"$work/page"
    cp "$work/page" "$page"
done
