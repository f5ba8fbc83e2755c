"""Charts of lesson 6: what they say in words is what they were given, and they do without a reference."""

import io
from itertools import product

import numpy as np
import pytest
from matplotlib.colors import to_hex
from PIL import Image

from dpmia_lab.experiments.evaluation import ATTACKERS, GROUPS, IN_FULL, NAMES, array_name
from dpmia_lab.plots import evaluation as plots
from dpmia_lab.plots.style import INK
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result

BLUR, SEES = {"published": 0.5, "smoothed": 1.0}, {"judge": 1.0, "matched": 3.0, "nearest": 2.0}
EPSILONS, SIGMAS = (2.0, 4.0, 6.0, 8.0), (2.0, 4.0, 6.0)
CHANCE = 0.025
CELL_NUMBERS = {"steps": 1875.0, "chance": CHANCE, "judge_accuracy": 0.79, "blank_success_rate": 1.0, "records": 280.0}
CELL_NUMBERS |= {"delta": 1e-3, "epsilon": 3.999, "epsilon_tight": 3.55, "noise": 0.57, "rate": 0.01}
CELL_NUMBERS |= {"matched_accuracy": 0.78, "pictures_a_person": 7.0, "epsilon_person": 129.4}


def estimated(measure: str, value: float, around: float, **of: str) -> Row:
    """A row with an interval so far around its value, all within [0, 1]."""
    ends = {"low": max(0.0, value - around), "high": min(1.0, value + around)}
    return Row(measure, min(1.0, value), **of, **ends)


def cell_rows(accuracy=0.5, private=0.2, control=0.6, success=1.0) -> Rows:
    """Made-up rows of a cell; people recognised doubles after a blur, the matched filter sees three times as many."""
    kinds = {"private": (accuracy, private, success), "noise": (0.025, 0.03, 0.8)}
    kinds |= {"control": (accuracy + 0.01, control, 1.0), "plain": (0.91, 0.8, 1.0)}
    rows = []
    for group, (right, impact, models) in kinds.items():
        rows += [Row("confidence_mean", 0.9, group)]
        rows += [Row(which, right, group, spread=0.03) for which in ("train_accuracy", "test_accuracy")]
        rows += [estimated("impact_mean", impact, 0.02, defence=group, attack="published", protocol="ssim")]
        for (attack, times), (judge, sees) in product(BLUR.items(), SEES.items()):
            of = {"defence": group, "attack": attack, "protocol": judge}
            seen = min(1.0, impact * times * (1 if group == "noise" else sees))
            rows += [estimated("impact_mean", seen, 0.02, **of)]
            if judge in IN_FULL:
                rows += [
                    estimated("success_rate", models, 0.04, **of),
                    estimated("beyond_chance_rate", impact, 0.02, **of),
                    Row("impact_highest", min(1.0, seen + 0.05), **of),
                    Row("success_rate_by_chance", 0.65, **of),
                ]
    return Rows(tuple(rows), NAMES)


def cell_result(**changes) -> Result:
    """A whole cell with pictures of seven people, of whom the network knows the first, the filter the first two."""
    drawn = np.random.default_rng(0).integers(0, 256, (7, 1, 8, 6)).astype(np.uint8)
    verdicts = {"judge": [0, 0, 0, 0, 0, 0, 0], "matched": [0, 1, 0, 0, 0, 0, 0]}
    arrays = {"truth": drawn.astype(np.float32) / 255, "names": np.array([f"person {i}" for i in range(1, 8)])}
    arrays["shapes"] = arrays["truth"]
    for group, attack in product(GROUPS, ATTACKERS):
        arrays[array_name("reconstruction", group, attack)] = drawn
        for judge, named in verdicts.items():
            arrays[array_name("named", group, attack, judge)] = np.tile(np.array(named, dtype=np.int16), (4, 1))
    return Result(CELL_NUMBERS, arrays, cell_rows(**changes))


def risk(value: float, low: float, high: float) -> Row:
    return Row("impact_mean", value, low=low, high=high)


def grid_points() -> list[plots.Point]:
    return [
        plots.Point(e, s, e / 10, risk(e / 20, e / 20 - 0.02, e / 20 + 0.02), (e / 10, risk(0.7, 0.6, 0.8)))
        for e in EPSILONS
        for s in SIGMAS
    ]


