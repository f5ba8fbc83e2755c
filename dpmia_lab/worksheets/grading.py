"""Marks: numbers are measured again with the student's seed, functions are tried, free answers left to a person."""

import ast
import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.stages import Event, drain
from dpmia_lab.worksheets.questions import Code, Free, Number, Prediction, Question, Run, Trial, held
from dpmia_lab.worksheets.reading import Handed, Typed, body_of
from dpmia_lab.worksheets.running import Failed, outputs_of

EXACT = 0.0006  # a number copied with three decimals is nearer to its source than this
DEFAULT_SEED = 0
LONG = 40  # letters of a text that two people do not write alike by chance


@dataclass(frozen=True)
class Mark:
    question: str
    points: float
    most: float
    words: str
    by_person: bool = False  # points are still to be given


@dataclass(frozen=True)
class Graded:
    handed: Handed
    marks: tuple[Mark, ...]
    remarks: tuple[str, ...]

    @property
    def points(self) -> float:
        return sum(mark.points for mark in self.marks)

    @property
    def by_machine(self) -> float:
        return sum(mark.most for mark in self.marks if not mark.by_person)


class Runs:
    """The numbers of runs, each made once for each seed."""

    def __init__(self, on_event: Callable[[Event], None] | None = None) -> None:
        self.on_event, self.known = on_event, {}

    def numbers(self, run: Run, seed: int) -> dict[str, float]:
        key = json.dumps([run.experiment, run.settings, seed], sort_keys=True)
        if key not in self.known:
            result = drain(EXPERIMENTS[run.experiment].run(run.config(seed)), self.on_event)
            self.known[key] = result.numbers
        return self.known[key]

    def measured(self, question: Number, seed: int) -> float:
        return self.numbers(question.run, seed)[question.measure]


def grade(handed: Handed, runs: Runs, others: tuple[Handed, ...] = ()) -> Graded:
    """``others``: worksheets that came with it, among which a wrong number may have its source."""
    marks = [mark(name, asked, handed, runs) for name, asked in handed.sheet.questions.items()]
    same = [other for other in others if other.sheet is handed.sheet and other.file != handed.file]
    wrong = [one.question for one in marks if not one.points and handed.sheet.questions[one.question].kind == "number"]
    sources = [said for question in wrong if (said := source_of(question, handed, same, runs))]
    return Graded(handed, tuple(marks), (*handed.remarks, *twins(handed, same), *sources))


def mark(name: str, question: Question, handed: Handed, runs: Runs) -> Mark:
    typed = handed.answers[name]
    none = Mark(name, 0, question.points, f"{name} {typed.problem}.", isinstance(question, Free))
    if typed.problem:
        return replace(none, by_person=False)
    if isinstance(question, Free):
        return replace(none, words=f"For a person to mark, by: {rubric_text(question)}.")
    if isinstance(question, Code):
        return code_mark(none, question, typed)
    if problem := question.problem(typed.value):
        return replace(none, words=f"{name} {problem}.")
    if isinstance(question, Prediction):
        return replace(none, points=question.points, words=f"Predicted {typed.value!r}.")
    return number_mark(none, question, typed, runs.measured(question, handed.seed))


def rubric_text(question: Free) -> str:
    return "; ".join(f"{points:g} for {words}" for points, words in question.rubric)


def number_mark(none: Mark, question: Number, typed: Typed, measured: float) -> Mark:
    what = f"The lab measures {measured:.4f} ({question.measure}) with this seed"
    if abs(typed.value - measured) <= question.tolerance:
        return replace(none, points=question.points, words=f"{what}; {typed.value:g} is within {question.tolerance:g}.")
    return replace(none, words=f"{what}; {typed.value:g} is not within {question.tolerance:g} of it.")


# ---- code
def code_mark(none: Mark, question: Code, typed: Typed) -> Mark:
    """A share of the points for the share of trials that hold, in halves and never rounded up."""
    if refused := refusal(question, typed.value):
        return replace(none, words=f"{none.question} {refused}.")
    trials = question.trials()
    try:
        outputs = outputs_of(typed.value, question.function, trials)
    except Failed as failure:
        return replace(none, words=f"{question.function} was stopped: {failure}.")
    failed = [why(*pair) for pair in zip(trials, outputs, strict=True) if not held(*pair)]
    points = int(2 * question.points * (1 - len(failed) / len(trials))) / 2
    passed = f"{question.function} passes {len(trials) - len(failed)} of {len(trials)} trials"
    return replace(none, points=points, words=f"{passed}{'; not: ' if failed else ''}{'; '.join(failed)}.")


def why(trial: Trial, output: object) -> str:
    return f"{trial.words} ({output})" if isinstance(output, Exception) else trial.words


def refusal(question: Code, source: str) -> str:
    """Why an answer is not even tried, or ""."""
    tree = ast.parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    modules = [name.name for node in imports for name in node.names] + [getattr(one, "module", "") for one in imports]
    if any((module or "").split(".")[0] == "dpmia_lab" for module in modules):
        return "must be the student's own code; it imports dpmia_lab"
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == question.function]
    body = body_of(functions[-1])
    lines = body[-1].end_lineno - body[0].lineno + 1
    return f"must have at most {question.lines} lines; it has {lines}" if 0 < question.lines < lines else ""


# ---- copies
def source_of(question: str, handed: Handed, others: list[Handed], runs: Runs) -> str:
    """Whose number a wrong one is, if it is anybody's; "" where it cannot be told."""
    asked, typed = handed.sheet.questions[question], handed.answers[question]
    if asked.seedless or typed.problem or asked.problem(typed.value):
        return ""
    seeds = {other.seed: f"the seed of {other.name}" for other in others if other.seed != handed.seed}
    for seed, whose in {DEFAULT_SEED: "the default seed 0", **seeds}.items():
        if abs(typed.value - runs.measured(asked, seed)) <= EXACT:
            return f"{question}: {typed.value:g} is the number of {whose}, not of this student's."
    return ""


def twins(handed: Handed, others: list[Handed]) -> list[str]:
    """The same name twice, and the same long text twice."""
    said = [f"{other.file} has the same name." for other in others if other.seed == handed.seed]
    for name, asked in handed.sheet.questions.items():
        text = plain_text(handed.answers[name]) if isinstance(asked, Free) else ""
        alike = [other.name for other in others if len(text) >= LONG and plain_text(other.answers[name]) == text]
        said += [f"{name}: the same words as {other}'s." for other in alike]
    return said


def plain_text(typed: Typed) -> str:
    return " ".join(str(typed.value or "").casefold().split())
