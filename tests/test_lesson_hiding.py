"""Lesson 3 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import re

import pytest
from lesson_pages import WAIT, choose, expect, gone, has_alt, says

PANEL, CURVES = ".dp-hiding", ".dp-curves"


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("hiding")


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
    choose(lesson, PANEL, "attacker", "stronger: smooth, blurred")
    says(lesson, words, "stronger: smooth, blurred")
    expect(lesson.locator(first).first).not_to_have_attribute("src", before)


def test_a_matched_run_answers_the_prediction_and_any_run_says_whether_it_is_matched(lesson):
    search, prediction = lesson.locator(f"{PANEL} .dp-search"), expect(lesson.locator(".dp-predict"))
    expect(search).to_contain_text(re.compile("^(Equal|Not at equal) accuracy"))
    if search.inner_text().startswith("Equal"):
        prediction.not_to_contain_text("Noted.")
    else:
        prediction.to_contain_text("Noted.")


def test_curves_show_the_papers_points_and_the_readers(lesson):
    lesson.wait_for_selector(f"{CURVES} img.dp-chart[alt*='your runs, record-level']", timeout=WAIT)
    choose(lesson, CURVES, "curves-data", "MNIST digits")
    chart = f"{CURVES} img.dp-chart[alt*='paper A, subclass from 0.91 at 7 to 0.96 at 18.6']"
    lesson.wait_for_selector(chart, timeout=WAIT)
    has_alt(lesson, chart, "subclass-level from")
    assert "your runs" not in lesson.locator(chart).get_attribute("alt")  # these were on faces
    lesson.wait_for_selector(f"{CURVES} img.dp-chart[alt*='k_sub, subclasses a class']", timeout=WAIT)
    choose(lesson, CURVES, "curves-measure", "correlation (scale-free)")
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


def test_a_control_that_does_not_apply_says_why(lesson):
    choose(lesson, PANEL, "unit", "a whole class (person, digit)")
    says(lesson, PANEL, "Only subclasses have a number")
    says(lesson, f"{PANEL} .dp-stale", "What you see is for")
    choose(lesson, PANEL, "unit", "a subclass (a cluster)")
    gone(lesson, f"{PANEL} .dp-stale")
