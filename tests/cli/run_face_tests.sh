#!/bin/bash
# Runs the built program for what it shows and writes: formats, pictures, manual pages, completion, full disks, installation.
# Usage: tests/cli/run_face_tests.sh [PROGRAM]
# Arguments are kept in variables and parted by the shell.
# shellcheck disable=SC2086
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

torus='--topology torus:4x4 --link 45GB/s,1us'
ring="$torus --collective all-reduce:ring --size 1MB"

# ---- formats

check 'weft alone prints five lines' both 0 '' out 'weft run'
check 'five of them' same "$(wc -l <out | tr -d ' ')" 5
# 2 x 15 steps of 1 us + ceil(62,500 B / 45 GB/s) = 2,388.888889 ns
check 'CSV has plain seconds' both 0 "run $ring --mapping snake --csv" out '^all-reduce,ring,16,1000000,1,0,0.00007166666667,'
check 'and one row' same "$(wc -l <out | tr -d ' ')" 2
check 'links as CSV' both 0 "run $ring --mapping snake --csv=links --links top:3" out '^0,1,3,1875000,30,'
check 'with a title and three rows' same "$(wc -l <out | tr -d ' ')" 4
check 'an unknown table' both 2 "run $ring --csv=lines" err 'none of collectives, links'
check 'two formats' both 2 "run $ring --csv --json" err 'one format at a time\|One format at a time'
check 'Markdown' both 0 "run $ring --markdown" out '^| all-reduce | ring | 16 | 1 MB |'
check 'a comparison as Markdown' both 0 "compare $ring --vary mapping=snake,linear --markdown" out '^| snake | '
weft_ends 0 compare $ring --vary mapping=snake,random:5 --json-lines -j 1 && cp out lines
check 'a JSON line a run' same "$(grep -c '^{"set".*}$' lines)" 6
weft_ends 0 compare $ring --vary mapping=snake,random:5 --json-lines -j 3
check 'the same for any number of workers' cmp -s out lines
if command -v python3 >/dev/null; then
    check 'each is JSON' python3 -c 'import json; [json.loads(line)["makespan"]["ticks"] for line in open("lines")]'
    check 'CSV reads back' python3 -c 'import csv, subprocess, sys
rows = list(csv.DictReader(subprocess.run(sys.argv[1:], capture_output=True, text=True).stdout.splitlines()))
assert len(rows) == 6 and all(float(row["time_seconds"]) > 0 for row in rows)' "$weft" compare $ring --vary mapping=snake,random:5 --csv=runs
fi
weft_ends 0 help columns && cp out columns
for title in $("$weft" run $ring --csv | head -1 | tr , ' ') $("$weft" run $ring --csv=links | head -1 | tr , ' ') \
    $("$weft" compare $ring --vary mapping=snake,random:2 --csv | head -1 | tr , ' '); do
    [ "$title" = mapping ] || check "the column $title is explained" says columns " $title  *[a-z]"
done

# ---- the Makefile's own help

make -s -C "$checkout" help >targets
for target in $(sed -n 's/^\.PHONY: //p' "$checkout/Makefile"); do
    check "make help tells of $target" says targets "^make $target  *[a-z]"
done

# ---- what a build says; the build that runs these tests hands its own flags down

object=$folder/built/base/text.o
build() {
    rm -f "$object"
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$checkout" --no-print-directory BUILD="$folder/built" "$@" "$object" >out 2>err
}
if command -v cc >/dev/null; then
    check 'a build' build
    check 'is a line for each file' same "$(cat out)" '  CC   src/base/text.c'
    check 'with V=1' build V=1
    check 'whole commands' says out '-Wall .* src/base/text.c'
    check 'with -s' build -s
    check 'nothing' silent out
    check 'a build with warnings' build -s WARNINGS=-Wtraditional
    check 'shows them' says err 'warning: '
fi

# ---- pictures

for shape in torus:4x4 torus:3x3x3 mesh:4x2 ring:5 switch:4 full:4 hypercube:3 fat-tree:4 leaf-spine:2x2x2 cluster:2x4; do
    weft_ends 0 run --topology $shape --link 1GB/s,1us --collective all-to-all --size 64KB --svg map.svg
    check "a picture of $shape" says map.svg '</svg>'
    if command -v xmllint >/dev/null; then check 'is XML' xmllint --noout map.svg; fi
    links=$("$weft" topo --topology $shape --link 1GB/s,1us --json | sed -n 's/.*"links": \([0-9]*\).*/\1/p' | head -1)
    check "all links of $shape have a title" same "$(grep -c '<title>.* to .*: busy' map.svg)" "$links"
done
check 'by bytes' both 0 "run $ring --svg map.svg --heat bytes" out '^heat map: map.svg'
check 'says so' says map.svg 'bytes a link carried'
check 'a heat map without a file' both 2 "run $ring --heat bytes" err 'add --svg FILE'
check 'an unknown heat' both 2 "run $ring --svg map.svg --heat warm" err 'none of utilization, bytes, queue'
check 'from the scenario' weft_ends 0 run $ring --set output.svg=from.svg
check 'beside it' says from.svg 'share of the time'
check 'side by side' weft_ends 0 compare $ring --vary mapping=snake,linear,random:3 --svg three.svg --heat queue
check 'three on one scale' same "$(grep -c 'class="h"' three.svg) $(grep -c 'url(#scale)' three.svg)" '3 1'

