"""Charts of lesson 4: at any width, whatever attacks were made, described by their own numbers."""

import io

import numpy as np
import pytest
from PIL import Image

from dpmia_lab.game.attacks import MEMBERSHIP
from dpmia_lab.metrics import membership as metrics
from dpmia_lab.plots import membership as plots
from dpmia_lab.plots import roc
from dpmia_lab.plots.style import PROTECTED, REFERENCE

RNG = np.random.default_rng(0)
MEMBER = np.repeat([True, False], [60, 40])
SCORES = {
    "loss": np.where(MEMBER, 0.5, 0.0) + RNG.normal(size=100),
    "white_box": np.where(RNG.random(100) < 0.5, np.nan, RNG.normal(size=100)),  # half was known
    "lira_fixed": np.where(MEMBER, 3.0, 0.0) + RNG.normal(size=100),
}
ALLOWED = roc.Allowed(np.array([0.0, 0.01, 0.1, 1.0]), np.array([0.001, 0.05, 0.4, 1.0]))
INSIDE = plots.Spread(np.array([4.0, 5.0, 6.0]), 5.0, 1.0)
OUTSIDE = plots.Spread(np.array([1.0, 2.0]), 1.5, 1.0)


def drawn(chart):
    return np.asarray(Image.open(io.BytesIO(chart.png())).convert("RGB"))


def key_of(chart):
    return [text.get_text() for text in chart.figure.axes[2].texts]


@pytest.mark.parametrize("width", [300, 760])
def test_charts_are_drawn_at_their_width(width):
    charts = [
        plots.learning_chart([0, 5, 10], [0.1, 0.8, 1.0], [0.1, 0.5, 0.6], [0.5, 0.6, 0.8], 40, 0.05, width),
        roc.roc_chart(SCORES, MEMBER, ALLOWED, width),
        roc.protocols_chart(SCORES, MEMBER, {"loss": SCORES["loss"]}, MEMBER, width),
        plots.record_chart(INSIDE, OUTSIDE, 5.5, width),
        plots.verdicts_chart(RNG.random(100), MEMBER, width),
    ]
    assert [drawn(chart).shape[1] for chart in charts] == [2 * width] * len(charts)
    for chart in charts[:3]:
        heights = {round(axes.get_position().y1, 2) for axes in chart.figure.axes[:2]}
        assert (len(heights) == 1) == (width == 760)  # side by side where there is room


def test_learning_and_leaking_are_said_in_words():
    chart = plots.learning_chart([0, 10], [0.1, 1.0], [0.1, 0.62], [0.5, 0.81], 40, None, 600)
    assert "After 10 of 40 epochs" in chart.alt and "100% on training" in chart.alt and "AUC" in chart.alt
    assert "62% on new ones" in chart.alt and "0.81" in chart.alt
    assert plots.learning_chart([], [], [], [], 40, None, 600).alt == "Nothing is measured yet."


def test_an_auc_below_one_half_stays_in_the_picture():
    chart = plots.learning_chart([0, 1], [0.1, 0.2], [0.1, 0.2], [0.5, 0.31], 2, None, 600)
    assert chart.figure.axes[1].get_ylim()[0] <= 0.31


def test_the_roc_holds_every_attack_with_its_numbers():
    chart = roc.roc_chart(SCORES, MEMBER, None, 700)
    for name, scores in SCORES.items():
        words = roc.LINES[name].words
        assert f"{words} AUC {metrics.auc(scores, MEMBER):.2f}" in chart.alt
        assert f"{metrics.tpr_at_fpr(scores, MEMBER, 0.01)[0]:.1%} caught" in chart.alt
    assert len(key_of(chart)) == len(SCORES) + 2  # its title and guessing
    assert chart.figure.axes[1].get_xscale() == "log" and chart.figure.axes[0].get_xscale() == "linear"
    assert chart.figure.axes[1].get_xlim()[0] == pytest.approx(1 / 40)  # one outsider of all


def test_the_key_lists_attacks_as_the_lines_lie_at_one_percent():
    assert [c.attack for c in roc.curves_of(SCORES, MEMBER)][0] == "lira_fixed"


