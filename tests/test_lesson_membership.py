"""Lesson 4 as a reader meets it: a real page in a real browser, with the outside network cut."""

import io

import numpy as np
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

from dpmia_lab.experiments import membership

LESSON = "voila/render/04_were_you_in.ipynb"
QUICK = {"data": "purchases_like", "model": "mlp", "classes": "10", "records": "100", "epochs": "300", "width": "32"}
QUICK |= {"shadows": "2", "inside": "4", "seed": "3"}  # long enough to be watched, short enough to wait for
HOOK, PANEL, RECORD = ".dp-membership-hook", ".dp-membership", ".dp-record"


@pytest.fixture(scope="module")
def lesson(browser, lab_server):
    """One page with one finished run, on which its live words were collected."""
    with new_page(browser) as page:
        open_lesson(page, lab_server.address + LESSON, PANEL, **QUICK)
        page.wait_for_selector(f"{HOOK} .dp-guess", timeout=WAIT)
        page.evaluate(
            """() => { window.heard = [];
              new MutationObserver(() => heard.push(document.querySelector('.dp-live').innerText))
                .observe(document.querySelector('.dp-live'), { subtree: true, childList: true }); }"""
        )
        run_to_end(page, PANEL)
        page.wait_for_selector(f"{RECORD} .dp-gallery", timeout=WAIT)
        yield page


def choose(page, control: str, words: str) -> None:
    page.locator(f"{PANEL} .dp-{control} select").select_option(words)


# ---- a page that was just opened


def test_a_link_restores_the_settings_and_the_address_follows_them(page, lab_server):
    open_lesson(page, lab_server.address + LESSON, PANEL, data="mnist", model="cnn", epochs=7, defence="local", cell=2)
    expect(readout(page, PANEL, "epochs")).to_have_text("7")
    expect(readout(page, PANEL, "cell")).to_have_text("2")
    expect(page.locator(f"{PANEL} .dp-defence select")).to_have_value("local: noise on the data")
    says(page, f"{PANEL} .dp-controls", "This set has its own classes.")
    press(page, PANEL, "epochs", "ArrowLeft")
    page.wait_for_function("location.search.includes('epochs=5')", timeout=WAIT)
    choose(page, "data", "collaborations (graphs)")  # another kind of data brings its model along
    page.wait_for_function("location.search.includes('model=graph') || location.search.includes('preset=graphs')")
    choose(page, "model", "convolutional network")
    says(page, f"{PANEL} .dp-error", "model (for graphs) must be one of graph")


def test_a_bad_link_is_answered_in_one_sentence_and_opens_no_file(page, lab_server):
    open_lesson(page, lab_server.address + LESSON, PANEL, data="/etc/passwd")
    says(page, f"{PANEL} .dp-controls .dp-error", "data must be one of purchases_like")
    says(page, f"{PANEL} .dp-controls .dp-error", "The usual settings are shown.")


# ---- the hook


def test_four_are_named_and_then_the_model_answers(lesson):
    lesson.locator(f"{HOOK} .dp-guess").first.click()
    lesson.locator(f"{HOOK} .dp-ask").click()
    says(lesson, f"{HOOK} .dp-error", "Say of exactly 4 people that they were in; you named 1.")
    for number in (1, 2, 3):
        lesson.locator(f"{HOOK} .dp-guess").nth(number).click()
    lesson.locator(f"{HOOK} .dp-ask").click()
    says(lesson, f"{HOOK} .dp-note", "of 8 right. The attack:")
    expect(lesson.locator(f"{HOOK} .dp-verdict-place >> text=In truth")).to_have_count(8)
    expect(lesson.locator(f"{HOOK} .dp-verdict-place >> text=In truth: in")).to_have_count(4)


# ---- a run


def test_learning_and_leaking_are_shown_while_it_runs_and_numbers_at_its_end(lesson):
    heard = [words for words in lesson.evaluate("heard") if "Epoch" in words]
    assert heard and "tells them apart with AUC" in heard[0]
    has_alt(lesson, f"{PANEL} .dp-run-chart img", "After 300 of 300 epochs", "AUC of a threshold on the loss")
    has_alt(lesson, f"{PANEL} .dp-roc img", "loss AUC", "white box AUC", "black box AUC", "LiRA AUC", "RMIA AUC")
    for words in ("accuracy on new records", "AUC of the best attack", "of members caught at 1 % false alarms"):
        says(lesson, f"{PANEL} .dp-results-numbers", words)
    says(lesson, f"{PANEL} .dp-promise", "Without noise there is no promise")
    expect(lesson.locator(f"{PANEL} .dp-attacks tr")).to_have_count(len(membership.ATTACKS) + 2)
    has_alt(lesson, f"{PANEL} .dp-verdicts img", "called member")
    expect(lesson.locator(f"{PANEL} .dp-protocols")).to_be_hidden()


def test_page_and_python_give_the_same_bits(lesson):
    assert_same_bits_as_python(lesson, PANEL, membership, QUICK)


