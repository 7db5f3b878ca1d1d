#!/bin/sh
# Runs the built program as a user would: exit codes, streams, signals. Usage: tests/cli/run_cli_tests.sh [PROGRAM]
# Arguments are kept in variables and parted by the shell.
# shellcheck disable=SC2086
# shellcheck source=tests/cli/program.sh
. "$(dirname "$0")/program.sh"

children() { ps -o pid= --ppid "$1"; }

torus='--topology torus:4x4 --link 45GB/s,1us'
ring="$torus --collective all-reduce:ring --size 1MB"
# far more work than any test waits for
endless="$ring --set workload.repeat=1000000 --shortcuts none"

check 'weft alone shows a runnable example' both 0 '' out 'weft run --topology'
example=$(grep -m 1 '  weft run' out | sed 's/^ *weft //')
check 'the example runs' weft_ends 0 $example
check 'results leave stderr alone' silent err
check 'help lists the commands' both 0 help out compare
check 'help of help' both 0 'help help' out '^  help '
check 'version' both 0 --version out '^weft [0-9]'
for command in run compare trace topo route validate presets schema; do
    check "help of $command" both 0 "$command --help" out "usage: weft $command"
    check "the same by help $command" both 0 "help $command" out "usage: weft $command"
done

check 'an unknown command' both 2 'rum' err 'did you mean "run"'
check 'an unknown one with dashes' both 2 '--hlep' err 'did you mean "help"'
check 'an unknown topic of help' both 2 'help columsn' err 'did you mean "columns"'
check 'a key without its path' both 2 "run $ring --set repeat=3" err '^weft: "repeat" is no key of the scenario itself (did you mean workload.repeat=…?)$'
check 'one that is varied' both 2 "compare $ring --vary algorithm=ring,tree" err '(did you mean workload.algorithm=…?)$'
check 'help that leaves room' both 0 'help run' out '^  --shortcuts all|none|solo,replay,symmetry$'
check 'an unknown option' both 2 'run --jsno' err 'did you mean --json'
check 'no scenario' both 2 'run' err 'give a scenario FILE (- for stdin), or --topology or --system, and --collective'
check 'no network' both 2 'topo' err 'give a scenario FILE (- for stdin), or --topology or --system$'
check 'no network of a route' both 2 'route scenario.json 0' err '^weft: of which network? Give a scenario FILE before the two endpoints'
check 'one endpoint' both 2 "route $torus 0" err '^weft: too few arguments; usage: weft route'
check 'nodes of no system' both 2 'run --nodes 4 --collective barrier' err '^weft: --nodes counts .* --system dgx-h100$'
check 'nodes of a shape' both 2 "run $ring --nodes 4" err '^weft: --nodes counts .* leave --topology out$'
check 'a value after a space' both 2 "run $ring --csv links" err '^weft: --csv links: a value follows after =, --csv=links'
check 'a near table' both 2 "run $ring --csv=link" err '"link" is none of collectives, links (did you mean "links"?)$'
check 'a near engine' both 2 "run $ring --engine windows" err '(did you mean "window"?)$'
check 'a near shortcut' both 2 "run $ring --shortcuts replay,sole" err '(did you mean "solo"?)$'
check 'a near heat' both 2 "run $ring --svg a.svg --heat quee" err '(did you mean "queue"?)$'
check 'a near algorithm' both 2 "run $torus --collective all-reduce:rign --size 1MB" err '(did you mean "ring"?)$'
check 'a near shell' both 2 'completion bsh' err '(did you mean "bash"?)$'
check 'a short form as a file' both 2 'topo torus:4x4' err '^weft: there is no file torus:4x4; did you mean --topology torus:4x4?$'
check 'none where none is needed' both 2 'topo --topology torus:4x0 --link 1GB/s,1us' err 'dims/1'
check 'no word of it' sh -c '! grep -q -e --collective err'
check 'no workload' both 2 "run $torus" err '^weft: --collective all-reduce, with --size 64MB, says'
check 'a topology without links' both 2 'run --topology leaf-spine:2x2x2 --collective barrier' err '^weft: --link 45GB/s,1us, or a name'
check 'not where it is something else' both 2 "run $torus --collective barier" err 'barier'
check 'a hint less' sh -c '! grep -q -e --link err'
check 'a link without a latency' both 2 'run --topology switch:4 --link 45GB/s --collective barrier' err '^weft: --link: "45GB/s" is a bandwidth without'
check 'a NIC where there is none' both 2 "run $torus --nic-link 45GB/s,1us --collective barrier" err '^weft: --nic-link: a torus has no NICs'
echo '{"network": 3, "workload": {"type": "collective", "collective": "barrier"}}' >three.json
check 'a key below a number' both 2 'run three.json --link 45GB/s,1us' err '^weft: --link sets /network/topology/link'
check 'is not told as an option that nobody gave' sh -c '! grep -q -e --set.network err'
check 'no such file' both 2 'run none.json' err 'none.json'
check 'too many files' both 2 'run a b' err 'usage: weft run'
check 'compare without --vary' both 2 "compare $ring" err 'vary'
check 'compare with a wrong point' both 2 "compare $ring --vary mapping=snake,snakes" err 'nothing was run'
check 'nothing on stdout then' silent out
check 'an endpoint that is none' both 2 "route $torus 0 99" err 'there is no endpoint "99"'

