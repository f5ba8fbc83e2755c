"""A worksheet as a notebook, with otter-grader's metadata, and the same filled in.

A cell's id says what it is for: ``q3`` the question, ``q3-answer`` the answer, ``q3-run`` room for a run of one's own.
"""

import json

from dpmia_lab.worksheets.questions import Code, Free, Number, Prediction, Question, Run, Sheet

TO_WRITE = "_Write your answer here._"
LOCKED = {"deletable": False, "editable": False}
ANSWER = {"tags": ["otter_answer_cell"]}  # otter-grader's own name for it


def file_name(sheet: Sheet, kind: str = "worksheet") -> str:
    return f"{kind}_{sheet.lesson:02}_{sheet.slug}.ipynb"


def text_of(notebook: dict) -> str:
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def worksheet_notebook(sheet: Sheet) -> dict:
    """As students get it."""
    return {
        "cells": [*opening(sheet), *parts(sheet), ending(sheet)],
        "metadata": {
            "title": f"Worksheet {sheet.lesson}: {sheet.title}",
            "worksheet": {"lesson": sheet.lesson},
            "otter": otter_metadata(sheet),
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


# ---- cells
def markdown(name: str, source: str, metadata: dict = LOCKED) -> dict:
    return {"cell_type": "markdown", "id": name, "metadata": metadata, "source": source.splitlines(keepends=True)}


def code(name: str, source: str, metadata: dict = LOCKED) -> dict:
    lines = source.splitlines(keepends=True)
    return {
        "cell_type": "code", "execution_count": None, "id": name, "metadata": metadata, "outputs": [], "source": lines
    }  # fmt: skip


def opening(sheet: Sheet) -> list[dict]:
    words = [
        f"# Worksheet {sheet.lesson}: {sheet.title}",
        f"{sheet.aim} **{sheet.minutes} minutes** beside lesson {sheet.lesson}; {sheet.points:g} points.",
        "Your name gives you a **seed** of your own, and so numbers of your own. Predict before you run. Type measured "
        "numbers as numbers, with four decimals: whoever grades runs your seed again and reads what you typed, nothing "
        "else. Words in `code letters` are names that the lab prints. Each *check* says whether an answer has the form "
        "that is asked for, not whether it is right.",
    ]
    experiments = sorted({run.experiment for run in runs_of(sheet)})
    setup = [
        "import numpy as np",
        "",
        *(f"from dpmia_lab.experiments import {name}" for name in experiments),
        "from dpmia_lab.stages import drain",
        "from dpmia_lab.worksheets.sheet import Worksheet",
    ]
    named = f'name = ""  # your full name, as on the class list\nsheet = Worksheet({sheet.lesson}, name)\nprint(sheet)'
    return [markdown("opening", "\n\n".join(words)), code("setup", "\n".join(setup)), code("name", named, ANSWER)]


def runs_of(sheet: Sheet) -> list[Run]:
    return [part if isinstance(part, Run) else part.run for part in sheet.parts if isinstance(part, (Run, Number))]


def parts(sheet: Sheet) -> list[dict]:
    cells, given = [], sheet.given()
    for place, run in enumerate(given, 1):
        cells.append((sheet.parts.index(run), given_cells(run, place)))
    for name, question in sheet.questions.items():
        cells.append((sheet.parts.index(question), question_cells(name, question, given)))
    return [cell for _, some in sorted(cells, key=lambda one: one[0]) for cell in some]


def given_cells(run: Run, place: int) -> list[dict]:
    words = "**Run this with your seed** (some seconds; on another machine the last decimals may differ)."
    return [markdown(f"given-{place}", words), code(f"given-{place}-run", run.source())]


def question_cells(name: str, question: Question, given: list[Run]) -> list[dict]:
    head = f"### {name}. {question.title} ({points_text(question.points)})\n\n{question.words}"
    if isinstance(question, Free):
        return free_cells(name, question, head)
    cells = [markdown(name, head + more_words(question))]
    if isinstance(question, Number) and question.run not in given:
        cells.append(code(f"{name}-run", "# your run", ANSWER))
    if isinstance(question, Code):
        return [*cells, code(f"{name}-answer", question.stub, ANSWER), check(name, question.function)]
    return [*cells, code(f"{name}-answer", f"{name} = ...", ANSWER), check(name, name)]


def more_words(question: Question) -> str:
    if isinstance(question, Prediction):
        return (
            "\n"
            + "".join(f"\n- {letter}: {words}" for letter, words in question.choices.items())
            + ('\n\nWrite the letter, such as `"a"`. It counts for being given, before you run anything.')
        )
    if isinstance(question, Number):
        return f" Within {question.tolerance:g} counts as right."
    most = f" At most {question.lines} lines, without its heading." if question.lines else ""
    return f"{most} NumPy is there as `np`; do not call the lab itself."


def free_cells(name: str, question: Free, head: str) -> list[dict]:
    """The marks are those by which otter-grader finds what a person is to read."""
    rubric = "\n".join(f"- {points_text(points)}: {words}" for points, words in question.rubric)
    marked = f"<!-- BEGIN QUESTION -->\n\n{head}\n\nA person marks this, by:\n\n{rubric}"
    return [
        markdown(name, marked),
        markdown(f"{name}-answer", TO_WRITE, ANSWER),
        markdown(f"{name}-end", "<!-- END QUESTION -->"),
    ]


def check(name: str, value: str) -> dict:
    return code(f"{name}-check", f'sheet.check("{name}", {value})')


def ending(sheet: Sheet) -> dict:
    hand_in = "Save this notebook and hand it in as it is, with its outputs."
    otter = f'`import otter; otter.Notebook("{file_name(sheet)}").check_all()`'
    return markdown("ending", f"{hand_in} Where otter-grader is installed, {otter} makes all checks at once.")


def points_text(points: float) -> str:
    return "1 point" if points == 1 else f"{points:g} points"


# ---- otter-grader
def otter_metadata(sheet: Sheet) -> dict:
    """As otter-grader's own student version has it; free answers have no test, a person reads them."""
    tests = {name: otter_test(name, one) for name, one in sheet.questions.items() if not isinstance(one, Free)}
    return {"OK_FORMAT": True, "assignment_name": f"worksheet_{sheet.lesson:02}", "tests": tests}


def otter_test(name: str, question: Question) -> dict:
    """The check of the form, as a doctest."""
    value = question.function if isinstance(question, Code) else name
    case = {"code": f">>> sheet.problem(\"{name}\", {value})\n''", "hidden": False, "locked": False}
    suite = {"cases": [case], "scored": True, "setup": "", "teardown": "", "type": "doctest"}
    return {"name": name, "points": question.points, "suites": [suite]}


# ---- filled in
def filled(sheet: Sheet, name: str, answers: dict) -> dict:
    """The notebook as somebody hands it in: letters, numbers, functions and texts by question; runs typed too."""
    notebook = worksheet_notebook(sheet)
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    write(cells["name"], "".join(cells["name"]["source"]).replace('name = ""', f"name = {json.dumps(name)}"))
    for question, answer in answers.items():
        asked = sheet.questions[question]
        typed = f"{question} = {json.dumps(answer)}" if isinstance(asked, (Prediction, Number)) else answer.strip("\n")
        write(cells[f"{question}-answer"], typed)
        if f"{question}-run" in cells:
            write(cells[f"{question}-run"], asked.run.source())
    return notebook


def write(cell: dict, source: str) -> None:
    cell["source"] = source.splitlines(keepends=True)
