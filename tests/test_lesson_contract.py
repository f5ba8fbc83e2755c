"""What every lesson's page does alike, whatever it teaches; what is special to one is in its own test_lesson_*.py.

A lesson's own tests go on with the page that this leaves: one finished run, and the settings it was made with.
"""

import csv

import pytest
from conftest import on_a_page
from lesson_pages import (
    WAIT,
    address_has,
    assert_everything_has_a_name,
    assert_fits,
    assert_nothing_went_wrong,
    downloaded,
    expect,
    gone,
    move_to,
    press,
    readout,
    says,
    type_into,
)
from lessons import LESSONS, Lesson, link

from dpmia_lab.options import with_text_values
from dpmia_lab.stages import drain
from dpmia_lab.store import Store
from dpmia_lab.widgets.kit.links import query_of


@pytest.fixture(params=LESSONS.values(), ids=LESSONS.keys())
def lesson(request) -> Lesson:
    return request.param


@pytest.fixture
def opened(lesson, finished_lesson):
    """The lesson's page, with one finished run."""
    return finished_lesson(lesson.file)


def config_of(lesson: Lesson, settings: dict[str, str]):
    changes = {name: value for name, value in settings.items() if name != "preset"}
    return with_text_values(lesson.experiment().PRESETS[settings["preset"]], changes)


# ---- links


def test_a_link_restores_settings_of_every_kind(lesson, tmp_path):
    async def opened():
        return lesson.new_panel(link(lesson.odd), Store(tmp_path))

    panel = on_a_page(opened())
    assert panel.controls.config() == config_of(lesson, lesson.odd)
    assert panel.problem.value == ""


def test_nonsense_in_a_link_is_answered_in_one_sentence_and_the_usual_settings_stand(lesson, tmp_path):
    setting, answer = lesson.nonsense

    async def opened():
        return lesson.new_panel(setting, Store(tmp_path))

    panel = on_a_page(opened())
    assert answer in panel.problem.value and "The usual settings are shown." in panel.problem.value
    assert panel.controls.config() == next(iter(lesson.experiment().PRESETS.values()))


def test_a_page_goes_on_after_nonsense_in_its_link(page, lab_server):
    """One lesson for all: what answers is the kit's."""
    lesson = LESSONS["inversion"]
    setting, answer = lesson.nonsense
    page.goto(f"{lab_server.address}voila/render/{lesson.notebook}.ipynb?{setting}")
    says(page, f"{lesson.panel} .dp-controls .dp-error", answer)
    press(page, lesson.panel, lesson.slider, "ArrowRight")
    address_has(page, f"{lesson.slider}=")
    gone(page, f"{lesson.panel} .dp-error")


def test_the_page_shows_what_its_link_asks_for(lesson, opened):
    query = query_of(config_of(lesson, lesson.quick), lesson.experiment())
    expect(opened.locator("[data-lab-link]")).to_have_attribute("data-lab-link", query)
    opened.wait_for_function("query => location.search === query", arg=query, timeout=WAIT)
    sliders = [name for name in lesson.quick if readout(opened, lesson.panel, name).count()]
    assert sliders
    for name in sliders:
        expect(readout(opened, lesson.panel, name)).to_have_text(lesson.quick[name].removesuffix(".0"))


# ---- a run


def test_a_run_shows_how_far_it_is_and_then_what_came_out(lesson, opened):
    place, words = lesson.shows
    says(opened, f"{lesson.panel} {place}", words)
    assert max(opened.evaluate("progress")) > 0
    expect(opened.locator(f"{lesson.panel} .dp-run")).to_have_count(1)


def test_page_and_python_give_the_same_bits(lesson, opened):
    with open(downloaded(opened, lesson.panel, "dpmia_lab_runs.csv"), encoding="utf-8", newline="") as file:
        row = list(csv.DictReader(file))[0]
    for name, value in drain(lesson.experiment().run(config_of(lesson, lesson.quick))).numbers.items():
        assert float(row[name]) == value, name


def test_the_same_run_is_recalled(lesson, opened):
    opened.locator(f"{lesson.panel} .dp-run-button").click()
    says(opened, f"{lesson.panel} .dp-status", "recalled; computed before")
    expect(opened.locator(f"{lesson.panel} .dp-run")).to_have_count(1)


def test_stop_stops_and_the_earlier_result_is_back(lesson, opened):
    before = readout(opened, lesson.panel, lesson.long).inner_text()
    press(opened, lesson.panel, lesson.long, "End")
    expect(readout(opened, lesson.panel, lesson.long)).not_to_have_text(before)
    address_has(opened, f"{lesson.long}={readout(opened, lesson.panel, lesson.long).inner_text()}")
    opened.locator(f"{lesson.panel} .dp-run-button").click()
    place, words = lesson.runs
    says(opened, f"{lesson.panel} {place}", words)
    opened.locator(f"{lesson.panel} .dp-stop-button").click()
    says(opened, f"{lesson.panel} .dp-status", "stopped")
    says(opened, f"{lesson.panel} {lesson.shows[0]}", lesson.shows[1])
    expect(opened.locator(f"{lesson.panel} .dp-run")).to_have_count(1)
    if lesson.goes_stale:
        says(opened, f"{lesson.panel} .dp-stale", "What you see is for")
        says(opened, f"{lesson.panel} .dp-stale", f"= {before}")
    move_to(opened, lesson.panel, lesson.long, "ArrowLeft", before)
    gone(opened, f"{lesson.panel} .dp-stale")


def test_nonsense_in_a_field_is_answered_and_nothing_runs(lesson, opened):
    field, run = opened.locator(f"{lesson.panel} .dp-seed input"), opened.locator(f"{lesson.panel} .dp-run-button")
    before = field.input_value()
    type_into(opened, lesson.panel, "seed", "-5")
    says(opened, f"{lesson.panel} .dp-error", "seed must be a whole number")
    run.click()
    type_into(opened, lesson.panel, "seed", before)
    gone(opened, f"{lesson.panel} .dp-error")  # by now the click was heard too
    expect(opened.locator(f"{lesson.panel} .dp-stop-button")).to_be_disabled()
    expect(opened.locator(f"{lesson.panel} .dp-run")).to_have_count(1)


# ---- the page as a whole


def test_every_control_has_a_name_and_every_picture_words(lesson, opened):
    assert_everything_has_a_name(opened)


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_the_page_fits_its_window_and_nothing_went_wrong(lesson, opened, width):
    assert_fits(opened, width)
    assert_nothing_went_wrong(opened)
