"""Runs that follow a slider: the newest value wins, something is always seen, and the list of runs stays short."""

import asyncio
import threading
from dataclasses import dataclass
from types import SimpleNamespace

import ipywidgets as widgets
import numpy as np
import pytest
from conftest import on_a_page

from dpmia_lab.cost import SECONDS, Cost
from dpmia_lab.experiments.costs import COSTS
from dpmia_lab.options import option
from dpmia_lab.stages import Progress, Snapshot
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.kit import experiment_panel
from dpmia_lab.widgets.kit.controls import NumberField, choice, scale
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.stage_run import StageRun


async def until(condition) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)


# ---- a stage that is started again


class Wishes:
    """``wish`` is what a slider stands at; a run shows it, then waits until ``go`` is set, then returns it."""

    def __init__(self, picture_first: bool = True) -> None:
        self.wish, self.begun, self.seen, self.done = 0, [], [], []
        self.picture_first, self.go = picture_first, threading.Event()
        self.run = StageRun(self.make, self.done.append, self.happened, button="Go", loading="")

    def make(self):
        self.begun.append(self.wish)
        return self.stage(self.wish)

    def stage(self, wish):
        if self.picture_first:
            yield Snapshot("picture", 0, np.array([wish]))
        while not self.go.wait(0.002):
            yield Progress(1, 2, "at it")
        return wish

    def happened(self, events) -> None:
        self.seen += [int(event.array[0]) for event in events if isinstance(event, Snapshot)]

    def move(self, wish: int) -> None:
        self.wish = wish
        self.run.restart()


def test_a_run_that_was_seen_is_dropped_for_the_newest_wish():
    async def work():
        wishes = Wishes()
        wishes.move(1)
        await until(lambda: wishes.seen == [1])
        wishes.move(2)
        await until(lambda: wishes.seen == [1, 2])
        wishes.go.set()
        await until(lambda: wishes.done)
        return wishes

    wishes = on_a_page(work())
    assert wishes.done == [2] and not wishes.run.running and wishes.run.bar.stop.disabled


def test_a_run_of_which_nothing_was_seen_ends_first_and_then_only_the_newest_follows():
    async def work():
        wishes = Wishes(picture_first=False)
        for wish in (1, 2, 3, 4):
            wishes.move(wish)
        assert wishes.begun == [1]
        wishes.go.set()
        await until(lambda: len(wishes.done) == 2)
        return wishes

    wishes = on_a_page(work())
    assert wishes.begun == wishes.done == [1, 4]


def test_stop_also_forgets_the_wish_that_waits():
    async def work():
        wishes = Wishes(picture_first=False)
        wishes.move(1)
        wishes.move(2)
        wishes.run.stop()
        wishes.go.set()
        await asyncio.sleep(0.05)
        return wishes

    wishes = on_a_page(work())
    assert wishes.begun == [1] and wishes.done == [] and not wishes.run.running


# ---- a panel whose runs are quick


@dataclass(frozen=True)
class Config:
    data: str = option("made-up", "the data")
    level: int = option(1, "how much")
    kind: str = option("quick", "quick or slow")


@pytest.fixture(autouse=True)
def a_level_is_two_minutes_on_any_machine(monkeypatch):
    monkeypatch.setitem(COSTS, "made-up", lambda config: Cost(120 * config.level, 1e6))
    monkeypatch.setattr(Cost, "seconds_here", property(lambda cost: cost.seconds))


def run(config: Config):
    yield Snapshot("picture", 0, np.full(3, config.level))
    return Result({"level": config.level}, {"picture": np.full((1, 2, 2), config.level / 10)})


EXPERIMENT = SimpleNamespace(
    Config=Config, PRESETS={"usual": Config(), "other": Config(level=5, kind="slow")}, run=run
)


