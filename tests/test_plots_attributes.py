"""Charts of lesson 7: every point can be read, the words come from the same data, narrow and wide."""

import numpy as np
import pytest

from dpmia_lab.plots.attributes import (
    Branch,
    Guess,
    answers_chart,
    guesses_chart,
    shares_chart,
    tree_chart,
)
from dpmia_lab.plots.curves import Line, curves_chart

WIDTHS = pytest.mark.parametrize("width", [320, 774])


@WIDTHS
def test_every_attacker_has_a_bar_that_can_be_read(width):
    guesses = [Guess("imputation", False, 0.61, 0.02, 0.61), Guess("paper B's attack", True, 0.49, 0.03, 0.58)]
    chart = guesses_chart(guesses, "attack_accuracy", 0.37, width)
    assert [reading.name for reading in chart.readings()] == ["imputation", "paper B's attack"]
    assert "0.490 ± 0.030 over splits; without the defence 0.580" in chart.readings()[1].words
    assert chart.alt == ("secrets guessed right, by attacker: imputation 0.61; paper B's attack 0.49. "
                         "Knowing nothing: 0.37.")  # fmt: skip
    first, second = chart.readings()
    assert first.y < second.y and first.x > second.x  # in the given order downwards; the longer bar reaches further


@WIDTHS
def test_answers_are_counted_whole(width):
    rng = np.random.default_rng(0)
    outcome = rng.normal(30, 15, 400)
    plain, answer = 30 + 0.7 * (outcome - 30), 30 + 0.1 * (outcome - 30)
    chart = answers_chart(plain, answer, outcome, "mg", width)
    assert sum(int(reading.words.split()[0]) for reading in chart.readings()) == 400
    assert f"spread {answer.std():.1f} mg; without the defence {plain.std():.1f}" in chart.alt


def test_shares_of_classes_add_up():
    confidences = np.eye(3)[[0, 0, 1, 2]]
    chart = shares_chart(confidences, np.eye(3)[[0] * 4], np.array([0, 1, 1, 2]), ["a", "b", "c"], 774)
    assert chart.alt == "Share of new people who get each answer: a 100%, b 0%, c 0%."
    assert len(chart.readings()) == 9


@WIDTHS
def test_curves_name_strength_leak_and_cost(width):
    line = Line("MID", ["λ 0.2", "λ 3"], np.array([8.0, 11.0]), np.array([0.58, 0.5]), np.array([0.02, 0.03]))
    chart = curves_chart([line], {"imputation": 0.61}, "mg off", "right guesses", width, lower=True)
    assert "λ 3: right guesses 0.500 ± 0.030, mg off 11" in [reading.words for reading in chart.readings()]
    costs = [reading.x for reading in chart.readings()]
    assert costs == sorted(costs)
    turned = curves_chart([line], {}, "right", "guesses", width, lower=False)  # more useful is left in either case
    assert [reading.x for reading in turned.readings()] == sorted((r.x for r in turned.readings()), reverse=True)


@WIDTHS
def test_a_tree_has_a_point_a_node(width):
    leaves = (Branch("happy", "no", False, 70, "70 people"), Branch("unhappy", "yes", False, 30, "30 people"))
    root = Branch("affair?", "", True, 100, "100 people; the sensitive question", leaves)
    chart = tree_chart(root, width, "a tree")
    top, left, right = chart.readings()
    assert (top.name, left.name, right.name) == ("affair?", "happy", "unhappy")
    assert top.y < left.y == right.y and left.x < top.x < right.x
