"""The prose of notebooks, translated paragraph by paragraph when a page is served; the notebooks stay English."""

from collections.abc import Iterable

from dpmia_lab.words.catalogue import ENGLISH, catalogue
from dpmia_lab.words.said import translated


def paragraphs(cell: str) -> list[str]:
    """Of a markdown cell; they are the keys of its translation. A list or a table is one."""
    return [part for part in cell.strip().split("\n\n") if part.strip()]


def translated_prose(cell: str, language: str) -> str:
    return "\n\n".join(translated(part, language) for part in paragraphs(cell))


def is_translated(cells: Iterable[str], language: str) -> bool:
    """Whether a page has all of its prose in that language: half of it would be worse than none."""
    known = catalogue(language).forms
    return language == ENGLISH or all(part in known for cell in cells for part in paragraphs(cell))