def test_a_failed_attack_is_drawn_and_said_as_failed():
    """One that ties has no curve; one that guesses is grey and thin; both come last."""
    scores = {"rmia": np.ones(100), "loss": -SCORES["lira_fixed"], "lira_fixed": SCORES["lira_fixed"]}
    chart = roc.roc_chart(scores, MEMBER, None, 700)
    assert "RMIA failed, 100% of the records having the same score" in chart.alt
    assert f"loss AUC {metrics.auc(scores['loss'], MEMBER):.2f}" in chart.alt and "no better than guessing" in chart.alt
    assert {words.split("  ")[-1] for words in key_of(chart)[2:4]} == {"failed", "failed: ties"}
    colours = [line.get_color() for line in chart.figure.axes[0].lines]
    assert colours.count(REFERENCE) == 2 and len(colours) == 3  # the diagonal and the guesser, then the curve


def test_one_attack_alone_and_none_at_all():
    assert "loss AUC" in roc.roc_chart({"loss": SCORES["loss"]}, MEMBER, None, 700).alt
    assert roc.roc_words([], None) == "No attack has been made yet."


def test_new_attacks_are_drawn_by_their_entries_alone(monkeypatch):
    for name in ("made_up", "another"):
        monkeypatch.setitem(MEMBERSHIP, name, MEMBERSHIP["loss"])
    scores = SCORES | {name: SCORES["loss"] for name in ("made_up", "another")}
    chart = roc.roc_chart(scores, MEMBER, None, 700)
    assert "made up AUC" in chart.alt and any(words.startswith("another  ") for words in key_of(chart))
    assert roc.line_of("made_up").dash != roc.line_of("another").dash
    assert set(roc.LINES) <= set(MEMBERSHIP) - {"made_up", "another"}
    assert chart.figure.axes[2].get_ylim()[0] == len(MEMBERSHIP) + 2  # the key has room for all


def test_the_promise_is_drawn_and_said():
    chart = roc.roc_chart(SCORES, MEMBER, ALLOWED, 700)
    assert "The promise allows at most 5.0% to be caught there." in chart.alt
    assert "the promise's limit" in key_of(chart)
    line = next(line for line in chart.figure.axes[0].lines if line.get_color() == PROTECTED)
    np.testing.assert_array_equal(line.get_ydata(), ALLOWED.tpr)
    assert "promise" not in roc.roc_chart(SCORES, MEMBER, None, 700).alt


def test_both_protocols_are_told_apart():
    shifted = {"loss": np.where(MEMBER, 1.0, 0.0)}
    alt = roc.protocols_chart(SCORES, MEMBER, shifted, MEMBER, 700).alt
    assert "Outsiders like the members. Members caught against outsiders accused: AUC (0.5: guessing)" in alt
    assert "Outsiders as in paper C." in alt and "loss AUC 1.00, 100.0% caught" in alt
    assert "LiRA" not in alt  # only attacks that were made under both


def test_a_record_shows_both_kinds_of_models_and_the_published_one():
    chart = plots.record_chart(INSIDE, OUTSIDE, 5.5, 600)
    assert "3 models trained with it 5.0 ± 1.0, 2 without it 1.5 ± 1.0; the published model 5.5" in chart.alt
    low, high = chart.figure.axes[0].get_xlim()
    assert low < 1.0 and high > 6.0


def test_a_published_model_far_away_is_still_in_the_picture():
    low, high = plots.record_chart(INSIDE, OUTSIDE, 40.0, 600).figure.axes[0].get_xlim()
    assert low < 1.0 and high >= 40.0


def test_verdicts_are_counted_also_where_nobody_is_accused():
    chart = plots.verdicts_chart(np.array([0.2, 0.9, 0.95]), np.array([False, True, True]), 600)
    assert "called member 0.93" in chart.alt and "called outsider 0.20" in chart.alt
    assert "called member: none" in plots.verdicts_chart(np.array([0.2]), np.array([False]), 600).alt