check 'a run' both 0 "run $ring" out 'hottest links'
check 'a run as JSON' both 0 "run $ring --json" out '"status": "complete"'
cp out first.json
weft_ends 0 run $ring --json
check 'the same bytes again' cmp -s out first.json
check 'several processes give the same bytes' sh -c "$weft run $ring --json | cmp -s - first.json"

# 15 of the 16 ranks' blocks pass each link of the snake twice: 2 x 15 x 1 MB / 16 = 1.875 MB
check 'bytes of a link by hand' both 0 "run $ring --mapping snake --links top:1" out '1.875 MB'
# 2 x 15 steps of 1 us + ceil(62,500 B / 45 GB/s) = 2388.888… ns: 71.67 us
check 'time by hand' says out 'complete in 71.67 us'
check 'coordinates route last dimension first' both 0 "route $torus 0 5" out '0 to 5: 2 hops, 2 us of latency in all'
check 'the first hop' says out '1  0 -> 1 '
check 'a route to itself' both 0 "route $torus 3 3" out '3 to 3: 0 hops'
check 'a torus has 2 x 16 cables' both 0 "topo $torus" out 'cables *32$'
check 'topo as JSON' both 0 "topo $torus --json" out '"diameter": 4'

printf '{"network": {"topology": {"type": "ring", "endpoints": 4, "link": {"bandwidth": "1GB/s", "latency": "1us"}}},\n "workload": {"type": "collective", "collective": "barrier"}}' >good.json
printf '{"network": {"topolgy": 1}}' >bad.json
check 'a file' both 0 'run good.json' out 'barrier'
check 'standard input' sh -c "$weft run - <good.json >out"
check 'files can be changed' both 0 'run good.json --set network.topology.endpoints=6' out '6 endpoints'
echo '{"name": "a ring of 4", "network": {"topology": {"type": "ring", "endpoints": 4, "link": {"bandwidth": "1GB/s", "latency": "1us"}}}, "workload": {"type": "collective", "collective": "all-reduce", "size": "4MB"}}' >named.json
check 'the title of a file' both 0 'run named.json' out '^a ring of 4$'
check 'tells what was changed' both 0 'run named.json --size 8MB --topology ring:6 --link 1GB/s,2us --set seed=3' out \
    '^a ring of 4, with --topology ring:6 --link 1GB/s,2us --size 8MB --set seed=3$'
check 'not what is written or checked' both 0 'run named.json --set assert=["makespan>1s"] --set output.waits=w.csv --set assert.0=makespan<1s' out '^a ring of 4$'
check 'nor where the name was given' both 0 'run named.json --size 8MB --set name=six' out '^six$'
check 'of what is long the beginning' both 0 'run named.json --size 8MB --mapping [0,1,2,3] --set network.topology={"type":"ring","endpoints":4,"link":{"bandwidth":"1GB/s","latency":"1000000000000000fs"}}' out \
    '^a ring of 4, with --size 8MB --set …$'
check 'of a trace' both 0 'trace named.json --size 8MB' out '^a ring of 4, with --size 8MB$'
check 'of a comparison what all have' both 0 'compare named.json --size 8MB --vary mapping=snake,linear' out '^a ring of 4, with --size 8MB$'
check 'in JSON' both 0 'run named.json --size 8MB --json' out '"name": "a ring of 4, with --size 8MB"'
check 'all files are checked' both 2 'validate bad.json good.json none.json' out 'good.json: valid'
check 'with position and suggestion' says err 'bad.json:1:14: /network/topolgy: .*did you mean "topology"'
check 'each of them' says err 'none.json'
check 'valid files alone' weft_ends 0 validate good.json good.json
check 'quietly' weft_ends 0 validate --quiet good.json
check 'nothing to say' silent out

