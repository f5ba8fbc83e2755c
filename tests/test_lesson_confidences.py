"""Lesson 8 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import re

import numpy as np
import pytest
from lesson_pages import (
    choose,
    expect,
    has_chart,
    move_to,
    npz,
    open_settings,
    press,
    readout,
    run_to_end,
    says,
    upload,
)

HOOK, PANEL, UPDATES, CURVES = ".dp-face-hook", ".dp-confidences", ".dp-update-leaks", ".dp-confidence-curves"


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("confidences")


def first_face(page, row: int) -> str:
    return page.locator(f"{PANEL} .dp-faces-row").nth(row).locator("img").first.get_attribute("src")


def test_a_face_grows_out_of_forty_bars(lesson):
    expect(lesson.locator(f"{HOOK} .dp-vector-bars i")).to_have_count(40)
    expect(lesson.locator(f"{HOOK} img")).to_have_count(0)
    lesson.locator(f"{HOOK} .dp-grow").click()
    expect(lesson.locator(f"{HOOK} img")).to_have_count(3)
    says(lesson, f"{HOOK} .dp-grown", "after 500 steps")
    drawn = lesson.locator(f"{HOOK} img").first.get_attribute("src")
    lesson.get_by_role("button", name="Another person").click()
    expect(lesson.locator(f"{HOOK} img").first).not_to_have_attribute("src", drawn)
    says(lesson, f"{HOOK} .dp-hook-answer", "Computed on this page in")


def test_the_turn_changes_the_row_at_once(lesson):
    before, gmi = first_face(lesson, 1), first_face(lesson, 2)
    says(lesson, f"{PANEL} .dp-head", "one answer each")
    lesson.get_by_role("button", name="asks 20 times").click()
    says(lesson, f"{PANEL} .dp-head", "mean of 20 answers")
    expect(lesson.locator(f"{PANEL} .dp-faces-row").nth(1).locator("img").first).not_to_have_attribute("src", before)
    assert first_face(lesson, 2) == gmi
    lesson.get_by_role("button", name="goes through the mean").click()
    says(lesson, f"{PANEL} .dp-head", "through the mean code")
    expect(lesson.locator(f"{PANEL} .dp-faces-row").nth(2).locator("img").first).not_to_have_attribute("src", gmi)
    lesson.get_by_role("button", name="asks once").click()
    says(lesson, f"{PANEL} .dp-head", "one answer each")


def test_every_share_has_its_null_beside_it(lesson):
    heads = lesson.locator(f"{PANEL} .dp-head")
    expect(heads.nth(0)).to_contain_text(re.compile(r"By chance 20.0%"))
    expect(heads.nth(1)).to_contain_text(re.compile(r"\d+% recognised.*Label alone \d+%, given noise \d+%", re.S))
    expect(heads.nth(2)).to_contain_text(re.compile(r"\d+% recognised.*Prior alone \d+%, average face \d+%", re.S))
    has_chart(lesson, f"{PANEL} .dp-recognised", "alignment, one answer", "the prior alone")
    has_chart(lesson, f"{PANEL} .dp-reliability", "Expected calibration error")


def test_updates_follow_the_run(lesson):
    says(lesson, UPDATES, "of updates: the name is found")
    before = lesson.locator(f"{UPDATES} .dp-faces-row").nth(1).locator("img").first.get_attribute("src")
    choose(lesson, UPDATES, "update-kind", "a known face, its own name")
    row = lesson.locator(f"{UPDATES} .dp-faces-row").nth(1)
    expect(row.locator("img").first).not_to_have_attribute("src", before)


def test_a_rival_that_adds_no_noise_answers_alike(lesson):
    choose(lesson, PANEL, "defence", "label smoothing, + or −")
    expect(readout(lesson, PANEL, "smoothing")).to_be_visible()
    expect(readout(lesson, PANEL, "lam")).to_be_hidden()
    run_to_end(lesson, PANEL)
    lesson.get_by_role("button", name="asks 20 times").click()
    says(lesson, f"{PANEL} .dp-head", "it answers alike each time")
    lesson.get_by_role("button", name="asks once").click()


def test_where_a_run_ships_the_slider_shows_it_at_once_and_the_prediction_is_answered(lesson):
    lesson.locator(".dp-predict button").nth(0).click()
    choose(lesson, PANEL, "preset", "faces, MID with λ = 0.01")
    says(lesson, f"{PANEL} .dp-shipped", "Shipped with the lab")
    expect(lesson.locator(f"{PANEL} .dp-faces-row").nth(1).locator("img")).to_have_count(8)
    move_to(lesson, PANEL, "lam", "ArrowRight", "0.06")
    says(lesson, f"{PANEL} .dp-shipped", "Shipped with the lab")
    lesson.get_by_role("button", name="asks 20 times").click()
    says(lesson, ".dp-predict .dp-note", "You predicted “nothing: noise is noise”.")
    says(lesson, f"{PANEL} .dp-verdict", "averages out")
    lesson.get_by_role("button", name="asks once").click()


def test_tasks_know_that_nothing_was_run_on_forty_faces(lesson):
    checks = lesson.locator(".dp-task .dp-check-button")
    for place, words in enumerate(("set λ above and press", "choose a defence above", "with MID at λ = 0.03 or more")):
        checks.nth(place).click()
        says(lesson, ".dp-task", words)


def test_curves_change_with_the_attacker(lesson):
    choose(lesson, CURVES, "curve-attack", "GMI, as published")
    says(lesson, f"{CURVES} .dp-curve-words", "Figs 4 a–b")


def test_own_pictures_are_checked_and_then_attacked(lesson):
    rng = np.random.default_rng(0)
    x, y = rng.random((40, 1, 12, 12)), np.arange(40) % 4
    open_settings(lesson, PANEL)
    choose(lesson, PANEL, "data", "your own file…")
    lesson.locator(f"{PANEL} .dp-run-button").click()
    says(lesson, f"{PANEL} .dp-controls", "none is chosen yet")
    for bad, words in (
        ({"X": x}, "must hold the arrays X, y"),
        ({"X": x[:10], "y": y[:10]}, "every class must have at least 4 pictures"),
        ({"X": x[..., :4, :4], "y": y}, "pictures must be at least 6 x 6 pixels"),
    ):
        upload(lesson, PANEL, "mine.npz", npz(**bad))
        says(lesson, f"{PANEL} .dp-controls", words)
    upload(lesson, PANEL, "mine.npz", npz(X=x, y=y))
    says(lesson, f"{PANEL} .dp-controls", "40 pictures of 4 classes")
    press(lesson, PANEL, "decoder_steps", "Home")
    press(lesson, PANEL, "gmi_steps", "Home")
    press(lesson, PANEL, "updates", "Home")
    run_to_end(lesson, PANEL)
    says(lesson, f"{PANEL} .dp-runs", "mine.npz")
    says(lesson, UPDATES, "This run attacked no updates")
