"""Worksheets: built from their declarations, filled in by a script as a student would, graded right and wrong."""

import csv
import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from functools import partial

import nbformat
import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.commands import command_line
from dpmia_lab.worksheets import build, grading, solutions
from dpmia_lab.worksheets.grading import Runs, grade
from dpmia_lab.worksheets.lessons import SHEETS
from dpmia_lab.worksheets.notebooks import file_name, filled, text_of, worksheet_notebook
from dpmia_lab.worksheets.questions import Code, Free, Number, Trial, called, held
from dpmia_lab.worksheets.reading import handed_in
from dpmia_lab.worksheets.running import outputs_of
from dpmia_lab.worksheets.seeds import student_seed
from dpmia_lab.worksheets.sheet import Worksheet

FOUR = SHEETS[4]
ADA, ALAN = "Ada Lovelace", "Alan Turing"
CODE = {
    "q5": "def loss_scores(confidences, y):\n    return np.log(confidences[np.arange(len(y)), y] + 1e-12)",
    "q6": "def area(scores, member):\n    a, b = scores[member][:, None], scores[~member]\n"
    "    return (a > b).mean() + (a == b).mean() / 2",
}
TEXT = "A clinic's patients: whoever learns that they are in the set learns of their illness."
every_sheet = pytest.mark.parametrize("sheet", SHEETS.values(), ids=lambda sheet: f"lesson {sheet.lesson}")
needs_pack = pytest.mark.skipif(not solutions.PACK.is_dir(), reason="the course has left the solutions out")


@pytest.fixture(scope="module")
def runs():
    return Runs()


