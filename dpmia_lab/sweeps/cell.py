"""One cell of a sweep, as every worker computes it, wherever it runs."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.files import circumstances
from dpmia_lab.memory import is_want_of_memory, want_of_memory
from dpmia_lab.stages import Event, Stopped, drain
from dpmia_lab.store import Result, code_fingerprint


@dataclass(frozen=True)
class Outcome:
    """What became of a cell: its result and record, or the sentence that says why there is none."""

    result: Result | None = None
    about: dict = field(default_factory=dict)
    problem: str = ""
    code: str = field(default_factory=code_fingerprint)  # of the worker


def outcome_of(
    name: str,
    config: dict,
    on_event: Callable[[Event], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Outcome:
    """Run the experiment of that name; whatever goes wrong is told and not raised."""
    try:
        about, start = circumstances(), time.monotonic()  # in this order: a first cell does not pay for loading torch
        experiment = EXPERIMENTS[name]
        result = drain(experiment.run(experiment.Config(**config)), on_event, should_stop)
        return Outcome(result, {**about, "seconds": round(time.monotonic() - start, 2)})
    except Stopped:
        return Outcome(problem="it was stopped.")
    except Exception as error:
        return Outcome(problem=sentence(error))


def sentence(error: Exception) -> str:
    """A mistake in its own words, want of memory in the lab's, anything else with the name of its kind."""
    if is_want_of_memory(error):
        return want_of_memory()
    return str(error) if isinstance(error, Mistake) else f"{type(error).__name__}: {error}".rstrip(": ")