check 'a time limit' both 4 "run $ring --until 10us --json" out '"status": "limit"'
check 'no makespan then' says out '"makespan": null'
check 'an event limit' both 4 "run $ring --max-events 5" err '^weft: limit: '
check 'a limit in a comparison' both 4 "compare $ring --vary mapping=snake,linear --max-events 5" err 'point snake: limit'
check 'a wrong limit' both 2 "run $ring --until 10" err '^weft: --until'

check 'a full disk' sh -c "$weft run $ring >/dev/full 2>err; [ \$? -eq 6 ]"
check 'it says so' says err 'cannot write to standard output: No space left'
check 'a closed pipe' sh -c "($weft run $ring --links all 2>err; echo \$? >code) | true; [ \"\$(cat code)\" -eq 0 ] || grep -q 6 code"
check 'a closed stdout' sh -c "$weft run $ring >&- 2>err; [ \$? -eq 6 ]"
check 'a picture that cannot be written' both 6 "compare $ring --vary mapping=snake,linear --svg /proc/none" err 'cannot make the folder'

dgx='run --system dgx-h100 --nodes 4 --collective all-reduce --size 512MB'
check 'a system by name' both 0 "$dgx" out 'all-reduce  ring          32  512 MB'
check 'it is in the echo' both 0 "$dgx --json" out '"system": {"type": "dgx-h100", "nodes": 4}'
check 'and its network' says out '"nic_link": "ib-ndr"'
check 'parts of it can be set' both 0 "$dgx --set network.topology.nic_link=ib-xdr" out 'nic_link ib-xdr'
check 'a slice by its dims' both 0 'topo --system tpu-v5p:4x4x8' out 'endpoints *128$'
check 'machines by their number' both 0 'topo --system dgx-h100:2' out 'endpoints *16$'
check 'a system has its own shape' both 2 "run $ring --system dgx-h100" err 'leave --topology out'
check 'sizes of a system' both 2 'topo --system dgx-h100:two' err 'dgx-h100:4'
check 'presets' both 0 presets out 'nvlink4 *450 GB/s *300ns'
check 'systems, models and hardware too' sh -c "grep -q gb200-nvl72 out && grep -q deepseek-v3 out && grep -q '^  h100 ' out"
check 'presets as JSON' both 0 'presets --json' out '"name": "ici-v5p", "bandwidth": "90GB/s"'
check 'the schema' both 0 schema out 'https://json-schema.org/draft/2020-12/schema'

printf '{"network": {"topology": {"type": "ring", "endpoints": 4, "link": {"bandwidth": "1GB/s", "latency": "1us"}}, "chunk": "whole"},\n "workload": {"type": "collective", "collective": "all-reduce", "size": "4MB"}, "assert": ["makespan == 6006us", "slowdown.p99 <= 1"]}' >sure.json
check 'assertions that hold' both 0 'run sure.json --json' out '"text": "slowdown.p99 <= 1", "holds": true, "value": 1}'
check 'one that does not' both 5 'run sure.json --set assert.0=makespan<6ms' out 'makespan<6ms: 6.006 ms'
check 'plainly where the locale is plain' sh -c "LC_ALL=C $weft run sure.json | grep -qF '[ok] makespan == 6006us'"
check 'with ticks where it is not' sh -c "LC_ALL=C.UTF-8 $weft run sure.json | grep -q '✓ makespan == 6006us'"
check 'a run that is stopped keeps its code' both 4 'run sure.json --max-events 3 --set assert.0=makespan<6ms --json' out '"status": "limit"'
check 'and is not judged' sh -c "! grep -q asserts out"
check 'a wrong unit is seen before the run' both 2 'run sure.json --set assert.0=makespan<6GB' err '/assert/0: "6GB" has the unknown unit'

