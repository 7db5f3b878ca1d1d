#!/bin/sh
# Holds builds of the program to one result: every golden scenario must print the same document, digest included, byte by byte.
# Usage: tests/same_everywhere.sh WEFT WEFT...
set -eu
first=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
for scenario in scenarios/*.json tests/golden/cases/*/scenario.json; do
    "$first" run "$scenario" --json >"$work/first" 2>"$work/errors" || { cat "$work/errors"; failed=$((failed + 1)); continue; }
    for weft; do
        if "$weft" run "$scenario" --json 2>"$work/errors" | cmp -s "$work/first" -; then
            passed=$((passed + 1))
        else
            echo "$scenario: $weft differs from $first"
            cat "$work/errors"
            failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