class View:
    def __init__(self) -> None:
        self.picture, self.details, self.charts, self.config = widgets.HTML(), widgets.HTML(), [], None
        self.shown, self.live = [], []

    def started(self, config) -> None: ...

    def happened(self, event) -> None:
        self.live.append(event)

    def show(self, result) -> None:
        self.shown.append((self.config.level, result.numbers["level"]))


class Panel(ExperimentPanel):
    place = "dp-made-up"

    def __init__(self, store: Store, query: str = "") -> None:
        words = Words("Go", {"usual": "as usual", "other": "the other"}, lambda run: "", lambda runs: "")
        super().__init__(
            "made-up", EXPERIMENT, View(), new_controls, {}, words, query, store, [("made up", "made-up")]
        )

    def main(self):
        return [self.controls.group("level")]

    def more(self):
        return [self.controls.group("kind")]

    def is_quick(self, config: Config) -> bool:
        return config.kind == "quick"


def new_controls(sets):
    level = NumberField("level") if sets is None else scale("level", range(10))
    return {"data": choice("data", sets), "level": level, "kind": choice("kind", [("q", "quick"), ("s", "slow")])}


def shipping(monkeypatch, **levels: int) -> None:
    """As if runs of these presets came with the lab."""

    def found(experiment, config):
        name = next((name for name in levels if EXPERIMENT.PRESETS[name] == config), None)
        return None if name is None else (Result({"level": levels[name]}), {"seconds": 3.0, "yardstick": 1.0})

    monkeypatch.setattr(experiment_panel, "shipped_run", found)
    monkeypatch.setattr(experiment_panel, "shipped_record", lambda *wanted: (found(*wanted) or (None, None))[1])
    monkeypatch.setattr(experiment_panel, "yardstick", lambda: 2.0)


def test_a_panel_opens_with_what_ships_and_no_task_counts_it(tmp_path, monkeypatch):
    shipping(monkeypatch, usual=1)

    async def work():
        return Panel(Store(tmp_path))

    panel = on_a_page(work())
    assert panel.results.shown == [(1, 1)] and panel.last is None and panel.table.runs == []
    assert "Shipped with the lab" in panel.stale.value
    assert "About 6.0 s on this machine" in panel.duration.value  # half as fast as where it took 3 s


def test_a_link_to_other_settings_opens_with_the_usual_result_and_says_so(tmp_path, monkeypatch):
    shipping(monkeypatch, usual=1)

    async def work():
        return Panel(Store(tmp_path), "preset=other&level=7")

    panel = on_a_page(work())
    assert panel.results.shown == [(1, 1)] and panel.controls.config() == Config(level=7, kind="slow")
    assert "What you see is for level = 1, kind = quick" in panel.stale.value


def test_choosing_a_preset_shows_its_shipped_run_at_once(tmp_path, monkeypatch):
    shipping(monkeypatch, usual=1, other=5)

    async def work():
        panel = Panel(Store(tmp_path))
        panel.preset.value = "other"
        return panel

    panel = on_a_page(work())
    assert panel.results.shown == [(1, 1), (5, 5)] and "Shipped with the lab" in panel.stale.value


def test_moving_a_slider_is_running_and_leaves_one_row(tmp_path, monkeypatch):
    shipping(monkeypatch, usual=1)

    async def work():
        panel = Panel(Store(tmp_path))
        for level in (3, 4, 6):
            panel.controls.made["level"].value = level
            await until(lambda level=level: panel.results.shown[-1] == (level, level) and not panel.work.running)
        return panel

    panel = on_a_page(work())
    assert [run.config.level for run in panel.table.runs] == [6] and panel.last.config.level == 6
    assert panel.stale.value == ""
    assert list(tmp_path.iterdir()) == []  # what a slider passes through is not written to disk


