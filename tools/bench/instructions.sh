#!/bin/sh
# Instructions that the engines need per chunk-hop, counted by callgrind: unlike times, the same from run to run.
# Usage: tools/bench/instructions.sh show|record|check BENCH_PROGRAM
# check: fails where a row of instructions.tsv needs TOLERANCE_PERCENT more than recorded; fewer is only told.
# The counts hold for one compiler, which the file names; with another one check only shows.
set -eu

mode=$1 bench=$2
file=$(dirname "$0")/instructions.tsv
tolerance=${TOLERANCE_PERCENT:-10}
compiler=$("$bench" --compiler)
"$(dirname "$0")/../setup.sh" valgrind
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count() {
    hops=$(valgrind --tool=callgrind --toggle-collect=bench_timed --callgrind-out-file="$work/profile" "$bench" --once "$1" "$2" 2>"$work/log") ||
        { cat "$work/log" >&2; exit 1; }
    sed -n 's/^\(summary\|totals\): *//p' "$work/profile" | tail -n 1 | awk -v hops="$hops" '{ printf "%.1f\n", $1 / hops }'
}

table() {
    for row in $("$bench" --list --group small); do
        for engine in heap window; do
            per_hop=$(count "$row" "$engine")
            printf '%s\t%s\t%s\n' "$row" "$engine" "$per_hop"
        done
    done
}

case $mode in
show)
    printf '\nInstructions per chunk-hop (callgrind, %s)\n\n' "$compiler"
    table | awk -F '\t' '{ printf "%-20s %-8s %8s\n", $1, $2, $3 }'
    ;;
record)
    table >"$work/table"
    { printf '# row, engine, instructions per chunk-hop; %s\n' "$compiler"; cat "$work/table"; } >"$work/file"
    cp "$work/file" "$file"
    ;;
check)
    table >"$work/table"
    recorded=$(sed -n '1s/^.*; //p' "$file")
    [ "$recorded" = "$compiler" ] || echo "recorded with $recorded, this is $compiler: shown, not held"
    awk -F '\t' -v tolerance="$tolerance" -v held="$([ "$recorded" = "$compiler" ] && echo 1 || echo 0)" '
        /^#/ { next }
        FNR == NR { recorded[$1, $2] = $3; next }
        !(($1, $2) in recorded) { printf "%s %s: error: not in instructions.tsv (make bench-record)\n", $1, $2; bad = 1; next }
        {
            change = 100 * ($3 / recorded[$1, $2] - 1)
            seen[$1, $2] = 1
            printf "%-20s %-8s %8.1f recorded %8.1f %+6.1f %%\n", $1, $2, $3, recorded[$1, $2], change
            if (change > tolerance && held) { printf "%s %s: error: more than %s %% above\n", $1, $2, tolerance; bad = 1 }
            if (change < -tolerance) printf "%s %s: fewer; make bench-record holds it there\n", $1, $2
        }
        END {
            for (key in recorded) if (!(key in seen)) { split(key, part, SUBSEP); printf "%s %s: error: recorded, but there is no such row\n", part[1], part[2]; bad = 1 }
            exit bad
        }' "$file" "$work/table"
    ;;
*)
    echo "usage: $0 show|record|check BENCH_PROGRAM" >&2
    exit 2
    ;;
esac
