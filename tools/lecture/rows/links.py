"""Section 2 and exercise 1: one message over one path."""

from registry import row
from search import first

GIGABYTE = 10**9


def half_bandwidth_point(account, scenario):
    """Where alpha and n / beta are equal: a message takes twice as long as one of no bytes."""
    alpha = account.seconds(scenario, size="0B")
    return first(lambda n: account.seconds(scenario, size=f"{n}B") >= 2 * alpha, 1, GIGABYTE)


@row("2.2-nvlink-half")
def _(account, given):
    return half_bandwidth_point(account, "message-nvlink")


@row("2.2-ib-half")
def _(account, given):
    return half_bandwidth_point(account, "message-infiniband")


@row("2.2-ici-half")
def _(account, given):
    return half_bandwidth_point(account, "message-ici")


@row("2.2-4KB", why="The lecture gives the order only.")
def _(account, given):
    run = account.run("message-nvlink", size="4KB")
    return run.longest_busy / run.seconds


@row("ex1-25KB", why="The lecture rounds down.")
def _(account, given):
    return account.run("message-infiniband", size="25KB").bandwidth


@row("ex1-2.5MB")
def _(account, given):
    return account.run("message-infiniband", size="2.5MB").bandwidth
