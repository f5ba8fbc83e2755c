"""Lesson 1 as a reader meets it: a real page in a real browser, with the outside network cut."""

import io
import json
import signal
import statistics
import time

import numpy as np
import psutil
import pytest
from conftest import NOTEBOOKS, new_page
from lesson_pages import (
    WAIT,
    assert_everything_has_a_name,
    assert_fits,
    assert_same_bits_as_python,
    downloaded,
    expect,
    has_alt,
    open_lesson,
    press,
    readout,
    run_to_end,
    says,
    type_into,
)
from PIL import Image

from dpmia_lab.experiments import inversion

LESSON = "voila/render/01_model_inversion.ipynb"
QUICK = {"people": "5", "steps": "20", "seed": "3"}  # a whole run in a few seconds
PANEL = ".dp-inversion"


@pytest.fixture(scope="module")
def lesson(browser, lab_server):
    """One page with one finished run, for the tests that need no page of their own."""
    with new_page(browser) as page:
        open_lesson(page, lab_server.address + LESSON, PANEL, **QUICK)
        page.wait_for_selector(".dp-suspect", timeout=WAIT)
        run_to_end(page, PANEL)
        yield page


# ---- a page that was just opened


def first_answer(page, lab) -> float:
    """Seconds from opening the page until Python has answered a key pressed on a slider."""
    start = time.monotonic()
    page.goto(f"{lab.address}{LESSON}")
    page.locator(f"{PANEL} .dp-lam [role=slider]").wait_for(timeout=WAIT)
    press(page, PANEL, "lam", "ArrowRight")
    page.wait_for_function("document.querySelector('[data-lab-link]').dataset.labLink.includes('lam')", timeout=WAIT)
    return time.monotonic() - start


@pytest.mark.timed
def test_the_first_answer_comes_within_four_seconds(page, lab_server):
    waits = []
    while not waits or (waits[-1] > 4 and len(waits) < 3):  # a busy machine gets three tries
        waits.append(first_answer(page, lab_server))
    assert min(waits) <= 4, waits


@pytest.mark.timed
def test_a_face_appears_by_itself_and_can_be_recognised(page, lab_server):
    waits = []
    while not waits or (waits[-1] > 10 and len(waits) < 3):
        start = time.monotonic()
        open_lesson(page, lab_server.address + LESSON, PANEL)
        says(page, ".dp-hook-picture", "step")
        waits.append(time.monotonic() - start)
    assert min(waits) <= 10, waits
    page.wait_for_selector(".dp-suspect", timeout=WAIT)
    answers = [""]
    for suspect in page.locator(".dp-suspect").all():
        suspect.click()
        new = "before => document.querySelector('.dp-hook-answer').innerText !== before"
        page.wait_for_function(new, arg=answers[-1], timeout=WAIT)
        answers.append(page.locator(".dp-hook-answer").inner_text())
    assert sum(answer.startswith("Yes") for answer in answers) == 1
    assert all(answer.startswith(("Yes", "No, that is person")) for answer in answers[1:])


def test_a_link_restores_the_settings_and_the_address_follows_them(page, lab_server):
    open_lesson(page, lab_server.address + LESSON, PANEL, lam=0.001, seed=7, prior="l1", box="false")
    expect(readout(page, PANEL, "lam")).to_have_text("0.001")
    expect(page.locator(f"{PANEL} .dp-seed input")).to_have_value("7")
    expect(page.locator(f"{PANEL} .dp-box input")).not_to_be_checked()
    press(page, PANEL, "lam", "ArrowLeft")
    page.wait_for_function("location.search.includes('lam=0.0001')", timeout=WAIT)
    page.reload()
    page.wait_for_selector(f"{PANEL} .dp-run-button", timeout=WAIT)
    expect(readout(page, PANEL, "lam")).to_have_text("1e-4")


def test_a_bad_link_is_answered_in_one_sentence_and_opens_no_file(page, lab_server):
    open_lesson(page, lab_server.address + LESSON, PANEL, data="/etc/passwd")
    says(page, f"{PANEL} .dp-controls .dp-error", "data must be one of faces")
    says(page, f"{PANEL} .dp-controls .dp-error", "The usual settings are shown.")


def kernels_of(lab) -> list[psutil.Process]:
    children = psutil.Process(lab.process.pid).children(recursive=True)
    return [child for child in children if "ipykernel" in " ".join(child.cmdline())]


def test_a_killed_engine_is_reported_and_finished_results_survive(page, open_lab):
    lab = open_lab(NOTEBOOKS)
    open_lesson(page, lab.address + LESSON, PANEL, **QUICK)
    run_to_end(page, PANEL)
    for kernel in kernels_of(lab):
        kernel.send_signal(signal.SIGKILL)
    says(page, "#lab-dead", "has ended")
    page.locator("#lab-dead button").click()
    page.wait_for_selector(f"{PANEL} .dp-run-button", timeout=WAIT)
    page.locator(f"{PANEL} .dp-run-button").click()
    says(page, f"{PANEL} .dp-status", "recalled")