escape=$(printf '\033[')
check 'no colour in files' sh -c "! $weft run $ring | grep -qF '$escape'"
check 'colour where asked' sh -c "$weft run $ring --color always | grep -qF '$escape'"
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then # a terminal can be had
    check 'colour on terminals' sh -c "unset NO_COLOR; TERM=xterm script -qec '$weft run $ring' /dev/null </dev/null | grep -qF '$escape'"
    check 'NO_COLOR' sh -c "! NO_COLOR=1 script -qec '$weft run $ring' /dev/null </dev/null | grep -qF '$escape'"
    check 'progress on terminals' sh -c "script -qec 'timeout -s INT 1 $weft run $endless' /dev/null </dev/null | grep -q 'M chunk-hops'"
    check 'none when not wanted' sh -c "! script -qec 'timeout -s INT 1 $weft run $endless --no-progress' /dev/null </dev/null | grep -q 'M chunk-hops'"
fi

check 'a comparison' both 0 "compare $ring --vary mapping=snake,linear,random:6 -j 1 --svg pictures" out '^snake wins'
check 'its pictures' test -s pictures/best.svg -a -s pictures/worst.svg
check 'their paths' says out 'pictures/worst.svg'
cp out one
mv pictures/worst.svg worst-of-one.svg
weft_ends 0 compare $ring --vary mapping=snake,linear,random:6 -j 2 --svg pictures
check 'two workers print the same' cmp -s one out
check 'and draw the same' cmp -s pictures/worst.svg worst-of-one.svg
weft_ends 0 compare $ring --vary mapping=snake,linear,random:6 -j 1 --json && cp out one
weft_ends 0 compare $ring --vary mapping=snake,linear,random:6 -j 9 --json
check 'as JSON too' cmp -s one out
check 'any number of workers' both 0 "compare $ring --vary mapping=snake,linear -j 4294967296" out '^snake wins'
check 'pictures beside a file' weft_ends 0 compare $ring --vary mapping=snake,linear --svg map.svg
check 'of both' test -s map-best.svg -a -s map-worst.svg
# on a one-way ring placed backwards every neighbour is 3 hops away: 4 x 3 hops over 4 links, 3 a link
check 'ring neighbours by hand' both 0 'compare --topology ring:4 --link 1GB/s,1us --set network.topology.directions=one --collective all-reduce:ring --size 4KB --vary mapping=linear,[3,2,1,0]' out '3 of 4'
check 'ranges' both 0 "compare $ring --vary workload.size=1KB..64KB:x8 --vary mapping=snake,linear" out '64KB'

send="--topology switch:2 --link 1GB/s,1us --collective send --set workload.from=0 --set workload.to=1 --size 10KB --chunk whole"
# bins of 2^32 fs = 4.295 us: the link is busy until 10 us, in 1.41 us of the third, three eighths rounded up
LC_ALL=C check 'a sparkline by hand' both 0 "trace $send --bins 4" out '^  0->s0    83.3 %  @@-$'
LC_ALL=en_US.UTF-8 check 'in blocks' both 0 "trace $send --bins 4" out '^  0->s0    83.3 %  ██▃$'
LC_ALL=C check 'the hottest alone' both 0 "trace $ring --top 1" out 'the hottest links (1)'
check 'too many bins' both 2 "trace $send --bins 1001" err '2 to 1000'
check 'nothing to trace' both 2 "trace $send --set network.model=alpha-beta" err 'simulates nothing'

