"""A handed-in worksheet, read and never run: what was typed where, and what looks changed."""

import ast
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpmia_lab.checks import Mistake
from dpmia_lab.worksheets.lessons import SHEETS
from dpmia_lab.worksheets.notebooks import TO_WRITE, worksheet_notebook
from dpmia_lab.worksheets.questions import Code, Free, Question, Sheet, shown
from dpmia_lab.worksheets.seeds import check_name, student_seed
from dpmia_lab.worksheets.sheet import Worksheet

LARGEST = 20_000_000  # bytes: a notebook with its outputs is far smaller


@dataclass(frozen=True)
class Typed:
    """What was typed for a question; ``problem`` says why there is nothing that can be marked."""

    value: Any = None
    problem: str = ""


@dataclass(frozen=True)
class Handed:
    file: str
    sheet: Sheet
    name: str
    answers: dict[str, Typed]
    remarks: tuple[str, ...] = ()

    @property
    def seed(self) -> int:
        return student_seed(self.name)


def handed_in(file: Path) -> Handed:
    """A Mistake says in one sentence why a file cannot be read."""
    notebook = opened(file)
    cells = cells_of(notebook)
    sheet = sheet_of(notebook, cells, file)
    name = name_of(cells, file)
    answers = {question: typed(question, asked, cells) for question, asked in sheet.questions.items()}
    return Handed(str(file), sheet, name, answers, tuple(remarks(sheet, name, cells)))


def opened(file: Path) -> dict:
    try:
        if file.stat().st_size > LARGEST:
            raise Mistake(f"{file} must have at most {LARGEST // 1_000_000} MB; it has more.")
        notebook = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        if isinstance(error, Mistake):
            raise
        raise Mistake(f"{file} must be a notebook that can be read; it is not.") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise Mistake(f"{file} must be a notebook with cells; it has none.")
    return notebook


@dataclass(frozen=True)
class Cell:
    name: str
    is_code: bool
    source: str
    output: str

    def tree(self) -> ast.Module | None:
        """None where it cannot be parsed."""
        try:
            return ast.parse(self.source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def cells_of(notebook: dict) -> list[Cell]:
    return [cell_of(cell) for cell in notebook["cells"] if isinstance(cell, dict)]


def cell_of(cell: dict) -> Cell:
    outputs = cell.get("outputs")
    printed = [joined(one.get("text")) for one in outputs if isinstance(one, dict)] if isinstance(outputs, list) else []
    return Cell(str(cell.get("id", "")), cell.get("cell_type") == "code", joined(cell.get("source")), "".join(printed))


def joined(text: Any) -> str:
    """A text or a list of lines, as notebooks have both."""
    return "".join(line for line in ([text] if isinstance(text, str) else text or ()) if isinstance(line, str))


def sheet_of(notebook: dict, cells: list[Cell], file: Path) -> Sheet:
    """By its metadata; where an editor has dropped them, by its call of Worksheet."""
    metadata = notebook.get("metadata")
    own = metadata.get("worksheet") if isinstance(metadata, dict) else None
    lesson = own.get("lesson") if isinstance(own, dict) else None
    if lesson is None:
        calls = [call.args[0] for call in calls_of(cells) if named(call.func) == "Worksheet" and call.args]
        lesson = next((one.value for one in calls if isinstance(one, ast.Constant)), None)
    if not isinstance(lesson, int) or lesson not in SHEETS:
        raise Mistake(f"{file} must be one of the lab's worksheets; it names no lesson.")
    return SHEETS[lesson]


def name_of(cells: list[Cell], file: Path) -> str:
    name = assigned("name", cells).value
    try:
        check_name(name)
    except Mistake:
        raise Mistake(f"{file} must have the student's name in its first cell; it is {shown(name)}.") from None
    return name


# ---- answers
def typed(name: str, question: Question, cells: list[Cell]) -> Typed:
    if isinstance(question, Free):
        return text_typed(name, cells)
    own = [cell for cell in cells if cell.is_code and cell.name == f"{name}-answer"]
    if any(cell.tree() is None for cell in own):
        return Typed(problem="cannot be parsed as Python")
    if isinstance(question, Code):
        return function_typed(question.function, own or cells)
    return assigned(name, own or cells)


def text_typed(name: str, cells: list[Cell]) -> Typed:
    text = "\n".join(cell.source.replace(TO_WRITE, "") for cell in cells if cell.name == f"{name}-answer").strip()
    return Typed(text) if text else Typed(problem="is not filled in")


def function_typed(function: str, cells: list[Cell]) -> Typed:
    """The whole cell that defines it, with what it imports and leans on."""
    holding = [cell for cell in cells if any(one.name == function for one in functions_of(cell))]
    if not holding:
        return Typed(problem=f"must define the function {function}; no cell does")
    last = next(one for one in reversed(functions_of(holding[-1])) if one.name == function)
    return Typed(problem="is not filled in") if is_empty(last) else Typed(holding[-1].source)


def functions_of(cell: Cell) -> list[ast.FunctionDef]:
    tree = cell.tree() if cell.is_code else None
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)] if tree else []


def body_of(function: ast.FunctionDef) -> list[ast.stmt]:
    """Without the docstring."""
    return function.body[1:] if ast.get_docstring(function) is not None else function.body


def is_empty(function: ast.FunctionDef) -> bool:
    return all(isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in body_of(function))


def assigned(name: str, cells: list[Cell]) -> Typed:
    """The value last written to that name; it must stand there itself, since nothing is run."""
    trees = [tree for cell in cells if cell.is_code and (tree := cell.tree())]
    values = [
        node.value
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
    ]
    if not values:
        return Typed(problem="has no answer: its cell is missing")
    try:
        value = ast.literal_eval(values[-1])
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return Typed(problem=f"must be typed out, since nothing is run: it is {shown_source(values[-1])}")
    return Typed(problem="is not filled in") if value is ... else Typed(value)


def shown_source(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 60 else f"{text[:57]}…"


# ---- what looks changed
def remarks(sheet: Sheet, name: str, cells: list[Cell]) -> list[str]:
    found = {cell.name: cell for cell in cells}
    own = str(Worksheet(sheet.lesson, name))
    printed = found["name"].output.strip() if "name" in found else ""
    said = []
    if printed and printed != own:
        said.append(
            f"The first cell printed “{printed}” when it was run, and now has the name {name!r}: it was changed."
        )
    given = {cell["id"]: joined(cell["source"]) for cell in worksheet_notebook(sheet)["cells"]}
    for cell, source in given.items():
        if cell.startswith("given-") and cell.endswith("-run") and (cell not in found or found[cell].source != source):
            said.append("The given run was changed or removed.")
    seed = student_seed(name)
    others = {one.value for one in seeds_typed(cells) if one.value != seed}
    return said + [
        f"A cell runs with seed={other!r}, not with this student's seed {seed}." for other in sorted(others, key=str)
    ]


def calls_of(cells: list[Cell]) -> list[ast.Call]:
    trees = [tree for cell in cells if cell.is_code and (tree := cell.tree())]
    return [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]


def seeds_typed(cells: list[Cell]) -> list[ast.Constant]:
    """Seeds given as a number instead of as sheet.seed."""
    words = [word for call in calls_of(cells) for word in call.keywords if word.arg == "seed"]
    return [word.value for word in words if isinstance(word.value, ast.Constant)]


def named(function: ast.expr) -> str:
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )
