"""Section 4: what collectives do, and the bytes that devices send."""

from registry import row


@row("4.2-vdg-small")
def _(account, given):
    return account.seconds("broadcast-nvlink", algorithm="scatter-allgather", size="32KiB")


@row("4.2-binomial-small")
def _(account, given):
    return account.seconds("broadcast-nvlink", algorithm="binomial", size="32KiB")


@row("4.2-vdg-large", why="The lecture rounds to whole microseconds.")
def _(account, given):
    return account.seconds("broadcast-nvlink", algorithm="scatter-allgather", size="8MiB")


@row("4.2-binomial-large")
def _(account, given):
    return account.seconds("broadcast-nvlink", algorithm="binomial", size="8MiB")


@row("4.2-twice", why="The closed form delivers nothing that could be traced.", accounts=("free", "steps"))
def _(account, given):
    """weft fails a run whose ranks do not end with what each collective promises, and two transpositions are the identity.
    Runs of equal digest deliver the same bytes between the same ranks at the same times."""
    twice = account.run("all-to-all-twice").document
    composed = account.run("reduce-scatter-all-gather")
    whole = account.run("all-reduce-nvlink", algorithm="ring")
    return twice["status"] == "complete" and len(twice["collectives"]) == 2 and composed.digest == whole.digest


def shares_sent(account, algorithms, endpoints):
    """The bytes that devices send in an all-reduce, in units of its size: each value once, in order of appearance."""
    shares = []
    for algorithm in algorithms:
        run = account.run("all-reduce-nvlink", algorithm=algorithm)
        for endpoint in endpoints:
            share = run.bytes_sent(endpoint) / run.collective["bytes"]
            if share not in shares:
                shares.append(share)
    return shares


@row("4.3-bytes-ring")
def _(account, given):
    return shares_sent(account, ["ring", "rabenseifner"], range(8))


@row("4.3-bytes-rd")
def _(account, given):
    return shares_sent(account, ["recursive-doubling"], range(8))


@row("4.3-bytes-naive")
def _(account, given):
    return shares_sent(account, ["naive"], range(8))