@pytest.fixture(scope="module")
def ada():
    """What Ada finds by running the cells of the notebook one after the other, as she would."""
    notebook = filled(FOUR, ADA, {"q1": "b", "q4": 0.0, **CODE})
    cells = {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"}
    space, found, printed = {}, {}, io.StringIO()
    with redirect_stdout(printed):
        for name in ("setup", "name", "given-1-run"):
            exec(cells[name], space)
        found |= {"q2": space["result"].numbers["auc_loss"], "q3": space["result"].numbers["tpr1_lira_fixed"]}
        exec(cells["q4-run"], space)
        found["q4"] = space["result"].numbers["auc_loss"]
        for name in ("q1-answer", "q1-check", "q5-answer", "q5-check", "q6-answer", "q6-check"):
            exec(cells[name], space)
    assert f"seed {student_seed(ADA)}" in printed.getvalue() and "q6 is filled in" in printed.getvalue()
    assert re.search(rf"{found['q3']:.4f}  tpr1_lira_fixed", printed.getvalue())
    return {"q1": "b", **{name: round(value, 4) for name, value in found.items()}, **CODE, "q7": TEXT}


def written(folder, name, answers, change=lambda notebook: None, file="sheet.ipynb", sheet=FOUR):
    notebook = filled(sheet, name, answers)
    change(notebook)
    path = folder / file
    path.write_text(text_of(notebook))
    return path


def marks(path, runs, *others):
    graded = grade(handed_in(path), runs, tuple(handed_in(other) for other in others))
    return {mark.question: mark for mark in graded.marks}, graded


# ---- seeds
def test_a_seed_is_the_name_however_it_is_typed():
    assert student_seed("José  Álvarez ") == student_seed("JOSE ALVAREZ") != student_seed("Jose Alvares")
    seeds = {student_seed(f"Student {letter}") for letter in "abcdefghijklmnopqrstuvwxyz"}
    assert len(seeds) == 26 and all(1 <= seed <= 1_000_000 for seed in seeds)


@pytest.mark.parametrize("name", ["", "  ", "12", None, 7, "a" * 101])
def test_a_seed_needs_a_name(name):
    with pytest.raises(Mistake, match="name must be your full name"):
        student_seed(name)


# ---- notebooks
def test_the_notebooks_are_what_the_builder_writes():
    """Else run: python -m dpmia_lab.worksheets.build"""
    built = {**build.worksheets(), **build.solutions()}
    assert len(SHEETS) == 10
    assert [path.name for path, text in built.items() if path.read_text(encoding="utf-8") != text] == []


@every_sheet
def test_a_worksheet_is_readable_and_has_what_otter_asks_for(sheet):
    notebook = nbformat.reads(text_of(worksheet_notebook(sheet)), as_version=4)
    nbformat.validate(notebook)
    assert all(len(cell.source.splitlines()) <= 10 for cell in notebook.cells if cell.cell_type == "code")
    text = "".join(cell.source for cell in notebook.cells)
    assert "otter" not in text.split("Where otter-grader is installed")[0]  # no cell needs it
    assert all(question.title in text for question in sheet.questions.values())
    manual = [one for one in sheet.questions.values() if isinstance(one, Free)]
    assert text.count("<!-- BEGIN QUESTION -->") == text.count("<!-- END QUESTION -->") == len(manual) >= 1
    tests = notebook.metadata.otter.tests
    assert notebook.metadata.otter.OK_FORMAT is True
    assert set(tests) == {name for name, one in sheet.questions.items() if not isinstance(one, Free)}
    for name, test in tests.items():
        (suite,) = test["suites"]
        assert (test["name"], test["points"], suite["type"]) == (name, sheet.questions[name].points, "doctest")
        assert suite["cases"][0]["code"].startswith(">>> ")


@every_sheet
def test_a_worksheet_asks_for_every_kind_and_says_chance(sheet):
    kinds = [one.kind for one in sheet.questions.values()]
    assert {"prediction", "number", "code", "free"} == set(kinds) and kinds[0] == "prediction"
    for question in sheet.questions.values():
        if isinstance(question, Number):
            question.run.config(1)  # a setting that does not exist would raise
            level = "hance|guesses|noise|average face|commonest|other_class|epsilon|calibrated"
            assert re.search(level, question.words)
        assert not re.search(r"\bMIA\b", question.words)


@every_sheet
def test_no_trial_holds_for_an_answer_that_was_not_given(sheet):
    for question in sheet.questions.values():
        if isinstance(question, Code):
            opened = question.trials()[: question.public]
            assert not any(held(trial, None) or held(trial, np.zeros(3)) for trial in opened)
            assert question.problem(lambda *_: None)


@needs_pack
@every_sheet
def test_no_solution_is_said_outside_the_pack(sheet):
    given = (solutions.WORKSHEETS / file_name(sheet)).read_text(encoding="utf-8")
    heads = [one.stub for one in sheet.questions.values() if isinstance(one, Code)]
    answers = {name: answer for name, answer in solutions.written_answers(sheet).items() if len(answer) > 1}
    told = [line for answer in answers.values() for line in answer.strip().splitlines() if len(line) > 20]
    own = [line for line in told if not any(line in head for head in heads)]
    assert own and not [line for line in own if json.dumps(line, ensure_ascii=False)[1:-1] in given]


@needs_pack
@every_sheet
def test_the_solutions_code_passes_every_trial(sheet):
    answers = solutions.solution(sheet)
    for name, question in sheet.questions.items():
        if isinstance(question, Code):
            space = {"np": np}
            exec(answers[name], space)
            tried = [(trial.words, held(trial, called(space[question.function], trial))) for trial in question.trials()]
            assert [words for words, fine in tried if not fine] == []


@needs_pack
@pytest.mark.parametrize("lesson", [2, 7, 10])
def test_a_solution_has_full_marks(lesson, runs):
    """Lessons whose runs are quick; numbers are the pack's, from another machine perhaps, so runs must agree."""
    _, graded = marks(solutions.PACK / file_name(SHEETS[lesson], "solution"), runs)
    assert [mark.words for mark in graded.marks if mark.points < mark.most and not mark.by_person] == []
    assert graded.points == graded.by_machine and graded.remarks == ()


def test_everything_else_works_without_the_pack(tmp_path):
    assert build.solutions(tmp_path / "left out") == {}
    assert len(build.worksheets()) == 10


# ---- grading lesson 4
def test_a_right_worksheet_has_all_points(ada, runs, tmp_path):
    found, graded = marks(written(tmp_path, ADA, ada), runs)
    assert (graded.points, graded.by_machine, graded.remarks) == (13, 13, ())
    assert found["q7"].by_person and found["q7"].most == 3 and "1 for a failed attack" in found["q7"].words


def test_wrong_answers_lose_their_own_points_only(ada, runs, tmp_path):
    backwards = CODE["q6"].replace("a > b", "a < b")
    no_ties = CODE["q6"].replace(" + (a == b).mean() / 2", "")
    wrong = {**ada, "q1": "z", "q2": round(ada["q2"] + 0.02, 4), "q3": round(100 * ada["q3"], 2), "q6": backwards}
    found, graded = marks(written(tmp_path, ADA, wrong), runs)
    assert {name: mark.points for name, mark in found.items()} == dict(q1=0, q2=0, q3=0, q4=2, q5=3, q6=0.5, q7=0)
    assert "not a percentage" in found["q3"].words and "one of the letters" in found["q1"].words
    assert f"measures {ada['q2']:.4f}" in found["q2"].words and graded.remarks == ()
    partly, _ = marks(written(tmp_path, ADA, {**ada, "q6": no_ties}), runs)
    assert partly["q6"].points == 1.5 and "passes 3 of 5 trials" in partly["q6"].words


def test_a_copied_number_says_whose_it_is(ada, runs, tmp_path):
    own = {name: round(runs.measured(FOUR.questions[name], student_seed(ALAN)), 4) for name in ("q2", "q3", "q4")}
    default = round(runs.measured(FOUR.questions["q4"], 0), 4)
    first = written(tmp_path, ADA, ada, file="ada.ipynb")
    copied = {**ada, **own, "q2": ada["q2"], "q4": default, "q7": TEXT.upper()}
    second = written(tmp_path, ALAN, copied, file="alan.ipynb")
    found, graded = marks(second, runs, first)
    assert [found[name].points for name in ("q2", "q3", "q4")] == [0, 2, 0]
    assert f"q2: {ada['q2']:g} is the number of the seed of {ADA}, not of this student's." in graded.remarks
    assert f"q4: {default:g} is the number of the default seed 0, not of this student's." in graded.remarks
    assert f"q7: the same words as {ADA}'s." in graded.remarks
    alone, said = marks(second, runs)
    assert alone["q2"].points == 0 and not any("q2" in remark for remark in said.remarks)


def test_a_changed_name_and_seed_are_noticed(ada, runs, tmp_path):
    def changed(notebook):
        cells = {cell["id"]: cell for cell in notebook["cells"]}
        cells["name"]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": [f"{Worksheet(4, ALAN)}\n"]}]
        cells["q4-run"]["source"] = ["membership.Config(epochs=5, seed=7)"]
        cells["given-1-run"]["source"].append("\n# more")

    remarks = marks(written(tmp_path, ADA, ada, changed), runs)[1].remarks
    assert any(ALAN in remark and "changed" in remark for remark in remarks)
    assert any("seed=7" in remark for remark in remarks) and "The given run was changed or removed." in remarks
    twice = written(tmp_path, ADA.upper(), ada, file="again.ipynb")
    assert any("has the same name" in remark for remark in marks(twice, runs, tmp_path / "sheet.ipynb")[1].remarks)


def test_what_is_not_filled_in_or_not_typed_out(ada, runs, tmp_path):
    def emptied(notebook):
        cells = {cell["id"]: cell for cell in notebook["cells"]}
        cells["q2-answer"]["source"] = ['q2 = result.numbers["auc_loss"]']
        cells["q3-answer"]["source"] = 'q3 = "high"'  # one text instead of lines is a notebook too
        cells["q4-answer"]["source"] = ["q4 = = 3"]
        cells["q6-answer"]["source"] = ["def area(scores, member):\n", "    return ("]
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] not in ("q1-answer", "q5-answer")]

    partial = {name: answer for name, answer in ada.items() if name != "q7"}
    found, graded = marks(written(tmp_path, ADA, partial, emptied), runs)
    assert graded.points == 0
    said = {name: mark.words for name, mark in found.items()}
    assert "cell is missing" in said["q1"] and "must be typed out" in said["q2"] and "must be a number" in said["q3"]
    assert "cannot be parsed" in said["q4"] and "loss_scores" in said["q5"] and "cannot be parsed" in said["q6"]
    assert said["q7"] == "q7 is not filled in." and not found["q7"].by_person


