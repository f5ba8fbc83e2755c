"""A teaching notebook: its cells, what they are on a slide, and what their code shows.

Cells carry Jupyter's own ``slideshow`` metadata (slide, subslide, fragment, notes, skip). What only a lecturer should
see carries the tag ``lecturer`` and is never on a slide.
"""

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpmia_lab.widgets.kit.lessons import LESSONS

FOLDER = Path(__file__).parents[2] / "notebooks" / "teaching"
LECTURER = "lecturer"


@dataclass(frozen=True)
class TeachingCell:
    kind: str  # markdown or code
    source: str
    slide: str  # slide, subslide, fragment, notes, skip; "-": goes on with the slide before
    tags: tuple[str, ...]

    @property
    def for_lecturers(self) -> bool:
        return LECTURER in self.tags


def lesson_file(lesson: int) -> Path:
    return FOLDER / f"lesson_{lesson:02d}.ipynb"


def lessons_with_pages() -> list[int]:
    return [lesson for lesson in LESSONS if lesson_file(lesson).is_file()]


def cells_of(file: Path) -> list[TeachingCell]:
    return [
        TeachingCell(
            cell["cell_type"],
            "".join(cell["source"]),
            cell["metadata"].get("slideshow", {}).get("slide_type", "-"),
            tuple(cell["metadata"].get("tags", ())),
        )
        for cell in notebook_of(file)["cells"]
    ]


def notebook_of(file: Path) -> dict[str, Any]:
    """As Jupyter writes it; ``metadata.given`` are figures of the text that are assumed, not measured."""
    return json.loads(file.read_text(encoding="utf-8"))


def run_cells(cells: list[TeachingCell]) -> Iterator[tuple[TeachingCell, Any]]:
    """Each cell with the value its code ends in; None for prose. In this process: nothing here trains anything."""
    names: dict[str, Any] = {}
    for cell in cells:
        yield cell, value_of(cell.source, names) if cell.kind == "code" else None


def value_of(source: str, names: dict[str, Any]) -> Any:
    """Run it as a notebook would, and give what its last line comes to."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)
