"""Take your work with you: all that this browser has kept of every lesson as one file, and a file put back.

The browser keeps the work, Python signs it (a browser can compute a digest by itself on secure addresses only): when
the button is pressed, the page's script hands over what is kept, Python answers with the file, and the script saves it.
"""

import json
from html import escape

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.widgets.kit import controls, light
from dpmia_lab.widgets.kit.parts import card, column, download_html, error_html, on_change, text, with_classes
from dpmia_lab.widgets.kit.pictures import data_uri
from dpmia_lab.widgets.kit.record import KINDS, course_record, file_of, state_of
from dpmia_lab.widgets.kit.record_form import checked, opened
from dpmia_lab.words.said import heard, marked, said, said_many

FILE = "dpmia_lab_my_work.json"
PROVES = marked(
    "A file holds your predictions, the finished tasks and your runs with their settings and numbers. Its digest "
    "(SHA-256) shows that it was not changed by accident; it shows neither who made it nor that nobody computed the "
    "digest anew. But anybody with the lab can run the settings inside again and compare: "
    "<code>dpmia-lab check FILE</code>."
)
WORDS = marked(
    "Your predictions, finished tasks and runs are kept by this browser alone. Take them all as one file: to hand in, "
    "or to go on in another browser."
)


def name_field() -> widgets.Text:
    """The browser remembers it, for all pages (course.js)."""
    return controls.field(light.Text(description=said("your name in the record (may stay empty)")), "reader")


class TakeAway:
    """``view`` is the button. ``collected``: the script writes into it what the browser has kept, and when."""

    def __init__(self, name: widgets.Text) -> None:
        self.name, self.answer = name, text("", "dp-exports")
        self.collected = with_classes(light.Text(), "dp-collected", "dp-hidden")
        on_change(self.collected, self.take)
        words = said("Download all your work (one file)")
        button = f'<button class="dp-small dp-take-button" data-lab-collect>{words}</button>'
        self.view = column(text(button), self.answer, self.collected, classes=("dp-take",))

    def take(self, collected: str) -> None:
        asked = json.loads(collected)
        whole = {file: state for file, state in asked["work"].items() if is_whole(state)}
        record = course_record(whole, self.name.value)
        if not record["lessons"]:
            nothing = said("Nothing to take away yet: this browser has kept no work.")
            self.answer.value = f'<span role="status">{nothing}</span>'
            return
        try:
            uri = data_uri(file_of(checked(record)), "application/json")
        except Mistake as mistake:  # somebody has changed what the browser keeps
            self.answer.value = error_html(heard(str(mistake)))
            return
        link = download_html(said("the file once more"), FILE, uri)
        taken = said("Work on {pages} in one file: {link}.", pages=pages_words(record), link=link)
        self.answer.value = f'<span role="status" data-lab-take="{int(asked["at"])}">{taken}</span>'


def is_whole(state: dict) -> bool:
    """As this version keeps it; a page that an earlier one kept must be opened once more."""
    return all(isinstance(state.get(kind), dict) for kind in KINDS) and isinstance(state.get("of"), int)


def pages_words(record: dict) -> str:
    numbers = [part["lesson"]["number"] for part in record["lessons"]]
    lessons = [str(number) for number in numbers if number]
    told = said_many("lesson {lessons}", "lessons {lessons}", len(lessons), lessons=", ".join(lessons))
    words = [told] * bool(lessons) + [said("the playground")] * (0 in numbers)
    return said(" and ").join(words)


class PutBack:
    """``view`` chooses a file; its work is handed to the script, which stores it beside what this browser has."""

    def __init__(self) -> None:
        label = said("Load such a file into this browser")
        chooser = light.FileUpload(accept=".json", multiple=False, description=label)
        self.view = column(with_classes(chooser, "dp-upload"), classes=("dp-put-back",))
        self.answer = text()
        self.view.children = [*self.view.children, self.answer]
        on_change(chooser, lambda given: self.put(given[0]["name"], bytes(given[0]["content"])) if given else None)

    def put(self, name: str, content: bytes) -> None:
        try:
            handed = opened(content)
        except Mistake as mistake:
            self.answer.value = error_html(f"{name}: {heard(str(mistake))}")
            return
        states = {part["lesson"]["file"]: state_of(part) for part in handed.parts}
        words = said_many(
            "{file}: the work of {count} page is in this browser now; what was here already stayed.",
            "{file}: the work of {count} pages is in this browser now; what was here already stayed.",
            len(states),
            file=escape(name),
        )
        restore = escape(json.dumps(states, ensure_ascii=False))
        self.answer.value = f'<div class="dp-note" role="status" data-lab-restore="{restore}">{words}</div>'


def take_away() -> widgets.VBox:
    """The landing page's card."""
    name = name_field()
    proves = text(f"<p><small>{said(PROVES)}</small></p>")
    return card(text(f"<p>{said(WORDS)}</p>"), name, TakeAway(name).view, PutBack().view, proves, name="dp-work")
