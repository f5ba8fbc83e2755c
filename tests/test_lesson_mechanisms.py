"""Lesson 5 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import pytest
from lesson_pages import WAIT, address_has, choose, expect, has_alt, press, readout, says

CART, PICTURE, SWEEP, RANKING = ".dp-cart", ".dp-picture-noise", ".dp-mechanisms", ".dp-ranking"


def other_picture(page, place: str, number: int, before: str) -> None:
    """Wait until that picture is another."""
    changed = "([place, number, before]) => document.querySelectorAll(place)[number].src !== before"
    page.wait_for_function(changed, arg=[f"{place} img", number, before], timeout=WAIT)


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("mechanisms")


# ---- the noise


def test_the_cart_drowns_as_the_slider_moves(lesson):
    says(lesson, CART, "no promise")
    sent = lesson.locator(f"{CART} img").nth(1)
    press(lesson, CART, "epsilon-bit", "ArrowRight")  # ε_i = 8: hardly a lie in 600 bits
    says(lesson, CART, "2,981 : 1")
    for _ in range(3):
        before = sent.get_attribute("src")
        press(lesson, CART, "epsilon-bit", "ArrowRight")
        other_picture(lesson, CART, 1, before)
    says(lesson, CART, "7.39 : 1")  # e²
    says(lesson, CART, "for a record, 2 for one bit (replace one; δ = 0")
    says(lesson, CART, "6.9%")  # what a snoop thinks after a yes, from 1 %
    before = sent.get_attribute("src")
    lesson.locator(f"{CART} .dp-again").click()
    other_picture(lesson, CART, 1, before)


def test_a_picture_is_hidden_by_noise_and_by_cells(lesson):
    expect(lesson.locator(f"{PICTURE} img")).to_have_count(4)  # the digit has come
    for control, words in (("epsilon-pixel", "0.255"), ("cell", "0.0638"), ("reach", "0.255")):
        before = lesson.locator(f"{PICTURE} img").nth(1).get_attribute("src")
        press(lesson, PICTURE, control, "ArrowRight")
        says(lesson, PICTURE, words)
        other_picture(lesson, PICTURE, 1, before)
    says(lesson, PICTURE, "for any 4 pixel values (replace one; δ = 0")


# ---- the sweep


def test_a_sweep_adds_its_points(lesson):
    has_alt(lesson, f"{SWEEP} .dp-over img", "your run 1, central, at ε", "your run 1, local, at ε = 600")
    has_alt(lesson, f"{SWEEP} .dp-scatter img", "your run 1, no defence: accuracy")
    says(lesson, f"{SWEEP} .dp-runs", "Skewed Purchases, 10 classes, about 60 records")
    says(lesson, f"{SWEEP} .dp-results", "Two different promises")
    choose(lesson, SWEEP, "roc-of", "of your newest sweep")
    has_alt(lesson, f"{SWEEP} .dp-rocs img", "local, ε = 600:")
    choose(lesson, SWEEP, "roc-axes", "logarithmic")
    lesson.locator(f"{SWEEP} .dp-tables summary").last.click()
    says(lesson, f"{SWEEP} .dp-tables details[open]", "local, ε_i = 1")


def test_attack_and_outsiders_can_be_chosen(lesson):
    before = lesson.locator(f"{SWEEP} .dp-scatter img").get_attribute("src")
    choose(lesson, SWEEP, "protocol", "paper C's outsiders, of another distribution")
    other_picture(lesson, f"{SWEEP} .dp-scatter", 0, before)
    says(lesson, f"{RANKING} .dp-ranking-ours", "white box (Nasr), paper C's outsiders")
    choose(lesson, SWEEP, "attack", "black box (Shokri)")
    says(lesson, f"{RANKING} .dp-ranking-ours", "black box (Shokri), paper C's outsiders")


def test_other_data_have_their_own_charts_and_one_kind_of_outsider(lesson):
    choose(lesson, SWEEP, "preset", "purchases-like carts, 20 styles")
    says(lesson, f"{SWEEP} .dp-results", "purchases-like carts, 20 styles: accuracy")
    says(lesson, f"{SWEEP} .dp-controls", "only one kind of outsider")
    expect(lesson.locator(f"{SWEEP} .dp-protocol select")).to_be_disabled()
    address_has(lesson, "preset=purchases")
    choose(lesson, SWEEP, "preset", "Skewed Purchases, 10 classes")
    expect(lesson.locator(f"{SWEEP} .dp-protocol select")).to_be_enabled()


# ---- the ranking


def test_lambda_ranks_again(lesson):
    says(lesson, f"{RANKING} .dp-ranking-published", "1. regularised")
    says(lesson, f"{RANKING} .dp-ranking-ours", "● ")
    press(lesson, RANKING, "lambda", "ArrowRight")
    says(lesson, f"{RANKING} .dp-ranking-published", "1. DAP, training data")
    says(lesson, f"{RANKING} .dp-ranking-published", "0.002 from the AOP it prints")
    press(lesson, RANKING, "lambda", "ArrowRight")
    says(lesson, RANKING, "λ = 5")
    expect(readout(lesson, RANKING, "lambda")).to_have_text("5")


# ---- tasks


def test_tasks_look_at_what_was_done(lesson):
    checks = lesson.locator(".dp-task .dp-check-button")
    for number, words in enumerate(("Move ε_i of the cart to more noise", "Not yet.", "At λ = 5")):
        checks.nth(number).click()
        expect(lesson.locator(".dp-task").nth(number)).to_contain_text(words)
    press(lesson, CART, "epsilon-bit", "ArrowRight", "ArrowRight")
    says(lesson, CART, "2.72 : 1")
    checks.nth(0).click()
    expect(lesson.locator(".dp-task").nth(0)).to_contain_text("✓ Done.")
