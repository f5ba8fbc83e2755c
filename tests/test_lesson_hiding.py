"""Lesson 3 as a reader meets it: a real page in a real browser, with the outside network cut."""

import re

import pytest
from conftest import new_page
from lesson_pages import (
    WAIT,
    assert_everything_has_a_name,
    assert_fits,
    assert_same_bits_as_python,
    expect,
    has_alt,
    open_lesson,
    press,
    readout,
    run_to_end,
    says,
    type_into,
)

from dpmia_lab.experiments import hiding

LESSON = "voila/render/03_hiding_a_class.ipynb"
# Few people, few steps: a whole run in a few seconds.
QUICK = {
    "people": "10",
    "unit": "subclass",
    "k_sub": "2",
    "accuracy": "0.5",
    "steps": "15",
    "longest": "5",
    "seed": "3",
}
PANEL, CURVES = ".dp-hiding", ".dp-curves"


@pytest.fixture(scope="module")
def lesson(browser, lab_server):
    """One page with one finished run, its prediction made before."""
    with new_page(browser) as page:
        open_lesson(page, lab_server.address + LESSON, PANEL, **QUICK)
        page.wait_for_selector(".dp-digit", timeout=WAIT)
        page.locator(".dp-predict button").nth(2).click()
        says(page, ".dp-predict", "Noted.")
        run_to_end(page, PANEL)
        yield page


# ---- a page that was just opened


def test_the_page_answers_and_then_draws_a_digit_by_itself(page, lab_server):
    page.goto(f"{lab_server.address}{LESSON}")
    page.locator(f"{PANEL} .dp-clip [role=slider]").wait_for(timeout=WAIT)
    press(page, PANEL, "clip", "ArrowRight")
    page.wait_for_function("document.querySelector('[data-lab-link]').dataset.labLink.includes('clip')", timeout=WAIT)
    page.wait_for_selector(".dp-digit", timeout=WAIT)


def test_a_bad_link_is_answered_in_one_sentence(page, lab_server):
    open_lesson(page, lab_server.address + LESSON, PANEL, unit="family")
    says(page, f"{PANEL} .dp-controls .dp-error", "unit must be one of class, subclass")
    says(page, f"{PANEL} .dp-controls .dp-error", "The usual settings are shown.")


# ---- a page with a finished run


def test_the_digit_in_question_can_be_named(lesson):
    says(lesson, ".dp-hook", "for a record (replace one; δ = 0.0001; moments accountant")
    lesson.locator(".dp-digit").nth(8).click()
    says(lesson, ".dp-hook-answer", "Not a 8")
    lesson.locator(".dp-digit").nth(3).click()
    says(lesson, ".dp-hook-answer", "Yes, the 3.")
    expect(lesson.locator(".dp-ten img")).to_have_count(10)


def test_a_run_shows_the_same_classes_under_every_model(lesson):
    rows = lesson.locator(f"{PANEL} .dp-model-rows .dp-model-row")
    expect(rows).to_have_count(5)
    for row in rows.all():
        expect(row.locator("img")).to_have_count(10)
    expect(rows.nth(3).locator("img").first).to_have_attribute("alt", "subclass-level, number 1")
    expect(lesson.locator(f"{PANEL} .dp-models tbody tr")).to_have_count(4 + 4)
    expect(lesson.locator(".dp-trouble")).to_have_text("")
    assert lesson.complaints == []


def test_every_promise_says_what_it_is_for(lesson):
    table = lesson.locator(f"{PANEL} .dp-models")
    for model, promise in (
        ("record", "for a record (replace one; δ = 0.01; tight accountant, PLD)"),
        ("unit", "for a subclass (replace one; δ = 0.01; tight accountant, PLD)"),
        ("vanilla", "no promise"),
    ):
        expect(table.locator(f".dp-model-{model}")).to_contain_text(promise)


def test_the_attacker_can_be_changed(lesson):
    words = f"{PANEL} .dp-results-numbers"
    says(lesson, words, "enhanced (paper A, lesson 1)")
    first = f"{PANEL} .dp-row-record img"
    before = lesson.locator(first).first.get_attribute("src")
    lesson.locator(f"{PANEL} .dp-attacker select").select_option("stronger: smooth, blurred")
    says(lesson, words, "stronger: smooth, blurred")
    expect(lesson.locator(first).first).not_to_have_attribute("src", before)


def test_a_matched_run_answers_the_prediction_and_any_run_says_whether_it_is_matched(lesson):
    search, prediction = lesson.locator(f"{PANEL} .dp-search"), expect(lesson.locator(".dp-predict"))
    expect(search).to_contain_text(re.compile("^(Equal|Not at equal) accuracy"))
    if search.inner_text().startswith("Equal"):
        prediction.not_to_contain_text("Noted.")
    else:
        prediction.to_contain_text("Noted.")


