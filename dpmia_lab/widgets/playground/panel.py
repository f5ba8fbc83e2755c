"""The playground: no Run button. What the sliders stand at is trained, drawn and attacked; the newest value wins."""

from collections import OrderedDict
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import playground
from dpmia_lab.experiments.costs import check_affordable
from dpmia_lab.experiments.playground import PLAYED, Config, Prepared, prepared, promise_of
from dpmia_lab.experiments.playground_challenges import TELLING
from dpmia_lab.reference.shipped_runs import shipped_run
from dpmia_lab.stages import Event, Snapshot, Stage, mapped
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import Controls
from dpmia_lab.widgets.kit.later import Settled
from dpmia_lab.widgets.kit.links import config_or_default, page_query, query_of
from dpmia_lab.widgets.kit.opening import OnceUp
from dpmia_lab.widgets.kit.parts import button, column, error_html, show_if, text, with_classes
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.widgets.kit.upload import OWN, OwnFile
from dpmia_lab.widgets.playground import words
from dpmia_lab.widgets.playground.controls import SETS, controls, reasons
from dpmia_lab.widgets.playground.linked import NOISY, Linked, Sizes, sigma_of
from dpmia_lab.widgets.playground.position import Position, position_of
from dpmia_lab.widgets.playground.timelapse import TimeLapse
from dpmia_lab.widgets.playground.view import View

DATA = tuple(name for name in SETS if name != OWN)
MOST_KEPT = 60  # positions that a click on their dot brings back
MOST_PEOPLE = 3
RESTS = 0.8  # seconds without a new position, until it is said aloud and can be kept


