#!/bin/sh
# Writes the list of test suites from file names: tests/topo/test_torus.c defines `Suite *test_torus_suite(void)`.
set -eu
export LC_ALL=C
names=$(for file in tests/*/test_*.c; do basename "$file" .c; done | sort)
echo "// Written by tools/test_registry.sh from the file names in tests/; do not edit."
echo '#include <check.h>'
for name in $names; do echo "Suite *${name}_suite(void);"; done
echo "Suite *(*const test_suites[])(void) = {"
for name in $names; do echo "    ${name}_suite,"; done
echo "    NULL,"
echo "};"
