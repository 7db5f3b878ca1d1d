#!/usr/bin/env python3
"""Every figure of lecture P5 that weft can produce, in the three accounts of time, beside what the lecture states.

Usage: tools/lecture/lecture.py [--weft PROGRAM] [-j JOBS] [--write PAGE] [--commands] [ID ...]
Exit code: 0 all figures agree, 1 some do not or a run failed, 2 usage.
"""

import argparse
import concurrent.futures
import os
import pathlib
import sys

sys.dont_write_bytecode = True

import figures
import rows  # registers them
import table
from registry import ROWS
from weft import Account, Failure, Weft

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read_options():
    parser = argparse.ArgumentParser(description="the lecture's figures, beside weft's in three accounts of time")
    parser.add_argument("--weft", default=str(ROOT / "weft"), help="the program to run")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), help="runs at a time (default: one a core)")
    parser.add_argument("--write", metavar="PAGE", help="also write the table into a Markdown page, between its marks")
    parser.add_argument("--commands", action="store_true", help="print each command on stderr when it is first run")
    parser.add_argument("ids", metavar="ID", nargs="*", help="only these figures")
    return parser.parse_args()


def compute(weft, figure):
    """{account: figure, a number or a list}; a failure raises."""
    row = ROWS[figure.id]
    return {name: row.compute(Account(weft, name), figure.given) for name in row.accounts}


def compute_all(weft, chosen, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        computing = [pool.submit(compute, weft, figure) for figure in chosen]
        return [table.Line(figure, future.result(), ROWS[figure.id].why) for figure, future in zip(chosen, computing)]


def complaints(lines):
    """What is wrong with the table, as sentences."""
    for line in lines:
        if not line.agrees():
            yield f"{line.figure.id}: {line.shown(line.figure.account)} is outside the tolerance of {line.figure.stated_text()}"
        if line.accounts_differ() and not line.why:
            yield f"{line.figure.id}: the accounts differ and no sentence says why"


def main():
    options = read_options()
    source, chosen = figures.read(ROOT / "tools/lecture/figures.json")
    known = {figure.id for figure in chosen}
    if known != set(ROWS):
        print("figures without a row, or rows without a figure:", *sorted(known ^ set(ROWS)), file=sys.stderr)
        return 2
    unknown = set(options.ids) - known
    if unknown:
        print("no such figure:", *sorted(unknown), file=sys.stderr)
        return 2
    if options.ids:
        chosen = [figure for figure in chosen if figure.id in options.ids]
    weft = Weft(options.weft, ROOT / "scenarios/lecture", options.commands)
    try:
        lines = compute_all(weft, chosen, options.jobs)
    except (Failure, OSError, ValueError) as failure:
        print(failure, file=sys.stderr)
        return 1
    wrong = list(complaints(lines))
    print(table.text(source, lines))
    if options.write:
        table.write_page(pathlib.Path(options.write), lines)
    for complaint in wrong:
        print(complaint, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
