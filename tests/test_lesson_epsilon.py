"""Lesson 2 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import pytest
from lesson_pages import (
    WAIT,
    address_has,
    choose,
    expect,
    has_chart,
    move_to,
    open_settings,
    press,
    readout,
    says,
    turn_off_live,
    type_into,
)

HOOK, MEANING, PLAYGROUND, PERSON, TRAINING = (
    ".dp-one-step", ".dp-meaning", ".dp-playground", ".dp-person-panel", ".dp-training",
)  # fmt: skip
# What the headline and the chart's words say, in one look.
BOTH = """() => {
  const place = document.querySelector(".dp-playground .dp-playground-chart");
  return [place.querySelector(".dp-headline .value").innerText, place.querySelector("svg").getAttribute("aria-label")];
}"""


def changes(page, place: str, before: str) -> str:
    """Wait until that place says something else, and return it."""
    other = "([place, before]) => document.querySelector(place).innerText !== before"
    page.wait_for_function(other, arg=[place, before], timeout=WAIT)
    return page.locator(place).first.inner_text()


def headline(page) -> str:
    return page.locator(f"{PLAYGROUND} .dp-headline .value").first.inner_text()


def moved(page, control: str, key: str) -> tuple[float, float]:
    """What the playground said before and after a key on a slider."""
    before = headline(page)
    press(page, PLAYGROUND, control, key)
    return float(before), float(changes(page, f"{PLAYGROUND} .dp-headline .value", before))


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("epsilon")


# ---- the hook, and what ε means


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


def test_epsilon_has_a_sentence_and_a_picture_before_it_is_asked_about(lesson):
    order = lesson.evaluate("""() => [...document.querySelectorAll('.dp-meaning, .dp-predict')].map(e =>
      e.className.includes('dp-meaning'))""")
    assert order == [True, False]
    expect(lesson.locator(f"{MEANING} rect.told")).to_have_count(23)  # ε = 1: 73 of 100
    press(lesson, MEANING, "may-tell", "Home")
    expect(lesson.locator(f"{MEANING} rect.told")).to_have_count(0)
    says(lesson, MEANING, "At most 50.0 %")


# ---- the playground


def test_number_dot_and_curve_agree_while_a_slider_is_dragged(lesson):
    lesson.wait_for_selector(f"{PLAYGROUND} .dp-playground-chart svg", timeout=WAIT)
    at_rest = lesson.locator(f"{PLAYGROUND} .dp-headline .value").first
    for keys, value in ((["ArrowRight"] * 6, "2.14"), (["ArrowLeft"] * 6, "9.18")):  # σ from 2 to 6 and back
        for key in keys:
            press(lesson, PLAYGROUND, "sigma", key)
            number, chart = lesson.evaluate(BOTH)
            assert f"ε = {number} after 300 steps" in chart
        expect(at_rest).to_have_text(value)
        number, chart = lesson.evaluate(BOTH)
        assert f"ε = {number} after 300 steps" in chart


def test_every_slider_moves_epsilon_the_right_way(lesson):
    open_settings(lesson, PLAYGROUND)
    for control, key, falls in (
        ("sigma", "ArrowRight", True),
        ("q", "ArrowLeft", True),
        ("steps", "ArrowRight", False),
        ("delta", "ArrowRight", True),  # from below 1/K = 0.001 to 0.01
    ):
        before, after = moved(lesson, control, key)
        assert (after < before) == falls, control
    before = headline(lesson)
    choose(lesson, PLAYGROUND, "neighbours", "replace one")
    assert float(changes(lesson, f"{PLAYGROUND} .dp-headline .value", before)) > float(before)
    says(lesson, f"{PLAYGROUND} .dp-headline", "replace one; δ = 0.01; tight accountant")
    has_chart(lesson, f"{PLAYGROUND} .dp-playground-chart", "Right, the best attacker")


def test_accountants_and_conditions_are_for_experts(lesson):
    answers = lesson.locator(f"{PLAYGROUND} .dp-answers")
    expect(answers).to_be_hidden()
    lesson.locator(f"{PLAYGROUND} .dp-experts .dp-fold-button").click()
    expect(answers).to_be_visible()
    says(lesson, f"{PLAYGROUND} .dp-answers", "paper A's moments bound")
    says(lesson, f"{PLAYGROUND} .dp-conditions", "broken")


def test_sigma_and_steps_follow_and_the_reader_s_values_stay(lesson):
    chosen = {name: readout(lesson, PLAYGROUND, name).inner_text() for name in ("sigma", "steps")}
    choose(lesson, PLAYGROUND, "follows", "σ from the others")
    says(lesson, f"{PLAYGROUND} .dp-headline", "σ needed")
    expect(lesson.locator(f"{PLAYGROUND} .dp-sigma")).to_be_hidden()
    expect(readout(lesson, PLAYGROUND, "epsilon")).to_have_text("3")
    expect(readout(lesson, PLAYGROUND, "steps")).to_have_text(chosen["steps"])
    before, after = moved(lesson, "epsilon", "ArrowLeft")
    assert after > before  # less ε needs more noise
    choose(lesson, PLAYGROUND, "follows", "T from the others")
    says(lesson, f"{PLAYGROUND} .dp-headline", "steps that can be paid for")
    expect(readout(lesson, PLAYGROUND, "sigma")).to_have_text(chosen["sigma"])
    expect(readout(lesson, PLAYGROUND, "epsilon")).to_have_text("2")
    press(lesson, PLAYGROUND, "epsilon", "Home")
    press(lesson, PLAYGROUND, "q", "End")
    says(lesson, f"{PLAYGROUND} .dp-error", "epsilon must pay for at least one step")
    press(lesson, PLAYGROUND, "epsilon", "End")
    choose(lesson, PLAYGROUND, "follows", "ε from the others")
    says(lesson, f"{PLAYGROUND} .dp-headline", "ε spent")
    for name, value in chosen.items():
        expect(readout(lesson, PLAYGROUND, name)).to_have_text(value)


def test_nonsense_is_answered_in_one_sentence(lesson):
    open_settings(lesson, PLAYGROUND)
    for typed, answer in (("-5", "K must be a whole number from 1"), ("3.5", "count must be a whole number")):
        type_into(lesson, PLAYGROUND, "count", typed)
        says(lesson, f"{PLAYGROUND} .dp-error", answer)
    type_into(lesson, PLAYGROUND, "count", "6e4")
    lesson.wait_for_selector(f"{PLAYGROUND} .dp-error", state="detached", timeout=WAIT)


# ---- a person


def test_a_person_s_epsilon_follows_k_at_once_and_the_noise_soon(lesson):
    shown = lesson.locator(f"{PERSON} .dp-person-numbers .value").nth(1)
    expect(shown).to_have_text("179")  # 7 pictures; one: 9.18
    press(lesson, PERSON, "records", "Home")
    expect(shown).to_have_text("9.18")
    move_to(lesson, PERSON, "records", "ArrowRight", "2")
    expect(shown).to_have_text("24.2")
    press(lesson, PERSON, "sigma", "End")  # σ = 50
    expect(lesson.locator(f"{PERSON} .dp-person-numbers .value").first).to_have_text("0.167")
    has_chart(lesson, f"{PERSON} .dp-person-chart", "0.167 for 1", "Yours: k = 2")


# ---- tasks


def test_tasks_name_what_is_missing(lesson):
    missing = ("σ must be 2 and T 300", "40 people; your last run is not", "k must be 7", "broken is q <")
    lesson.locator(".dp-expert-task .dp-fold-button").click()
    checks = lesson.locator(".dp-task .dp-check-button")
    for number, words in enumerate(missing):
        checks.nth(number).click()
        says(lesson, ".dp-task", words)


# ---- training


def test_a_run_shows_epsilon_while_it_goes_on_and_numbers_at_its_end(lesson):
    heard = [words for words in lesson.evaluate("heard") if "of 400" in words]
    assert heard and "for a record (add or remove one; δ = 0.01; moments accountant" in heard[0]
    says(lesson, f"{TRAINING} .dp-live", "tight accountant, PLD")
    says(lesson, f"{TRAINING} .dp-results-numbers", "by chance 20.0%")
    expect(lesson.locator(f"{TRAINING} .dp-weights img")).to_have_count(10)
    has_chart(lesson, f"{TRAINING} .dp-accuracy-chart", "run 1: accuracy", "at ε =")
    has_chart(lesson, f"{TRAINING} .dp-run-chart", "After 400 of 400 steps")


def test_moving_the_noise_trains(lesson):
    """The weights change while the slider moves; of all those runs one line is kept."""
    lesson.locator(f"{TRAINING} .dp-live-switch input").check()
    lines = lesson.locator(f"{TRAINING} .dp-run").count()
    picture = lesson.locator(f"{TRAINING} .dp-weights img").nth(5)
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        before = picture.get_attribute("src")
        press(lesson, TRAINING, "sigma", key)
        expect(picture).not_to_have_attribute("src", before)
    expect(lesson.locator(f"{TRAINING} .dp-stop-button")).to_be_disabled()
    expect(lesson.locator(f"{TRAINING} .dp-run")).to_have_count(lines + 1)
    turn_off_live(lesson, TRAINING)


def test_the_playground_s_settings_are_trained(lesson):
    open_settings(lesson, PLAYGROUND)
    open_settings(lesson, TRAINING)
    choose(lesson, PLAYGROUND, "unit", "a class")
    lesson.locator(f"{PLAYGROUND} .dp-hand-over").click()
    says(lesson, PLAYGROUND, "It trains with these now")
    for name in ("sigma", "q", "steps"):
        expect(readout(lesson, TRAINING, name)).to_have_text(readout(lesson, PLAYGROUND, name).inner_text())
    says(lesson, f"{TRAINING} .dp-live", "for a class (replace one; δ = 0.01; tight accountant")
    choose(lesson, TRAINING, "preset", "faces, softmax")
    lesson.wait_for_function("location.search === '?preset=faces'", timeout=WAIT)


def test_a_budget_ends_a_run(lesson):
    press(lesson, TRAINING, "people", "Home")
    press(lesson, TRAINING, "steps", "End")
    press(lesson, TRAINING, "budget", "ArrowRight", "ArrowRight", "ArrowRight")
    address_has(lesson, "budget=2")
    lesson.locator(f"{TRAINING} .dp-run-button").click()
    says(lesson, f"{TRAINING} .dp-live", "The budget of ε = 2 ended the run")
    press(lesson, TRAINING, "budget", "Home")
    lesson.wait_for_function("!location.search.includes('budget')", timeout=WAIT)


def test_a_budget_for_no_step_at_all_is_refused(lesson):
    press(lesson, TRAINING, "sigma", "Home")
    press(lesson, TRAINING, "budget", "ArrowRight")
    lesson.wait_for_function("location.search.includes('budget') && location.search.includes('sigma')", timeout=WAIT)
    lesson.locator(f"{TRAINING} .dp-run-button").click()
    says(lesson, f"{TRAINING} .dp-error", "budget must pay for at least one step")
