"""Lesson 7 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import re

import numpy as np
import pytest
from lesson_pages import choose, expect, has_chart, move_to, open_settings, press, readout, says, type_into, upload

HOOK, PANEL, TREES, CURVES, THEORY = ".dp-dose", ".dp-attributes", ".dp-trees", ".dp-attribute-curves", ".dp-theory"


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("attributes")


def table(people: int, secret: np.ndarray, outcome: np.ndarray, **changed) -> bytes:
    columns = {"age": np.arange(people) % 5, "secret": secret, "outcome": outcome} | changed
    lines = [",".join(columns), *(",".join(str(cells[i]) for cells in columns.values()) for i in range(people))]
    return "\n".join(lines).encode()


def test_a_gene_is_guessed_and_the_dose_moves_the_belief(lesson):
    says(lesson, f"{HOOK} .dp-beliefs", "Guess first")
    lesson.locator(f"{HOOK} .dp-gene").nth(0).click()
    says(lesson, f"{HOOK} .dp-hook-answer", "In truth: G/G")
    says(lesson, f"{HOOK} .dp-hook-answer", "You guessed 1 of 1 right")
    press(lesson, HOOK, "dose", "Home")  # hardly any: the gene of those who need little
    expect(lesson.locator(f"{HOOK} .dp-beliefs tr").nth(3)).to_contain_text(re.compile(r"A/A.*[4-9]\d%"))
    lesson.get_by_role("button", name="Another patient").click()
    says(lesson, f"{HOOK} .dp-beliefs", "Guess first")


def test_a_slider_is_a_run_and_calibration_undoes_it(lesson):
    choose(lesson, PANEL, "preset", "patients and their dose")
    says(lesson, f"{PANEL} .dp-attribute-numbers", "mg a week")
    lesson.locator(f"{PANEL} .dp-live-switch input").check()
    lesson.locator(".dp-predict button").nth(0).click()
    press(lesson, PANEL, "lam", "End")
    says(lesson, ".dp-predict .dp-note", "You predicted “nearly all of it”.")
    says(lesson, f"{PANEL} .dp-verdict", "has the old model back")
    numbers = lesson.locator(f"{PANEL} .dp-attribute-numbers").inner_text()
    naive, again = (int(re.search(rf"{words}\s+(\d+)%", numbers)[1]) for words in ("B's attack", "calibrating"))
    assert naive < 47 and again > 55
    has_chart(lesson, f"{PANEL} .dp-guesses-chart", "calibrating attacker", "imputation + outcome")


def test_the_tree_follows_lambda(lesson):
    has_chart(lesson, f"{TREES} .dp-answers-chart", "The sensitive question is put to 100% of people")
    choose(lesson, TREES, "tree-kind", "MID that may stop asking")
    press(lesson, TREES, "tree-lam", "End")
    says(lesson, f"{TREES} .dp-tree-words", "grew a tree of 5 nodes")
    choose(lesson, TREES, "tree-kind", "no defence")
    expect(lesson.locator(f"{TREES} .dp-tree-lam")).to_be_hidden()


def test_curves_change_with_the_attacker(lesson):
    has_chart(lesson, f"{CURVES} .dp-curve-chart", "MID from 0.59 to 0.50")
    choose(lesson, CURVES, "curve-attack", "calibrating attacker")
    has_chart(lesson, f"{CURVES} .dp-curve-chart", "MID from 0.58 to 0.58")
    choose(lesson, CURVES, "curve-attack", "MAP with counts")
    says(lesson, f"{CURVES} .dp-curve-chart", "needs a tree")


def test_theory_follows_its_sliders(lesson):
    says(lesson, f"{THEORY} .dp-theory-numbers", "Here it says nothing.")
    lesson.locator(".dp-task .dp-check-button").nth(2).click()
    says(lesson, ".dp-task", "The theorems bound the advantage by 1.000")
    move_to(lesson, THEORY, "theory-epsilon", "ArrowLeft", "1e-4")
    move_to(lesson, THEORY, "theory-delta", "ArrowLeft", "1e-6")
    says(lesson, f"{THEORY} .dp-theory-numbers", "Here it says something.")
    lesson.locator(".dp-task .dp-check-button").nth(2).click()
    says(lesson, ".dp-task", "far below what anybody uses")


def test_tasks_know_what_was_tried(lesson):
    lesson.locator(".dp-task .dp-check-button").nth(0).click()
    says(lesson, ".dp-task", "MID cannot do it at any λ")
    choose(lesson, PANEL, "defence", "answers rounded")
    expect(readout(lesson, PANEL, "rounding")).to_be_visible()
    move_to(lesson, PANEL, "rounding", "ArrowRight", "15")
    says(lesson, f"{PANEL} .dp-runs", "rounded to 15")
    lesson.locator(".dp-task .dp-check-button").nth(0).click()
    says(lesson, ".dp-task", "whoever imputes needs no model")


def test_own_tables_are_checked_and_then_attacked(lesson):
    rng = np.random.default_rng(0)
    secret = rng.integers(0, 2, 200)
    outcome = np.where(rng.random(200) < 0.9, secret, 1 - secret)
    open_settings(lesson, PANEL)
    choose(lesson, PANEL, "data", "your own file…")
    for changed, words in (
        ({"age": np.full(200, "")}, "age must have a value for everybody"),
        ({"age": np.where(np.arange(200) == 7, "old", np.arange(200))}, "age must be a number for everybody"),
    ):
        upload(lesson, PANEL, "mine.csv", table(200, secret, outcome, **changed))
        says(lesson, f"{PANEL} .dp-controls", words)
    upload(lesson, PANEL, "mine.csv", table(200, secret, outcome))
    says(lesson, f"{PANEL} .dp-controls", "200 people. age: 5 categories.")
    choose(lesson, PANEL, "model", "decision tree (ID3)")
    type_into(lesson, PANEL, "outcome", "outcome")
    type_into(lesson, PANEL, "sensitive", "outcome")
    lesson.locator(f"{PANEL} .dp-run-button").click()
    says(lesson, f"{PANEL} .dp-controls", "sensitive must be another column than the outcome")
    type_into(lesson, PANEL, "sensitive", "secret")
    says(lesson, f"{PANEL} .dp-runs", "mine.csv")
    expect(readout(lesson, PANEL, "known")).to_be_visible()
