"""Predict first, then look; and tasks that are checked, with feedback that names the mistake.

Both are remembered by the reader's browser and go into the record (work.py).
"""

from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

import ipywidgets as widgets

from dpmia_lab.widgets.kit.parts import button, card, column, text
from dpmia_lab.widgets.kit.record import evidence
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.work import WORK, day
from dpmia_lab.words.said import marked, said


class Prediction:
    """A question with a few answers; what was measured is shown only to who has chosen one.

    The answer may be changed at any time; the first one stays noted, and what is judged is the one that stood when
    the result came. All words are given in English: answers are kept under them. ``then``: what to do
    after choosing, such as "press Run below, and see". ``because``: the reason why it comes out as it does, in a
    sentence. ``outcome`` may be shown at a second place, beside the result.
    """

    def __init__(
        self, question: str, answers: list[str], then: str = marked("run it below, and see"), because: str = ""
    ) -> None:
        self.question, self.answers, self.then, self.because = question, answers, then, because
        self.first: int | None = None
        self.chosen: int | None = None
        self.judged: int | None = None
        self.truth: tuple[int, str] | None = None
        self.buttons = [button(said(answer), lambda i=i: self.choose(i)) for i, answer in enumerate(answers)]
        self.outcome = text("")
        choices = column(*self.buttons, classes=("dp-choices",))
        asked = f"<h3>{said('Predict first')}</h3><p>{said(question)}</p>"
        self.view = card(text(asked), choices, self.outcome, name="dp-predict")
        WORK.expect("predictions", question, self.comes_back)

    def choose(self, index: int) -> None:
        self.first = index if self.first is None else self.first
        self.chosen = index
        self._show()
        self._note()

    def measured(self, right: int, words: str) -> None:
        """What came out: the answer that was right, and the sentence with the numbers."""
        self.truth = right, words
        self._show()
        if self.chosen is not None:
            self._note()

    def comes_back(self, entry: dict) -> None:
        """As the browser remembers it from an earlier visit."""
        places = [self.answers.index(entry[name]) for name in ("first", "now") if entry[name] in self.answers]
        if len(places) == 2:
            self.first, self.chosen = places
            self._show(earlier=entry["said"])

    def _note(self) -> None:
        entry = {"first": self.answers[self.first], "now": self.answers[self.chosen]}
        WORK.note("predictions", self.question, {**entry, "said": self.truth[1] if self.truth else ""})

    def _show(self, earlier: str = "") -> None:
        if self.chosen is None:
            return
        for i, one in enumerate(self.buttons):
            one.add_class("chosen") if i == self.chosen else one.remove_class("chosen")
        if self.truth is None:
            noted = said("Noted. Now {then}.", then=said(self.then))
            before = said("On an earlier visit: {earlier}", earlier=earlier) if earlier else noted
            change = said("You may still change your answer.")
            self.outcome.value = note_html(f"{before} {self._changes(self.chosen)} {change}")
            return
        right, words = self.truth
        self.judged = self.chosen if self.judged is None else self.judged
        other = said("You predicted {answer}.", answer=self._quoted(self.judged))
        verdict = said("As you predicted.") if right == self.judged else other
        self.outcome.value = note_html(f"<b>{verdict}</b> {words} {said(self.because)} {self._changes(self.judged)}")

    def _changes(self, judged: int) -> str:
        """Which answers came before and after the one that counts."""
        before = said("Your first answer was {answer}.", answer=self._quoted(self.first))
        after = said("Now you say {answer}.", answer=self._quoted(self.chosen))
        before, after = before if self.first != judged else "", after if self.chosen != judged else ""
        return f"{before} {after}".strip()

    def _quoted(self, index: int) -> str:
        return said("“{words}”", words=escape(said(self.answers[index])))


def note_html(words: str) -> str:
    return f'<div class="dp-note" role="status">{words}</div>'


def task(
    title: str,
    words: str,
    check: Callable[[], tuple[bool, str]],
    behind: Callable[[], Iterable[Run | Mapping[str, Any]]],
    answer: widgets.Widget | None = None,
    listen: Callable[[Callable[[], None]], Any] | None = None,
) -> widgets.VBox:
    """A target to reach; ``check()`` looks at what the reader did and says what is missing.

    ``title`` in English, which is what it is kept under; the rest as the page says it.

    ``behind()``, asked when it is done: the runs it rests on, or, where nothing was run, what was set on the page.
    ``listen(call)``: has a call made whenever the reader did something that may count; the task then ticks by itself.
    """
    feedback = text("")
    ticked = False

    def look(asked: bool = True) -> None:
        done, sentence = check()
        if done or asked:
            show(done, sentence)
        if done:
            WORK.note("tasks", title, {"said": sentence, "behind": evidence(behind())})

    def notice() -> None:
        if not ticked:
            look(asked=False)

    def show(done: bool, sentence: str, when: str = "") -> None:
        nonlocal ticked
        ticked = ticked or done
        kind = "dp-note" if done else "dp-error"
        mark = said("✓ Done on {day}.", day=when) if when else said("✓ Done.") if done else said("Not yet.")
        feedback.value = f'<div class="{kind}" role="status"><b>{mark} </b>{sentence}</div>'

    if listen is not None:
        listen(notice)
    WORK.expect("tasks", title, lambda entry: show(True, entry["said"], day(entry["at"])))
    parts = [text(f"<h3>{said(title)}</h3><p>{words}</p>"), *([answer] if answer else [])]
    return card(*parts, button(said("Check my work"), look, "dp-check-button"), feedback, name="dp-task")
