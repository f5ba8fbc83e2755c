"""What a worksheet is made of. Each question is declared once; notebooks, checks and grades are all made from it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dpmia_lab.experiments import EXPERIMENTS

CLOSE = 0.005  # how near a measured share must be: another processor may differ a little


class Draws(NamedTuple):
    """Stands for a random generator of that seed among the arguments of a trial."""

    seed: int


@dataclass(frozen=True)
class Trial:
    """A student's function is called with ``args``; ``holds`` judges what it returned, ``words`` say what must hold."""

    words: str
    args: tuple
    holds: Callable[[Any], bool]


@dataclass(frozen=True)
class Run:
    """The configuration behind a number, but for the seed, which is the student's."""

    experiment: str
    settings: dict[str, Any]
    show: tuple[str, ...] = ()  # parts of the names of the numbers to be printed

    def config(self, seed: int):
        return EXPERIMENTS[self.experiment].Config(**self.settings, seed=seed)

    def source(self) -> str:
        """As a student types it."""
        given = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        names = ", ".join(repr(name) for name in self.show)
        return "\n".join(
            [
                f"settings = dict({given})",
                f"result = drain({self.experiment}.run({self.experiment}.Config(**settings, seed=sheet.seed)))",
                f"sheet.show(result, {names})",
            ]
        )

    def changed(self, **settings) -> "Run":
        return Run(self.experiment, {**self.settings, **settings}, self.show)


@dataclass(frozen=True)
class Prediction:
    """Given before anything is run; right or wrong, it has its point."""

    title: str
    words: str
    choices: dict[str, str]
    points: float = 1

    kind = "prediction"

    def problem(self, value) -> str:
        """Why this is no answer, or ""."""
        letters = ", ".join(self.choices)
        return "" if value in tuple(self.choices) else f"must be one of the letters {letters}; it is {shown(value)}"


@dataclass(frozen=True)
class Number:
    """Measured by ``run`` with the student's own seed; its name there is ``measure``."""

    title: str
    words: str
    run: Run
    measure: str
    span: tuple[float, float] = (0.0, 1.0)
    tolerance: float = CLOSE
    seedless: bool = False  # the same for everybody, such as an ε
    points: float = 2

    kind = "number"

    def problem(self, value) -> str:
        low, high = self.span
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return f"must be a number; it is {shown(value)}"
        if high <= 1 < value <= 100:
            return f"must be a share from {low:g} to {high:g}, not a percentage; it is {value:g}"
        return "" if low <= value <= high else f"must be from {low:g} to {high:g}; it is {value:g}"


@dataclass(frozen=True, eq=False)
class Code:
    """A short function of the student's own. The first ``public`` trials are also made in the notebook."""

    title: str
    words: str
    stub: str
    trials: Callable[[], list[Trial]]
    public: int = 1
    lines: int = 0  # the most lines its body may have (0: any)
    points: float = 3

    kind = "code"

    @property
    def function(self) -> str:
        return self.stub.split("def ", 1)[1].split("(", 1)[0]

    def problem(self, value) -> str:
        """Of the function itself, by the public trials."""
        if not callable(value):
            return f"must be a function; it is {shown(value)}"
        failed = [trial.words for trial in self.trials()[: self.public] if not held(trial, called(value, trial))]
        return f"must pass its open trial: {failed[0]}" if failed else ""


@dataclass(frozen=True)
class Free:
    """Words of the student's own, which a person marks by the rubric."""

    title: str
    words: str
    rubric: tuple[tuple[float, str], ...]

    kind = "free"

    @property
    def points(self) -> float:
        return sum(points for points, _ in self.rubric)


Question = Prediction | Number | Code | Free


@dataclass(frozen=True, eq=False)
class Sheet:
    """A lesson's worksheet: given runs and questions, in the order in which they are met."""

    lesson: int
    slug: str  # of the lesson's notebook, without its number
    title: str
    aim: str
    parts: tuple[Run | Question, ...]
    minutes: int = 40
    questions: dict[str, Question] = field(init=False)

    def __post_init__(self) -> None:
        asked = [part for part in self.parts if not isinstance(part, Run)]
        object.__setattr__(self, "questions", {f"q{place}": one for place, one in enumerate(asked, 1)})

    @property
    def points(self) -> float:
        return sum(question.points for question in self.questions.values())

    def given(self) -> list[Run]:
        return [part for part in self.parts if isinstance(part, Run)]


def called(function: Callable, trial: Trial) -> Any:
    """What the function returns; the exception, if it raises one."""
    import numpy as np

    args = [np.random.default_rng(one.seed) if isinstance(one, Draws) else copied(one) for one in trial.args]
    try:
        return function(*args)
    except Exception as error:  # a student's code may raise anything
        return error


def copied(value):
    return value.copy() if hasattr(value, "copy") else value


def held(trial: Trial, output: Any) -> bool:
    """What cannot even be compared does not hold."""
    try:
        return not isinstance(output, Exception) and bool(trial.holds(output))
    except Exception:  # a wrong shape, a text, None, …
        return False


def shown(value: Any) -> str:
    """Short enough for a sentence."""
    text = "not filled in" if value is ... else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
