"""The rows of the table: functions that compute a figure in one account. A module of rows need only be imported."""

ROWS = {}


class Row:
    def __init__(self, compute, why, accounts):
        self.compute = compute
        self.why = why
        self.accounts = accounts


def row(identity, why="", accounts=("free", "steps", "alpha-beta")):
    """Registers `compute(account, given)`, which returns the figure in seconds, bytes, bytes per second or as a ratio; a list
    for several. `why`: a sentence on what sets the accounts, or weft and the lecture, apart. `accounts`: those in which the
    figure has a meaning."""

    def register(compute):
        if identity in ROWS:
            raise ValueError(f"two rows are called {identity}")
        ROWS[identity] = Row(compute, why, accounts)
        return compute

    return register
