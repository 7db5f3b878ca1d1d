#!/bin/sh
# Serves three whole public traces to their end, where they lie beside the checkout (../shared/traces or $1): every request must be done.
# Usage: tools/whole_traces.sh [FOLDER]
set -eu
cd "$(dirname "$0")/.."
traces=${1:-../shared/traces}
if [ ! -d "$traces" ]; then
    echo "no traces in $traces: nothing to do"
    exit 0
fi
traces=$(cd "$traces" && pwd)
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# serve FILE REQUESTS: on four nodes of 8 x H100, two of which prefill
serve() {
    started=$(date +%s)
    ./weft run scenarios/llm/serve-70b-disaggregated.json --set workload.trace="$traces/$1" --set workload.windows=12 \
        --set network.topology.nodes=4 --set workload.prefill.instances=2 --set workload.decode.instances=2 >"$out"
    echo "== $1: $(($(date +%s) - started)) s"
    grep -E '^(complete|requests$|time (to|per)|end to end|keys and values$|simulated and)|^  (done|requests|tokens|p50|p99|moved|saved|share|chunk)' "$out"
    grep -q "^  done  *$2\$" "$out" || {
        echo "not all of $2 requests are done"
        exit 1
    }
}
serve AzureLLMInferenceTrace_code.csv 8819
serve AzureLLMInferenceTrace_conv.csv 19366
serve mooncake_synthetic.jsonl 3993