# ---- files that cannot be written: exit code 6, the old file whole

echo old >kept.svg
check 'a limit on the size of files' sh -c "ulimit -f 8; $weft run $ring --svg kept.svg >out 2>err; [ \$? -eq 6 ]"
check 'it says so' says err 'cannot write to kept.svg'
check 'the old file is whole' same "$(cat kept.svg)" old
check 'nothing is left beside it' same "$(ls kept.svg*)" kept.svg
check 'the same for output' sh -c "ulimit -f 8; $weft run $ring --set output.svg=kept.svg >out 2>err; [ \$? -eq 6 ]"
check 'and whole again' same "$(cat kept.svg)" old
mkdir -p pictures && echo old >pictures/best.svg
check 'in a comparison' sh -c "ulimit -f 8; $weft compare $ring --vary mapping=snake,linear --svg pictures >out 2>err; [ \$? -eq 6 ]"
check 'whole there too' same "$(cat pictures/best.svg)" old
check 'no folder' both 6 "run $ring --svg none/map.svg" err 'cannot write to none/map.svg'
check 'a full device' both 6 "run $ring --svg /dev/full" err 'cannot write to /dev/full'
for arguments in 'help columns' 'completion bash' "run $ring --csv" "compare $ring --vary mapping=snake,linear --json-lines"; do
    check "a full disk: ${arguments%% *}" sh -c "$weft $arguments >/dev/full 2>err; [ \$? -eq 6 ]"
done

# ---- manual pages

for page in $("$weft" help --roff); do
    # shellcheck disable=SC2094
    "$weft" help --roff "$page" >"$page"
    check "$page has a name" says "$page" '^.SH NAME'
    if command -v mandoc >/dev/null; then
        check "$page is sound" same "$(mandoc -T lint -W warning "$page" | grep -v 'missing date')" ''
    elif command -v man >/dev/null; then
        check "$page is sound" same "$(man -l --warnings "$page" 2>&1 >/dev/null)" ''
    fi
done
for command in $("$weft" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -v 'help\|version'); do
    check "$command has a page" test -s "weft-$command.1"
    for option in $("$weft" $command --help | sed -n 's/^  \(-[a-z], \)*--\([a-z-]*\).*/\2/p'); do
        check "$command --$option is in it" grep -qF -e "\\-\\-${option//-/\\-}" "weft-$command.1"
    done
done
check 'no such page' both 2 'help --roff weft.9' err 'no manual page'

# ---- completion

"$weft" completion bash >weft.bash
check 'a sound script for bash' bash -n weft.bash
if command -v zsh >/dev/null; then check 'for zsh' sh -c "$weft completion zsh | zsh -n"; fi
if command -v fish >/dev/null; then check 'for fish' sh -c "$weft completion fish | fish -n"; fi
check 'for no other' both 2 'completion tcsh' err 'none of bash, zsh, fish'
# shellcheck source=/dev/null
source ./weft.bash
COMP_WORDBREAKS=$' \t\n"'"'"'><=;|&(:'

# completes LINE WORDS: what is proposed at the end of the line
completes() {
    COMP_LINE=$1 COMP_POINT=${#1}
    _weft
    same "${COMPREPLY[*]}" "$2"
}
check 'commands' completes 'weft com' 'compare completion'
check 'options' completes 'weft run --heat' '--heat'
check 'options of that command only' completes 'weft topo --heat' ''
check 'topologies' completes 'weft run --topology fa' 'fat-tree:'
check 'mappings' completes 'weft run --mapping ' 'linear random snake stride'
check 'algorithms, after the colon' completes 'weft run --collective all-reduce:bi' 'bidirectional-ring'
# shellcheck disable=SC2046
check 'links' completes 'weft run --link nvlink' "$(echo $("$weft" completion fish | grep -o 'nvlink[0-9]*' | sort -u))"
check 'choices of the field tables' completes 'weft run --switching c' 'cut-through'
check 'the same after =' completes 'weft run --switching=c' 'cut-through'
check 'optional values after = only' completes 'weft run --csv=' 'collectives links'
check 'none without' completes 'weft run --csv ' ''
check 'keys' completes 'weft compare --vary network.inj' 'network.injection=fifo network.injection=round-robin'
check 'their values' completes 'weft compare --vary mapping=s' 'snake stride'
check 'letters' completes 'weft compare -j ' ''
check 'topics of help' completes 'weft help col' 'columns'
check 'shells' completes 'weft completion z' 'zsh'

# ---- installation

if [ "$weft" = "$checkout/weft" ]; then
    make -s -C "$checkout" install DESTDIR="$folder/root" >out 2>&1
    check 'the program is installed' test -x root/usr/local/bin/weft
    check 'manual pages are' test -s root/usr/local/share/man/man1/weft-run.1 -a -s root/usr/local/share/man/man5/weft-scenario.5
    check 'completions are' test -s root/usr/local/share/bash-completion/completions/weft -a -s root/usr/local/share/zsh/site-functions/_weft \
        -a -s root/usr/local/share/fish/vendor_completions.d/weft.fish
    make -s -C "$checkout" uninstall DESTDIR="$folder/root" >out 2>&1
    check 'nothing is left' same "$(find root -type f)" ''
fi

finish
