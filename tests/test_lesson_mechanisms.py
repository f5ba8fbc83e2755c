"""Lesson 5 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import pytest
from lesson_pages import WAIT, address_has, choose, expect, has_chart, move_to, press, readout, says

CART, PICTURE, SWEEP, RANKING = ".dp-cart", ".dp-picture-noise", ".dp-mechanisms", ".dp-ranking"
# How much of a chart can be seen through everything that lies around it: 1 is all.
SEEN = """place => { let seen = 1; const chart = document.querySelector(place);
  for (let e = chart; e; e = e.parentElement) seen *= Number(getComputedStyle(e).opacity);
  return chart ? seen : 0; }"""


def other_picture(page, place: str, number: int, before: str) -> None:
    """Wait until that picture is another."""
    changed = "([place, number, before]) => document.querySelectorAll(place)[number].src !== before"
    page.wait_for_function(changed, arg=[f"{place} img", number, before], timeout=WAIT)


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("mechanisms")


# ---- the noise


def unfold(page, words: str) -> None:
    head = page.locator(f"{SWEEP} .dp-fold-button", has_text=words)
    if head.get_attribute("aria-expanded") == "false":
        head.click()


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
    says(lesson, CART, "for a record (features only: labels are not randomised), 2 for one bit (replace one; δ = 0")
    says(lesson, CART, "6.9%")  # what a snoop thinks after a yes, from 1 %
    before = sent.get_attribute("src")
    lesson.locator(f"{CART} .dp-again").click()
    other_picture(lesson, CART, 1, before)


def test_a_picture_is_hidden_by_noise_and_by_cells(lesson):
    expect(lesson.locator(f"{PICTURE} img")).to_have_count(4)
    for control, words in (("epsilon-pixel", "0.255"), ("cell", "0.0638"), ("reach", "0.255")):
        before = lesson.locator(f"{PICTURE} img").nth(1).get_attribute("src")
        press(lesson, PICTURE, control, "ArrowRight")
        says(lesson, PICTURE, words)
        other_picture(lesson, PICTURE, 1, before)
    says(lesson, PICTURE, "for any 4 pixel values (replace one; δ = 0")


# ---- the sweep


def test_a_sweep_adds_its_points(lesson):
    has_chart(lesson, f"{SWEEP} .dp-over", "your run 1, central, at ε", "your run 1, local, at ε = 600 (features only)")
    has_chart(lesson, f"{SWEEP} .dp-scatter", "your run 1, no defence: accuracy")
    says(lesson, f"{SWEEP} .dp-runs", "Skewed Purchases, 10 classes, about 60 records")
    says(lesson, f"{SWEEP} .dp-details", "Two different promises")
    unfold(lesson, "ROC curves")
    choose(lesson, SWEEP, "roc-of", "of your newest sweep")
    has_chart(lesson, f"{SWEEP} .dp-rocs", "local, ε = 600:")
    choose(lesson, SWEEP, "roc-axes", "logarithmic")
    unfold(lesson, "all numbers")
    lesson.locator(f"{SWEEP} .dp-tables summary").last.click()
    says(lesson, f"{SWEEP} .dp-tables details[open]", "local, ε_i = 1")


def test_attack_and_outsiders_can_be_chosen(lesson):
    chart = lesson.locator(f"{SWEEP} .dp-scatter svg")
    before = chart.get_attribute("aria-label")
    choose(lesson, SWEEP, "protocol", "paper C's outsiders, of another distribution")
    expect(chart).not_to_have_attribute("aria-label", before)
    says(lesson, f"{RANKING} .dp-ranking-ours", "white box (Nasr), paper C's outsiders")
    choose(lesson, SWEEP, "attack", "black box (Shokri)")
    says(lesson, f"{RANKING} .dp-ranking-ours", "black box (Shokri), paper C's outsiders")


def test_where_phi_would_divide_by_chance_the_page_says_so(lesson):
    choose(lesson, SWEEP, "attack", "white box (Nasr)")
    choose(lesson, SWEEP, "protocol", "outsiders like the members")
    says(lesson, f"{SWEEP} .dp-no-phi", "Without a defence the AUC is 0.511 (0.501 to 0.521)")
    has_chart(
        lesson, f"{SWEEP} .dp-over", "reference, local, at ε = 1800 (features only): accuracy 1.00, AUC 0.51, no φ"
    )
    expect(lesson.locator(f"{SWEEP} .dp-level")).to_be_hidden()  # nor is there anything to compare by it


def test_other_data_have_their_own_charts_and_one_kind_of_outsider(lesson):
    choose(lesson, SWEEP, "preset", "purchases-like carts, 20 styles")
    says(lesson, f"{SWEEP} .dp-picture", "purchases-like carts, 20 styles: what")
    expect(lesson.locator(f"{SWEEP} .dp-protocol")).to_be_hidden()
    says(lesson, f"{SWEEP} .dp-more", "there outsiders may be of two kinds")
    address_has(lesson, "preset=purchases")


def test_both_are_read_at_the_same_leak_as_the_slider_moves(lesson):
    place = f"{SWEEP} .dp-at-level"
    for key, auc in (("End", "0.579"), ("Home", "0.498")):  # the ends of what both reach, in the shipped rows
        press(lesson, SWEEP, "level", key)
        says(lesson, place, f"at AUC {auc}")
        expect(
            lesson.locator(f"{SWEEP} .dp-scatter [role=option]", has_text="read at equal leak").first
        ).to_contain_text(auc)
    press(lesson, SWEEP, "level", "End")
    says(lesson, place, "55.1%")  # its weakest strength, where central noise ends
    says(lesson, place, "labels are not randomised")


def test_points_are_seen_as_they_come(lesson):
    """A chart within a dimmed chart once left 12 % of them."""
    move_to(lesson, SWEEP, "records", "ArrowRight", "1000")
    lesson.locator(f"{SWEEP} .dp-run-button").click()
    has_chart(lesson, f"{SWEEP} .dp-scatter", "your sweep so far, no defence")
    expect(lesson.locator(f"{SWEEP} .dp-stop-button")).to_be_enabled()  # it still runs
    assert [lesson.evaluate(SEEN, f"{SWEEP} {chart} svg") for chart in (".dp-scatter", ".dp-over")] == [1, 1]
    lesson.locator(f"{SWEEP} .dp-stop-button").click()
    says(lesson, f"{SWEEP} .dp-status", "stopped")
    choose(lesson, SWEEP, "preset", "Skewed Purchases, 10 classes")
    expect(lesson.locator(f"{SWEEP} .dp-protocol")).to_be_visible()


# ---- the ranking


def test_two_bars_make_phi_as_the_strength_moves(lesson):
    choose(lesson, SWEEP, "preset", "Skewed Purchases, 50 classes")
    says(lesson, RANKING, "local, ε_i = 3")
    says(lesson, f"{RANKING} .dp-worth-place", "labels are not randomised")
    says(lesson, f"{RANKING} .dp-worth", "1.92")  # as shipped
    press(lesson, RANKING, "strength", *["ArrowRight"] * 4)
    says(lesson, f"{RANKING} .dp-worth-place", "local, ε_i = 0.1")
    says(lesson, f"{RANKING} .dp-worth", "0.99: more paid than gained")
    choose(lesson, SWEEP, "preset", "Skewed Purchases, 10 classes")
    says(lesson, f"{RANKING} .dp-worth-place", "it would be divided by chance")


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
