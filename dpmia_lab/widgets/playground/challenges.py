"""Challenges in the margin: they tick themselves, and the one that is chosen gives a hint that knows what was tried.

What is solved stays in the reader's browser and goes into the record, with the positions that solved it (work.py).
"""

from collections import deque
from html import escape
from itertools import combinations

from dpmia_lab.experiments.playground_challenges import CHALLENGES, Challenge, Tried
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.later import Settled
from dpmia_lab.widgets.kit.parts import pressed, text
from dpmia_lab.widgets.kit.record import PLAYGROUND, evidence
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.work import Kept, Work
from dpmia_lab.widgets.playground.position import Position

MOST_TRIED = 60  # that are remembered; what is solved stays solved
SOON = 0.2  # seconds after the last position


class Challenges:
    """``view`` is the list, ``field`` what the script writes to when one is pressed, ``parts`` all the page needs."""

    def __init__(self) -> None:
        self.tried: deque[Tried] = deque(maxlen=MOST_TRIED)
        self.chances: dict[str, float] = {}  # of guessing, by the data
        self.solved: set[str] = set()
        self.work = Work()
        for name, one in CHALLENGES.items():
            self.work.expect("tasks", one.title, lambda _, name=name: self.comes_back(name))
        self.kept = Kept(PLAYGROUND, self.work)
        self.chosen = next(iter(CHALLENGES))
        self.view = text("", "dp-play-list-place")
        self.field = pressed(self.choose)
        self.parts = self.view, self.field, self.kept.view
        self.soon = Settled(self.look, SOON)
        self.show()

    def heard(self, position: Position, judge: str) -> None:
        """A position was played, and judged so."""
        one = Tried(position.config, position.rows, judge)
        if one not in self.tried:
            self.tried.append(one)
            self.chances[one.config.data] = 1 / position.people
        self.soon.ask()

    def look(self) -> None:
        """Tick what is solved now; if it was the chosen one, the next is."""
        for name, one in CHALLENGES.items():
            if name not in self.solved and one.done(self.tried):
                self.solved.add(name)
                self.work.note("tasks", one.title, {"said": one.words, "behind": evidence(self.behind(one))})
        self.choose_open()

    def behind(self, one: Challenge) -> list[Run]:
        """The one position that solves it, or the two."""
        some = next(some for size in (1, 2) for some in combinations(self.tried, size) if one.done(some))
        results = [Result({"chance": self.chances[tried.config.data]}, rows=tried.rows) for tried in some]
        return [Run(0, tried.config, result, 0.0, "played") for tried, result in zip(some, results, strict=True)]

    def comes_back(self, name: str) -> None:
        """Solved on an earlier visit."""
        self.solved.add(name)
        self.choose_open()

    def choose_open(self) -> None:
        if self.chosen in self.solved:
            self.chosen = next((name for name in CHALLENGES if name not in self.solved), self.chosen)
        self.show()

    def choose(self, number: int) -> None:
        self.chosen = list(CHALLENGES)[number]
        self.show()

    def show(self) -> None:
        lines = [self.line(i, name, one) for i, (name, one) in enumerate(CHALLENGES.items())]
        self.view.value = f'<ol class="dp-play-list">{"".join(lines)}</ol>'

    def line(self, number: int, name: str, one: Challenge) -> str:
        done, chosen = name in self.solved, name == self.chosen
        tick = '<span class="tick" role="img" aria-label="done">✓</span>' if done else '<span class="tick">○</span>'
        title = f'<button data-pick="{number}" aria-expanded="{str(chosen).lower()}">{escape(one.title)}</button>'
        words = f"<small>{escape(one.words)}</small>" if chosen else ""
        hint = f'<small class="hint">{escape(one.hint(self.tried))}</small>' if chosen and not done else ""
        return f'<li class="{"done" if done else ""}">{tick}<div>{title}{words}{hint}</div></li>'
