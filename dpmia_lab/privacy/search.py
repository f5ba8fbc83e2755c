"""Whole numbers at which a falling cost comes within a limit, in few evaluations."""

import math
from collections.abc import Callable


def first_within(cost: Callable[[int], float], limit: float, low: int, high: int, step: int = 0) -> int | None:
    """The smallest whole number from low to high whose cost is at most the limit; None if there is none.

    The cost must fall. With a ``step``, the number is looked for near the high end first.
    """
    above = excess(cost(high), limit)
    if above > 0:
        return None
    while step and high - step > low:  # in strides that grow, until one goes too far
        value = excess(cost(high - step), limit)
        if value > 0:
            return between(cost, limit, (high - step, value), (high, above))
        high, above, step = high - step, value, 4 * step
    below = excess(cost(low), limit)
    return low if below <= 0 else between(cost, limit, (low, below), (high, above))


def between(cost: Callable[[int], float], limit: float, first: tuple, last: tuple) -> int:
    """The same between a number that is not within the limit and one that is, each with its excess.

    Interpolation that keeps its bracket (the Illinois rule), with a halving every third time.
    """
    (low, below), (high, above) = first, last
    turn = 0
    while high - low > 1:
        turn += 1
        share = 0.5 if turn % 3 == 0 else below / (below - above)
        middle = min(max(low + math.ceil(share * (high - low)), low + 1), high - 1)
        value = excess(cost(middle), limit)
        if value > 0:
            low, below, above = middle, value, above / 2
        else:
            high, above, below = middle, value, below / 2
    return high


def excess(cost: float, limit: float) -> float:
    """How far the cost is above (+) or within (−) the limit, on a scale on which costs are nearly straight."""
    if cost <= 0 or limit <= 0 or math.isinf(cost):
        return 1.0 if cost > limit else -1.0
    return min(max(math.log(cost / limit), -1.0), 1.0) or -1e-300
