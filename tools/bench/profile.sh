#!/bin/sh
# Where the instructions of a chunk-hop go: callgrind's counts of the small rows by group of functions, as a Markdown table.
# Usage: tools/bench/profile.sh BENCH_PROGRAM [ENGINE]
set -eu

bench=$1 engine=${2:-window}
"$(dirname "$0")/../setup.sh" valgrind
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for row in $("$bench" --list --group small); do
    hops=$(valgrind --tool=callgrind --toggle-collect=bench_timed --callgrind-out-file="$work/profile" "$bench" --once "$row" "$engine" 2>"$work/log") ||
        { cat "$work/log" >&2; exit 1; }
    callgrind_annotate --auto=no --threshold=100 "$work/profile" | sed -n 's/^ *\([0-9,]*\) *([ 0-9.]*%) */\1 /p' | sed "s/^/$row $hops /"
done | awk '
    # a function is named FILE:FUNCTION, the file being that of an inlined line
    function group(at) {
        if (at ~ /queue_peak|queueing/) return "queue peak"
        if (at ~ /random\.h|digest/) return "digest"
        if (at ~ /src\/topo\//) return "routing"
        if (at ~ /heap\.[ch]|node_timers|timer_set/) return "heap"
        if (at ~ /service\.[ch]:/) return "service"
        if (at ~ /inject|make_chunk|chunk_bytes|chunk_count|size_class|of_run|take_run|transfer_ticks|divti3/) return "sources"
        if (at ~ /engine\/service|bucket\.c/) return "service"
        if (at ~ /_engine\.c|sim_state\.h|bucket\.h/) return "sweep"
        if (at ~ /post|_steps\.h|algos\/step\.c|span\.h|view\.h|communicator_send/) return "posting"
        if (at ~ /src\/algos\/|sim_deliver/) return "matching"
        return "other"
    }
    $4 == "PROGRAM" { next }
    {
        if (!($1 in hops)) order[++rows] = $1
        hops[$1] = $2
        gsub(",", "", $3)
        sum[$1, group($4)] += $3
    }
    END {
        count = split("sweep,heap,service,queue peak,routing,sources,posting,matching,digest,other", names, ",")
        printf "| row |"
        for (i = 1; i <= count; i++) printf " %s |", names[i]
        printf " all |\n|---|"
        for (i = 0; i <= count; i++) printf "--:|"
        printf "\n"
        for (r = 1; r <= rows; r++) {
            printf "| %s |", order[r]
            all = 0
            for (i = 1; i <= count; i++) {
                value = sum[order[r], names[i]] / hops[order[r]]
                all += value
                printf " %.0f |", value
            }
            printf " %.0f |\n", all
        }
    }'
