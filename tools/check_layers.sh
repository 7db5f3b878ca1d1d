#!/bin/sh
# Holds the program to its layers: which folder may include which (docs/architecture.md). Prints each breach; exit 1 if any.
set -eu
cd "$(dirname "$0")/.."

# FOLDER: the folders whose headers it may include besides its own
rules='
base:
engine: base
topo: base engine
mapping: base
algos: base
llm: base
systems: base
workloads: base algos llm
record: base engine algos
analysis: base engine topo algos workloads record
scenario: base engine topo mapping algos llm systems workloads record analysis
report: base record analysis scenario algos topo
pool: base
cli: base engine topo mapping algos llm systems workloads record analysis scenario report pool
'
bad=0
complain() {
    echo "$1"
    bad=1
}

for path in src/*/; do
    folder=$(basename "$path")
    allowed=$(printf '%s\n' "$rules" | sed -n "s/^$folder://p")
    printf '%s\n' "$rules" | grep -q "^$folder:" || complain "src/$folder: no rule for it in tools/check_layers.sh"
    for line in $(grep -Hno '^#include "[a-z_]*/' "$path"*.[ch] | tr -d ' ' || true); do
        used=${line##*\"}
        used=${used%/}
        [ "$used" = "$folder" ] && continue
        case " $allowed " in *" $used "*) continue ;; esac
        # the communicator is the only door from algorithms to the engine
        case "$line" in src/algos/communicator*engine*) continue ;; esac
        complain "${line%%:#*}: src/$folder must not include $used/"
    done
done
for line in $(grep -Hno '^#include <jansson' src/*/*.[ch] src/*.c | tr -d ' ' || true); do
    case "$line" in src/scenario/* | src/report/* | src/cli/*) ;; *) complain "${line%%:#*}: jansson belongs to scenario/ and report/" ;; esac
done
for line in $(grep -Hno '^#include <event' src/*/*.[ch] src/*.c | tr -d ' ' || true); do
    case "$line" in src/pool/* | src/serve/*) ;; *) complain "${line%%:#*}: libevent belongs to pool/" ;; esac
done
for line in $(grep -Hnow 'exit *(' src/*/*.[ch] | tr -d ' ' || true); do
    case "$line" in *_exit*) ;; *) complain "${line%%:exit*}: only main.c may exit" ;; esac
done
exit $bad
