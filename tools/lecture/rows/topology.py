"""Section 6 and exercises 5, 6 and 10: placement, bisection, hierarchy."""

from registry import row


@row("6.1-snake")
def _(account, given):
    return account.seconds("all-reduce-torus", mapping="snake", size="64MB")


def over_snake(account, mapping):
    """Times over the snake's, in small chunks that are stored and forwarded; the median where there are several."""
    vary = {"mapping": ["snake", mapping]}
    points = account.compare("all-reduce-torus", vary, size="64MB", switching="store-and-forward", chunk="32KiB")
    seconds = {point["mapping"]: time for point, time in points}
    return seconds[mapping] / seconds["snake"]


@row(
    "6.1-row-major",
    why="At the end of a row the neighbour is two links away. With a barrier every step pays the second link, its latency "
        "and the time to store a chunk; alpha-beta knows no chunks and adds the latency alone; free, a block pays only "
        "where it itself passes the end of a row.",
)
def _(account, given):
    return over_snake(account, "linear")


@row(
    "6.1-random",
    why="At the median two neighbours share the busiest link. With a barrier each step also pays the longest way, its "
        "latency and a chunk stored at each node; alpha-beta its latency alone; free, only the blocks that travel it pay.",
)
def _(account, given):
    return over_snake(account, "random:20")


@row("6.1-ring-small")
def _(account, given):
    return account.seconds("all-reduce-torus", mapping="snake", size="64KB")


@row("6.1-torus-small")
def _(account, given):
    return account.seconds("all-reduce-torus", mapping="linear", algorithm="torus", size="64KB")


@row("6.2-switch-egress", why="What is left over the bound is one alpha.")
def _(account, given):
    run = account.run("all-to-all-switch", schedule="all-at-once")
    return run.seconds / run.bound("endpoint")


@row(
    "6.2-ring-over-switch",
    why="In the closed form a step pays all latencies of its longest way and then the bytes of its busiest link; "
        "simulated, all latencies but one pass while messages queue for one another. Ties by parity would make the ring "
        "about 1 % faster: at distance p/2 half the messages go each way.",
)
def _(account, given):
    ring = account.seconds("all-to-all-ring", ties="positive", schedule="steps")
    return ring / account.seconds("all-to-all-switch", schedule="steps")


@row("6.2-at-once", why="The closed form adds the latency of the longest way, 32 links, to the bytes of the busiest link.")
def _(account, given):
    return account.seconds("all-to-all-ring", schedule="all-at-once") / account.bisection_bound("all-to-all-ring")


@row(
    "6.2-above-bound",
    why="Step by step one direction of the ring idles until half way, hence about twice the bound. The closed form adds "
        "the latencies of each step's longest way, which pass while messages queue; on the torus it knows no waiting "
        "between the links of a way, and free ranks soften the barrier.",
)
def _(account, given):
    shapes = ("all-to-all-ring", "all-to-all-torus")
    return [account.seconds(shape, schedule="steps") / account.bisection_bound(shape) for shape in shapes]


def flat_over_hierarchical(account, **settings):
    flat = account.seconds("all-reduce-cluster", algorithm="ring", **settings)
    return flat / account.seconds("all-reduce-cluster", algorithm="hierarchical", **settings)


@row(
    "6.3-hierarchical-4",
    why="With a barrier each step of the flat ring pays the NIC's alpha; free, blocks queue at the NICs, which never "
        "idle, and alpha is paid once.",
)
def _(account, given):
    return flat_over_hierarchical(account, nodes=4, size="512MB")


@row("6.3-hierarchical-16", why="As with 4 nodes; the flat ring has about four times the steps, each with the NIC's alpha.")
def _(account, given):
    return flat_over_hierarchical(account, nodes=16, size="512MB")


@row(
    "6.3-small-grows",
    why="At this size the flat ring is nothing but start-ups: by steps each is the NIC's, free seven of eight are "
        "NVLink's. The gain grows in all three.",
)
def _(account, given):
    return [flat_over_hierarchical(account, nodes=nodes, size="64KB") for nodes in (2, 4, 8, 16)]


@row("ex5-bisection")
def _(account, given):
    return account.bisection_bound("all-to-all-infiniband")


@row("ex5-egress")
def _(account, given):
    return account.run("all-to-all-infiniband").bound("endpoint")


@row(
    "ex6-hierarchical",
    why="The lecture counts bandwidth only; weft adds alpha of the 14 steps on NVLink and the 6 on the NICs.",
)
def _(account, given):
    return account.seconds("all-reduce-cluster", algorithm="hierarchical", nodes=4, size="512MB")


@row(
    "ex6-flat",
    why="The lecture counts bandwidth only. Free ranks reach it but for one alpha, since the NICs never idle; with a "
        "barrier each of the 62 steps pays the NIC's alpha.",
)
def _(account, given):
    return account.seconds("all-reduce-cluster", algorithm="ring", nodes=4, size="512MB")


@row(
    "ex10-node-limit",
    why="Counted in bytes that enter the fabric, which no account of time changes: single messages have no steps.",
    accounts=("free",),
)
def _(account, given):
    fabric = "s9"
    unlimited = account.run("moe-dispatch-8-nodes").bytes_into(fabric)
    return unlimited / account.run("moe-dispatch-4-nodes").bytes_into(fabric)
