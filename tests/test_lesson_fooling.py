"""Lesson 9 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import re

import pytest
from lesson_pages import (
    choose,
    choose_own_records,
    expect,
    has_chart,
    move_to,
    open_settings,
    readout,
    run_to_end,
    says,
)

HOOK, PANEL, RANKING = ".dp-fool-hook", ".dp-fooling", ".dp-fool-ranking"


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("fooling")


def test_the_fooled_attacker_cannot_say_and_the_stronger_one_can(lesson):
    expect(lesson.locator(f"{HOOK} .dp-ask-strong")).to_be_disabled()
    lesson.locator(f"{HOOK} .dp-ask-fooled").click()
    says(lesson, f"{HOOK} .dp-error", "Say of exactly 3 that they were in; you named 0")
    for place in range(3):
        lesson.locator(f"{HOOK} .dp-guess").nth(place).click()
    lesson.locator(f"{HOOK} .dp-ask-fooled").click()
    says(lesson, f"{HOOK} .dp-note", "cannot say")
    expect(lesson.locator(f"{HOOK} .dp-verdict-place").first).not_to_contain_text("In truth")
    lesson.locator(f"{HOOK} .dp-ask-strong").click()
    says(lesson, f"{HOOK} .dp-note", "The stronger attack:")
    expect(lesson.locator(f"{HOOK} .dp-verdict-place").first).to_contain_text("In truth")


def test_lambda_moves_the_epoch_at_once_and_nothing_is_stale(lesson):
    runs = lesson.locator(f"{PANEL} .dp-run").count()
    before = readout(lesson, PANEL, "lam").inner_text()
    move_to(lesson, PANEL, "lam", "ArrowRight", "50")
    says(lesson, f"{PANEL} .dp-picked-epoch", "λ = 50 picks epoch")
    has_chart(lesson, f"{PANEL} .dp-course", "AOP at λ = 50 picks epoch")
    expect(lesson.locator(f"{PANEL} .dp-stale")).to_have_count(0)
    expect(lesson.locator(f"{PANEL} .dp-run")).to_have_count(runs)
    move_to(lesson, PANEL, "lam", "ArrowLeft", before)


def test_every_number_names_its_attacker_and_chance(lesson):
    numbers = lesson.locator(f"{PANEL} .dp-results-numbers .dp-number")
    expect(numbers).to_have_count(4)
    expect(numbers.nth(0)).to_contain_text(re.compile(r"By chance 20%"))
    expect(numbers.nth(1)).to_contain_text(re.compile(r"of D, which it learns to fool.*Guessing: 0.50", re.S))
    expect(numbers.nth(2)).to_contain_text(re.compile(r"of likelihood ratios.*At 1 % false alarms", re.S))
    expect(numbers.nth(3)).to_contain_text("early stopping, as accurate")


def test_canaries_and_all_attackers_are_below(lesson):
    has_chart(lesson, f"{PANEL} .dp-attackers-chart", "D itself", "RMIA")
    says(lesson, f"{PANEL} .dp-canary-place", "atypical canaries")
    says(lesson, f"{PANEL} .dp-canary-place", "guessing catches")


def test_the_ranking_is_sorted_anew_and_has_early_stopping(lesson):
    says(lesson, f"{RANKING} .dp-ranking-table", "early stopping, as accurate as")
    first = lesson.locator(f"{RANKING} tbody tr").first
    expect(first).to_contain_text("1. ")
    before = lesson.locator(f"{RANKING} .dp-ranking-table").inner_text()
    move_to(lesson, RANKING, "rank-lambda", "ArrowRight", "50")
    says(lesson, f"{RANKING} .dp-ranking-words", "λ = 50")
    expect(lesson.locator(f"{RANKING} .dp-ranking-table")).not_to_have_text(before)
    choose(lesson, RANKING, "rank-attack", "the best of paper D's own")
    says(lesson, f"{RANKING} .dp-ranking-words", "by the best of paper D's own")


def test_tasks_know_that_nothing_large_was_run(lesson):
    for place in range(3):
        lesson.locator(".dp-task .dp-check-button").nth(place).click()
        expect(lesson.locator(".dp-task").nth(place)).to_contain_text("with at least 200 records yet")


def test_a_rival_has_its_own_strength(lesson):
    choose(lesson, PANEL, "defence", "RelaxLoss")
    expect(readout(lesson, PANEL, "alpha")).to_be_visible()
    expect(readout(lesson, PANEL, "r")).to_be_hidden()
    run_to_end(lesson, PANEL)
    says(lesson, f"{PANEL} .dp-runs", "RelaxLoss")
    says(lesson, f"{RANKING} .dp-ranking-table", "●")


def test_own_records_are_checked_and_then_attacked(lesson):
    open_settings(lesson, PANEL)
    choose_own_records(lesson, PANEL)
    run_to_end(lesson, PANEL)
    says(lesson, f"{PANEL} .dp-runs", "mine.npz")


def test_where_a_run_ships_it_is_shown_at_once(lesson):
    choose(lesson, PANEL, "preset", "carts, HAMP")
    says(lesson, f"{PANEL} .dp-shipped", "Shipped with the lab")


def test_the_prediction_about_digits_is_answered_by_the_run_that_ships(lesson):
    lesson.locator(".dp-predict button").nth(0).click()
    choose(lesson, PANEL, "preset", "digits, DAP_t, r = 2")
    says(lesson, ".dp-predict .dp-note", "that of likelihood ratios")
    says(lesson, f"{PANEL} .dp-verdict", "D was one attacker")
