"""Lesson 4 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import pytest
from lesson_pages import address_has, choose, choose_own_records, expect, has_chart, press, readout, run_to_end, says

from dpmia_lab.experiments.membership import ATTACKS

HOOK, PANEL, RECORD = ".dp-membership-hook", ".dp-membership", ".dp-record"


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("membership")


# ---- the hook


def test_four_are_named_and_then_the_model_answers(lesson):
    lesson.locator(f"{HOOK} .dp-guess").first.click()
    lesson.locator(f"{HOOK} .dp-ask").click()
    says(lesson, f"{HOOK} .dp-error", "Say of exactly 4 people that they were in; you named 1.")
    for number in (1, 2, 3):
        lesson.locator(f"{HOOK} .dp-guess").nth(number).click()
    lesson.locator(f"{HOOK} .dp-ask").click()
    says(lesson, f"{HOOK} .dp-note", "of 8 right. The attack:")
    says(lesson, f"{HOOK} .dp-hook-answer", "16 shadow models")
    expect(lesson.locator(f"{HOOK} .dp-verdict-place >> text=In truth")).to_have_count(8)
    expect(lesson.locator(f"{HOOK} .dp-verdict-place >> text=In truth: in")).to_have_count(4)
    expect(lesson.locator(f"{HOOK} .dp-verdict-place >> text=You: in")).to_have_count(4)
    for place in lesson.locator(f"{HOOK} .dp-verdict-place").all():  # the reader's own answer is marked right or wrong
        said = place.inner_text()
        right = ("You: in" in said) == ("In truth: in" in said)
        assert ("✓ You" if right else "✗ You") in said


# ---- a run


def test_learning_and_leaking_are_shown_while_it_runs_and_numbers_at_its_end(lesson):
    heard = [words for words in lesson.evaluate("heard") if "Epoch" in words]
    assert heard and "tells them apart with AUC" in heard[0]
    has_chart(lesson, f"{PANEL} .dp-run-chart", "After 300 of 300 epochs", "AUC of a threshold on the loss")
    has_chart(lesson, f"{PANEL} .dp-roc", "loss AUC", "white box AUC", "black box AUC", "LiRA AUC", "RMIA AUC")
    for words in ("accuracy on new records", "AUC of the best attack", "of members caught at 1 % false alarms"):
        says(lesson, f"{PANEL} .dp-results-numbers", words)
    expect(lesson.locator(f"{PANEL} .dp-promise")).to_be_hidden()  # nothing is promised
    expect(lesson.locator(f"{PANEL} .dp-attacks")).to_be_hidden()
    for fold in lesson.locator(f"{PANEL} .dp-details .dp-fold-button").all():
        fold.click()
    expect(lesson.locator(f"{PANEL} .dp-attacks tr")).to_have_count(len(ATTACKS) + 2)
    expect(lesson.locator(f"{PANEL} .dp-attacks")).to_be_visible()
    has_chart(lesson, f"{PANEL} .dp-verdicts", "called member")
    expect(lesson.locator(f"{PANEL} .dp-protocols")).to_be_hidden()


def test_a_record_is_chosen_and_the_prior_decides_how_sure_one_becomes(lesson):
    expect(lesson.locator(f"{RECORD} .dp-gallery figure")).to_have_count(12)
    has_chart(lesson, f"{RECORD} .dp-record-chart", "2 models trained with it", "the published model")
    says(lesson, f"{RECORD} .dp-odds", "Starting from 1 in 2")
    press(lesson, RECORD, "prior", "ArrowRight")
    says(lesson, f"{RECORD} .dp-odds", "Starting from 1 in 10")
    chart = lesson.locator(f"{RECORD} .dp-record-chart svg")
    before = chart.get_attribute("aria-label")
    press(lesson, RECORD, "which", "End")
    says(lesson, f"{RECORD} .dp-odds", "to 1: not in")
    expect(chart).not_to_have_attribute("aria-label", before)
    for number in ("3", "3"):  # pressed in the gallery, left with the slider, pressed again
        lesson.locator(f"{RECORD} .dp-gallery figure").nth(2).click()
        expect(lesson.locator(f"{RECORD} .dp-gallery .dp-here")).to_contain_text(number)
        press(lesson, RECORD, "which", "End")
        expect(lesson.locator(f"{RECORD} .dp-gallery .dp-here")).to_have_count(0)


def test_tasks_name_what_is_missing(lesson):
    checks = lesson.locator(".dp-task .dp-check-button")
    for number, words in enumerate(("Not yet.", "is asked for", "choose the MNIST digits")):
        checks.nth(number).click()
        says(lesson, ".dp-task", words)


def test_a_promise_is_drawn_and_both_kinds_of_outsiders_are_shown(lesson):
    choose(lesson, PANEL, "data", "Skewed Purchases (paper C)")
    choose(lesson, PANEL, "defence", "central: noise on gradients")
    says(lesson, f"{PANEL} .dp-stale", "What you see is for")
    press(lesson, PANEL, "inside", "Home")
    address_has(lesson, "inside=0")
    run_to_end(lesson, PANEL)
    has_chart(lesson, f"{PANEL} .dp-roc", "The promise allows at most")
    says(lesson, f"{PANEL} .dp-promise", "a record (add or remove one; δ = 1e-5; tight accountant, PLD)")
    says(lesson, f"{PANEL} .dp-protocols", "Two questions, two numbers.")
    has_chart(lesson, f"{PANEL} .dp-protocols", "Outsiders as in paper C.")
    says(lesson, f"{RECORD} .dp-odds", "This run trained none")


def test_own_records_are_checked_and_then_attacked(lesson):
    choose_own_records(lesson, PANEL)
    choose(lesson, PANEL, "defence", "none")
    press(lesson, PANEL, "epochs", "Home")
    expect(readout(lesson, PANEL, "epochs")).to_have_text("1")
    expect(readout(lesson, PANEL, "inside")).to_have_text("0")
    says(lesson, f"{PANEL} .dp-link", "A link cannot carry your own file.")
    says(lesson, f"{PANEL} .dp-stale", "epochs: times each is seen = 300")  # a click may overtake a slider
    run_to_end(lesson, PANEL)
    says(lesson, f"{PANEL} .dp-run", "one hidden layer on mine.npz")
    expect(lesson.locator(f"{PANEL} .dp-protocols")).to_be_hidden()


def test_another_kind_of_data_brings_its_model_along(lesson):
    choose(lesson, PANEL, "data", "collaborations (graphs)")
    address_has(lesson, "graph")  # its model, or the whole preset
    says(lesson, f"{PANEL} .dp-controls", "Only generated records have it.")
    choose(lesson, PANEL, "model", "convolutional network")
    says(lesson, f"{PANEL} .dp-error", "model (for graphs) must be one of graph")
