# Sourced by the tests of the built program: a folder of their own, what a check is, how weft is run. $1 is the program.
# shellcheck shell=sh
# Arguments are kept in variables and parted by the shell; the variables are read by those who source this.
# shellcheck disable=SC2086,SC2034
set -u
weft=$(realpath "${1:-./weft}")
[ -x "$weft" ] || { echo "there is no program $weft" >&2; exit 1; }
checkout=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
passed=0
failed=0

# check NAME CONDITION…: counts one test
check() {
    name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name" >&2
        tail -n 3 out err >&2
    fi
}

# weft_ends CODE ARGUMENT…: runs weft with its streams in the files out and err
weft_ends() {
    expected=$1
    shift
    "$weft" "$@" >out 2>err </dev/null
    code=$?
    [ $code -eq "$expected" ] && return
    echo "exit code $code, not $expected: weft $*" >&2
    return 1
}

says() { grep -q -e "$2" "$1" || { echo "\"$2\" is not in $1" >&2; return 1; }; }
silent() { ! [ -s "$1" ] || { echo "$1 is not empty" >&2; return 1; }; }
both() { weft_ends "$1" $2 && says "$3" "$4"; }
same() { [ "$1" = "$2" ] || { echo "\"$1\" is not \"$2\"" >&2; return 1; }; }

# Prints the count; fails where a check did.
finish() {
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ]
}
