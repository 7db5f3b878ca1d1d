#!/bin/sh
# Installs what the build and the tests need and this machine lacks, through apt (with sudo where not root).
# Usage: tools/setup.sh [package ...]; without arguments: the build's own packages.
set -eu

packages=${*:-"gcc libc6-dev pkg-config libjansson-dev libevent-dev check procps"}
missing=
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "weft needs:$missing (Debian's names); apt-get is not here, so please install them by hand" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" -ne 0 ]; then
    as_root=$(command -v sudo) || { echo "weft needs:$missing; run as root: apt-get install$missing" >&2; exit 1; }
fi
echo "Installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # lists of words
$as_root apt-get install -y -qq $missing >/dev/null 2>&1 || {
    $as_root apt-get update -qq >/dev/null
    $as_root apt-get install -y -qq $missing >/dev/null
}