def test_a_prediction_is_answered_and_a_kept_run_comes_back(page, lab_server):
    open_lesson(page, lab_server.address + LESSON, PANEL, steps=20, height=28)
    page.locator(".dp-predict button").nth(0).click()
    says(page, ".dp-predict", "Noted.")
    run_to_end(page, PANEL)
    says(page, ".dp-predict", "of 40, where guessing gives 1")
    page.locator(f"{PANEL} .dp-keep input").check()
    page.wait_for_selector("[data-lab-kept*=steps]", state="attached", timeout=WAIT)
    page.wait_for_timeout(300)
    open_lesson(page, lab_server.address + LESSON, PANEL)
    says(page, f"{PANEL} .dp-runs", "kept; computed before")


def test_the_landing_page_leads_to_the_lessons(page, lab_server):
    page.goto(lab_server.address)
    says(page, ".dp-hardware", "Found:")
    expect(page.locator(".dp-lessons a")).to_have_count(6)
    expect(page.locator(".dp-lessons a").first).to_have_attribute("href", "01_model_inversion.ipynb")


# ---- a page with a finished run


def test_a_run_shows_pictures_numbers_and_a_chart(lesson):
    for words in ("of 5", "a black picture"):
        says(lesson, f"{PANEL} .dp-results-numbers", words)
    expect(lesson.locator(f"{PANEL} figure")).to_have_count(5)
    has_alt(lesson, f"{PANEL} img.dp-chart", "drawn by the attack", "random noise")
    expect(lesson.locator(".dp-trouble")).to_have_text("")
    assert lesson.complaints == []


def test_page_and_python_give_the_same_bits(lesson):
    assert_same_bits_as_python(lesson, PANEL, inversion, QUICK)


def test_exports_are_whole_files(lesson):
    with open(downloaded(lesson, PANEL, "dpmia_lab_run_1.json"), encoding="utf-8") as file:
        assert json.load(file)["steps"] == 20
    for name in ("dpmia_lab_pictures.png", "dpmia_lab_chart.png"):
        with Image.open(downloaded(lesson, PANEL, name)) as picture:
            picture.load()
            assert picture.width > 500


@pytest.mark.timed
def test_the_time_lapse_follows_the_key_within_100_ms(lesson):
    lesson.evaluate(
        """panel => {
          window.waits = [];
          let pressed = null;
          document.addEventListener('keydown', () => { pressed = performance.now(); }, true);
          new MutationObserver(() => requestAnimationFrame(() => {
            if (pressed !== null) { waits.push(performance.now() - pressed); pressed = null; }
          })).observe(document.querySelector(panel + ' .dp-faces'), { subtree: true, childList: true });
        }""",
        PANEL,
    )
    for _ in range(9):
        press(lesson, PANEL, "frame", "ArrowLeft")
        lesson.wait_for_timeout(200)
    waits = lesson.evaluate("waits")
    assert len(waits) >= 7
    assert statistics.median(waits) <= 100, waits


def test_every_control_has_a_name_and_every_picture_words(lesson):
    assert_everything_has_a_name(lesson)


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_the_page_fits_its_window(lesson, width):
    assert_fits(lesson, width)


def test_pictures_grow_by_whole_pixels(lesson):
    before = lesson.locator(f"{PANEL} .dp-pair img").first.bounding_box()["width"]
    press(lesson, PANEL, "zoom", "ArrowRight")
    lesson.wait_for_function(
        f"document.querySelector('{PANEL} .dp-pair img').getBoundingClientRect().width > {1.5 * before}", timeout=WAIT
    )
    how = "getComputedStyle(document.querySelector('.dp-pair img')).imageRendering"
    assert lesson.evaluate(how) == "pixelated"


def test_the_comparison_stands_beside_the_paper_and_runs_live(lesson):
    comparison = lesson.locator(".dp-comparison")
    comparison.locator("img.dp-chart").wait_for(timeout=WAIT)
    comparison.locator("select").first.select_option("MNIST digits, CNN")
    says(lesson, ".dp-comparison", "5.93")  # Table I, digit 0
    comparison.locator(".dp-run-button").click()
    lesson.wait_for_selector(".dp-comparison .dp-strip img", timeout=WAIT)
    comparison.locator(".dp-stop-button").click()
    says(lesson, ".dp-comparison .dp-status", "stopped")


def test_tasks_name_what_is_missing(lesson):
    checks = lesson.locator(".dp-task .dp-check-button")
    checks.nth(0).click()
    says(lesson, ".dp-task", "your last run is not")
    checks.nth(1).click()
    says(lesson, ".dp-task", "Run the attack on MNIST digits first")
    checks.nth(2).click()
    says(lesson, ".dp-task", "Not yet.")


