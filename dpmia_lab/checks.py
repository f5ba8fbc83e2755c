"""Checks of what people type: one sentence that names the parameter, the rule and the value given.

Each takes its values as keywords: ``positive(steps=0)`` raises
``Mistake: steps must be greater than 0; it is 0.``
"""

import difflib
import math
from collections.abc import Callable, Collection, Iterable

MOST_SHOWN = 100  # characters of a value
MOST = 1e12  # of any setting: a product of three such numbers still fits into single precision


class Mistake(ValueError):
    """Something the user gave cannot be used; the text is one sentence meant for them."""


def did_you_mean(given, choices: Iterable) -> str:
    """ " (did you mean steps?)", or "" where nothing is near."""
    near = difflib.get_close_matches(str(given), [str(choice) for choice in choices], 1, cutoff=0.7)
    return f" (did you mean {near[0]}?)" if near else ""


def _refuse_unless(holds, rule: str, values: dict, hint: Callable[..., str] = lambda value: "") -> None:
    for name, value in values.items():
        try:
            good = holds(value)
        except (TypeError, OverflowError):  # such as a whole number too large for a fraction
            good = False
        if not good:
            raise Mistake(f"{name} must be {rule}; it is {shown(value)}{hint(value)}.")


def shown(value) -> str:
    """As it was given, of much only the beginning: a thousand digits are no sentence."""
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def _is_number(value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _refuse_endless(values: dict) -> None:
    """Infinity is greater than 0, so that rule would not say what is wrong with it; nor would it of 1e308."""
    _refuse_unless(lambda v: v != math.inf, "finite", values)
    _refuse_unless(lambda v: not _is_number(v) or v <= MOST, "at most 1e12", values)


def positive(**values) -> None:
    _refuse_endless(values)
    _refuse_unless(lambda v: _is_number(v) and v > 0, "greater than 0", values)


def not_negative(**values) -> None:
    _refuse_endless(values)
    _refuse_unless(lambda v: _is_number(v) and v >= 0, "0 or more", values)


def whole(low: int, high: int, **values) -> None:
    def holds(v):
        return isinstance(v, int) and not isinstance(v, bool) and low <= v <= high

    _refuse_unless(holds, f"a whole number from {low} to {high}", values)


def between(low: float, high: float, **values) -> None:
    _refuse_unless(lambda v: _is_number(v) and low <= v <= high, f"from {low} to {high}", values)


def one_of(choices: Collection, **values) -> None:
    rule = "one of " + ", ".join(map(str, choices))
    _refuse_unless(lambda v: v in choices, rule, values, lambda v: did_you_mean(v, choices))


def true_or_false(**values) -> None:
    _refuse_unless(lambda v: isinstance(v, bool), "true or false", values)