def test_a_record_is_chosen_and_the_prior_decides_how_sure_one_becomes(lesson):
    expect(lesson.locator(f"{RECORD} .dp-gallery figure")).to_have_count(12)
    has_alt(lesson, f"{RECORD} .dp-record-chart img", "2 models trained with it", "the published model")
    says(lesson, f"{RECORD} .dp-odds", "Starting from 1 in 2")
    press(lesson, RECORD, "prior", "ArrowRight")
    says(lesson, f"{RECORD} .dp-odds", "Starting from 1 in 10")
    before = lesson.locator(f"{RECORD} .dp-record-chart img").get_attribute("alt")
    press(lesson, RECORD, "which", "End")
    says(lesson, f"{RECORD} .dp-odds", "to 1: not in")
    other = "([place, alt]) => document.querySelector(place)?.alt !== alt"
    lesson.wait_for_function(other, arg=[f"{RECORD} .dp-record-chart img", before], timeout=WAIT)


def test_tasks_name_what_is_missing(lesson):
    checks = lesson.locator(".dp-task .dp-check-button")
    for number, words in enumerate(("Not yet.", "is asked for", "no promise to audit")):
        checks.nth(number).click()
        says(lesson, ".dp-task", words)


def test_nonsense_is_answered_in_one_sentence(lesson):
    type_into(lesson, PANEL, "seed", "-5")
    says(lesson, f"{PANEL} .dp-error", "seed must be a whole number from 0")
    type_into(lesson, PANEL, "seed", "3")
    lesson.wait_for_selector(f"{PANEL} .dp-error", state="detached", timeout=WAIT)


def test_a_promise_is_drawn_and_both_kinds_of_outsiders_are_shown(lesson):
    choose(lesson, "data", "Skewed Purchases (paper C)")
    choose(lesson, "defence", "central: noise on gradients")
    says(lesson, f"{PANEL} .dp-stale", "What you see is for")
    press(lesson, PANEL, "inside", "Home")
    lesson.wait_for_function("location.search.includes('inside=0')", timeout=WAIT)  # a click may overtake a slider
    run_to_end(lesson, PANEL)
    has_alt(lesson, f"{PANEL} .dp-roc img", "The promise allows at most")
    says(lesson, f"{PANEL} .dp-promise", "a record (add or remove one; δ =")
    says(lesson, f"{PANEL} .dp-protocols", "Two questions, two numbers.")
    has_alt(lesson, f"{PANEL} .dp-protocols img", "Outsiders as in paper C.")
    says(lesson, f"{RECORD} .dp-odds", "This run trained none")


def test_stop_stops_and_the_earlier_result_is_back(lesson):
    press(lesson, PANEL, "inside", "End")
    lesson.wait_for_function("location.search.includes('inside=128')", timeout=WAIT)  # long enough
    lesson.locator(f"{PANEL} .dp-run-button").click()
    says(lesson, f"{PANEL} .dp-status", "shadow models")
    lesson.locator(f"{PANEL} .dp-stop-button").click()
    says(lesson, f"{PANEL} .dp-status", "stopped")
    says(lesson, f"{PANEL} .dp-live", "candidates were trained on")


def npz(**arrays) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def upload(page, name: str, content: bytes) -> None:
    with page.expect_file_chooser() as chooser:
        page.locator(f"{PANEL} .dp-upload").click()
    chooser.value.set_files({"name": name, "mimeType": "application/zip", "buffer": content})


def test_own_records_are_checked_and_then_attacked(lesson):
    choose(lesson, "data", "your own file…")
    upload(lesson, "broken.npz", b"not a zip")
    says(lesson, f"{PANEL} .dp-error", "broken.npz")
    rng = np.random.default_rng(0)
    upload(lesson, "mine.npz", npz(X=rng.integers(0, 2, (300, 24)), y=rng.integers(0, 3, 300)))
    says(lesson, f"{PANEL} .dp-note", "300 records of 3 classes, bits (24)")
    choose(lesson, "defence", "none")
    press(lesson, PANEL, "epochs", "Home")
    press(lesson, PANEL, "inside", "Home")
    expect(readout(lesson, PANEL, "epochs")).to_have_text("1")
    expect(readout(lesson, PANEL, "inside")).to_have_text("0")
    says(lesson, f"{PANEL} .dp-link", "A link cannot carry your own file.")
    lesson.wait_for_timeout(300)  # a click may overtake a slider, and this address does not follow it
    run_to_end(lesson, PANEL)
    says(lesson, f"{PANEL} .dp-run", "one hidden layer on mine.npz")
    expect(lesson.locator(f"{PANEL} .dp-protocols")).to_be_hidden()


# ---- the page as a whole


def test_every_control_has_a_name_and_every_picture_words(lesson):
    assert_everything_has_a_name(lesson)


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_its_window_and_nothing_complained(lesson, width):
    assert_fits(lesson, width)
    expect(lesson.locator(".dp-trouble")).to_have_text("")
    assert lesson.complaints == []