def test_a_moved_control_marks_the_result_as_stale(lesson):
    press(lesson, PANEL, "rate", "ArrowRight")
    says(lesson, f"{PANEL} .dp-stale", "What you see is for η, size of a step = 0.01")
    press(lesson, PANEL, "rate", "ArrowLeft")
    lesson.wait_for_selector(f"{PANEL} .dp-stale", state="detached", timeout=WAIT)


def test_nonsense_in_a_field_is_answered_and_nothing_runs(lesson):
    type_into(lesson, PANEL, "seed", "-5")
    says(lesson, f"{PANEL} .dp-error", "seed must be a whole number")
    lesson.locator(f"{PANEL} .dp-run-button").click()
    lesson.wait_for_timeout(300)
    expect(lesson.locator(f"{PANEL} .dp-stop-button")).to_be_disabled()
    type_into(lesson, PANEL, "seed", "3")
    lesson.wait_for_selector(f"{PANEL} .dp-error", state="detached", timeout=WAIT)


def test_runs_are_compared_and_removed(lesson):
    press(lesson, PANEL, "rate", "ArrowRight")
    lesson.wait_for_function("location.search.includes('rate')", timeout=WAIT)  # a click may overtake a slider
    run_to_end(lesson, PANEL)
    for box in lesson.locator(f"{PANEL} .dp-compare input").all():
        box.check()
    lesson.wait_for_function("document.querySelectorAll('.dp-compared .dp-strip').length === 2", timeout=WAIT)
    lesson.locator(f"{PANEL} .dp-run button").first.click()
    lesson.wait_for_function("document.querySelectorAll('.dp-run').length === 1", timeout=WAIT)


@pytest.mark.timed
def test_stop_is_obeyed_within_300_ms_and_a_new_run_can_start(lesson):
    press(lesson, PANEL, "steps", "End")
    lesson.wait_for_function("location.search.includes('steps=5000')", timeout=WAIT)  # long enough
    lesson.evaluate(
        """panel => {
          window.seen = {};
          new MutationObserver(() => {
            const words = document.querySelector(panel + ' .dp-status').textContent;
            if (words.includes('stopped') && seen.click) seen.stopped ??= performance.now();
          }).observe(document.body, { subtree: true, childList: true, characterData: true });
          document.querySelector(panel + ' .dp-stop-button')
            .addEventListener('click', () => { seen.click = performance.now(); }, true);
        }""",
        PANEL,
    )
    waits = []
    for _ in range(3):
        lesson.locator(f"{PANEL} .dp-run-button").click()
        says(lesson, f"{PANEL} .dp-status", "attacking")
        lesson.evaluate("() => { seen = {}; }")
        lesson.locator(f"{PANEL} .dp-stop-button").click()
        lesson.wait_for_function("seen.stopped", timeout=WAIT)
        waits.append(lesson.evaluate("seen.stopped - seen.click"))
    assert statistics.median(waits) <= 300, waits
    says(lesson, f"{PANEL} .dp-stale", "What you see is for T, steps")  # the earlier result is back, and marked
    press(lesson, PANEL, "steps", "Home")


def npz(**arrays) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def upload(page, name: str, content: bytes) -> None:
    with page.expect_file_chooser() as chooser:
        page.locator(f"{PANEL} .dp-upload").click()
    chooser.value.set_files({"name": name, "mimeType": "application/zip", "buffer": content})


def test_own_pictures_are_checked_and_then_attacked(lesson):
    lesson.locator(f"{PANEL} .dp-data select").select_option("your own file…")
    upload(lesson, "broken.npz", b"not a zip")
    says(lesson, f"{PANEL} .dp-error", "broken.npz")
    rng = np.random.default_rng(0)
    x = np.clip(np.repeat(rng.random((4, 16, 16)), 8, axis=0) + 0.1 * rng.random((32, 16, 16)), 0, 1)
    upload(lesson, "mine.npz", npz(X=x, y=np.repeat(np.arange(4), 8)))
    says(lesson, f"{PANEL} .dp-note", "32 pictures of 4 classes")
    run_to_end(lesson, PANEL)
    expect(lesson.locator(f"{PANEL} figure")).to_have_count(4)
    upload(lesson, "broken.npz", b"not a zip")
    says(lesson, f"{PANEL} .dp-error", "broken.npz")
    lesson.locator(f"{PANEL} .dp-run-button").click()  # a refused file leaves no earlier one in its place
    says(lesson, f"{PANEL} .dp-error", "none is chosen yet")
    upload(lesson, "large.npz", bytes(21 * 2**20))
    says(lesson, f"{PANEL} .dp-error", "large.npz must have at most 20 MB; it has 21 MB.")
