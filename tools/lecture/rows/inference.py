"""Sections 7.1 to 7.3 and exercise 7: what tensor parallelism spends on the network. Ranks of a model run free: decode and prefill
have no barriers and no closed form in weft, so these rows have one account."""

from registry import row

FREE = ("free",)
SECONDS = 1e15


def whole(account, scenario, **settings):
    """What a run says of itself, in seconds and ratios."""
    figures = account.run(scenario, **settings).document["workload"]["whole_run"]
    return {name: value["ticks"] / SECONDS if isinstance(value, dict) else value for name, value in figures.items()}


@row("7.1-ring-b1", accounts=FREE)
def _(account, given):
    return whole(account, "decode-70b", algorithm="ring")["communication"]


@row("7.1-rd-over-ring", accounts=FREE)
def _(account, given):
    doubling = whole(account, "decode-70b", algorithm="recursive-doubling")
    return doubling["communication"] / whole(account, "decode-70b", algorithm="ring")["communication"]


@row("7.1-compute-b64", accounts=FREE)
def _(account, given):
    return whole(account, "decode-70b", batch=64)["compute"]


@row("7.1-share-alpha-2", accounts=FREE)
def _(account, given):
    return whole(account, "decode-70b", algorithm="recursive-doubling")["share_of_exposed_communication"]


@row("7.1-share-alpha-20", accounts=FREE)
def _(account, given):
    return whole(account, "decode-70b", algorithm="recursive-doubling", alpha="20us")["share_of_exposed_communication"]


def each_token(account, figure):
    """By how much a figure grows for each token between two prompts, and what it starts from."""
    short, long = (whole(account, "prefill-70b", prompts=f"[{tokens}]")[figure] for tokens in (8000, 16000))
    return (long - short) / 8000, 2 * short - long


@row("7.2-per-token-comm", accounts=FREE)
def _(account, given):
    return each_token(account, "communication")[0]


@row("7.2-fixed-alpha", accounts=FREE)
def _(account, given):
    return each_token(account, "communication")[1]


@row("7.2-per-token-linear", accounts=FREE)
def _(account, given):
    # Computing grows by a n + b n^2, the second of which is attention: twice as many tokens add 2 b n^2 to twice the time.
    n, once, twice = 2000, *(whole(account, "prefill-70b", prompts=f"[{tokens}]")["compute"] for tokens in (2000, 4000))
    return (once - (twice - 2 * once) / 2) / n


def ratio(account, tokens):
    return whole(account, "prefill-70b", prompts=f"[{tokens}]")["communication_over_compute"]


@row("7.2-ratio-short", accounts=FREE)
def _(account, given):
    return ratio(account, 512)


@row("7.2-ratio-long", accounts=FREE)
def _(account, given):
    return ratio(account, 32768)


@row("7.3-tp8-comm", accounts=FREE)
def _(account, given):
    return whole(account, "decode-70b", batch=64, algorithm="ring")["communication"]


@row("7.3-tp16-comm", accounts=FREE)
def _(account, given):
    return whole(account, "decode-70b-two-nodes")["communication"]


@row("7.3-tp8-total", accounts=FREE)
def _(account, given):
    return whole(account, "decode-70b", batch=64, algorithm="ring")["time"]


@row("7.3-tp16-total", accounts=FREE)
def _(account, given):
    return whole(account, "decode-70b-two-nodes")["time"]


@row("ex7-ring", accounts=FREE)
def _(account, given):
    return whole(account, "decode-8b", algorithm="ring")["communication"]


@row("ex7-rd", accounts=FREE)
def _(account, given):
    return whole(account, "decode-8b", algorithm="recursive-doubling")["communication"]
