"""What a student calls in a worksheet: the seed of the name, the numbers of a run, and a check of an answer's form."""

from typing import Any

from dpmia_lab.checks import one_of
from dpmia_lab.store import Result
from dpmia_lab.worksheets.lessons import SHEETS
from dpmia_lab.worksheets.seeds import check_name, student_seed

FORM_ONLY = {
    "prediction": "It is your own, and counts for being given.",
    "number": "Whether it is the number of your seed is found when the worksheet is graded.",
    "code": "It passed its open trial; others follow when the worksheet is graded.",
}


class Worksheet:
    """``Worksheet(4, "Ada Lovelace")``: the fourth lesson's, with that student's seed."""

    def __init__(self, lesson: int, name: str) -> None:
        one_of(tuple(SHEETS), lesson=lesson)
        check_name(name)
        self.lesson, self.name, self.sheet = lesson, name, SHEETS[lesson]
        self.seed = student_seed(name)

    def __str__(self) -> str:
        return f"Worksheet {self.lesson} of {self.name}, seed {self.seed}."

    def show(self, result: Result, *parts: str) -> None:
        """The run's numbers whose names begin with one of the parts."""
        for name, value in result.numbers.items():
            if name.startswith(parts) and not ends_an_interval(name):
                print(f"{value:9.4f}  {name}")

    def problem(self, question: str, value: Any) -> str:
        """What is wrong with the form of an answer, in one sentence; "" if nothing is."""
        asked = {name: one for name, one in self.sheet.questions.items() if one.kind != "free"}
        one_of(tuple(asked), question=question)
        problem = asked[question].problem(value)
        return f"{question} {problem}." if problem else ""

    def check(self, question: str, value: Any) -> None:
        """Says whether the answer has the form that is asked for; not whether it is right."""
        kind = self.sheet.questions[question].kind if question in self.sheet.questions else ""
        print(self.problem(question, value) or f"{question} is filled in. {FORM_ONLY.get(kind, '')}")


def ends_an_interval(name: str) -> bool:
    return any(part in ("low", "high", "sd") for part in name.split("_"))
