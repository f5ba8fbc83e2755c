"""``python -m dpmia_lab.worksheets.build``: writes all worksheets anew and, where the pack is there, its solutions.

With ``--measure`` the solutions' numbers are measured anew first (some minutes).
"""

import argparse
import json
from pathlib import Path

from dpmia_lab.worksheets.grading import Runs
from dpmia_lab.worksheets.lessons import SHEETS
from dpmia_lab.worksheets.notebooks import file_name, filled, text_of, worksheet_notebook
from dpmia_lab.worksheets.seeds import student_seed
from dpmia_lab.worksheets.solutions import NAME, PACK, WORKSHEETS, measured_numbers, solution


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m dpmia_lab.worksheets.build", description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure the solutions' numbers anew")
    if parser.parse_args(arguments).measure:
        write_numbers()
    for path, text in {**worksheets(), **solutions()}.items():
        path.write_text(text, encoding="utf-8")


def worksheets() -> dict[Path, str]:
    return {WORKSHEETS / file_name(sheet): text_of(worksheet_notebook(sheet)) for sheet in SHEETS.values()}


def solutions(pack: Path = PACK) -> dict[Path, str]:
    """None where the course has left them out."""
    if not pack.is_dir():
        return {}
    filled_in = {sheet: filled(sheet, NAME, solution(sheet, pack)) for sheet in SHEETS.values()}
    return {pack / file_name(sheet, "solution"): text_of(notebook) for sheet, notebook in filled_in.items()}


def write_numbers() -> None:
    runs, seed = Runs(), student_seed(NAME)
    numbers = {sheet.lesson: measured_numbers(sheet, seed, runs) for sheet in SHEETS.values()}
    (PACK / "numbers.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
