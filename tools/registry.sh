#!/bin/sh
# Writes the registries of variants from file names: src/topo/torus.c is taken when it defines
# `const struct topology_type torus_topology`. Usage: tools/registry.sh > build/registry.c
set -eu
export LC_ALL=C

# list FOLDER STRUCT SUFFIX: the names of the variants in a folder, sorted
list() {
    for file in src/"$1"/*.c; do
        name=$(basename "$file" .c)
        if grep -q "^const struct $2 ${name}_$3\\b" "$file"; then echo "$name"; fi
    done
}

# family FOLDER STRUCT SUFFIX NOUN
family() {
    names=$(list "$1" "$2" "$3")
    for name in $names; do echo "extern const struct $2 ${name}_$3;"; done
    echo "static const struct variant_type *const $3_types[] = {"
    for name in $names; do echo "    &${name}_$3.variant,"; done
    echo "    NULL,"
    echo "};"
    echo "const struct family $3_family = {\"$4\", $3_types};"
    echo
}

cat <<'C'
// Written by tools/registry.sh from the file names in src/; do not edit.
#include "algos/algorithm.h"
#include "mapping/mapping.h"
#include "systems/system.h"
#include "topo/topology.h"
#include "workloads/workload.h"

C
family topo topology_type topology topology
family mapping mapping_type mapping mapping
family workloads workload_type workload workload
family systems system_type system system
names=$(list algos algorithm algorithm)
for name in $names; do echo "extern const struct algorithm ${name}_algorithm;"; done
echo "const struct algorithm *const algorithms[] = {"
for name in $names; do echo "    &${name}_algorithm,"; done
echo "    NULL,"
echo "};"
