#!/usr/bin/env python3
"""Holds `weft validate` against an independent validator of the JSON Schema that weft prints.

Every scenario of the repository and mutations of the good ones are judged by both. They agree on a file when both take
it, when both refuse it, or when weft refuses it only for reasons that a schema cannot express: those are listed in
BEYOND, and docs/editors.md tells users of them. Usage: agree.py WEFT SCHEMA [FEWEST_FILES]
"""
import copy
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from jsonschema import Draft202012Validator

ROOT = pathlib.Path(__file__).resolve().parents[2]
MUTATIONS = 400

# What a schema cannot express: (kind, weft's words).
BEYOND = [
    ("text", r"given twice in one object|byte-order mark|is UTF-16|surrogate|\\u0000|the number \d+ is too large"),
    ("arithmetic", r"not a whole number of bytes|the most is 2\^63-1 bytes|the clock ends at|too large: it has more than|above 2\^63 bytes"),
    ("decimals", r"at most six decimals|expected an integer, found \d+"),
    ("keys that need or exclude each other",
     r"has no (pieces|matrix|root|size|from|to|inner|outer|order|schedule)\b|needs \"|leave out \"size\"|an override gives|is missing: give|needs pieces"),
    ("files", r"cannot open|/schedule_file: .*\.json"),
    ("lengths", r"has \d+ dims|has \d+ entries where|row \d+ has \d+ entries|rows of \d+ sizes|the list has \d+ endpoints"),
    ("numbers that fit together", r"must be even|there is no (rank|node|message|endpoint)|ranks do not fit|has rank \d+ already|"
     r"stands in the group twice|two nodes are called|no link leads|which expects|schedule, \d+ ranks|\d+ NICs for \d+ endpoints"),
    # of tensor-parallel workloads, where it depends on their parallelism; those of a collective are in the schema
    ("algorithms of tp", r"has no algorithm \""),
    ("assertions", r": /assert/\d+: "),
    ("shapes", r"cannot reach endpoint|needs (a torus|nodes of several|a tree of switches)|belongs to a path through one switch|a slice (has|is)|"
     r"cannot be spread|can be twisted|power of two"),
]


def good_files():
    for path in sorted(ROOT.glob("scenarios/**/*.json")) + sorted(ROOT.glob("tests/golden/cases/*/scenario.json")):
        if "workload" in json.loads(path.read_text()):
            yield path


def places(value, at=()):
    """All places in a document, each as a tuple of keys."""
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in items:
        yield from places(below, (*at, key))


def parent_of(document, place):
    for key in place[:-1]:
        document = document[key]
    return document


def rename(parent, key, draw):
    if isinstance(parent, dict):
        parent[key + draw.choice("xs_")] = parent.pop(key)


def remove(parent, key, draw):
    del parent[key]


def retype(parent, key, draw):
    parent[key] = draw.choice([None, 7, -1, 1.5, "", "x", True, [], {}, [1], {"type": "none"}, 10**18])


def add(parent, key, draw):
    if isinstance(parent, dict):
        parent[draw.choice(["extra", "link", "size", "type", "endpoints", "latency", "from", "seed"])] = draw.choice([1, "1us", "ring"])


def respell(parent, key, draw):
    value = parent[key]
    if isinstance(value, str):
        number = re.match(r"[0-9.]*", value).group()
        parent[key] = draw.choice(
            [number, "-" + value, value + " ", value.upper(), value + "B", "0" + value, value.replace("1", "1.5"), "0B", "1e3KB", "2us",
             "3GB/s", "8Gbps", number + "KiB", value[:-1]])


def count(parent, key, draw):
    value = parent[key]
    if isinstance(value, int) and not isinstance(value, bool):
        parent[key] = draw.choice([0, -1, value + 1, 2 * value, 2**31, 2**33, value + 0.5, str(value)])


def mutants(sources):
    draw = random.Random(1)
    for number in range(MUTATIONS):
        source = draw.choice(sources)
        document = copy.deepcopy(json.loads(source.read_text()))
        place = draw.choice([p for p in places(document) if p])
        mutation = draw.choice([rename, remove, retype, add, respell, respell, count, count])
        mutation(parent_of(document, place), place[-1], draw)
        yield source, f"{number:03}-{mutation.__name__}", document


def write_mutants(folder, sources):
    """Each in a folder with what its source may name: matrices, schedules."""
    for source, name, document in mutants(sources):
        place = folder / name
        place.mkdir()
        for neighbour in source.parent.iterdir():
            (place / neighbour.name).symlink_to(neighbour)
        mutant = place / "mutant-scenario.json"
        mutant.write_text(json.dumps(document, indent=1))
        yield mutant


def copy_invalid(folder):
    """The bad scenarios of tests/invalid, whose files are named from that folder."""
    for case in sorted((ROOT / "tests/invalid").iterdir()):
        if case.is_dir():
            (folder / case.name).symlink_to(case)
            bad = folder / f"{case.name}.json"
            bad.write_bytes((case / "input.json").read_bytes())
            yield bad


def weft_verdicts(weft, files):
    """file -> what weft says against it; nothing for a good one."""
    run = subprocess.run([weft, "validate", *map(str, files)], capture_output=True, text=True, check=False)
    if run.returncode not in (0, 2):
        sys.exit(f"weft validate ended with {run.returncode}")
    verdicts = {str(file): [] for file in files}
    valid = {line.removesuffix(": valid") for line in run.stdout.splitlines()}
    for line in run.stderr.splitlines():
        file, _, said = line.partition(".json:")
        verdicts[file + ".json"].append(said)
    for file, said in verdicts.items():
        if (file in valid) == bool(said):
            sys.exit(f"{file}: neither valid nor said to be wrong")
    return verdicts


def schema_verdict(validator, file):
    try:
        document = json.loads(pathlib.Path(file).read_bytes())
    except (ValueError, RecursionError):
        return "no JSON"
    return next((error.message[:200] for error in validator.iter_errors(document)), None)


def kinds_beyond(said):
    """The kinds of what weft says, or None when a schema should have seen one of them."""
    kinds = [next((kind for kind, words in BEYOND if re.search(words, line)), None) for line in said]
    return None if None in kinds else kinds


def main():
    weft, schema = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text())
    fewest = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    sources = list(good_files())
    with tempfile.TemporaryDirectory() as folder:
        files = sources + list(copy_invalid(pathlib.Path(folder))) + list(write_mutants(pathlib.Path(folder), sources))
        verdicts = weft_verdicts(weft, files)
        both_take = both_refuse = 0
        apart, disagreements = {}, []
        for file, said in verdicts.items():
            refused = schema_verdict(validator, file)
            kinds = kinds_beyond(said) if said and not refused else None
            if not said and not refused:
                both_take += 1
            elif said and refused:
                both_refuse += 1
            elif kinds:
                for kind in kinds[:1]:
                    apart[kind] = apart.get(kind, 0) + 1
            else:
                disagreements.append(f"{file}\n  weft:   {said or 'valid'}\n  schema: {refused or 'valid'}")
    print("\n".join(disagreements))
    print(f"{len(files)} files: both take {both_take}, both refuse {both_refuse}, {len(disagreements)} disagreements;")
    print("beyond a schema: " + ", ".join(f"{kind} {n}" for kind, n in sorted(apart.items())))
    sys.exit(1 if disagreements or len(files) < fewest else 0)


if __name__ == "__main__":
    main()