def test_a_slider_that_goes_back_while_it_runs_shows_where_it_came_from(tmp_path, monkeypatch):
    """What was on screen before is not what is drawn by then, although its settings are those shown last."""
    shipping(monkeypatch, usual=1)
    go = threading.Event()

    def slow(config):
        yield Snapshot("picture", 0, np.full(3, config.level))
        while config.level == 3 and not go.wait(0.002):
            yield Progress(1, 2, "at it")
        return Result({"level": config.level}, {"picture": np.full((1, 2, 2), config.level / 10)})

    monkeypatch.setattr(EXPERIMENT, "run", slow)

    async def work():
        panel = Panel(Store(tmp_path))
        panel.controls.made["level"].value = 3
        await until(lambda: any(isinstance(event, Snapshot) for event in panel.results.live))
        panel.controls.made["level"].value = 1
        await until(lambda: not panel.work.running)
        go.set()
        return panel

    panel = on_a_page(work())
    assert panel.last.config.level == 1 and panel.results.shown == [(1, 1), (1, 1)]


def test_a_live_run_that_is_kept_stays_and_can_be_recalled(tmp_path, monkeypatch):
    shipping(monkeypatch, usual=1)

    async def work():
        panel = Panel(Store(tmp_path))
        for level in (3, 4):
            panel.controls.made["level"].value = level
            await until(lambda level=level: panel.results.shown[-1] == (level, level) and not panel.work.running)
            if level == 3:
                panel.table.runs[0].kept = True
                panel.chosen()
        return panel

    panel = on_a_page(work())
    assert [run.config.level for run in panel.table.runs] == [4, 3]
    assert panel.store.get("made-up", vars(Config(level=3))) is not None


def test_without_the_switch_and_for_slow_settings_a_slider_only_marks_what_is_shown(tmp_path, monkeypatch):
    shipping(monkeypatch, usual=1)

    async def work():
        panel = Panel(Store(tmp_path))
        panel.bar.live.value = False
        panel.controls.made["level"].value = 3
        quiet = panel.work.running, panel.stale.value
        panel.bar.live.value = True
        await until(lambda: panel.results.shown[-1] == (3, 3))
        panel.controls.made["kind"].value = "slow"
        return quiet, panel

    (running, words), panel = on_a_page(work())
    assert not running and "What you see is for level = 1" in words
    assert not panel.work.running and "kind = quick" in panel.stale.value
    assert "dp-absent" in panel.bar.live._dom_classes


# ---- what is too much for a page


def test_a_run_beyond_the_budget_is_refused_before_it_starts_and_within_it_runs(tmp_path, monkeypatch):
    monkeypatch.setenv(SECONDS, "300")

    async def work():
        panel = Panel(Store(tmp_path), "kind=slow")
        panel.controls.made["level"].value = 3
        foreseen = panel.duration.value
        panel.work.press()
        refusal, began = panel.problem.value, panel.work.running or list(panel.results.live)
        panel.controls.made["level"].value = 2
        shorter = panel.duration.value
        panel.work.press()
        await until(lambda: panel.table.runs)
        return foreseen, refusal, began, shorter, panel

    foreseen, refusal, began, shorter, panel = on_a_page(work())
    assert "about 6 minutes and 1 MB, more than a page may take here" in foreseen
    assert "This would take about 6 minutes and 1 MB here, where a page may take 5 minutes" in refusal
    assert "less of level (now 3) would bring it down" in refusal and not began
    assert "Roughly 4 minutes on this machine" in shorter
    assert panel.problem.value == "" and panel.table.runs[0].config.level == 2


def test_what_was_computed_before_is_shown_whatever_it_would_cost(tmp_path, monkeypatch):
    store = Store(tmp_path)
    store.put("made-up", vars(Config(level=3, kind="slow")), Result({"level": 3}), {"seconds": 1, "device": "here"})
    monkeypatch.setenv(SECONDS, "300")

    async def work():
        panel = Panel(store, "kind=slow&level=3")
        panel.work.press()
        return panel

    panel = on_a_page(work())
    assert panel.last.config.level == 3 and panel.problem.value == ""
