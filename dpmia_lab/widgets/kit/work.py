"""What the reader of a page predicted and finished. The browser remembers it (course.js); a record of it can be taken.

Python writes its state into the page, from where the script stores it under the lesson's name; when the page is opened
again, the script hands the stored text back.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape

import ipywidgets as widgets

from dpmia_lab.widgets.kit import controls
from dpmia_lab.widgets.kit.lessons import LESSONS
from dpmia_lab.widgets.kit.parts import card, download_html, on_change, text, with_classes
from dpmia_lab.widgets.kit.pictures import data_uri
from dpmia_lab.widgets.kit.record import signed, without_tags

PROVES = (
    "The file holds your predictions, the finished tasks, and with each task the settings and numbers of the runs "
    "behind it. Its digest (SHA-256) shows that it was not changed by accident; it shows neither who made it nor that "
    "nobody computed the digest anew. But anybody with the lab can run the settings inside again and compare: "
    "<code>dpmia-lab record FILE --repeat</code>."
)


@dataclass
class Work:
    """``entries``: what is done, by kind ("predictions", "tasks") and title. ``comes_back``: who is told of it when
    the browser remembers."""

    entries: dict[str, dict[str, dict]] = field(default_factory=lambda: {"predictions": {}, "tasks": {}})
    comes_back: dict[str, dict[str, Callable[[dict], None]]] = field(
        default_factory=lambda: {"predictions": {}, "tasks": {}}
    )
    listeners: list[Callable[[], None]] = field(default_factory=list)

    def expect(self, kind: str, title: str, comes_back: Callable[[dict], None]) -> None:
        """There is such a question or task on the page."""
        self.comes_back[kind][title] = comes_back

    def note(self, kind: str, title: str, entry: dict) -> None:
        """It is answered, or done; the time of the first answer stays."""
        first = self.entries[kind].get(title, {}).get("at", now())
        self.entries[kind][title] = {"at": first, **entry}
        self.tell()

    def recall(self, stored: str) -> None:
        """What the browser remembers, but for what was done meanwhile."""
        remembered = json.loads(stored)
        for kind, known in self.comes_back.items():
            for title, entry in remembered.get(kind, {}).items():
                if title in known and title not in self.entries[kind]:
                    self.entries[kind][title] = entry
                    known[title](entry)
        self.tell()

    def tell(self) -> None:
        for listener in self.listeners:
            listener()

    def summary(self) -> str:
        titles = self.comes_back["tasks"]
        return f"{sum(title in self.entries['tasks'] for title in titles)} of {len(titles)} tasks done"

    def stored(self) -> str:
        return json.dumps({**self.entries, "summary": self.summary()}, ensure_ascii=False)


WORK = Work()  # of this page: a page has its own Python


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def day(at: str) -> str:
    return f"{datetime.fromisoformat(at):%d %B %Y}".lstrip("0")


class WorkPanel:
    """The tasks of a lesson and how far the reader is; the record to take away."""

    def __init__(self, number: int, work: Work = WORK) -> None:
        self.number, self.work = number, work
        self.list, self.export = text("", "dp-work-list"), text("", "dp-exports")
        self.state = text()
        self.recalled = with_classes(widgets.Text(), "dp-recall-work", "dp-hidden")
        self.name = controls.field(widgets.Text(description="your name in the record (may stay empty)"), "reader")
        on_change(self.recalled, work.recall)
        on_change(self.name, lambda _: self.show())
        work.listeners.append(self.show)
        self.view = card(self.list, self.name, self.export, self.state, self.recalled, name="dp-work")
        self.show()

    def show(self) -> None:
        done = self.work.entries["tasks"]
        lines = "".join(task_line(title, done.get(title)) for title in self.work.comes_back["tasks"])
        self.list.value = f'<p><b>{self.work.summary()}.</b></p><ul class="dp-ticks">{lines}</ul>'
        anything = any(self.work.entries.values())
        file = LESSONS[self.number].file
        # Nothing is said before something was done: the browser may still have more to tell than Python knows.
        state = escape(self.work.stored()) if anything else ""
        self.state.value = f'<span data-lab-work="{file}" data-lab-state="{state}"></span>'
        self.export.value = f"{self.download_html() if anything else 'Nothing to take away yet.'}<p>{PROVES}</p>"

    def download_html(self) -> str:
        content = json.dumps(self.record(), indent=1, ensure_ascii=False).encode()
        uri = data_uri(content, "application/json")
        return download_html("Download your record (JSON)", f"dpmia_lab_lesson_{self.number}_record.json", uri)

    def record(self) -> dict:
        predictions = [
            {"question": without_tags(question), **entry, "said": without_tags(entry["said"])}
            for question, entry in self.work.entries["predictions"].items()
        ]
        tasks = [
            {"task": without_tags(title), **entry, "said": without_tags(entry["said"])}
            for title, entry in self.work.entries["tasks"].items()
        ]
        lesson = {"number": self.number, "title": LESSONS[self.number].title}
        about = {"lesson": lesson, "name": self.name.value, "taken": now(), "summary": self.work.summary()}
        return signed({**about, "predictions": predictions, "tasks": tasks})


def task_line(title: str, entry: dict | None) -> str:
    """The sign alone would be read aloud as nothing."""
    if entry is None:
        return f'<li class="dp-undone"><span aria-hidden="true">○</span> {title} <small>open</small></li>'
    return f'<li><span aria-hidden="true">✓</span> {title} <small>done, {day(entry["at"])}</small></li>'