def test_answers_are_found_where_an_editor_dropped_ids_and_metadata(ada, runs, tmp_path):
    def dropped(notebook):
        notebook["metadata"] = {}
        for cell in notebook["cells"]:
            del cell["id"]

    found, graded = marks(written(tmp_path, ADA, ada, dropped), runs)
    assert graded.points == 13 and "not filled in" in found["q7"].words


# ---- a student's code
def test_code_that_never_ends_is_stopped_and_costs_its_points(ada, runs, tmp_path, monkeypatch):
    monkeypatch.setattr(grading, "outputs_of", partial(outputs_of, seconds=1))
    endless = "def area(scores, member):\n    while True:\n        pass"
    found, graded = marks(written(tmp_path, ADA, {**ada, "q6": endless}), runs)
    assert (graded.points, found["q6"].points) == (10, 0)
    assert re.search("area was stopped: it did not end within [12] seconds", found["q6"].words)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import os; os.system('true')", "not allowed"),
        ("import socket; socket.create_connection(('127.0.0.1', 9))", "not allowed"),
        ("open('/tmp/worksheet_escape', 'w')", "not allowed"),
        ("import dpmia_lab", "dpmia_lab"),
        ("raise SystemExit", "SystemExit"),
        ("return 'high'", "not numbers"),
        ("return np.ones((20_000, 20_000)).sum()", "emory"),
        ("return x / 0", "ZeroDivisionError"),
    ],
)
def test_code_that_misbehaves_gets_a_sentence(body, said):
    (output,) = outputs_of(f"def f(x):\n    {body}\n    return 1", "f", [Trial("", (1,), bool)])
    assert isinstance(output, Exception) and said in str(output)


