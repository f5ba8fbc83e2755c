"""A word before a long run: whoever types a command may spend what they like, and should know how much it is."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from dpmia_lab.cost import Cost, warning
from dpmia_lab.experiments.comparing_columns import Column
from dpmia_lab.experiments.costs import cost_of
from dpmia_lab.machine import cores


def warn(experiment: str, configs: Iterable[Any], seeds: int = 1, workers: int = 1) -> None:
    """On stderr, if all of these, with so many seeds each, take very long or more memory than there is."""
    total = sum((cost_of(experiment, config) for config in configs), Cost()) * seeds
    if words := warning(Cost(total.seconds / workers, total.bytes * workers)):
        print(words, file=sys.stderr, flush=True)


def warn_of_columns(base: Any, columns: Mapping[str, Column], seeds: int, workers: int | None) -> None:
    """Of a comparison; ``workers``: one a core if None."""
    warn("comparing", [replace(base, **column.changes) for column in columns.values()], seeds, workers or cores())
