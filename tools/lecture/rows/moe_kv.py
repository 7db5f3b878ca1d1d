"""Sections 7.4 and 7.5 and exercises 8 and 10: experts on many devices, and caches that move. Like all workloads of language models
these run free and have no closed form in weft, so the rows have one account."""

from registry import row

FREE = ("free",)
SECONDS = 1e15


def own_figures(account, scenario, group, **settings):
    """What a run's workload says of itself, in seconds, bytes and ratios."""
    figures = account.run(scenario, **settings).document["workload"][group]
    return {name: value["ticks"] / SECONDS if isinstance(value, dict) else value for name, value in figures.items()}


@row(
    "7.4-moe-cross-node",
    accounts=FREE,
    why="The lecture divides 450 by 50 GB/s and rounds up; with alpha of 5 and 2 us, paid once, it is a little less than 9.",
)
def _(account, given):
    across = own_figures(account, "moe-64", "dispatch", bandwidth="50GB/s", alpha="5us")
    return across["longest_time"] / own_figures(account, "moe-64", "dispatch")["longest_time"]


@row("7.5-kv-per-token", accounts=FREE)
def _(account, given):
    return own_figures(account, "kv-70b", "assumed")["keys_and_values_a_token"]


@row("7.5-kv-over-prefill", accounts=FREE)
def _(account, given):
    return own_figures(account, "kv-70b", "whole_run")["transfer_over_prefill_compute"]


@row("ex8-mha", accounts=FREE)
def _(account, given):
    return own_figures(account, "kv-one-nic", "whole_run")["bytes_sent"]


@row("ex8-mha-one-nic", accounts=FREE)
def _(account, given):
    return own_figures(account, "kv-one-nic", "whole_run")["transfer"]


@row("ex8-gqa-one-nic", accounts=FREE, why="The lecture rounds to whole milliseconds.")
def _(account, given):
    return own_figures(account, "kv-one-nic", "whole_run", kv_heads=8)["transfer"]


@row("ex8-gqa-fp8-one-nic", accounts=FREE, why="The lecture rounds to whole milliseconds.")
def _(account, given):
    return own_figures(account, "kv-one-nic", "whole_run", kv_heads=8, kv_dtype="fp8")["transfer"]


@row("ex10-node-limit-moe", accounts=FREE)
def _(account, given):
    unlimited = own_figures(account, "moe-8-nodes", "dispatch")["bytes_across_nodes"]
    return unlimited / own_figures(account, "moe-8-nodes", "dispatch", node_limit=4)["bytes_across_nodes"]
