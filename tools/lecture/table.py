"""Prints the table: for terminals, and as Markdown."""

import textwrap

from figures import listed

ACCOUNTS = ("free", "steps", "alpha-beta")
HEADINGS = ("id", "the lecture", "free", "by steps", "alpha-beta", "within", "")
WIDTH = 118
# Accounts further apart than this need a sentence; roundings to ticks are far below.
WORTH_A_SENTENCE = 1e-3


class Line:
    """A figure, what weft makes of it in each account, and why they differ."""

    def __init__(self, figure, computed, why):
        self.figure = figure
        self.computed = computed
        self.why = why

    def agrees(self):
        return self.figure.agrees(self.computed[self.figure.account])

    def shown(self, account):
        """The figure in that account, with a star where it is the one that the lecture means."""
        if account not in self.computed:
            return "-"
        return self.figure.text(self.computed[account]) + ("*" if account == self.figure.account else "")

    def accounts_differ(self):
        columns = [listed(value) for value in self.computed.values()]
        if len({len(column) for column in columns}) > 1:
            return True
        return any(max(values) - min(values) > WORTH_A_SENTENCE * max(values) + self.figure.absolute for values in zip(*columns))

    def cells(self):
        figure = self.figure
        shown = [self.shown(account) for account in ACCOUNTS]
        return [figure.id, figure.stated_text(), *shown, figure.tolerance_text(), "agrees" if self.agrees() else "DIFFERS"]


def summary(lines):
    agree = sum(line.agrees() for line in lines)
    yield f"{len(lines)} rows: {agree} agree within the tolerance in the account that the lecture means (*), {len(lines) - agree} do not."
    for account in ACCOUNTS:
        own = [line for line in lines if line.figure.account == account]
        if own:
            yield f"{account}: {sum(line.agrees() for line in own)} of {len(own)}."


def print_text(source, lines):
    print(source, end="\n\n")
    cells = [HEADINGS] + [line.cells() for line in lines]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEADINGS))]
    for row, line in zip(cells, [None, *lines]):
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        if line:
            print(textwrap.fill(line.figure.what, WIDTH, initial_indent="    ", subsequent_indent="    "))
        if line and line.why:
            print(textwrap.fill(line.why, WIDTH, initial_indent="    -> ", subsequent_indent="       "))
    print()
    print("\n".join(summary(lines)))


def print_markdown(source, lines):
    print(f"{source}.\n")
    print("| id | what | the lecture | free | by steps | alpha-beta | within | why they differ |")
    print("|---|---|---|---|---|---|---|---|")
    for line in lines:
        identity, stated, *rest, verdict = line.cells()
        shown = [f"**{cell[:-1]}**" if cell.endswith("*") else cell for cell in rest]
        print("|", " | ".join([identity, line.figure.what, stated, *shown, line.why]), "|" if verdict == "agrees" else "| differs")
    print()
    print("\n".join(summary(lines)).replace("(*)", "(bold)"))
