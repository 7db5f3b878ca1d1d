"""The lecture's figures, from figures.json."""

import json

UNITS = {"us": 1e-6, "ms": 1e-3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "GB/s": 1e9, "pieces": 1, "n": 1, "": 1}


class Figure:
    def __init__(self, entry):
        self.id = entry["id"]
        self.what = entry["what"]
        self.unit = entry["unit"]
        self.account = entry["account"]
        self.given = entry.get("given", {})
        self.value = entry.get("value")
        self._stated = entry.get("stated")
        self._range = entry.get("range")
        self._relative = entry.get("relative_tolerance", 0)
        self.absolute = entry.get("absolute_tolerance", 0)

    def agrees(self, computed):
        """Whether a computed figure, in base units, is within the tolerance."""
        got = listed(computed)
        if self._range:
            return all(self._range[0] <= value <= self._range[1] for value in got)
        stated = [value * UNITS[self.unit] for value in listed(self.value)]
        return len(got) == len(stated) and all(self._near(*pair) for pair in zip(got, stated))

    def _near(self, got, stated):
        # Half a unit in the last place of a double, for a tolerance that ends where the figure does.
        return abs(got - stated) <= (self._relative * abs(stated) + self.absolute * UNITS[self.unit]) * (1 + 1e-9)

    def stated_text(self):
        if self._range:
            own = f"{self._range[0]:g} to {self._range[1]:g}"
        else:
            own = self.text([value * UNITS[self.unit] for value in listed(self.value)])
        if not self._stated or self.value is True:
            return self._stated or own
        return f"{self._stated} [{own}]"

    def tolerance_text(self):
        if self._range:
            return "in range"
        if self._relative:
            return f"{self._relative * 100:g} %"
        return f"{self.absolute:g} {self.unit}".strip() if self.absolute else "exactly"

    def text(self, computed):
        """The figure in the lecture's unit."""
        if computed is True or computed is False:
            return "holds" if computed else "fails"
        shown = ", ".join(short(value / UNITS[self.unit]) for value in listed(computed))
        return f"{shown} {self.unit}".strip()


def listed(value):
    return value if isinstance(value, list) else [value]


def short(value):
    """Five digits, without trailing zeros."""
    return f"{value:.5g}" if abs(value) >= 1e-3 or value == 0 else f"{value:.1e}"


def read(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    return document["source"], [Figure(entry) for entry in document["figures"]]
