"""Lesson 2 as a reader meets it: a real page in a real browser, with the outside network cut."""


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

from dpmia_lab.experiments import private_training

LESSON = "voila/render/02_what_epsilon_buys.ipynb"
QUICK = {"people": "5", "steps": "400", "seed": "3"}  # long enough to be watched
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


def choose(page, panel: str, control: str, words: str) -> None:
    page.locator(f"{panel} .dp-{control} select").select_option(words)


@pytest.fixture(scope="module")
def lesson(browser, lab_server):
    """One page with one finished run, on which its live words were collected."""
    with new_page(browser) as page:
        open_lesson(page, lab_server.address + LESSON, TRAINING, **QUICK)
        says(page, HOOK, "stays at home")
        page.evaluate(
            """() => { window.heard = [];
              new MutationObserver(() => heard.push(document.querySelector('.dp-live').innerText))
                .observe(document.querySelector('.dp-live'), { subtree: true, childList: true }); }"""
        )
        run_to_end(page, TRAINING)
        page.wait_for_selector(f"{TRAINING} .dp-accuracy-chart img", timeout=WAIT)
        yield page


# ---- a page that was just opened


def test_the_page_answers_and_a_link_restores_the_settings(page, lab_server):
    page.goto(f"{lab_server.address}{LESSON}?preset=digits&sigma=3.3&delta=1e-06&unit=subclass&k_sub=4")
    page.locator(f"{PLAYGROUND} .dp-sigma [role=slider]").wait_for(timeout=WAIT)
    moved(page, "sigma", "ArrowRight")
    expect(readout(page, TRAINING, "sigma")).to_have_text("3.3")
    expect(readout(page, TRAINING, "delta")).to_have_text("1e-6")
    assert page.locator(f"{TRAINING} .dp-data select").evaluate("e => e.selectedOptions[0].text").startswith("MNIST")
    expect(readout(page, TRAINING, "k_sub")).to_have_text("4")
    press(page, TRAINING, "rate", "ArrowLeft")
    page.wait_for_function("location.search.includes('rate=0.5')", timeout=WAIT)
    assert "unit=subclass" in page.evaluate("location.search")


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


def test_page_and_python_give_the_same_bits(lesson):
    assert_same_bits_as_python(lesson, TRAINING, private_training, QUICK)


def test_the_playground_hands_its_settings_over(lesson):
    choose(lesson, PLAYGROUND, "unit", "a class")
    lesson.locator(f"{PLAYGROUND} .dp-hand-over").click()
    says(lesson, PLAYGROUND, "Copied.")
    for name in ("sigma", "q", "steps"):
        expect(readout(lesson, TRAINING, name)).to_have_text(readout(lesson, PLAYGROUND, name).inner_text())
    says(lesson, f"{TRAINING} .dp-stale", "What you see is for")
    choose(lesson, TRAINING, "preset", "faces, softmax")
    lesson.wait_for_function("location.search === '?preset=faces'", timeout=WAIT)


def test_a_budget_ends_a_run_and_stop_another(lesson):
    press(lesson, TRAINING, "people", "Home")
    press(lesson, TRAINING, "steps", "End")
    press(lesson, TRAINING, "budget", "ArrowRight", "ArrowRight", "ArrowRight")
    lesson.wait_for_function("location.search.includes('budget=2')", timeout=WAIT)  # a click may overtake a slider
    run_to_end(lesson, TRAINING)
    says(lesson, f"{TRAINING} .dp-live", "The budget of ε = 2 ended the run")
    press(lesson, TRAINING, "budget", "Home")
    lesson.wait_for_function("!location.search.includes('budget')", timeout=WAIT)
    lesson.locator(f"{TRAINING} .dp-run-button").click()
    says(lesson, f"{TRAINING} .dp-live", "of 2000")
    lesson.locator(f"{TRAINING} .dp-stop-button").click()
    says(lesson, f"{TRAINING} .dp-status", "stopped")
    says(lesson, f"{TRAINING} .dp-live", "The budget of ε = 2 ended the run")  # the earlier result is back


def test_a_budget_for_no_step_at_all_is_refused(lesson):
    press(lesson, TRAINING, "sigma", "Home")
    press(lesson, TRAINING, "budget", "ArrowRight")
    lesson.wait_for_function("location.search.includes('budget') && location.search.includes('sigma')", timeout=WAIT)
    lesson.locator(f"{TRAINING} .dp-run-button").click()
    says(lesson, f"{TRAINING} .dp-error", "budget must pay for at least one step")


# ---- the page as a whole


def test_every_control_has_a_name_and_every_picture_words(lesson):
    assert_everything_has_a_name(lesson)


@pytest.mark.parametrize("width", [390, 800])
def test_the_page_fits_its_window_and_nothing_complained(lesson, width):
    assert_fits(lesson, width)
    expect(lesson.locator(".dp-trouble")).to_have_text("")
    assert lesson.complaints == []