class PlaygroundPanel:
    """``shown`` is the position on screen, as much of it as is there.

    ``query``: settings as in a link; those of the page's address if None.
    """

    def __init__(self, query: str | None = None) -> None:
        self.shown: Position | None = None
        self.under_way: Config | None = None
        self.people: OrderedDict[tuple[str, int], Sizes | Prepared] = OrderedDict()  # by data and seed
        self.kept: OrderedDict[str, Position] = OrderedDict()  # by the key of its dot
        self.count, self.jumps, self.is_up = 0, 0, False
        self.problem, self.promise = text("", "dp-play-problem"), text("", "dp-play-promise")
        self.told, self.link, self.aloud = text("", "dp-play-told"), text("", "dp-play-link"), text("", "dp-play-aloud")
        self.results = View(self.open_dot)
        self.lapse = TimeLapse(self.show_frame, self.lapse_ended)
        self.own = OwnFile((".npz",), self.check_file, self.say)
        self.work = StageRun(
            self.begin, self.done, self.happened, self.nothing_came, loading="", problem=self.problem
        )
        self.rested = Settled(self.at_rest, RESTS)
        self.controls = Controls(self.config, controls(), reasons(), self.changed)
        self.linked = Linked(self.controls.made["sigma"], self.setting)
        self.up = OnceUp(self.open)
        self.view = self.layout()
        start, complaint = config_or_default(page_query() if query is None else query, playground, DATA)
        self.show_shipped(start) or self.show_shipped(next(iter(playground.PRESETS.values())))
        self.set(start)
        self.problem.value = error_html(complaint)

    def layout(self) -> widgets.VBox:
        made = self.controls.made
        self.replay = button("Replay 1 min", self.lapse.play, "dp-play-replay", tooltip="Replay the last minute")
        self.surprise = button("Surprise me", self.jump, "dp-primary", "dp-play-surprise")
        actions = light.Box([self.surprise, self.replay, self.link, self.results.keep])
        others = [widget for name, widget in made.items() if name not in ("data", "defence", "sigma")]
        left = column(
            *(made["data"], self.own.view, made["defence"], made["sigma"], self.linked.epsilon, *others, self.promise),
            *(with_classes(actions, "dp-play-actions"), self.told, self.problem, self.aloud),
            *(self.up.signal, self.results.width),
            classes=("dp-play-controls",),
        )
        return column(left, *self.results.parts, classes=("dp", "dp-card", "dp-play"))

    # ---- settings
    def set(self, config: Config) -> None:
        """All controls, as one change; an ε that is asked for becomes its σ."""
        if config.epsilon and config.defence in NOISY:
            sigma = sigma_of(config.epsilon, replace(config, epsilon=0.0), self.people_of(config))
            config = replace(config, sigma=sigma, epsilon=0.0)
        self.base = config  # also what has no control of its own
        values = {name: getattr(config, name) for name in self.controls.made}
        self.controls.move(values | {"data": OWN if self.own.holds(config.data) else config.data})

    def config(self, **values: Any) -> Config:
        if values["data"] == OWN:
            values["data"] = self.own.chosen()
        return replace(self.base, **values, epsilon=0.0)

    def setting(self) -> tuple[Config, Sizes | Prepared]:
        config = self.controls.config()
        return config, self.people_of(config)

    def people_of(self, config: Config) -> Sizes | Prepared:
        if (config.data, config.seed) not in self.people:
            self.remember(config, prepared(config))
        return self.people[config.data, config.seed]

    def remember(self, config: Config, people: Sizes | Prepared) -> None:
        """The last few, as the engine does."""
        self.people[config.data, config.seed] = people
        self.people.move_to_end((config.data, config.seed))
        while len(self.people) > MOST_PEOPLE:
            self.people.popitem(last=False)

    def changed(self) -> None:
        """Some control moved: whatever was under way is dropped for what is wanted now."""
        self.lapse.stop()
        self.problem.value = self.told.value = ""
        self.own.offer(self.controls.made["data"].value)
        defence = self.controls.made["defence"].value
        show_if(defence in NOISY, self.linked.epsilon)
        try:
            config = self.controls.config()
        except Mistake as mistake:
            self.work.stop()
            self.problem.value = error_html(str(mistake))
            return
        self.show_settings(config)
        if self.is_up and config != self.aim:
            self.view.add_class("dp-play-moving")
            self.work.restart()

    @property
    def aim(self) -> Config | None:
        """The configuration that is on screen, or will be once the run under way is done."""
        if self.work.running:
            return self.under_way
        return self.shown.config if self.shown is not None and self.shown.whole else None

    def show_settings(self, config: Config) -> None:
        own = self.own.holds(config.data)
        self.link.value = words.link_html("" if own else query_of(config, playground))
        self.show_promise(config)

    def show_promise(self, config: Config) -> None:
        """At once; what noise on data promises depends on what they are, and waits until they are there."""
        people, noisy = self.people_of(config), config.defence in NOISY
        promised = promise_of(config, people) if noisy or isinstance(people, Prepared) else None
        if noisy:
            self.linked.follow(promised.epsilon)
        self.promise.value = words.promise_html(config, promised)

    # ---- running
    def open(self) -> None:
        """The page is up: what was shipped is computed here."""
        self.is_up = True
        self.work.restart()

    def begin(self) -> Stage[tuple[Config, Result]]:
        config = self.controls.config()
        check_affordable("playground", config)
        self.under_way = config
        return self.stage(self.under_way)

    def stage(self, config: Config) -> Stage[tuple[Config, Result]]:
        from dpmia_lab import devices  # noqa: F401 (one thread)

        self.remember(config, prepared(config))
        return config, (yield from mapped(playground.run(config), FromPicturesOn()))

    def happened(self, events: list[Event]) -> None:
        config = self.under_way
        for event in events:
            if isinstance(event, Snapshot) and event.name == "pictures":
                people = self.people_of(config)
                self.show_promise(config)
                truth = people.shown(people.truth)
                self.show(Position(config, words.position_words(config), truth, event.array))

    def done(self, outcome: tuple[Config, Result]) -> None:
        config, result = outcome
        self.finished(self.position(config, result))
        self.view.remove_class("dp-play-moving")

    def nothing_came(self) -> None:
        """Stopped or failed: what is shown stays."""
        self.view.remove_class("dp-play-moving")

    def position(self, config: Config, result: Result) -> Position:
        return position_of(config, result, words.position_words(config), PLAYED[config.defence].promises)

    def show(self, position: Position) -> None:
        self.shown = position
        self.lapse.add(position)
        self.results.show(position)

    def finished(self, position: Position) -> None:
        self.count += 1
        key = str(self.count)
        self.kept[key] = position
        if len(self.kept) > MOST_KEPT:
            self.kept.popitem(last=False)
        self.results.add_dot(position.dot(key), position.config.data)
        self.show(position)
        self.results.challenges.heard(position, self.results.judge.value)
        self.rested.ask()

    def at_rest(self) -> None:
        """Nothing has moved for a moment: it is said aloud, and the picture to keep is made."""
        if self.shown is not None and self.shown.whole:
            self.aloud.value = f'<div role="status" aria-live="polite">{words.aloud(self.shown)}</div>'
            self.results.make_poster(self.shown)

    def show_shipped(self, config: Config) -> bool:
        """What ships for these settings, until it is computed here."""
        found = shipped_run("playground", config)
        if found is None:
            return False
        result, _ = found
        members, classes = int(result.arrays["member"].sum()) // config.shadows, len(result.arrays["truth"])
        self.remember(config, Sizes(members, classes))
        position = self.position(config, result)
        self.results.add_dot(position.dot(""), config.data)
        self.results.show(position)
        return True

    # ---- somewhere else
    def jump(self) -> None:
        """To the next setting that tells something, and says what."""
        telling = TELLING[self.jumps % len(TELLING)]
        self.jumps += 1
        self.set(telling.config)
        self.told.value = f'<p role="status">{escape(telling.words)}</p>'

    # ---- the last minute, and a dot that is clicked
    def show_frame(self, position: Position, place: int, count: int) -> None:
        self.told.value = words.frame_html(position, place, count)
        self.results.show(position)

    def lapse_ended(self) -> None:
        self.told.value = ""
        if self.shown is not None:
            self.results.show(self.shown)

    def open_dot(self, key: str) -> None:
        """A dot was clicked: its position is set again, without computing it once more."""
        if key in self.kept:
            self.work.stop()
            self.shown = self.kept[key]
            self.set(self.shown.config)
            self.view.remove_class("dp-play-moving")
            self.results.show(self.shown)

    # ---- a file of the visitor's own
    def check_file(self, path: Path) -> str:
        people = prepared(replace(self.base, data=str(path)))
        return f"{len(people.candidates) + len(people.test)} records of {people.classes} classes, drawn and attacked."

    def say(self, about_the_file: str) -> None:
        self.changed()
        self.problem.value = about_the_file


class FromPicturesOn:
    """Leaves out what comes before the pictures: the first report goes to the page at once, and is to be theirs."""

    def __init__(self) -> None:
        self.there = False

    def __call__(self, event: Event) -> Event | None:
        self.there = self.there or (isinstance(event, Snapshot) and event.name == "pictures")
        return event if self.there else None
