"""Which language a page is in, and what of it the server translates: prose, title, and the words of its scripts.

The address decides (``?lang=de``), and a cookie remembers it; else the cookie; else what the browser prefers; else
English. A page that is not translated stays English and says so. The rest a page says itself, once it is told how.
"""

import re
from functools import cache
from pathlib import Path

from tornado.web import RequestHandler

from dpmia_lab.widgets.kit.look import script
from dpmia_lab.words.catalogue import ENGLISH, LANGUAGES
from dpmia_lab.words.extract import of_script
from dpmia_lab.words.prose import is_translated, translated_prose
from dpmia_lab.words.said import marked, translated

TEMPLATE = Path(__file__).parent / "share/jupyter/voila/templates/dpmia/index.html.j2"
COOKIE, DAYS = "lab_language", 365
NOT_YET = marked("This page is not translated yet: it stays in English.")


def reader_language(handler: RequestHandler) -> str:
    """The one asked for or preferred, of those the lab has."""
    asked = handler.get_query_argument("lang", "")
    if asked in LANGUAGES:
        handler.set_cookie(COOKIE, asked, path=handler.settings["base_url"], expires_days=DAYS, samesite="Lax")
        return asked
    kept = handler.get_cookie(COOKIE, "")
    return kept if kept in LANGUAGES else preferred(handler.request.headers.get("Accept-Language", ""))


def preferred(accepted: str) -> str:
    """The lab's language that a browser likes best: "de-AT,en;q=0.7" is German."""
    weights: dict[str, float] = {}
    for place, (tag, weight) in enumerate(re.findall(r"([a-zA-Z]+)[\w-]*(?:\s*;\s*q=(\d(?:\.\d+)?))?", accepted)):
        weights.setdefault(tag.lower(), float(weight or 1) - place * 1e-6)
    known = {tag: weight for tag, weight in weights.items() if tag in LANGUAGES}
    return max(known, key=known.get, default=ENGLISH)


def prepare_page(handler: RequestHandler, notebook, cwd: str) -> None:
    """Called before a notebook becomes a page and its kernel starts."""
    wanted = reader_language(handler)
    prose = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    spoken = wanted if is_translated((cell.source for cell in prose), wanted) else ENGLISH
    notebook.metadata.title = translated(title_of(notebook), spoken)
    for cell in prose:
        cell.source = translated_prose(cell.source, spoken)
    if spoken != ENGLISH:
        tell_python(notebook, spoken)
    note = "" if spoken == wanted else translated(NOT_YET, wanted)
    words = {english: translated(english, spoken) for english in page_texts()}
    notebook.metadata.lab = {"language": spoken, "wanted": wanted, "note": note, "words": words, "all": LANGUAGES}


def title_of(notebook) -> str:
    """As its metadata have it, or its first heading."""
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    headings = [line.lstrip("# ") for line in prose.splitlines() if line.startswith("# ")]
    return notebook.metadata.get("title", headings[0] if headings else "dpmia_lab")


def tell_python(notebook, language: str) -> None:
    """Before anything of the page is made, its first cell says which language it is in."""
    first = next((cell for cell in notebook.cells if cell.cell_type == "code"), None)
    if first is not None:
        first.source = f"from dpmia_lab.words.said import speak\nspeak({language!r})\n{first.source}"


@cache
def page_texts() -> tuple[str, ...]:
    """What scripts and template say."""
    return tuple(dict.fromkeys([*of_script(script()), *of_script(TEMPLATE.read_text(encoding="utf-8"))]))
