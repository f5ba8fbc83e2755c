"""Answers from a grid, on grids made by hand: the front, rankings, equal accuracy, and what may be used."""

import numpy as np
import pytest
from comparing_parts import AUC, CAUGHT, GRID, grid_with

from dpmia_lab.experiments.comparing_answers import (
    Harm,
    Limit,
    Question,
    answer_to,
    attacks_against,
    bargains,
    chance_of,
    harms_of,
    leak_of,
    ranked,
)
from dpmia_lab.experiments.comparing_columns import DATA, columns_for
from dpmia_lab.experiments.comparing_grid import Column, Grid
from dpmia_lab.experiments.comparing_matched import line_words, lines_of, match, matched
from dpmia_lab.metrics.front import front_line, front_shares, on_front
from dpmia_lab.rows import Row

# ---- the front


def test_the_front_is_what_nobody_beats():
    utility, leak = np.array([0.7, 0.6, 0.5, 0.4]), np.array([0.4, 0.2, 0.3, 0.1])
    assert on_front(utility, leak).tolist() == [True, True, False, True]


def test_equals_are_on_the_front_together_and_nan_is_not():
    assert on_front(np.array([0.5, 0.5, np.nan]), np.array([0.1, 0.1, 0.0])).tolist() == [True, True, False]
    assert on_front(np.array([0.5, 0.5]), np.array([0.1, 0.2])).tolist() == [True, False]


def test_the_front_agrees_with_looking_at_every_pair():
    rng = np.random.default_rng(0)
    utility, leak = rng.random(60).round(1), rng.random(60).round(1)
    for i, found in enumerate(on_front(utility, leak)):
        beaten = any(
            utility[j] >= utility[i] and leak[j] <= leak[i] and (utility[j] > utility[i] or leak[j] < leak[i])
            for j in range(60)
        )
        assert found != beaten


def test_shares_over_seeds_count_the_seeds():
    utility = np.array([[0.5, 0.5], [0.4, 0.6]])
    leak = np.array([[0.1, 0.1], [0.2, 0.1]])
    assert front_shares(utility, leak).tolist() == [0.5, 0.5]


def test_the_line_of_the_front_rises_in_stairs():
    leak, utility = front_line(np.array([0.7, 0.6, 0.5, 0.4]), np.array([0.4, 0.2, 0.3, 0.1]))
    assert leak.tolist() == [0.1, 0.2, 0.2, 0.4, 0.4] and utility.tolist() == [0.4, 0.4, 0.6, 0.6, 0.7]


def test_bargains_say_who_is_on_the_front_by_means_and_by_seeds():
    found = {one.column: one for one in bargains(GRID, Harm("tpr1"))}
    assert [name for name, one in found.items() if one.front] == ["none", "weak", "strong"]
    assert found["weak"].seeds == 1.0 and found["mask"].seeds == 0.0


def test_a_readers_own_cell_has_a_place_and_does_not_change_the_seeds_of_others():
    rows = [Row("accuracy", 0.9, protocol="test"), Row("tpr1", 0.01, attack="lira_fixed", protocol="turns")]
    grid = GRID.with_column("mine", Column("mine", "my own", {}), rows)
    found = {one.column: one for one in bargains(grid, Harm("tpr1"))}
    assert found["mine"].front and np.isnan(found["mine"].seeds)
    assert not found["none"].front and found["none"].seeds == 1.0


# ---- the worst attack counts


def test_the_worst_attack_counts_for_each_defence():
    assert leak_of(GRID, "weak", Harm("tpr1")).attack == "lira_fixed"
    assert leak_of(GRID, "mask", Harm("tpr1")).attack == "loss"
    assert leak_of(GRID, "mask", Harm("tpr1", attack="lira_fixed")).measured.mean == pytest.approx(0.3)


def test_canaries_are_not_everybody():
    assert attacks_against(GRID, Harm("tpr1", "canaries")) == [("lira_fixed", "mislabelled")]
    assert leak_of(GRID, "strong", Harm("tpr1", "canaries")).measured.mean == pytest.approx(0.1)
    assert leak_of(GRID, "strong", Harm("tpr1", "at risk")) is None
    assert Harm("tpr1", "canaries") in harms_of(GRID) and Harm("recognised") not in harms_of(GRID)


def test_baselines_are_no_attacks_and_give_the_chance_level():
    grid = grid_with({"none": {"accuracy": 0.9, ("recognised", "nothing", ""): 0.05, ("recognised", "gmi", ""): 0.02}})
    assert leak_of(grid, "none", Harm("recognised")).attack == "gmi"
    assert chance_of(grid, "recognised") == pytest.approx(0.05)
    secret = {("attack_over_imputation", attack, ""): 0.0 for attack in ("prior", "imputation", "imputation_map")}
    grid = grid_with({"none": {"accuracy": 0.9, ("recognised", "prior", ""): 0.5, **secret}})
    assert attacks_against(grid, Harm("attack_over_imputation")) == [("imputation_map", "")]
    assert attacks_against(grid, Harm("recognised")) == [("prior", "")]
    assert chance_of(GRID, "auc") == 0.5 and chance_of(GRID, "tpr1") == 0.01


# ---- one number


