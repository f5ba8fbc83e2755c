"""What the reader of a page predicted, finished and ran. The browser remembers it (course.js); a record can be taken.

Python writes its state into the page, from where the script stores it under the page's name; when the page is opened
again, the script hands the stored text back.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from html import escape

from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.later import Settled
from dpmia_lab.widgets.kit.lessons import LESSONS
from dpmia_lab.widgets.kit.parts import card, column, download_html, on_change, text, with_classes
from dpmia_lab.widgets.kit.pictures import data_uri
from dpmia_lab.widgets.kit.record import (
    KINDS,
    file_of,
    lesson_record,
    run_entry,
    run_key,
    without_tags,
)
from dpmia_lab.widgets.kit.runs import Run, now
from dpmia_lab.widgets.kit.take_away import PROVES, TakeAway, name_field
from dpmia_lab.words.said import marked, said

MOST_RUNS, MOST_CHARACTERS = 24, 200_000  # that a browser keeps of a page; it has a few million for all
SOON = 0.5  # seconds after the last run: a slider may make several a second

MONTHS = marked((
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
))  # fmt: skip


@dataclass
class Work:
    """``entries``: what is done, by kind ("predictions", "tasks", "runs") and English title, without tags.
    ``comes_back``: who is told of it when the browser remembers; ``titles``: with their tags. ``listeners`` hear of
    what was answered or done, ``hear_runs`` of runs."""

    entries: dict[str, dict[str, dict]] = field(default_factory=lambda: {kind: {} for kind in KINDS})
    comes_back: dict[str, dict[str, Callable[[dict], None]]] = field(
        default_factory=lambda: {"predictions": {}, "tasks": {}}
    )
    titles: dict[str, str] = field(default_factory=dict)
    listeners: list[Callable[[], None]] = field(default_factory=list)
    hear_runs: list[Callable[[], None]] = field(default_factory=list)
    latest: dict[str, tuple[str, Run]] = field(default_factory=dict)  # experiment → key and run

    def expect(self, kind: str, title: str, comes_back: Callable[[dict], None]) -> None:
        """There is such a question or task on the page."""
        self.comes_back[kind][without_tags(title)] = comes_back
        self.titles[without_tags(title)] = title

    def note(self, kind: str, title: str, entry: dict) -> None:
        """It is answered, or done; the time of the first answer stays."""
        title = without_tags(title)
        first = self.entries[kind].get(title, {}).get("at", now())
        self.entries[kind][title] = {"at": first, **entry}
        self.tell()

    def ran(self, experiment: str, run: Run) -> None:
        """As in the table of runs, one made while a slider moved makes way for the next."""
        before, old = self.latest.get(experiment, ("", None))
        if old is not None and old.makes_way:
            self.entries["runs"].pop(before, None)
        entry = run_entry(experiment, run)
        key = run_key(entry)
        self.latest[experiment] = key, run
        self.entries["runs"].pop(key, None)
        self.entries["runs"] = newest({**self.entries["runs"], key: entry})
        for listener in self.hear_runs:
            listener()

    def recall(self, stored: str) -> None:
        """What the browser remembers, but for what was done meanwhile."""
        remembered = json.loads(stored)
        for kind, known in self.comes_back.items():
            for title, entry in remembered.get(kind, {}).items():
                if title in known and title not in self.entries[kind]:
                    self.entries[kind][title] = entry
                    known[title](entry)
        self.entries["runs"] = newest({**remembered.get("runs", {}), **self.entries["runs"]})
        self.tell()

    def tell(self) -> None:
        for listener in self.listeners:
            listener()

    def state(self) -> dict:
        return {**self.entries, **self.counts()}

    def counts(self) -> dict[str, int]:
        titles = self.comes_back["tasks"]
        return {"done": sum(title in self.entries["tasks"] for title in titles), "of": len(titles)}

    def summary(self) -> str:
        return said("{done} of {of} tasks done", **self.counts())

    def stored(self) -> str:
        return json.dumps(self.state(), ensure_ascii=False)


WORK = Work()  # of this page: a page has its own Python


def newest(runs: dict[str, dict]) -> dict[str, dict]:
    """As many of the last ones as there is room for."""
    kept, characters = {}, 0
    for key, entry in reversed(list(runs.items())[-MOST_RUNS:]):
        characters += len(json.dumps(entry))
        if characters > MOST_CHARACTERS:
            break
        kept[key] = entry
    return dict(reversed(kept.items()))


def day(at: str) -> str:
    date = datetime.fromisoformat(at)
    return said("{day} {month} {year}", day=date.day, month=said(MONTHS[date.month - 1]), year=str(date.year))


class Kept:
    """What the page's script reads and writes: the work on this page (``file``), stored and handed back."""

    def __init__(self, file: str, work: Work = WORK) -> None:
        self.file, self.work = file, work
        self.state = text()
        self.recalled = with_classes(light.Text(), "dp-recall-work", "dp-hidden")
        on_change(self.recalled, work.recall)
        work.listeners.append(self.show)
        self.soon = Settled(work.tell, SOON)
        work.hear_runs.append(self.soon.ask)
        self.view = column(self.state, self.recalled, classes=("dp-hidden",))
        self.show()

    def show(self) -> None:
        # Nothing is said before something was done: the browser may still have more to tell than Python knows.
        state = escape(self.work.stored()) if any(self.work.entries.values()) else ""
        self.state.value = f'<span data-lab-work="{self.file}" data-lab-state="{state}"></span>'


class WorkPanel:
    """The tasks of a lesson and how far the reader is; the record to take away, of this lesson or of all."""

    def __init__(self, number: int, work: Work = WORK) -> None:
        self.number, self.work = number, work
        self.list, self.export = text("", "dp-work-list"), text("", "dp-exports")
        self.kept, self.name = Kept(LESSONS[number].file, work), name_field()
        self.all = TakeAway(self.name)
        on_change(self.name, lambda _: self.show())
        work.listeners.append(self.show)
        parts = (self.list, self.name, self.all.view, self.export, text(f"<p><small>{said(PROVES)}</small></p>"))
        self.view = card(*parts, self.kept.view, name="dp-work")
        self.show()

    def show(self) -> None:
        done = self.work.entries["tasks"]
        lines = "".join(
            task_line(said(self.work.titles[title]), done.get(title)) for title in self.work.comes_back["tasks"]
        )
        self.list.value = f'<p><b>{self.work.summary()}.</b></p><ul class="dp-ticks">{lines}</ul>'
        anything = any(self.work.entries.values())
        self.export.value = self.download_html() if anything else said("Nothing to take away of this lesson yet.")

    def download_html(self) -> str:
        uri = data_uri(file_of(self.record()), "application/json")
        label = said("Download this lesson's record only")
        return download_html(label, f"dpmia_lab_lesson_{self.number}_record.json", uri)

    def record(self) -> dict:
        return lesson_record(LESSONS[self.number].file, self.work.state(), self.name.value)


def task_line(title: str, entry: dict | None) -> str:
    """The sign alone would be read aloud as nothing."""
    if entry is None:
        return f'<li class="dp-undone"><span aria-hidden="true">○</span> {title} <small>{said("open")}</small></li>'
    when = said("done, {day}", day=day(entry["at"]))
    return f'<li><span aria-hidden="true">✓</span> {title} <small>{when}</small></li>'
