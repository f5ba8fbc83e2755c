"""What a page does over time, without a browser: a stage with Run and Stop, a chart in its place, a visitor's file."""

import asyncio
import sys
from dataclasses import dataclass

import pytest
from conftest import on_a_page

from dpmia_lab.checks import Mistake
from dpmia_lab.plots.points import Reading
from dpmia_lab.stages import Progress
from dpmia_lab.widgets.kit import opening
from dpmia_lab.widgets.kit.charts import ChartPlace
from dpmia_lab.widgets.kit.parts import TROUBLE, results_width
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.widgets.kit.upload import OWN, OwnFile


async def until(condition) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


# ---- a stage


def stage_run(make, **settings) -> tuple[StageRun, list]:
    """With a button; what its callbacks heard."""
    heard = []
    return StageRun(make, heard.append, on_nothing=lambda: heard.append("nothing"), button="Go", **settings), heard


def counting():
    yield Progress(1, 2, "counting")
    return "three"


def endless():
    while True:
        yield Progress(1, 2, "for ever")


def broken():
    yield Progress(1, 2, "counting")
    raise Mistake("steps must be 1.")


def refused():
    raise Mistake("seed must be 0 or more.")


def test_a_result_comes_and_the_bar_rests():
    async def work():
        run, heard = stage_run(counting)
        run.bar.run.click()
        assert run.running and run.bar.run.disabled
        await until(lambda: heard)
        return run, heard

    run, heard = on_a_page(work())
    assert heard == ["three"] and run.seconds > 0 and run.problem.value == ""
    assert run.bar.stop.disabled and "stopped" not in run.bar.status.value


def test_what_is_loaded_is_said_first():
    async def work():
        events = []
        run = StageRun(counting, lambda _: events.append("end"), events.extend)
        run.start()
        await until(lambda: "end" in events)
        return events

    first, *_ = on_a_page(work())
    assert first.label == "loading PyTorch"


def test_stop_says_so_and_nothing_came_of_it():
    async def work():
        run, heard = stage_run(endless, stopped="stopped; cells are kept")
        run.bar.run.click()
        run.bar.stop.click()
        return run, heard

    run, heard = on_a_page(work())
    assert heard == ["nothing"] and "stopped; cells are kept" in run.bar.status.value and not run.running


def test_a_failure_is_said_in_one_sentence():
    async def work():
        run, heard = stage_run(broken)
        run.bar.run.click()
        await until(lambda: heard)
        return run, heard

    run, heard = on_a_page(work())
    assert heard == ["nothing"] and "steps must be 1." in run.problem.value and "stopped" not in run.bar.status.value


@pytest.mark.parametrize(("make", "words"), [(refused, "seed must be"), (lambda: None, "")])
def test_what_cannot_or_need_not_run_does_not_start(make, words):
    async def work():
        run, heard = stage_run(make)
        run.problem.value = "from before"
        run.bar.run.click()
        return run, heard

    run, heard = on_a_page(work())
    assert not run.running and heard == [] and not run.bar.run.disabled
    assert words in run.problem.value and "from before" not in run.problem.value


# ---- a chart


@dataclass
class Drawn:
    width: int

    @property
    def alt(self):
        return f"{self.width} <wide>"

    def svg(self, prefix):
        return f'<svg id="{prefix}"></svg>'

    def readings(self):
        return [Reading(0.5, 0.25, "run <1>", "ε = 3", "run 1", 0)]


PLOTS = "colorsys"  # takes no time to load


@pytest.fixture
def unloaded():
    opening.LOADED.discard(PLOTS)
    sys.modules.pop(PLOTS, None)


def test_a_chart_waits_for_its_plots_which_are_loaded_when_it_is_asked_for(unloaded):
    async def work():
        place = ChartPlace(Drawn, PLOTS, "dp-some")
        for _ in range(5):
            await asyncio.sleep(0)  # whatever was to be done at once has been done
        assert PLOTS not in sys.modules
        place.redraw()
        assert not place.ready and place.view.value == ""
        await until(lambda: place.view.value)
        return place

    place = on_a_page(work())
    assert place.ready and 'aria-label="726 &lt;wide&gt;"' in place.view.value and "dp-some" in place.view._dom_classes


