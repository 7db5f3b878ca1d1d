"""The table: for terminals, and as Markdown."""

import textwrap

from figures import listed

ACCOUNTS = ("free", "steps", "alpha-beta")
HEADINGS = ("id", "the lecture", "free", "by steps", "alpha-beta", "within", "")
WIDTH = 118
MARKS = ("<!-- table -->", "<!-- end of table -->")
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
    yield f"{len(lines)} rows: {agree} agree within tolerance in the account that the lecture means (*), {len(lines) - agree} do not."
    for account in ACCOUNTS:
        own = [line for line in lines if line.figure.account == account]
        if own:
            yield f"{account}: {sum(line.agrees() for line in own)} of {len(own)}."


def text(source, lines):
    """The table for terminals: under each row of figures what it is and, after an arrow, why the figures differ."""
    cells = [HEADINGS] + [line.cells() for line in lines]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEADINGS))]
    out = [source, ""]
    for row, line in zip(cells, [None, *lines]):
        out.append("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
        if line:
            out.append(textwrap.fill(line.figure.what, WIDTH, initial_indent="    ", subsequent_indent="    "))
        if line and line.why:
            out.append(textwrap.fill(line.why, WIDTH, initial_indent="    -> ", subsequent_indent="       "))
    return "\n".join([*out, "", *summary(lines)])


def markdown(lines):
    yield "| id | what | the lecture | free | by steps | alpha-beta | within | | why they differ |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for line in lines:
        identity, *rest = line.cells()
        shown = [f"**{cell[:-1]}**" if cell.endswith("*") else cell for cell in rest]
        yield f"| {' | '.join([identity, line.figure.what, *shown, line.why])} |"
    yield ""
    yield " ".join(summary(lines)).replace("(*)", "(bold)")


def write_page(path, lines):
    before, _, rest = path.read_text(encoding="utf-8").partition(MARKS[0])
    _, mark, after = rest.partition(MARKS[1])
    if not mark:
        raise ValueError(f"{path} has no marks {' and '.join(MARKS)}")
    path.write_text("\n".join([before + MARKS[0], *markdown(lines), MARKS[1] + after]), encoding="utf-8")
