"""What a click on a point opens, as Python hears of it: a run with its settings, a cell of the grid, some people."""

import json
from dataclasses import replace

import pytest
from conftest import on_a_page

from dpmia_lab.experiments import inversion, private_training
from dpmia_lab.stages import drain
from dpmia_lab.store import Store
from dpmia_lab.widgets.choosing.grid import GridPanel
from dpmia_lab.widgets.epsilon.panel import TrainingPanel
from dpmia_lab.widgets.inversion.panel import InversionPanel
from dpmia_lab.widgets.kit import opening
from dpmia_lab.widgets.kit.charts import PICKED, ChartPlace
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel
from dpmia_lab.widgets.kit.parts import TROUBLE


@pytest.fixture(autouse=True)
def plots_are_loaded(monkeypatch):
    """So that no thread is started for them, which would outlive its page here."""
    monkeypatch.setattr(opening, "LOADED", {f"dpmia_lab.plots.{name}" for name in ("privacy", "inversion")})


def finish(panel: ExperimentPanel, config, result) -> None:
    """As after a run that was pressed for."""
    panel.bar.live.value = False
    panel.set(config)
    panel.finished(config, result, 1.0, "here")


def pick(place: ChartPlace, key: str) -> None:
    """As the page's script does it; the number makes two clicks on one point two changes."""
    count = json.loads(PICKED.value or "[0]")[-1]
    PICKED.value = json.dumps([place.name, key, count + 1])


@pytest.fixture(scope="module")
def result():
    return drain(private_training.run(private_training.SMALL))


def test_a_runs_point_opens_the_run_with_its_settings(result, tmp_path):
    first, second = private_training.SMALL, replace(private_training.SMALL, sigma=3.0)

    async def work():
        panel = TrainingPanel("", Store(tmp_path))
        for config in (first, second):
            finish(panel, config, result)
        assert panel.last.number == 2
        keys = {point.key for point in panel.results.drawn_runs(600).readings()}
        pick(panel.results.chart, "run 1")
        return panel, keys

    panel, keys = on_a_page(work())
    assert {"run 1", "run 2"} <= keys
    assert panel.last.number == 1 and panel.results.config == first == panel.controls.config()
    assert [run.number for run in panel.table.runs] == [2, 1] and TROUBLE.value == ""


@pytest.mark.parametrize("key", ["run 7", "nonsense"])
def test_a_run_that_is_gone_opens_nothing(key, result, tmp_path):
    async def work():
        panel = TrainingPanel("", Store(tmp_path))
        finish(panel, private_training.SMALL, result)
        pick(panel.results.chart, key)
        return panel

    assert on_a_page(work()).last.number == 1 and TROUBLE.value == ""


def test_a_click_reaches_its_own_chart_only_and_as_often_as_it_is_made():
    async def work():
        heard = []
        places = [ChartPlace(str, "colorsys", on_pick=lambda key, n=n: heard.append((n, key))) for n in range(2)]
        for place in (places[1], places[0], places[0]):
            pick(place, "a key")
        pick(ChartPlace(str, "colorsys"), "nobody listens")
        return heard

    assert on_a_page(work()) == [(1, "a key"), (0, "a key"), (0, "a key")]


def test_a_cells_point_chooses_the_cell():
    async def work():
        grid = GridPanel()
        keys = [point.key for point in grid.drawn(700).readings() if point.key]
        pick(grid.chart, keys[-1])
        return grid, keys

    grid, keys = on_a_page(work())
    assert len(keys) == len(grid.cells) == len(set(keys)) and grid.chosen == list(grid.cells)[-1]


def test_a_persons_dot_turns_to_the_page_with_them(tmp_path):
    config = replace(inversion.SMALL, data="faces", people=12, height=24)

    async def work():
        panel = InversionPanel("", Store(tmp_path))
        finish(panel, config, drain(inversion.run(config)))
        points = panel.results.drawn(700).readings()
        pick(panel.results.chart, next(point.key for point in points if point.name == "person 12"))
        return panel

    assert on_a_page(work()).results.which.value == "11–12 of 12"