def test_a_chart_may_come_by_itself_after_opening(unloaded):
    async def work():
        place = ChartPlace(Drawn, PLOTS, delay=0.05)
        place.redraw()
        assert PLOTS not in sys.modules  # the page comes first
        await until(lambda: place.view.value)

    on_a_page(work())


def test_a_chart_that_comes_later_is_drawn_once_also_where_another_has_loaded_its_plots():
    async def work():
        opening.load(PLOTS)
        drawn = []
        place = ChartPlace(lambda width: drawn.append(width) or Drawn(width), PLOTS, delay=0.05)
        place.redraw()
        assert drawn == []
        await until(lambda: place.view.value)
        assert len(drawn) == 1
        place.redraw()
        return drawn

    assert len(on_a_page(work())) == 2


def test_another_width_draws_anew_and_the_same_one_does_not():
    async def work():
        drawn = []
        place = ChartPlace(lambda width: drawn.append(width) or Drawn(width), PLOTS)
        opening.load(PLOTS)
        for page in (1120, 390, 390, 1280):
            place.set_page_width(page)
        return drawn

    assert on_a_page(work()) == [results_width(390), results_width(1280)]


def test_words_may_stand_below_a_chart_or_in_its_place_and_nothing_leaves_what_is_there():
    async def work():
        answers = [Drawn(300), None, "<p>Not yet.</p>"]
        place = ChartPlace(
            lambda _: answers.pop(0), PLOTS, below=lambda: "below", keep="chart.png", others=lambda: ["<a>all</a>"]
        )
        opening.load(PLOTS)
        place.redraw()
        first = place.view.value
        assert first.startswith('<div class="dp-plot"') and first.endswith("</div>below")
        assert "Keep: </small><a>all</a> · <a" in place.exports.value and 'download="chart.png"' in place.exports.value
        place.redraw()
        assert place.view.value == first
        place.redraw()
        assert place.view.value == "<p>Not yet.</p>" and place.exports.value == ""

    on_a_page(work())


def test_plots_that_cannot_be_loaded_are_reported_once():
    async def work():
        place = ChartPlace(Drawn, "dpmia_lab.plots.no_such")
        place.redraw()
        await until(lambda: TROUBLE.value)
        return place

    place = on_a_page(work())
    assert "no_such" in TROUBLE.value and not place.ready
    TROUBLE.value = ""


# ---- a file


def lines_of(path) -> str:
    if not path.read_text().strip():
        raise Mistake(f"{path.name} must have lines; it has none.")
    return f"{len(path.read_text().splitlines())} lines & more."


def test_a_file_is_checked_and_kept():
    said = []
    own = OwnFile((".npz", ".zip"), lines_of, said.append)
    assert own.view.description == "Choose an .npz or .zip (at most 20 MB)" and own.view.accept == ".npz,.zip"
    own.take("../my <file>.npz", b"one\ntwo")
    assert said == ['<div class="dp-note">my &lt;file&gt;.npz: 2 lines &amp; more.</div>']
    assert own.holds(own.chosen()) and not own.holds("faces")


def test_a_refused_file_leaves_no_earlier_one_in_its_place():
    said = []
    own = OwnFile((".npz",), lines_of, said.append)
    own.take("good.npz", b"one")
    own.take("bad.npz", b"")
    assert "bad.npz must have lines" in said[-1] and 'class="dp-error"' in said[-1]
    with pytest.raises(Mistake, match="none is chosen yet"):
        own.chosen()


def test_the_chooser_shows_only_where_it_is_asked_for():
    own = OwnFile((".npz",), lines_of, print)
    shown = []
    for data in ("faces", OWN):
        own.offer(data)
        shown.append("dp-absent" not in own.view._dom_classes)
    assert shown == [False, True]
