"""Catalogues of translations: PO files, which every translation tool reads and writes.

``de.po`` holds for every text of the lab its German; the English text itself is the key. They are read as they are:
nothing need be compiled. ``python -m dpmia_lab.words.extract`` brings them up to date.
"""

import gettext
import json
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "de": "Deutsch", "es": "Español"}
FOLDER = files("dpmia_lab.words")
# An entry's lines: a keyword and a quoted string, or a quoted string that goes on.
LINE = re.compile(r'^(msgid|msgid_plural|msgstr(?:\[\d\])?)?\s*"(.*)"$')


@dataclass(frozen=True)
class Catalogue:
    """``forms``: for each English text its translations, one for each form of the plural; one where it has none."""

    forms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    plural: str = "n != 1"  # as the catalogue's head says it, in C

    def of(self, english: str, count: int | None = None) -> str:
        """"" where there is none."""
        forms = self.forms.get(english, ())
        return forms[gettext.c2py(self.plural)(count) if count is not None else 0] if forms else ""


@cache
def catalogue(language: str) -> Catalogue:
    """That of a language; an empty one for English, which needs none."""
    if language == ENGLISH:
        return Catalogue()
    return read_catalogue((FOLDER / f"{language}.po").read_text(encoding="utf-8"))


def read_catalogue(po: str) -> Catalogue:
    """What is not translated yet is left out."""
    forms, plural = {}, Catalogue.plural
    for entry in re.split(r"\n\s*\n", po):
        parts = read_entry(entry)
        english, given = parts.pop("msgid", ""), {k: v for k, v in parts.items() if k.startswith("msgstr")}
        if english and all(given.values()):
            forms[english] = tuple(given[key] for key in sorted(given))
        elif not english and (head := re.search(r"plural=(.*?);", parts.get("msgstr", ""))):
            plural = head[1]
    return Catalogue(forms, plural)


def read_entry(entry: str) -> dict[str, str]:
    """Keyword → string; comments are passed over."""
    parts: dict[str, str] = {}
    keyword = ""
    for found in filter(None, map(LINE.match, entry.splitlines())):
        keyword = found[1] or keyword
        parts[keyword] = parts.get(keyword, "") + json.loads(f'"{found[2]}"')
    return parts


def written_entry(english: str, many: str, forms: tuple[str, ...], where: list[str]) -> str:
    """As PO files have it; ``many``: the English plural, or ""."""
    lines = [*(f"#: {place}" for place in where), f"msgid {quoted(english)}"]
    if not many:
        return "\n".join([*lines, f"msgstr {quoted(forms[0] if forms else '')}"])
    numbered = (f"msgstr[{i}] {quoted(form)}" for i, form in enumerate(forms or ("", "")))
    return "\n".join([*lines, f"msgid_plural {quoted(many)}", *numbered])


def quoted(text: str) -> str:
    """A string; one of several lines as several strings."""
    lines = text.splitlines(keepends=True) or [""]
    strings = [json.dumps(line, ensure_ascii=False) for line in lines]
    return strings[0] if len(strings) == 1 else "\n".join(['""', *strings])