def test_without_weight_on_privacy_accuracy_ranks_and_with_much_of_it_the_leak():
    assert [one.column for one in ranked(GRID, 0, 10)] == ["none", "weak", "mask", "strong"]
    assert ranked(GRID, 50, 10)[0].column == "strong"


def test_phi_is_that_of_the_formula_and_none_has_none():
    found = {one.column: one for one in ranked(grid_with({
        "none": {"accuracy": 0.7, AUC: 0.9}, "half": {"accuracy": 0.4, AUC: 0.7}}, apart=0.0), 1, 10)}  # fmt: skip
    assert found["half"].phi == pytest.approx((0.9 - 0.7) * (0.7 - 0.1) / ((0.7 - 0.4) * (0.9 - 0.5)))
    assert found["none"].phi is None
    assert found["half"].aop.mean == pytest.approx(0.4 / 1.4)


# ---- equal accuracy


def line(name: str):
    return next(line for line in lines_of(GRID) if name in line.columns)


def test_between_two_strengths_a_defence_is_read_in_between():
    place = match(GRID, line("weak"), 0.5)
    assert place.columns == ("weak", "strong") and place.weight == pytest.approx(0.5)
    assert matched(GRID, place, *CAUGHT).mean == pytest.approx(0.125)
    assert matched(GRID, place, "tpr1", "white_box", "alike") is None


def test_where_a_defence_cannot_be_as_accurate_the_reason_is_told():
    assert match(GRID, line("mask"), 0.56).columns == ("mask",)
    assert "no other strength" in match(GRID, line("mask"), 0.3).reason
    assert match(GRID, line("weak"), 0.69).reason == "no strength that was tried is right for more than 60%"
    assert match(GRID, line("weak"), 0.2).reason == "no strength that was tried is right for less than 40%"
    assert matched(GRID, match(GRID, line("weak"), 0.2), *CAUGHT) is None


@pytest.mark.parametrize("data", DATA)
def test_every_column_is_in_one_line_and_lines_have_names(data):
    grid = Grid(data, (0,), columns_for(data), {})
    lines = lines_of(grid)
    assert sorted(name for line in lines for name in line.columns) == sorted(grid.columns)
    words = [line.words for line in lines]
    assert len(set(words)) == len(words) and all(word[-1].isalnum() or len(word) > 12 for word in words), words
    kinds = [{type(value) for name in line.columns for value in grid.columns[name].changes.values()} for line in lines]
    assert all(float in kind or len(line.columns) == 1 or int in kind for kind, line in zip(kinds, lines, strict=True))


def test_the_words_of_a_line_leave_its_number_out():
    assert line_words(["DP-SGD, ε = 2", "DP-SGD, ε = 4"]) == "DP-SGD"
    assert line_words(["early stopping after 1 epochs", "early stopping after 15 epochs"]) == "early stopping"
    assert line_words(["dropout 0.3", "dropout 0.6"]) == "dropout"
    assert line_words(["label smoothing -0.1", "label smoothing 0.3"]) == "label smoothing"
    assert line_words(["the label alone"]) == "the label alone"


# ---- what may be used


def asked(most: float, right: float, who: str = "everybody"):
    return answer_to(GRID, Question((Limit(Harm("tpr1", who), most),), right))


def test_what_keeps_to_the_limits_is_named_most_accurate_first():
    assert [option.column for option in asked(0.25, 0.35).kept] == ["weak", "strong"]
    assert asked(0.25, 0.35).closest is None


def test_the_whole_interval_must_keep_to_the_limit():
    """Five seeds .01 apart at the ends: half the interval is about .0098."""
    assert [option.column for option in asked(0.205, 0.55).kept] == []
    assert [option.column for option in asked(0.212, 0.55).kept] == ["weak"]
    assert asked(0.25, 0.595).kept == []


def test_nothing_here_is_an_answer_too_with_what_is_closest():
    answer = asked(0.1, 0.55)
    assert answer.kept == [] and answer.closest.column == "weak" and answer.tried == 4
    accuracy, leak = answer.closest.misses
    assert accuracy == 0 and leak == pytest.approx(0.2 + 0.0098 - 0.1, abs=1e-3)


def test_stricter_limits_never_admit_more():
    rng = np.random.default_rng(1)
    for _ in range(50):
        most, right = rng.random(2)
        names = {option.column for option in asked(most, right).kept}
        assert {option.column for option in asked(most * 0.8, right).kept} <= names
        assert {option.column for option in asked(most, right + 0.1).kept} <= names


def test_what_was_not_tried_or_has_one_seed_does_not_count():
    assert asked(1.0, 0.0, "at risk").kept == [] and asked(1.0, 0.0, "at risk").closest is None
    rows = [Row("accuracy", 0.9, protocol="test"), Row("tpr1", 0.01, attack="lira_fixed", protocol="turns")]
    grid = GRID.with_column("mine", Column("mine", "my own", {}), rows)
    answer = answer_to(grid, Question((Limit(Harm("tpr1"), 0.02),), 0.8))
    assert answer.kept == []


def test_every_limit_must_be_kept():
    two = Question((Limit(Harm("tpr1"), 0.25), Limit(Harm("tpr1", "canaries"), 0.5)), 0.3)
    assert [option.column for option in answer_to(GRID, two).kept] == ["strong"]
