"""The pack of solutions: a folder that a course may leave out. Nothing but the builder and the tests looks for it.

``answers_04.toml`` holds what was written by hand, ``numbers.json`` what was measured for the name used in the pack.
"""

import json
import tomllib
from pathlib import Path

from dpmia_lab.worksheets.grading import Runs
from dpmia_lab.worksheets.questions import Number, Sheet

TEACHING = Path(__file__).parents[2] / "notebooks" / "teaching"
WORKSHEETS = TEACHING / "worksheets"
PACK = TEACHING / "worksheet_solutions"
NAME = "Model Answer"  # whose seed the pack's numbers have


def written_answers(sheet: Sheet, pack: Path = PACK) -> dict[str, str]:
    return tomllib.loads((pack / f"answers_{sheet.lesson:02}.toml").read_text(encoding="utf-8"))


def solution(sheet: Sheet, pack: Path = PACK) -> dict[str, str | float]:
    """Every answer of a worksheet, in the order of its questions."""
    numbers = json.loads((pack / "numbers.json").read_text(encoding="utf-8"))
    answers = {**written_answers(sheet, pack), **numbers[str(sheet.lesson)]}
    return {question: answers[question] for question in sheet.questions}


def measured_numbers(sheet: Sheet, seed: int, runs: Runs) -> dict[str, float]:
    """What a student of that seed finds, with four decimals."""
    asked = {name: one for name, one in sheet.questions.items() if isinstance(one, Number)}
    return {name: round(runs.measured(one, seed), 4) for name, one in asked.items()}
