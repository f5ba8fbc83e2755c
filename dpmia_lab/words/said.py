"""All that the lab says passes through here, and comes out in the language of its page.

``said("{found} of {people} recognised", found=3, people=40)``: the English text is the key, its fields have names, and
numbers are written as the language writes them. A page is one process, so it has one language (``speak``); threads
share it. What has no translation stays English.
"""

import contextlib
import re
from collections.abc import Iterator
from functools import cache
from numbers import Number
from string import Formatter
from typing import Any, TypeVar

from dpmia_lab.words.below import BELOW
from dpmia_lab.words.catalogue import ENGLISH, LANGUAGES, catalogue

T = TypeVar("T")
_page = {"language": ENGLISH}
# German and Spanish write 1 234,5 % where English writes 1,234.5%; the blanks do not break.
WRITTEN = str.maketrans({".": ",", ",": "\u202f", "%": "\u00a0%"})


def speak(language: str) -> None:
    """From now on this process says everything so; a language that the lab does not know is English."""
    _page["language"] = language if language in LANGUAGES else ENGLISH


def language() -> str:
    return _page["language"]


@contextlib.contextmanager
def speaking(language: str) -> Iterator[None]:
    """For a while."""
    before = _page["language"]
    speak(language)
    try:
        yield
    finally:
        speak(before)


# ---- texts
def said(english: str, /, **fields: Any) -> str:
    """The text in the page's language; with fields it is a template, and they are put in."""
    text = translated(english, language())
    return _with(text, fields) if fields else text


def said_many(one: str, many: str, /, count: int, **fields: Any) -> str:
    """The text for so many; ``{count}`` is among its fields."""
    english = one if count == 1 else many
    text = catalogue(language()).of(one, int(count)) or english
    return _with(text, {"count": count, **fields})


def translated(english: str, language: str) -> str:
    return catalogue(language).of(english) or english


def marked(english: T) -> T:
    """Itself: texts in a table, which are said where they are shown. Marked, they are found for the catalogues."""
    return english


# ---- texts made elsewhere
def heard(sentence: str, language_: str = "") -> str:
    """A text that a room below made without knowing who would read it (see below.py), numbers and names put in already.

    The template it was made from is found again; what stands in its fields is taken for such a text in its turn.
    """
    spoken = language_ or language()
    return sentence if spoken == ENGLISH else _heard(sentence, spoken)


@cache
def _heard(sentence: str, language: str) -> str:
    for template, pattern in _patterns():
        if (found := pattern.fullmatch(sentence)) is not None:
            fields = {name: _heard(text, language) for name, text in found.groupdict().items()}
            return translated(template, language).format(**fields)
    return sentence


@cache
def _patterns() -> list[tuple[str, re.Pattern]]:
    """The most exact first: those with the most letters of their own."""
    ordered = sorted(BELOW, key=lambda template: -len(re.sub(r"\{\w+\}", "", template)))
    return [(template, pattern_of(template)) for template in ordered]


def pattern_of(template: str) -> re.Pattern:
    parts = re.split(r"\{(\w+)\}", template)
    shapes = [f"(?P<{part}>.+?)" if i % 2 else re.escape(part) for i, part in enumerate(parts)]
    return re.compile("".join(shapes), re.DOTALL)


# ---- numbers
def local(number: str) -> str:
    """A number in English digits as the page's language writes it."""
    return number if language() == ENGLISH else number.translate(WRITTEN)


class _Local(Formatter):
    def format_field(self, value: Any, spec: str) -> str:
        written = format(value, spec)
        return local(written) if isinstance(value, Number) else written


def _with(text: str, fields: dict[str, Any]) -> str:
    return _Local().vformat(text, (), fields)


def numeral(form: str, value: float) -> str:
    """``form`` such as "{:.0%}"."""
    return local(form.format(value))
