"""The runs inside records, run again: each distinct one once, in processes that have little time and memory.

Whoever wrote a record does not choose what is read or run here: the data must be a set of the lab's, the model one of
its own, every setting of its own type, and no more work than a preset's many times over.
"""

import math
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from types import ModuleType
from typing import Any

from dpmia_lab.checks import Mistake
from dpmia_lab.data import catalogue
from dpmia_lab.data.cache import cache_folder
from dpmia_lab.data.population import population_catalogue
from dpmia_lab.data.table_files import table_catalogue
from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.machine import cores
from dpmia_lab.own_code import refuse_own_model
from dpmia_lab.stages import Stage, part, stretches
from dpmia_lab.store import Result, Store, code_fingerprint
from dpmia_lab.sweeps.local import LocalWorkers
from dpmia_lab.sweeps.sweep import Cell, swept
from dpmia_lab.widgets.kit.record import plain

CLOSE = 1e-6  # relative; the same machine gives the same bits, another processor may differ in the last ones
ABSURD = 50  # times the work of the largest preset
NO_WORK = ("seed", "batch")  # whole numbers of which more is not more work
MEMORY = 2_000_000_000  # bytes of its own for a process; a page has less
MOST_STORED = 5000
SAME, DIFFERS, NOT_REPEATED = "same", "differs", "not repeated"


@dataclass(frozen=True)
class Verdict:
    """What came of a run, and in words why, where it is not the same."""

    kind: str
    words: str = ""


class NumbersOnly(Store):
    """Of a run that is repeated to compare its numbers, nothing else is worth keeping."""

    def put(self, experiment: str, config: dict, result: Result, about: dict | None = None) -> None:
        super().put(experiment, config, Result(result.numbers), about)


# ---- what may be run at all
def config_of(entry: dict) -> Any:
    """The configuration that a record names, or a Mistake that says why it is not run."""
    experiment = EXPERIMENTS.get(entry["experiment"])
    settings = entry["config"]
    if experiment is None or settings.keys() != {option.name for option in fields(experiment.Config)}:
        raise Mistake("it was made by another version of the lab.")
    if entry["own file"]:
        raise Mistake(f"it used the reader's own file {settings['data']!r}.")
    for option in fields(experiment.Config):
        check_setting(option, settings[option.name])
    if settings["data"] not in lab_sets():
        raise Mistake(f"data must be a set of the lab's own; it is {settings['data']!r}.")
    config = experiment.Config(**settings)
    refuse_own_model(config)
    refuse_absurd(experiment, config)
    return config


def check_setting(option: Any, value: Any) -> None:
    """Of the option's own type; one that names a file must not be set."""
    kind = type(option.default)
    if type(value) is not kind and not (kind is float and type(value) is int):
        raise Mistake(f"{option.name} must be of the kind {kind.__name__}; it is {value!r}.")
    if not option.metadata["in_links"] and value != option.default:
        raise Mistake(f"{option.name} must not name a file; it is {value!r}.")


@cache
def lab_sets() -> frozenset[str]:
    """Names of data that stand for no file of anybody's."""
    every = [*catalogue(), *population_catalogue(), *table_catalogue()]
    return frozenset(entry.name for entry in every if not re.search("FILE|FOLDER", entry.name))


def refuse_absurd(experiment: ModuleType, config: Any) -> None:
    """Roughly: the work grows with every whole number that exceeds the largest of any preset."""
    times = 1.0
    for option in fields(config):
        if type(option.default) is int and option.name not in NO_WORK:
            usual = max(getattr(preset, option.name) for preset in (*experiment.PRESETS.values(), experiment.Config()))
            times *= max(1.0, getattr(config, option.name) / max(usual, 1))
    if times > ABSURD:
        raise Mistake(f"it asks for about {times:,.0f} times the work of the lab's largest; at most {ABSURD} are run.")


# ---- running
def repeated(wanted: Iterable[tuple[str, Any]], longest: float) -> Stage[dict[tuple[str, Any], Cell]]:
    """Every distinct one of ``wanted`` (experiment, configuration); what an earlier check computed is taken from it."""
    configs: dict[str, list[Any]] = {}
    for name, config in dict.fromkeys(wanted):
        configs.setdefault(name, []).append(config)
    found = {}
    stretch = stretches(*map(len, configs.values()))
    for (name, some), (start, end) in zip(configs.items(), stretch, strict=True):
        stage = swept(name, some, shelf(), lambda some=some: workers_for(some, longest))
        found |= {(name, cell.config): cell for cell in (yield from part(stage, start, end, f"running {name} again"))}
    return found


def shelf() -> Store:
    return NumbersOnly(cache_folder() / "checks", MOST_STORED)


def workers_for(configs: Sequence[Any], longest: float) -> LocalWorkers:
    """A process's memory can be limited on Linux alone."""
    return LocalWorkers(min(cores(), len(configs)), longest, MEMORY if sys.platform == "linux" else None)


# ---- comparing
def verdict_of(entry: dict, cell: Cell) -> Verdict:
    if cell.problem:
        return Verdict(NOT_REPEATED, cell.problem)
    found, recorded = plain(cell.numbers), entry["numbers"]
    other = [name for name in {**recorded, **found} if not same(recorded.get(name), found.get(name))]
    if not other:
        return Verdict(SAME)
    name = other[0]
    older = "" if entry["code"] == code_fingerprint() else " (computed by another version of the lab)"
    return Verdict(DIFFERS, f"{name} is {found.get(name)} here, recorded {recorded.get(name)}{older}")


def same(one: float | str | None, other: float | str | None) -> bool:
    """Infinities and undefined numbers are recorded as words."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=1e-9)
    return one == other
