"""Lesson 2 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import pytest
from lesson_pages import (
    WAIT,
    address_has,
    choose,
    expect,
    has_alt,
    press,
    readout,
    run_to_end,
    says,
    type_into,
)

HOOK, PLAYGROUND, TRAINING = ".dp-one-step", ".dp-playground", ".dp-training"


def changes(page, place: str, before: str) -> str:
    """Wait until that place says something else, and return it."""
    other = "([place, before]) => document.querySelector(place).innerText !== before"
    page.wait_for_function(other, arg=[place, before], timeout=WAIT)
    return page.locator(place).first.inner_text()


def instant(page) -> str:
    return page.locator(f"{PLAYGROUND} .dp-headline .value").first.inner_text()


def moved(page, control: str, key: str) -> tuple[float, float]:
    """What the playground said before and after a key on a slider."""
    before = instant(page)
    press(page, PLAYGROUND, control, key)
    return float(before), float(changes(page, f"{PLAYGROUND} .dp-headline .value", before))


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("epsilon")


# ---- the hook


def test_the_face_drowns_as_the_slider_moves(lesson):
    third = lesson.locator(f"{HOOK} img").nth(2)
    other = "([place, src]) => document.querySelectorAll(place)[2].src !== src"
    says(lesson, HOOK, "100 %")
    for _ in range(3):
        before = third.get_attribute("src")
        press(lesson, HOOK, "noise", "ArrowRight")
        lesson.wait_for_function(other, arg=[f"{HOOK} img", before], timeout=WAIT)
    press(lesson, HOOK, "noise", "End")
    says(lesson, HOOK, "54.0 %")  # Φ(1 / (2 · 5))
    noisy = third.get_attribute("src")
    lesson.locator(f"{HOOK} .dp-again").click()
    lesson.wait_for_function(other, arg=[f"{HOOK} img", noisy], timeout=WAIT)


# ---- the playground


def test_every_slider_moves_epsilon_the_right_way(lesson):
    for control, key, falls in (
        ("sigma", "ArrowRight", True),
        ("q", "ArrowLeft", True),
        ("steps", "ArrowRight", False),
        ("delta", "ArrowRight", True),  # from below 1/K = 0.001 to 0.01
    ):
        before, after = moved(lesson, control, key)
        assert (after < before) == falls, control
    before = instant(lesson)
    choose(lesson, PLAYGROUND, "neighbours", "replace one")
    assert float(changes(lesson, f"{PLAYGROUND} .dp-headline .value", before)) > float(before)
    says(lesson, f"{PLAYGROUND} .dp-headline", "replace one; δ = 0.01; tight accountant")
    says(lesson, f"{PLAYGROUND} .dp-answers", "paper A's moments bound")
    says(lesson, f"{PLAYGROUND} .dp-conditions", "broken")
    lesson.wait_for_selector(f"{PLAYGROUND} img.dp-chart[alt*='tight ε']", timeout=WAIT)
    has_alt(lesson, f"{PLAYGROUND} img.dp-chart", "Right, the best attacker")


def test_sigma_and_steps_follow_too(lesson):
    choose(lesson, PLAYGROUND, "follows", "σ from the others")
    says(lesson, f"{PLAYGROUND} .dp-headline", "σ needed, at once")
    says(lesson, f"{PLAYGROUND} .dp-controls", "follows from the others")
    before, after = moved(lesson, "epsilon", "ArrowLeft")
    assert after > before  # less ε needs more noise
    choose(lesson, PLAYGROUND, "follows", "T from the others")
    says(lesson, f"{PLAYGROUND} .dp-headline", "steps that can be paid for, tight")
    press(lesson, PLAYGROUND, "epsilon", "Home")
    press(lesson, PLAYGROUND, "q", "End")
    says(lesson, f"{PLAYGROUND} .dp-error", "epsilon must pay for at least one step")
    press(lesson, PLAYGROUND, "epsilon", "End")
    choose(lesson, PLAYGROUND, "follows", "ε from the others")
    says(lesson, f"{PLAYGROUND} .dp-headline", "ε spent, at once")


def test_nonsense_is_answered_in_one_sentence(lesson):
    type_into(lesson, PLAYGROUND, "count", "-5")
    says(lesson, f"{PLAYGROUND} .dp-error", "K must be a whole number from 1")
    type_into(lesson, PLAYGROUND, "count", "60000")
    lesson.wait_for_selector(f"{PLAYGROUND} .dp-error", state="detached", timeout=WAIT)


def test_tasks_name_what_is_missing(lesson):
    checks = lesson.locator(".dp-task .dp-check-button")
    for number, words in enumerate(("σ must be 2 and T 300", "40 people; your last run is not", "broken is q <")):
        checks.nth(number).click()
        says(lesson, ".dp-task", words)


# ---- training


def test_a_run_shows_epsilon_while_it_goes_on_and_numbers_at_its_end(lesson):
    heard = [words for words in lesson.evaluate("heard") if "of 400" in words]
    assert heard and "for a record (add or remove one; δ = 0.01; moments accountant" in heard[0]
    for words in ("tight accountant, PLD", "by chance 20.0%"):
        says(lesson, f"{TRAINING} .dp-results-numbers", words)
    expect(lesson.locator(f"{TRAINING} .dp-weights img")).to_have_count(10)
    has_alt(lesson, f"{TRAINING} .dp-accuracy-chart img", "run 1: accuracy", "at ε =")
    has_alt(lesson, f"{TRAINING} .dp-run-chart img", "After 400 of 400 steps")


def test_the_playground_hands_its_settings_over(lesson):
    choose(lesson, PLAYGROUND, "unit", "a class")
    lesson.locator(f"{PLAYGROUND} .dp-hand-over").click()
    says(lesson, PLAYGROUND, "Copied.")
    for name in ("sigma", "q", "steps"):
        expect(readout(lesson, TRAINING, name)).to_have_text(readout(lesson, PLAYGROUND, name).inner_text())
    says(lesson, f"{TRAINING} .dp-stale", "What you see is for")
    choose(lesson, TRAINING, "preset", "faces, softmax")
    lesson.wait_for_function("location.search === '?preset=faces'", timeout=WAIT)


def test_a_budget_ends_a_run(lesson):
    press(lesson, TRAINING, "people", "Home")
    press(lesson, TRAINING, "steps", "End")
    press(lesson, TRAINING, "budget", "ArrowRight", "ArrowRight", "ArrowRight")
    address_has(lesson, "budget=2")
    run_to_end(lesson, TRAINING)
    says(lesson, f"{TRAINING} .dp-live", "The budget of ε = 2 ended the run")
    press(lesson, TRAINING, "budget", "Home")
    lesson.wait_for_function("!location.search.includes('budget')", timeout=WAIT)


def test_a_budget_for_no_step_at_all_is_refused(lesson):
    press(lesson, TRAINING, "sigma", "Home")
    press(lesson, TRAINING, "budget", "ArrowRight")
    lesson.wait_for_function("location.search.includes('budget') && location.search.includes('sigma')", timeout=WAIT)
    lesson.locator(f"{TRAINING} .dp-run-button").click()
    says(lesson, f"{TRAINING} .dp-error", "budget must pay for at least one step")
