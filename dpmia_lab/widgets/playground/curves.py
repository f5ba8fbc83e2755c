"""The grey curves behind the trade-off: every defence over its strengths, computed beforehand over several seeds."""

from functools import cache

from dpmia_lab.experiments.playground import Config
from dpmia_lab.experiments.playground_curves import SEEDS, curves_from
from dpmia_lab.experiments.playground_curves import Curve as Points
from dpmia_lab.plots.playground import Curve
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.widgets.playground.controls import SYMBOLS, said


@cache
def curves_of(data: str) -> tuple[Curve, ...]:
    """None for data of one's own."""
    found = shipped_or_nothing("playground").get(data)
    if found is None:
        return ()
    return tuple(drawn(name, one) for name, one in curves_from(found["points"]).items() if name != "none")


def drawn(name: str, one: Points) -> Curve:
    leaks = {measure: tuple(values) for measure, values in one.mean.items() if measure != "accuracy"}
    right = tuple(one.mean["accuracy"])
    settings = [f"{SYMBOLS.get(one.field, one.field)} = {said(setting)}" for setting in one.settings]
    both = zip(settings, right, strict=True)
    words = [f"{setting}: {share:.0%} right, mean of {SEEDS} seeds" for setting, share in both]
    return Curve(name, one.words, leaks, right, tuple(words))


def line_of(config: Config) -> str:
    """The name of the curve on which a position lies."""
    return config.unit if config.defence == "units" else config.defence
