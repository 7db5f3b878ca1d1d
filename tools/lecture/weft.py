"""Runs weft as a child process and reads the JSON that it prints."""

import json
import pathlib
import statistics
import subprocess
import sys
import threading

# What rows may set by a short name.
KEYS = {
    "algorithm": "workload.algorithm",
    "alpha": "network.topology.link.alpha",
    "bandwidth": "network.topology.link.bandwidth",
    "batch": "workload.batch",
    "chunk": "network.chunk",
    "endpoints": "network.topology.endpoints",
    "kv_dtype": "workload.kv_dtype",
    "kv_heads": "workload.model.kv_heads",
    "mapping": "mapping",
    "model": "network.model",
    "node_limit": "workload.node_limit",
    "nodes": "network.topology.nodes",
    "pieces": "workload.pieces",
    "prompts": "workload.prompts",
    "schedule": "workload.schedule",
    "size": "workload.size",
    "switching": "network.switching",
    "ties": "network.topology.ties",
}


class Failure(Exception):
    """weft refused or failed; the text is its own."""


class Weft:
    def __init__(self, program, scenarios, echo=False):
        self.program = program
        self.scenarios = pathlib.Path(scenarios)
        self.echo = echo
        self._answers = {}
        self._lock = threading.Lock()

    def ask(self, command, scenario, settings, more=()):
        """The JSON that `weft COMMAND SCENARIO --set … --json` prints; asked once for each set of arguments."""
        arguments = [self.program, command, str(self.path(scenario)), "--json", *more]
        for key, value in settings:
            arguments += ["--set", f"{key}={value}"]
        key = tuple(arguments)
        with self._lock:
            if key in self._answers:
                return self._answers[key]
        if self.echo:
            print(" ".join(arguments), file=sys.stderr)
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"{' '.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()}")
        answer = json.loads(done.stdout)
        with self._lock:
            self._answers[key] = answer
        return answer

    def path(self, scenario):
        return self.scenarios / f"{scenario}.json"

    def workload(self, scenario):
        return json.loads(self.path(scenario).read_text(encoding="utf-8"))["workload"]


class Run:
    """One run's document."""

    def __init__(self, document):
        self.document = document
        self.collective = document["collectives"][0] if document["collectives"] else None
        self.seconds = document["makespan"]["ticks"] / 1e15
        self.links = document["links"]

    @property
    def bandwidth(self):
        """algbw, bytes per second."""
        return self.collective["algbw"]

    @property
    def bus_bandwidth(self):
        return self.collective["busbw"]

    @property
    def longest_busy(self):
        """Seconds that the busiest link needs for its bytes alone."""
        return max(link["busy_ticks"] for link in self.links) / 1e15

    @property
    def digest(self):
        """Equal for runs that deliver the same bytes between the same ranks at the same times."""
        return self.document["totals"]["digest"]

    def bound(self, kind):
        """The run's largest lower bound in seconds, which must be of this kind."""
        found = self.collective["lower_bound"]
        if found["kind"] != kind:
            raise Failure(f"the largest lower bound is the {found['kind']} bound, not the {kind} bound")
        return found["seconds"]

    def bytes_sent(self, endpoint):
        return sum(link["bytes"] for link in self.links if link["from"] == str(endpoint))

    def bytes_into(self, node):
        return sum(link["bytes"] for link in self.links if link["to"] == node)


class Account:
    """One way of telling the time: ranks on their own receives (free), a barrier after each step (steps), or the closed form
    of the steps (alpha-beta). The same row is computed in each."""

    def __init__(self, weft, name):
        self.weft = weft
        self.name = name

    def run(self, scenario, **settings):
        return Run(self.weft.ask("run", scenario, self._settings(scenario, settings), ("--links", "all")))

    def seconds(self, scenario, **settings):
        return self.run(scenario, **settings).seconds

    def compare(self, scenario, vary, **settings):
        """(values, median seconds) of every combination of `vary`, which maps short names to lists."""
        more = ["-j", "1"]
        for key, values in vary.items():
            more += ["--vary", f"{KEYS[key]}={','.join(str(value) for value in values)}"]
        document = self.weft.ask("compare", scenario, self._settings(scenario, settings), more)
        short = {KEYS[key]: key for key in vary}
        for point in document["points"]:
            values = {short[key]: value for key, value in point["set"].items()}
            yield values, statistics.median(run["makespan"]["ticks"] for run in point["runs"]) / 1e15

    def bisection_bound(self, scenario):
        """Of an all-to-all of n bytes a device: p/2 devices each send n/2 across the cut."""
        collective = self.run(scenario).collective
        topology = self.weft.ask("topo", scenario, [])
        return collective["ranks"] / 2 * collective["bytes"] / 2 / min(topology["bisection"]["bytes_per_s"])

    def _settings(self, scenario, settings):
        pairs = [(KEYS[key], value) for key, value in settings.items()]
        if self.name == "alpha-beta":
            return pairs + [("network.model", "alpha-beta")]
        workload, sync = self.weft.workload(scenario), "step" if self.name == "steps" else "free"
        if workload["type"] == "collective":
            return pairs + [("workload.sync", sync)]
        if workload["type"] == "sequence":
            return pairs + [(f"workload.of.{item}.sync", sync) for item in range(len(workload["of"]))]
        return pairs
