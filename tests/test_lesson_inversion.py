"""Lesson 1 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import json
import signal

import numpy as np
import pytest
from conftest import NOTEBOOKS, kernels_of
from lesson_pages import (
    WAIT,
    address_has,
    choose,
    downloaded,
    expect,
    gone,
    has_chart,
    npz,
    open_lesson,
    press,
    run_to_end,
    says,
    upload,
)
from lessons import LESSONS
from PIL import Image

LESSON = "voila/render/01_model_inversion.ipynb"
PANEL = ".dp-inversion"
DRAWN = "panel => [...document.querySelectorAll(panel + ' .dp-faces img')].map(e => e.src).join()"


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("inversion")


# ---- a page that was just opened


def test_the_face_of_the_hook_is_drawn_here_and_is_one_of_four(page, lab_server):
    page.goto(f"{lab_server.address}{LESSON}")
    says(page, ".dp-hook-picture", "Drawn on this page")
    page.wait_for_selector(".dp-suspect", timeout=WAIT)
    answers = [""]
    for suspect in page.locator(".dp-suspect").all():
        suspect.click()
        new = "before => document.querySelector('.dp-hook-answer').innerText !== before"
        page.wait_for_function(new, arg=answers[-1], timeout=WAIT)
        answers.append(page.locator(".dp-hook-answer").inner_text())
    assert sum(answer.startswith("Yes") for answer in answers) == 1
    assert all(answer.startswith(("Yes", "No, that is person")) for answer in answers[1:])


def test_a_killed_engine_is_reported_and_finished_results_survive(page, open_lab):
    lab = open_lab(NOTEBOOKS)
    open_lesson(page, lab.address + LESSON, PANEL, **LESSONS["inversion"].quick)
    run_to_end(page, PANEL)
    for kernel in kernels_of(lab):
        kernel.send_signal(signal.SIGKILL)
    says(page, "#lab-notice", "has ended")
    page.locator("#lab-notice button").click()
    page.wait_for_selector(f"{PANEL} .dp-run-button", timeout=WAIT)
    page.locator(f"{PANEL} .dp-run-button").click()
    says(page, f"{PANEL} .dp-status", "recalled")


def test_a_prediction_is_answered_and_a_kept_run_comes_back(page, lab_server):
    open_lesson(page, lab_server.address + LESSON, PANEL, steps=20, height=28)
    page.locator(".dp-predict button").nth(0).click()
    says(page, ".dp-predict", "Noted.")
    run_to_end(page, PANEL)
    says(page, ".dp-predict", "where guessing gives 1")
    page.locator(f"{PANEL} .dp-keep input").check()
    page.wait_for_selector("[data-lab-kept*=steps]", state="attached", timeout=WAIT)
    page.wait_for_function("Object.values(localStorage).some(kept => kept.includes('steps'))", timeout=WAIT)
    open_lesson(page, lab_server.address + LESSON, PANEL)
    says(page, f"{PANEL} .dp-runs", "kept; computed before")


def test_the_landing_page_leads_to_the_lessons(page, lab_server):
    page.goto(lab_server.address)
    says(page, ".dp-hardware", "Found:")
    expect(page.locator(".dp-lessons a")).to_have_count(len(LESSONS))
    expect(page.locator(".dp-lessons a").first).to_have_attribute("href", "01_model_inversion.ipynb")


def test_faces_follow_a_slider(page, lab_server):
    """And however many values it passes, there is one run."""
    open_lesson(page, lab_server.address + LESSON, PANEL)
    before = page.evaluate(DRAWN, PANEL)
    press(page, PANEL, "people", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    page.wait_for_function(f"([panel, before]) => ({DRAWN})(panel) !== before", arg=[PANEL, before], timeout=WAIT)
    expect(page.locator(f"{PANEL} .dp-stop-button")).to_be_disabled()
    expect(page.locator(f"{PANEL} .dp-run")).to_have_count(1)


# ---- a page with a finished run


def test_a_run_shows_pictures_numbers_and_a_chart(lesson):
    for words in ("of 5", "a black picture"):
        says(lesson, f"{PANEL} .dp-results-numbers", words)
    expect(lesson.locator(f"{PANEL} figure")).to_have_count(5)
    has_chart(lesson, PANEL, "drawn by the attack", "random noise")


def test_exports_are_whole_files(lesson):
    with open(downloaded(lesson, PANEL, "dpmia_lab_run_1.json"), encoding="utf-8") as file:
        assert json.load(file)["steps"] == 20
    for name in ("dpmia_lab_pictures.png", "dpmia_lab_chart.png"):
        with Image.open(downloaded(lesson, PANEL, name)) as picture:
            picture.load()
            assert picture.width > 500


def test_the_time_lapse_follows_the_key(lesson):
    lesson.locator(f"{PANEL} .dp-lapse .dp-fold-button").click()
    for key in ("Home", "End"):
        before = lesson.evaluate(DRAWN, PANEL)
        press(lesson, PANEL, "frame", key)
        lesson.wait_for_function(f"([panel, before]) => ({DRAWN})(panel) !== before", arg=[PANEL, before], timeout=WAIT)


def test_larger_pictures_take_no_more_room_and_their_button_stays_where_it_is(lesson):
    """Also with one's finger on it: what is pressed again and again must not move away (two pixels of rounding)."""
    button, picture = lesson.locator(f"{PANEL} .dp-larger"), lesson.locator(f"{PANEL} .dp-pair img").first
    button.scroll_into_view_if_needed()
    place, before = button.bounding_box(), picture.bounding_box()["width"]
    for words, larger in (("Smaller pictures", True), ("Larger pictures", False)):
        button.click()
        expect(button).to_have_text(words)
        wide = f"document.querySelector('{PANEL} .dp-pair img').getBoundingClientRect().width > {1.5 * before}"
        lesson.wait_for_function(wide if larger else f"!({wide})", timeout=WAIT)
        assert abs(button.bounding_box()["y"] - place["y"]) <= 2
    how = "getComputedStyle(document.querySelector('.dp-pair img')).imageRendering"
    assert lesson.evaluate(how) == "pixelated"


