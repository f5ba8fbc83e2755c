"""``python -m dpmia_lab.commands.link_terms``: in every lesson's prose, each term of the glossary is linked where it
is first used. To be run after a notebook's text has changed; a test says when."""

import json
from pathlib import Path

from dpmia_lab.files import write_whole
from dpmia_lab.widgets.glossary.linking import linked
from dpmia_lab.widgets.kit.lessons import LESSONS

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def link_lesson(number: int) -> None:
    path = NOTEBOOKS / LESSONS[number].file
    notebook = json.loads(path.read_text(encoding="utf-8"))
    prose = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    for cell, source in zip(prose, linked(["".join(cell["source"]) for cell in prose], number), strict=True):
        cell["source"] = source.splitlines(keepends=True)
    text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    write_whole(path, lambda file: file.write(text.encode()))


if __name__ == "__main__":
    for lesson in LESSONS:
        link_lesson(lesson)
