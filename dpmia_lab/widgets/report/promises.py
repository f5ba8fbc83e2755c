"""What is promised, and what that is worth: a bound that hardly any attack could pass is a promise in name only."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.privacy.risk import Risk, bound_text

WORTHLESS = 0.9  # of members, whom a promise lets be caught at 1 % false alarms


def risk_of_promise(promise: Mapping[str, Any]) -> Risk:
    """From all pairs of ε and δ where DP-SGD's own numbers are told, else from the promised pair."""
    descent = tuple(promise.get(name) for name in ("sigma", "q", "steps", "neighbours"))
    return risk_of_numbers(promise["epsilon"], promise.get("delta", 0.0), promise.get("unit", "record"), descent)


@cache
def risk_of_numbers(epsilon: float, delta: float, unit: str, descent: tuple) -> Risk:
    import numpy as np

    from dpmia_lab.privacy.tight import tight_profile

    if None in descent or not descent[0]:
        return Risk(np.array([epsilon]), np.array([delta]), unit)
    return Risk(*tight_profile(*descent), unit)


def has_promise(grid: Grid, column: str) -> bool:
    """One that rules something out."""
    return column in grid.promises and risk_of_promise(grid.promises[column]).most_caught < WORTHLESS


def promise_words(promise: Mapping[str, Any]) -> str:
    """ε with all that gives it a meaning."""
    if promise.get("words"):
        return promise["words"]
    details = [promise.get(name) for name in ("neighbours", "accountant")]
    details.insert(1, f"δ = {promise['delta']:.1g}" if "delta" in promise else None)
    about = "; ".join(one for one in details if one)
    return f"ε = {epsilon_text(promise['epsilon'])} for a {promise.get('unit', 'record')} ({about})"


def promise_sentence(grid: Grid, column: str) -> str:
    if column not in grid.promises:
        return "It promises nothing."
    promise = grid.promises[column]
    risk = risk_of_promise(promise)
    said = f"It promises {promise_words(promise)}"
    if risk.most_caught >= WORTHLESS:
        return f"{said}, which rules out next to nothing."
    most = bound_text(risk.most_caught)
    return f"{said}: at 1\u00a0% false alarms no attack whatsoever catches more than {most} of members."