def test_page_and_python_give_the_same_bits(lesson):
    assert_same_bits_as_python(lesson, PANEL, hiding, QUICK)


def test_curves_show_the_papers_points_and_the_readers(lesson):
    lesson.wait_for_selector(f"{CURVES} img.dp-chart[alt*='your runs, record-level']", timeout=WAIT)
    lesson.locator(f"{CURVES} .dp-curves-data select").select_option("MNIST digits")
    chart = f"{CURVES} img.dp-chart[alt*='paper A, subclass from 0.91 at 7 to 0.96 at 18.6']"
    lesson.wait_for_selector(chart, timeout=WAIT)
    has_alt(lesson, chart, "subclass-level from")
    assert "your runs" not in lesson.locator(chart).get_attribute("alt")  # these were on faces
    lesson.wait_for_selector(f"{CURVES} img.dp-chart[alt*='k_sub, subclasses a class']", timeout=WAIT)
    lesson.locator(f"{CURVES} .dp-curves-measure select").select_option("correlation (scale-free)")
    lesson.wait_for_selector(f"{CURVES} img.dp-chart[alt*='correlation, higher']", timeout=WAIT)


def test_a_sweep_can_be_started_and_stopped(lesson):
    lesson.locator(f"{CURVES} .dp-run-button").click()
    says(lesson, f"{CURVES} .dp-status", "σ =")
    lesson.locator(f"{CURVES} .dp-stop-button").click()
    says(lesson, f"{CURVES} .dp-status", "stopped")


def test_tasks_name_what_is_missing(lesson):
    for i, words in enumerate(("Not yet.", "Not yet.", "Two runs are needed")):
        task = lesson.locator(".dp-task").nth(i)
        task.locator(".dp-check-button").click()
        task.locator(f"text={words}").first.wait_for(timeout=WAIT)


def test_every_control_has_a_name_and_every_picture_words(lesson):
    assert_everything_has_a_name(lesson)


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_its_window(lesson, width):
    assert_fits(lesson, width)


def test_a_control_that_does_not_apply_says_why(lesson):
    lesson.locator(f"{PANEL} .dp-unit select").select_option("a whole class (person, digit)")
    says(lesson, PANEL, "Only subclasses have a number")
    says(lesson, f"{PANEL} .dp-stale", "What you see is for")
    lesson.locator(f"{PANEL} .dp-unit select").select_option("a subclass (a cluster)")
    lesson.wait_for_selector(f"{PANEL} .dp-stale", state="detached", timeout=WAIT)


def test_stop_is_obeyed_and_the_earlier_result_comes_back(lesson):
    press(lesson, PANEL, "steps", "End")
    lesson.wait_for_function("location.search.includes('steps=600')", timeout=WAIT)  # long enough
    lesson.locator(f"{PANEL} .dp-run-button").click()
    says(lesson, ".dp-tries", "looking for σ")
    lesson.locator(f"{PANEL} .dp-stop-button").click()
    says(lesson, f"{PANEL} .dp-status", "stopped")
    says(lesson, f"{PANEL} .dp-stale", "What you see is for T, steps = 15")
    press(lesson, PANEL, "steps", "Home")


def test_nonsense_in_a_field_is_answered_and_nothing_runs(lesson):
    type_into(lesson, PANEL, "seed", "-5")
    says(lesson, f"{PANEL} .dp-error", "seed must be a whole number")
    lesson.locator(f"{PANEL} .dp-run-button").click()
    lesson.wait_for_timeout(300)
    expect(lesson.locator(f"{PANEL} .dp-stop-button")).to_be_disabled()


def test_a_link_restores_the_settings(lesson, lab_server):
    """Last: it leaves the page of the finished run."""
    settings = {"accuracy": 0.7, "unit": "subclass", "k_sub": 20, "clip": 3.0, "neighbours": "add-remove"}
    open_lesson(lesson, lab_server.address + LESSON, PANEL, **settings)
    expect(readout(lesson, PANEL, "accuracy")).to_have_text("0.7")
    expect(readout(lesson, PANEL, "k_sub")).to_have_text("20")
    press(lesson, PANEL, "clip", "ArrowLeft")
    lesson.wait_for_function("!location.search.includes('clip')", timeout=WAIT)  # 1, as usual
    lesson.reload()
    lesson.wait_for_selector(f"{PANEL} .dp-run-button", timeout=WAIT)
    expect(readout(lesson, PANEL, "clip")).to_have_text("1")
