"""The same experiment over several seeds: means, and how far they spread."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from dpmia_lab.metrics.reconstruction import mean_and_spread
from dpmia_lab.rows import averaged_rows
from dpmia_lab.stages import Event, Progress, Stage, mapped, part
from dpmia_lab.store import Result


def repeated(config, one_repeat: Callable[..., Stage[Result]]) -> Stage[list[Result]]:
    """``one_repeat(config, repeat)`` for each of the configuration's ``repeats``, from its ``seed`` upwards."""
    results = []
    for repeat in range(config.repeats):
        share = repeat / config.repeats, (repeat + 1) / config.repeats
        told = partial(with_seed, seed=config.seed + repeat) if config.repeats > 1 else lambda event: event
        results.append((yield from part(mapped(one_repeat(config, repeat), told), *share)))
    return results


def with_seed(event: Event, seed: int) -> Event:
    return replace(event, label=f"seed {seed}: {event.label}") if isinstance(event, Progress) else event


def averaged(results: Sequence[Result]) -> Result:
    """Means and standard deviations over seeds; pictures are the first seed's."""
    rows = averaged_rows([result.rows for result in results], mean_and_spread)
    told, numbers = results[0].rows.plain(), {}
    for name in (name for name in results[0].numbers if name not in told):
        mean, spread = mean_and_spread([result.numbers[name] for result in results])
        numbers[name] = mean
        if len(results) > 1:
            numbers[f"{name}_sd"] = spread
    arrays = {}
    for name, first in results[0].arrays.items():
        per_class = first.ndim == 1 and first.dtype.kind in "bf"
        arrays[name] = np.mean([r.arrays[name] for r in results], axis=0) if per_class else first
    return Result(numbers, arrays, rows)
