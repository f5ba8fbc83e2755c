"""Lesson 3 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import re

import pytest
from lesson_pages import WAIT, choose, expect, gone, has_chart, says

PANEL, CURVES = ".dp-hiding", ".dp-curves"


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("hiding")


def test_snow_comes_first_and_the_better_attacker_when_asked(lesson):
    drawn = lesson.locator(".dp-hook .dp-model-row img")
    expect(drawn).to_have_count(10)
    height = lesson.locator(".dp-hook").bounding_box()["height"]
    lesson.locator(".dp-reveal-button").click()
    expect(drawn).to_have_count(20)
    says(lesson, ".dp-hook-answer", "Same model, same weights.")
    assert lesson.locator(".dp-hook").bounding_box()["height"] == pytest.approx(height, abs=2)  # nothing moved


def test_as_published_every_model_stands_beside_every_attacker(lesson):
    pictures = lesson.locator(".dp-as-published .dp-matrix img")
    expect(pictures).to_have_count(5 * 4)
    before = pictures.first.get_attribute("src")
    lesson.locator(".dp-published-digit [role=slider]").press("ArrowLeft")
    expect(pictures.first).not_to_have_attribute("src", before)
    says(lesson, ".dp-as-published", "They do not survive a better attacker.")


def test_a_run_shows_the_same_classes_under_every_model_by_both_attackers(lesson):
    for attacker in ("paper", "stronger"):
        rows = lesson.locator(f"{PANEL} .dp-by-{attacker} .dp-model-row")
        expect(rows).to_have_count(5)
        for row in rows.all():
            expect(row.locator("img")).to_have_count(10)
    expect(rows.nth(3).locator("img").first).to_have_attribute("alt", "subclass-level, number 1")
    expect(lesson.locator(f"{PANEL} .dp-models tbody tr")).to_have_count(4 + 1)
    pictures = [lesson.locator(f"{PANEL} .dp-by-{who} .dp-row-record img").first for who in ("paper", "stronger")]
    assert pictures[0].get_attribute("src") != pictures[1].get_attribute("src")
    for words in ("enhanced attack (this lab's settings)", "stronger attacker (smooth, blurred)"):
        says(lesson, f"{PANEL} .dp-who", words)


def test_every_promise_says_what_it_is_for(lesson):
    table = lesson.locator(f"{PANEL} .dp-models")
    for model, promise in (
        ("record", "for a record (replace one; δ = 0.01; tight accountant, PLD)"),
        ("unit", "for a subclass (replace one; δ = 0.01; tight accountant, PLD)"),
        ("vanilla", "no promise"),
    ):
        expect(table.locator(f".dp-model-{model}")).to_contain_text(promise)


def test_class_by_class_begins_with_the_correlation(lesson):
    fold = lesson.locator(f"{PANEL} .dp-fold", has_text="class by class").last
    fold.locator(".dp-fold-button").click()
    expect(fold.locator("select")).to_have_value(re.compile("correlation|0"))
    expect(fold.locator("svg[aria-label*='correlation']")).to_have_count(2)  # an attacker each


def test_a_matched_run_answers_the_prediction_and_any_run_says_whether_it_is_matched(lesson):
    search, prediction = lesson.locator(f"{PANEL} .dp-search"), expect(lesson.locator(".dp-predict"))
    expect(search).to_contain_text(re.compile("^(Equal|Not at equal) accuracy"))
    if search.inner_text().startswith("Equal"):
        prediction.not_to_contain_text("Noted.")
    else:
        prediction.to_contain_text("Noted.")


def test_curves_show_both_attackers_the_papers_points_and_the_readers(lesson):
    for fold in lesson.locator(f"{CURVES} .dp-details .dp-fold-button").all():
        fold.click()
    has_chart(lesson, CURVES, "correlation, enhanced attack", "correlation, stronger attacker", "your runs, record")
    choose(lesson, CURVES, "curves-data", "MNIST digits")
    has_chart(lesson, CURVES, "paper A, subclass from 0.91 at 7 to 0.96 at 18.6", "subclass-level from")
    assert lesson.locator(f"{CURVES} svg[aria-label*='your runs']").count() == 0  # these were on faces
    has_chart(lesson, CURVES, "k_sub, subclasses a class")
    choose(lesson, CURVES, "curves-measure", "1 − SSIM (structure)")
    has_chart(lesson, CURVES, "1 − SSIM, stronger attacker")
    says(lesson, f"{CURVES} .dp-ranks", "(may be chance)")


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
