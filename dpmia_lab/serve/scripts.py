"""The scripts that every page loads, as one file: Voilà's page asks for some 85 of them, in waves, each wave when the
one before it has run.

Each puts itself into a list that the loader, which is not among them, looks through before it asks. So a script that is
missing here, after an update say, is asked for as ever. ``page_scripts.txt`` has their names; tests/page_scripts.py
finds them out.
"""

import hashlib
from functools import cache
from pathlib import Path

from tornado.web import RequestHandler
from voila.paths import collect_static_paths
from voila.utils import get_voila_labextensions_path

NAMES = Path(__file__).with_name("page_scripts.txt")
FOR_EVER = "public, max-age=31536000, immutable"  # its address changes with it


@cache
def scripts_text() -> str:
    found = [script.read_text(encoding="utf-8") for name in NAMES.read_text().split() if (script := place_of(name))]
    return "\n;".join(found)


def place_of(name: str) -> Path | None:
    """Where a script lies whose address ends in ``static/NAME`` or ``labextensions/NAME``."""
    kind, _, rest = name.partition("/")
    folders = collect_static_paths(["voila"], "base") if kind == "static" else get_voila_labextensions_path([])
    return next((place for folder in folders if (place := Path(folder) / rest).is_file()), None)


def scripts_name() -> str:
    return f"{hashlib.sha256(scripts_text().encode()).hexdigest()[:16]}.js"


class PageScripts(RequestHandler):
    def get(self) -> None:
        self.set_header("Content-Type", "text/javascript; charset=UTF-8")
        self.set_header("Cache-Control", FOR_EVER)
        self.finish(scripts_text())