def test_code_cannot_forge_its_verdict(ada, runs, tmp_path):
    leaves = 'def area(scores, member):\n    import os\n    open("errors.json", "w").write("{}")\n    os._exit(0)'
    found, _ = marks(written(tmp_path, ADA, {**ada, "q6": leaves}), runs)
    assert found["q6"].points == 0 and "without an answer" in found["q6"].words
    calls = "from dpmia_lab.metrics.membership import auc\ndef area(scores, member):\n    return auc(scores, member)"
    assert "imports dpmia_lab" in marks(written(tmp_path, ADA, {**ada, "q6": calls}), runs)[0]["q6"].words


def test_a_defence_of_five_lines_has_five_lines(tmp_path, runs):
    long = "def defend(confidences):\n" + "    a = 1\n" * 5 + "    return confidences"
    found, _ = marks(written(tmp_path, ADA, {"q5": long}, sheet=SHEETS[9]), runs)
    assert found["q5"].words == "q5 must have at most 5 lines; it has 6."


# ---- the command
def test_the_command_grades_what_it_can_and_names_what_it_cannot(tmp_path, capsys):
    """Without numbers, so that nothing has to be run."""
    good = written(tmp_path, "=Ada", {"q1": "b", "q7": TEXT})
    (tmp_path / "broken.ipynb").write_text("{")
    (tmp_path / "other.ipynb").write_text(json.dumps({"cells": [], "metadata": {}}))
    nameless = written(tmp_path, "", {"q1": "b"}, file="nameless.ipynb")
    files = [good, tmp_path / "broken.ipynb", tmp_path / "other.ipynb", nameless, tmp_path / "none.ipynb"]
    assert command_line.main(["grade", *map(str, files), "--csv", str(tmp_path / "marks.csv")]) == 2
    told = capsys.readouterr()
    assert "1 of 13 points; 3 more are for a person" in told.out and f"> {TEXT}" in told.out
    assert len(told.err.strip().splitlines()) == 4 and "Traceback" not in told.err
    rows = list(csv.DictReader((tmp_path / "marks.csv").read_text().splitlines()))
    assert [row["question"] for row in rows] == list(FOUR.questions)
    assert rows[0]["name"] == "'=Ada" and (rows[6]["points"], rows[6]["by a person"]) == ("", "yes")


def test_reading_a_worksheet_loads_no_page():
    """A student's notebook opens quickly: neither torch nor widgets are loaded before a run."""
    code = "import sys; from dpmia_lab.worksheets.sheet import Worksheet; Worksheet(4, 'Ada'); print([m for m in "
    code += "('torch', 'ipywidgets', 'matplotlib') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
