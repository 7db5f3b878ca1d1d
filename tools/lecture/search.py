"""Finds numbers that no single run gives: where a condition begins to hold, and which of many values is best."""


def first(condition, low, high):
    """The smallest whole number above `low` and up to `high` for which `condition` holds; it must not hold at low, must at
    high, and change once between them."""
    if condition(low) or not condition(high):
        raise ValueError(f"the condition does not change between {low} and {high}")
    while high - low > 1:
        middle = (low + high) // 2
        if condition(middle):
            high = middle
        else:
            low = middle
    return high


def crossing(left, right, low, high):
    """The smallest number from which `left` takes no longer than `right`."""
    return first(lambda number: left(number) <= right(number), low, high)
