"""What is promised of a column of a grid, whether that rules anything out, and what it means for one person."""

import math
from collections.abc import Mapping
from functools import cache
from statistics import NormalDist
from typing import Any

from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.privacy.accounting import ACCOUNTANTS, Guarantee, epsilon_text
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.risk import FALSE_ALARMS, Risk, risk_of

WORTHLESS = 0.99  # of members, whom a promise lets be caught at 1 % false alarms
OF_GUARANTEE = ("epsilon", "unit", "neighbours", "delta", "accountant")


def promises(grid: Grid, column: str) -> bool:
    """Whether something is promised that rules anything out."""
    told = grid.promises.get(column)
    return bool(told) and at_most_caught(told) < WORTHLESS


def at_most_caught(told: Mapping[str, Any]) -> float:
    """Members at 1 % false alarms, by μ where there is one, else by ε and δ alone; at once, and never too small."""
    if math.isfinite(told.get("mu", math.inf)):
        return NormalDist().cdf(told["mu"] + NormalDist().inv_cdf(FALSE_ALARMS))
    epsilon, delta = told["epsilon"], told["delta"]
    if epsilon > 50:
        return 1.0
    return min(1.0, math.exp(epsilon) * FALSE_ALARMS + delta, 1 - math.exp(-epsilon) * (1 - FALSE_ALARMS - delta))


def promise_words(grid: Grid, column: str) -> str:
    """ε with all that gives it a meaning, and μ; "" where nothing is promised."""
    told = grid.promises.get(column)
    if not told or not math.isfinite(told["epsilon"]):
        return ""
    mu = f"; μ = {epsilon_text(told['mu'])}" if math.isfinite(told.get("mu", math.inf)) else ""
    void = "" if promises(grid, column) else ", which rules nothing out"
    return f"{epsilon_words(told)}{mu}{void}"


def epsilon_words(told: Mapping[str, Any]) -> str:
    if told.get("words"):
        return told["words"]
    if told["accountant"] in ACCOUNTANTS:
        return Guarantee(*(told[name] for name in OF_GUARANTEE)).words()
    return f"ε = {epsilon_text(told['epsilon'])} for a {told['unit']} ({told['accountant']})"


def column_risk(grid: Grid, column: str) -> Risk | None:
    """From the whole trade-off curve of DP-SGD where its noise is known; None where nothing is promised."""
    told = grid.promises.get(column)
    return made_risk(tuple(sorted(told.items()))) if told else None


@cache
def made_risk(told: tuple[tuple[str, Any], ...]) -> Risk:
    promise = dict(told)
    dp = None
    if "sigma" in promise:
        dp = DpSgd(promise["sigma"], promise["q"], 1.0, promise["steps"], promise["delta"], promise["neighbours"])
    return risk_of(Guarantee(*(promise[name] for name in OF_GUARANTEE)), dp)
