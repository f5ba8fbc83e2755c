"""What is promised of a column of a grid, and what that means for one person."""

from functools import cache
from typing import Any

from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.risk import Risk, risk_of

OF_GUARANTEE = ("epsilon", "unit", "neighbours", "delta", "accountant")


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