check 'files of a run' weft_ends 0 run $send --set output.link_trace=links.csv --set output.messages=messages.csv
check 'are written' test "$(wc -l <messages.csv)" -eq 2 -a -s links.csv
check 'slowdown in the table' says out 'slowdown of 1 messages .* most 1$'
cp links.csv old.csv
(ulimit -f 1; "$weft" run $ring --set output.link_trace=links.csv --quiet >out 2>err)
check 'a limit on file sizes' test $? -eq 6
check 'leaves the old file' cmp -s links.csv old.csv
check 'and nothing else' test "$(ls links.csv* | wc -l)" -eq 1
check 'a shortcut that is none' both 2 "run $ring --shortcuts solo,rply" err '"rply" is none of all, none, or some of solo,replay,symmetry'
check 'a shortcut that was named and not taken' both 0 "run $ring --shortcuts replay" err 'note: shortcut replay was not taken, since nothing is done more than'
check 'not to the quiet' weft_ends 0 run $ring --shortcuts replay --quiet
check 'who hear nothing' silent err
check 'all is no name' weft_ends 0 run $ring --shortcuts all
check 'and says nothing' silent err
timeout -s INT --preserve-status 2 "$weft" run --topology torus:16x16x16 --link 45GB/s,1us --collective all-to-all --size 16MiB --chunk 64B --mapping random >out 2>err
check 'a run that nobody waits for is told of' says err '^weft: note: about 1.[0-9] x 10^10 chunk-hops lie ahead, .* since ranks are not placed in order, .*mapping linear'
timeout -s INT --preserve-status 2 "$weft" run --topology torus:16x16x16 --link 45GB/s,1us --collective all-to-all --size 16MiB --chunk 64B --mapping random --quiet >out 2>err
check 'but not the quiet' sh -c '! grep -q note: err'
full='--proof off --shortcuts none'
check 'too many threads' both 2 "run $ring --threads 65" err '--threads: at most 64'
weft_ends 0 run $ring $full --threads 1 --json
mv out one.json
check 'three threads' weft_ends 0 run $ring $full --threads 3 --json
check 'without a word' silent err
check 'say so' says out '^  "threads": 3,$'
sed -i '/^  "threads": 3,$/d' out
check 'and else give the same bytes' cmp -s out one.json
check 'in the table too' both 0 "run $ring $full --threads 3" out '^threads: 3, '
check 'one thread where it must be' both 0 "run $ring --threads 2" err 'note: one thread, since the proof follows'
(ulimit -v 400000; "$weft" run $ring $full --threads 2 --json >out 2>err)
check 'one thread without room for more' says err 'note: one thread, since .* no room for messages'
check 'gives the same bytes' cmp -s out one.json
check 'nor where one rank stands for all' both 0 "run $ring --proof off --threads 2" err 'note: one thread, since symmetry leaves'
for engine in heap window; do
    late='--set workload.start={"0":"9223372036854775807fs"}'
    check "a delay beyond the clock, $engine" both 3 "run $ring $late --engine $engine" err 'overflow: the clock overflows'
done
check 'a full disk' both 6 "run $send --set output.waits=/dev/full" err 'No space left on device'
check 'no such folder' both 6 "run $send --set output.perfetto=none/run.json" err 'none/run.json'
check 'bins that would be too many' both 0 "run $ring --set output.link_trace={\"file\":\"links.csv\",\"bin\":\"1fs\"}" err 'would be more than'

for signal in INT TERM; do
    code=$([ $signal = INT ] && echo 130 || echo 143)
    timeout -s $signal --preserve-status 2 "$weft" run $endless --json >out 2>err
    check "exit code after SIG$signal" test $? -eq "$code"
    check 'what was done is shown' says out '"status": "interrupted"'
    timeout -s $signal --preserve-status 2 "$weft" run $endless --json --proof off --threads 3 >out 2>err
    check "SIG$signal ends several threads" test $? -eq "$code"
    timeout -s $signal --preserve-status 2 "$weft" compare $endless --vary workload.repeat=1,2,1000000,2000000 >out 2>err
    check "comparison after SIG$signal" test $? -eq "$code"
    check 'finished points are shown' says out '^  1 '
    check 'it says how many' says err 'interrupted after 2 of 4 runs'
    timeout -s $signal --preserve-status 2 "$weft" run --topology switch:1 --link 1GB/s,1us --collective barrier \
        --set workload.repeat=1000000000 >out 2>err
    check "SIG$signal within one instant" test $? -eq "$code"
    timeout -s $signal --preserve-status 2 "$weft" run --topology switch:65536 --link 1GB/s,1us --collective all-reduce:ring \
        --size 64000001B --model alpha-beta >out 2>err
    check "SIG$signal while steps are priced" test $? -eq "$code"
done
check 'memory is limited while an instant is posted' both 4 "run --topology torus:16x16x16 --link 45GB/s,500ns --collective all-to-all:direct \
    --size 4MiB --set workload.schedule=all-at-once --shortcuts none --max-memory 20MB" err 'stopped at [0-9]\{8\} bytes'
check 'memory is limited in a short run too' both 4 "run $ring --max-memory 10B" err 'max-memory'
check 'a network larger than the machine' both 2 "topo --topology ring:2000000000 --link 1GB/s,1us" err 'too large for this machine'

"$weft" compare $ring --vary workload.repeat=1,1000000,2 -j 1 >out 2>err &
parent=$!
sleep 1
worker=$(children $parent)
kill -KILL $worker
wait $parent
check 'a killed worker' test $? -eq 1
check 'its point is named' says err 'point 1000000: lost: its worker was ended by signal 9'
check 'the others go on' says out '^  2 '
check 'the loss is in the table' says out '1000000 *lost'
check 'no process is left' sh -c "! ps -p $worker -o stat= | grep -q ."

finish