def test_the_comparison_stands_beside_the_paper_and_runs_live(lesson):
    comparison = lesson.locator(".dp-comparison")
    comparison.locator(".dp-plot svg").wait_for(timeout=WAIT)
    comparison.locator("select").first.select_option("MNIST digits, CNN")
    comparison.locator(".dp-details .dp-fold-button").nth(1).click()
    says(lesson, ".dp-comparison", "5.93")  # Table I, digit 0
    comparison.locator(".dp-run-button").click()
    lesson.wait_for_selector(".dp-comparison .dp-strip img", timeout=WAIT)
    comparison.locator(".dp-stop-button").click()
    says(lesson, ".dp-comparison .dp-status", "stopped")


def test_tasks_name_what_is_missing(lesson):
    checks = lesson.locator(".dp-task .dp-check-button")
    checks.nth(0).click()
    says(lesson, ".dp-task >> nth=0", "40 people, softmax regression; your runs are not")
    for task in (1, 2):
        checks.nth(task).click()
        says(lesson, f".dp-task >> nth={task}", "Not yet.")


def test_a_moved_control_marks_the_result_as_stale(lesson):
    press(lesson, PANEL, "rate", "ArrowRight")
    says(lesson, f"{PANEL} .dp-stale", "What you see is for η, size of a step = 0.01")
    press(lesson, PANEL, "rate", "ArrowLeft")
    gone(lesson, f"{PANEL} .dp-stale")


def test_runs_are_compared_and_removed(lesson):
    press(lesson, PANEL, "rate", "ArrowRight")
    address_has(lesson, "rate")
    run_to_end(lesson, PANEL)
    for box in lesson.locator(f"{PANEL} .dp-compare input").all():
        box.check()
    lesson.wait_for_function("document.querySelectorAll('.dp-compared .dp-strip').length === 2", timeout=WAIT)
    lesson.locator(f"{PANEL} .dp-run button").first.click()
    lesson.wait_for_function("document.querySelectorAll('.dp-run').length === 1", timeout=WAIT)


def test_stop_is_obeyed_and_a_new_run_can_start(lesson):
    press(lesson, PANEL, "steps", "End")
    address_has(lesson, "steps=5000")  # long enough
    for _ in range(2):
        lesson.locator(f"{PANEL} .dp-run-button").click()
        says(lesson, f"{PANEL} .dp-status", "attacking")
        lesson.locator(f"{PANEL} .dp-stop-button").click()
        says(lesson, f"{PANEL} .dp-status", "stopped")
    says(lesson, f"{PANEL} .dp-stale", "What you see is for T, steps")  # the earlier result is back, and marked
    press(lesson, PANEL, "steps", "Home")


def test_own_pictures_are_checked_and_then_attacked(lesson):
    choose(lesson, PANEL, "data", "your own file…")
    upload(lesson, PANEL, "broken.npz", b"not a zip")
    says(lesson, f"{PANEL} .dp-error", "broken.npz")
    rng = np.random.default_rng(0)
    x = np.clip(np.repeat(rng.random((4, 16, 16)), 8, axis=0) + 0.1 * rng.random((32, 16, 16)), 0, 1)
    upload(lesson, PANEL, "mine.npz", npz(X=x, y=np.repeat(np.arange(4), 8)))
    says(lesson, f"{PANEL} .dp-note", "32 pictures of 4 classes")
    run_to_end(lesson, PANEL)
    expect(lesson.locator(f"{PANEL} figure")).to_have_count(4)
    upload(lesson, PANEL, "broken.npz", b"not a zip")
    says(lesson, f"{PANEL} .dp-error", "broken.npz")
    lesson.locator(f"{PANEL} .dp-run-button").click()  # a refused file leaves no earlier one in its place
    says(lesson, f"{PANEL} .dp-error", "none is chosen yet")
    upload(lesson, PANEL, "large.npz", bytes(21 * 2**20))
    says(lesson, f"{PANEL} .dp-error", "large.npz must have at most 20 MB; it has 21 MB.")