CHOICE = plots.Choice(0.25, (0, 1, 2, 3, 4, 5), 3)


@pytest.mark.parametrize("width", [280, 726])
def test_charts_are_as_wide_as_asked_for(width):
    noise = risk(0.03, 0.0, 0.07)
    for chart in (
        plots.choice_chart(grid_points(), CHOICE, noise, "people recognised", width),
        plots.choice_chart([], plots.Choice(0.5, (), None), None, "people recognised", width),
        plots.groups_chart(cell_rows(), "smoothed", CHANCE, width),
    ):
        assert Image.open(io.BytesIO(chart.png())).width == 2 * width
        assert "nan" not in chart.alt


def test_the_choice_is_said_in_words():
    own = plots.Point(3.0, 1.5, 0.44, risk(0.2, 0.1, 0.4), own=True, words="run 1")
    words = plots.choice_chart([*grid_points(), own], CHOICE, risk(0.03, 0, 0.1), "people recognised", 726).alt
    assert "you accept 25%" in words and "Models of pure noise: 3%" in words
    assert "ε = 4, σ = 2: accuracy 40%, risk 20% (up to 22%), admissible, the most accurate of these" in words
    assert "ε = 8, σ = 6: accuracy 80%, risk 40% (up to 42%)" in words and words.count("admissible") == 6
    assert "your run 1, ε = 3, σ = 1.5: accuracy 44%, risk 20% (up to 40%)" in words


def test_without_a_reference_the_chart_says_so():
    empty = plots.choice_chart([], plots.Choice(0.5, (), None), None, "people recognised", 726)
    assert "No cells yet" in empty.alt
    assert "no cells yet" in [text.get_text() for text in empty.figure.axes[0].texts]
    assert empty.figure.axes[0].get_legend() is None


def test_what_is_admissible_is_filled_and_the_best_is_starred():
    lines = plots.choice_chart(grid_points(), CHOICE, None, "people recognised", 726).figure.axes[0].lines
    cells = [line for line in lines if line.get_markersize() == 8 and len(line.get_xdata())]
    assert [to_hex(line.get_markerfacecolor()) != "#ffffff" for line in cells] == [True] * 6 + [False] * 6
    stars = [line for line in lines if line.get_marker() == "*"]
    assert len(stars) == 1 and tuple(stars[0].get_xydata()[0]) == (0.2, 0.4)
    assert {line.get_marker() for line in cells} == {"o", "s", "^"}


def test_the_readers_own_cells_are_larger_and_edged_in_ink():
    own = plots.Point(3.0, 1.5, 0.44, risk(0.2, 0.1, 0.4), own=True, words="run 1")
    lines = plots.choice_chart([own], plots.Choice(0.5, (), None), None, "people", 726).figure.axes[0].lines
    assert [to_hex(line.get_markeredgecolor()) for line in lines if line.get_markersize() == 11] == [INK.lower()]


def test_every_kind_of_model_is_told_as_each_judge_sees_it():
    chart = plots.groups_chart(cell_rows(), "smoothed", CHANCE, 726)
    assert all(said in chart.alt for said in GROUPS.values())
    assert "private models: the matched filter 60% (58% to 62%), paper E's network 20% (18% to 22%)" in chart.alt
    assert "models of pure noise: the matched filter 3% (1% to 5%), paper E's network 3%" in chart.alt
    labels = [text.get_text() for text in chart.figure.axes[0].texts]
    assert "60% filter" in labels and "20% network" in labels and len(labels) == 8
    assert "chance, 2.5%" in chart.figure.axes[0].get_xlabel()
    assert "network 10% (8% to 12%)" in plots.groups_chart(cell_rows(), "published", CHANCE, 726).alt


def test_the_judges_differ_in_more_than_place():
    lines = plots.groups_chart(cell_rows(), "smoothed", CHANCE, 726).figure.axes[0].lines
    faces = [to_hex(line.get_markerfacecolor()) for line in lines if line.get_marker() in "oDs"]
    assert len(faces) == 6 and faces[:3].count("#ffffff") == 0 and faces[3:] == ["#ffffff"] * 3


def test_kinds_of_models_differ_in_more_than_colour():
    assert len(set(plots.LOOKS.values())) == len(GROUPS)
    assert len({marker for _, marker in plots.LOOKS.values()}) == len(GROUPS)
