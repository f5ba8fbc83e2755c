"""Every text that the lab says, for those who translate it.

``python -m dpmia_lab.words.extract`` tells how many texts each language lacks and prints those. ``--write`` brings the
catalogues up to date: new texts are added, empty, and texts that nobody says any more are dropped. Notebooks given by
name have their prose among the texts too; without names those that are translated already.
"""

import argparse
import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dpmia_lab.words.below import BELOW
from dpmia_lab.words.catalogue import ENGLISH, LANGUAGES, Catalogue, catalogue, written_entry
from dpmia_lab.words.prose import paragraphs

PACKAGE = Path(__file__).parent.parent
NOTEBOOKS = PACKAGE.parent / "notebooks"
TRANSLATED = ("index", "01_model_inversion")
IN_SCRIPTS = re.compile(r'\bsaid\("((?:[^"\\]|\\.)*)"')
HEAD = """# The lab's texts in {name}. "python -m dpmia_lab.words.extract --write" keeps this file up to date.
msgid ""
msgstr ""
"Language: {language}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: nplurals=2; plural={plural};\\n"
"""


@dataclass
class Text:
    """``many``: its plural, or ""; ``where``: the files that say it."""

    many: str = ""
    where: list[str] = field(default_factory=list)


def texts(notebooks: tuple[str, ...] = TRANSLATED) -> dict[str, Text]:
    """All texts by their English, in the order of the files."""
    found: dict[str, Text] = {}

    def take(place: str, english: str, many: str = "") -> None:
        text = found.setdefault(english, Text(many))
        if place not in text.where:
            text.where.append(place)

    for name in notebooks:
        for part in of_notebook(json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))):
            take(f"notebooks/{name}.ipynb", part)
    for path in sorted(PACKAGE.rglob("*")):
        place = f"dpmia_lab/{path.relative_to(PACKAGE).as_posix()}"
        if path.suffix == ".py":
            for english, many in of_python(path.read_text(encoding="utf-8")):
                take(place, english, many)
        elif path.suffix in (".js", ".j2"):
            for english in of_script(path.read_text(encoding="utf-8")):
                take(place, english)
    for english in BELOW:
        take("dpmia_lab/words/below.py", english)
    return found


def of_notebook(notebook: dict) -> Iterator[str]:
    """Its title and its prose."""
    yield notebook["metadata"]["title"]
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            yield from paragraphs("".join(cell["source"]))


def of_python(source: str) -> Iterator[tuple[str, str]]:
    """(text, its plural or "") of every call that says or marks one."""
    for node in ast.walk(ast.parse(source)):
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if name in ("said", "marked"):
            for english in strings(node.args[0]):
                yield english, ""
        elif name == "said_many":
            yield node.args[0].value, node.args[1].value


def strings(node: ast.expr) -> Iterator[str]:
    """The texts of a literal; of a table its values, and what has no letters is none."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str) and re.search("[a-zA-Z]{2}", node.value):
            yield node.value
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from strings(value)
    elif isinstance(node, ast.Tuple | ast.List):
        for element in node.elts:
            yield from strings(element)


def of_script(source: str) -> list[str]:
    """Of JavaScript or a page's template."""
    return [json.loads(f'"{quoted}"') for quoted in IN_SCRIPTS.findall(source)]


def lacking(language: str, found: dict[str, Text]) -> list[str]:
    return [english for english in found if english not in catalogue(language).forms]


def written(language: str, found: dict[str, Text]) -> str:
    """The whole catalogue as a PO file."""
    known: Catalogue = catalogue(language)
    entries = [written_entry(one, text.many, known.forms.get(one, ()), text.where) for one, text in found.items()]
    head = HEAD.format(name=LANGUAGES[language], language=language, plural=known.plural)
    return "\n".join([head, *(entry + "\n" for entry in entries)])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", default=list(TRANSLATED), help="such as 02_what_epsilon_buys")
    parser.add_argument("--write", action="store_true", help="bring the catalogues up to date")
    given = parser.parse_args(arguments)
    found = texts(tuple(dict.fromkeys([*TRANSLATED, *given.notebooks])))
    for language in (code for code in LANGUAGES if code != ENGLISH):
        missing = lacking(language, found)
        print(f"{LANGUAGES[language]}: {len(found) - len(missing)} of {len(found)} texts are translated.")
        if given.write:
            (Path(__file__).parent / f"{language}.po").write_text(written(language, found), encoding="utf-8")
        else:
            for english in missing:
                print(f"  {english}")


if __name__ == "__main__":
    main()
