"""Section 5 and exercises 3, 4 and 9: which algorithm, for which size."""

import closed_forms
from registry import row
from search import crossing, first

KILOBYTE, GIGABYTE = 1000, 10**9


@row(
    "5.2-formulas",
    why="weft rounds each transfer up to a whole femtosecond, so the more messages follow one another the larger the "
        "difference; the lecture's own is its program's floating point. alpha-beta is without in-network, which it does "
        "not price.",
)
def _(account, given):
    alpha = account.seconds("message-nvlink", size="0B")
    large = account.run("message-nvlink", size="1GB")
    beta = large.collective["bytes"] / large.longest_busy
    priced = account.name == "alpha-beta"
    vary = {
        "algorithm": [name for name in closed_forms.ALL_REDUCE if name != "in-network" or not priced],
        "endpoints": [2**exponent for exponent in range(1, 7)],
        "size": [f"{2**exponent}B" for exponent in range(10, 31)],
    }
    worst = 0
    for point, seconds in account.compare("all-reduce-nvlink", vary):
        formula = closed_forms.ALL_REDUCE[point["algorithm"]]
        expected = formula(int(point["endpoints"]), int(point["size"].rstrip("B")), alpha, beta)
        worst = max(worst, abs(seconds - expected) / expected)
    return worst


def size_where(account, winner, loser, **settings):
    """The all-reduce size from which `winner` takes no longer than `loser`."""

    def seconds(algorithm):
        return lambda n: account.seconds("all-reduce-nvlink", algorithm=algorithm, size=f"{n}B", **settings)

    return crossing(seconds(winner), seconds(loser), KILOBYTE, GIGABYTE)


@row("5.3-crossover-8")
def _(account, given):
    return size_where(account, "ring", "recursive-doubling", endpoints=8)


@row("5.3-naive-wins-below")
def _(account, given):
    return size_where(account, "recursive-doubling", "naive", endpoints=8)


@row("5.3-rabenseifner-wins-above")
def _(account, given):
    return size_where(account, "rabenseifner", "recursive-doubling", endpoints=8)


@row("ex3-crossover-16")
def _(account, given):
    return size_where(account, "ring", "recursive-doubling", endpoints=16)


@row("5.4-ring-512", why="The lecture counts the start-ups alone.")
def _(account, given):
    return account.seconds("all-reduce-512", algorithm="ring")


@row("5.4-rd-512", why="The lecture rounds up.")
def _(account, given):
    return account.seconds("all-reduce-512", algorithm="recursive-doubling")


@row("5.5-naive")
def _(account, given):
    return account.seconds("broadcast-ici", algorithm="naive")


@row("5.5-binomial")
def _(account, given):
    return account.seconds("broadcast-ici", algorithm="binomial")


@row(
    "5.5-chain-32",
    why="Free, a piece is on the wire while the one before it is still in flight: alpha is paid once for each device on "
        "the way, not once a step.",
)
def _(account, given):
    return account.seconds("broadcast-ici", algorithm="chain", pieces=32)


@row("5.5-chain-32-free", why="With a barrier after each step, or in the closed form of the steps, every step pays alpha.")
def _(account, given):
    return account.seconds("broadcast-ici", algorithm="chain", pieces=32)


@row("5.5-chain-over-binomial", why="Free, the chain pays alpha once for each device on the way; with barriers once a step.")
def _(account, given):
    chain = account.run("broadcast-ici", algorithm="chain", pieces=32)
    binomial = account.seconds("broadcast-ici", algorithm="binomial")
    return [chain.seconds / binomial, chain.seconds / chain.longest_busy]


def best_pieces(account, scenario, **settings):
    """(seconds, pieces) of the fastest chain of 1 to 128 pieces."""
    points = account.compare(scenario, {"pieces": range(1, 129)}, algorithm="chain", **settings)
    return min((seconds, int(point["pieces"])) for point, seconds in points)


@row(
    "5.5-nvlink-chain",
    why="Free, a further piece costs no alpha: the best chain has as many pieces as the sweep allows and beats binomial, "
        "which wins in the lecture's account.",
)
def _(account, given):
    return best_pieces(account, "broadcast-nvlink", size="4MB")[0]


@row("5.5-nvlink-binomial")
def _(account, given):
    return account.seconds("broadcast-nvlink", algorithm="binomial", size="4MB")


@row("ex9-best-pieces", why="Free, a further piece costs no alpha and always helps a little: the best is where the sweep ends.")
def _(account, given):
    return best_pieces(account, "broadcast-ici")[1]


def alpha_where(condition):
    """The smallest alpha, in whole nanoseconds up to 1 ms, for which `condition` of its text holds."""
    return first(lambda nanoseconds: condition(f"{nanoseconds}ns"), 0, 10**6)


@row("5.6-busbw-definition")
def _(account, given):
    def run(alpha):
        return account.run("all-reduce-58mb", alpha=alpha)

    return run(f"{alpha_where(lambda alpha: run(alpha).seconds >= given['seconds'])}ns").bus_bandwidth


@row("5.6-effective-alpha", why="The lecture rounds to whole microseconds.")
def _(account, given):
    def slow(alpha):
        return account.run("all-reduce-58mb", alpha=alpha).bus_bandwidth <= given["bus_bandwidth"]

    return alpha_where(slow) / 1e9


@row("ex4-allgather")
def _(account, given):
    return account.seconds("all-gather-tensor")
