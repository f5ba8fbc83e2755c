"""How long a position of the playground's sliders takes, and its first drawing: a part of ``make bench``.

In milliseconds of the wall clock, since that is what a reader waits; and how much training side by side saves.
"""

import time
from collections.abc import Iterator
from dataclasses import replace

from dpmia_lab import devices  # noqa: F401 (one thread)
from dpmia_lab.experiments import playground
from dpmia_lab.experiments.playground_models import Models
from dpmia_lab.stages import Event, Snapshot, drain
from tests.bench_rows import ROUNDS, Row, seconds

WHOLE, FIRST = 1000, 250  # ms: a position, and its first drawing
STACKED = ("none", "central", "units", "mid", "dap")


def playground_rows() -> Iterator[Row | str]:
    """Positions differ from round to round, as they do under a reader's hand."""
    for data in ("faces", "purchases_like"):
        for defence, played in playground.PLAYED.items():
            config = playground.Config(data=data, defence=defence)
            timed(config)  # what is made once for all positions
            rounds = [timed(moved(config, played, place)) for place in range(ROUNDS)]
            first, whole = (list(times) for times in zip(*rounds, strict=True))
            yield Row(f"first drawing: {data}, {played.title}", first, "ms", FIRST, "≤")
            yield Row(f"a whole position: {data}, {played.title}", whole, "ms", WHOLE, "≤")
    for defence in STACKED:
        yield compared(playground.Config(defence=defence))


def moved(config: playground.Config, played: playground.Played, place: int) -> playground.Config:
    if not played.sliders:
        return config
    slider = played.sliders[0]
    return replace(config, **{slider.field: slider.values[place % len(slider.values)]})


def timed(config: playground.Config) -> tuple[float, float]:
    """Milliseconds until the first drawing, and until everything is there."""
    start, first = time.monotonic(), []

    def see(event: Event) -> None:
        if isinstance(event, Snapshot) and event.name == "pictures":
            first.append(1000 * (time.monotonic() - start))

    drain(playground.run(config), see)
    return first[0], 1000 * (time.monotonic() - start)


def compared(config: playground.Config) -> Row:
    """All models one by one, over all of them at once."""
    models = Models(config, playground.prepared(config))

    def one_by_one() -> None:
        for number in range(config.shadows):
            drain(models.trained(range(number, number + 1), together=False))

    def at_once() -> None:
        drain(models.trained(range(config.shadows)))

    at_once()
    ratios = [seconds(one_by_one) / seconds(at_once) for _ in range(ROUNDS)]
    return Row(f"one by one ÷ at once: {config.shadows} models, {playground.PLAYED[config.defence].title}", ratios)
