"""The visitor's own file: checked at once, kept in a temporary folder for as long as the page lives."""

import shutil
import tempfile
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from dpmia_lab.checks import Mistake
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.parts import error_html, on_change, show_if, with_classes
from dpmia_lab.words.said import marked, said

OWN = "own"  # a menu's entry for it
OWN_WORDS = marked("your own file…")


class OwnFile:
    """``view`` is the button that chooses it.

    ``check(path)`` reads the file and says in a sentence what was found; it raises Mistake where that is of no use.
    ``say`` gets the sentence, or the mistake's, as HTML.
    """

    def __init__(self, endings: tuple[str, ...], check: Callable[[Path], str], say: Callable[[str], None]) -> None:
        self.check, self.say = check, say
        self.folder = tempfile.TemporaryDirectory(prefix="dpmia_lab_")
        self.path: Path | None = None
        either = said(" or ").join(endings)
        words = said("Choose an {endings} (at most 20 MB)", endings=either)
        chooser = light.FileUpload(accept=",".join(endings), multiple=False, description=words)
        self.view = with_classes(chooser, "dp-upload")
        on_change(self.view, lambda given: self.take(given[0]["name"], bytes(given[0]["content"])) if given else None)

    def take(self, name: str, content: bytes) -> None:
        self.path = None  # a refused file must not leave an earlier one in its place
        folder = Path(tempfile.mkdtemp(dir=self.folder.name))  # its own: names may repeat
        try:
            place = kept(folder / Path(name).name, content)
            found = self.check(place)
        except Mistake as mistake:
            shutil.rmtree(folder)
            self.say(error_html(str(mistake)))
            return
        self.path = place
        self.say(f'<div class="dp-note">{escape(place.name)}: {escape(found)}</div>')

    def chosen(self) -> str:
        """Where the file is kept; raises Mistake if there is none."""
        if self.path is None:
            raise Mistake("data must be a file you chose; none is chosen yet.")
        return str(self.path)

    def holds(self, data: str) -> bool:
        """Whether these data are a file of the visitor's."""
        return Path(self.folder.name) in Path(data).parents

    def offer(self, data: str) -> None:
        """Shown where the menu stands at the visitor's own file."""
        show_if(data == OWN, self.view)


def kept(place: Path, content: bytes) -> Path:
    """The place, written; raises Mistake where it cannot be (a full disk, say), without telling a visitor where."""
    try:
        place.write_bytes(content)
    except OSError as error:
        raise Mistake(f"{place.name} could not be kept here: {error.strerror}.") from None
    return place


class TakesOwnFile:
    """Goes before ``ExperimentPanel`` where its data may also be a file of the visitor's own.

    ``own``, an ``OwnFile`` that says what it found by ``say``, is made before the panel is.
    """

    own: OwnFile

    def config(self, **values: Any) -> Any:
        if values["data"] == OWN:
            values["data"] = self.own.chosen()
        return super().config(**values)

    def changed(self) -> None:
        self.own.offer(self.controls.made["data"].value)
        super().changed()

    def is_upload(self, config: Any) -> bool:
        return self.own.holds(config.data)

    def say(self, about_the_file: str) -> None:
        self.changed()
        self.problem.value = about_the_file
