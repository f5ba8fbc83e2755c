"""Charts of lesson 5: at any width, described by their own numbers, and drawn also where something is missing."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from dpmia_lab.experiments.mechanism_sweep import sweep_of
from dpmia_lab.experiments.mechanisms import ATTACKS, GRID, PRESETS, column
from dpmia_lab.plots import mechanisms as plots
from dpmia_lab.plots import tradeoffs
from dpmia_lab.privacy.accounting import epsilon_text

AXES = {"central": "ε for a record, add or remove one", "local": "ε for a record, replace one"}


CONFIG = replace(PRESETS["skewed-10"], repeats=2)  # so many records that AUC and accuracy are well known


def sweep_arrays(seeds=2):
    """No defence, three central and two local strengths, in the order in which the experiment has them."""
    arrays = {
        "mechanism": [0, 1, 1, 1, 2, 2],
        "parameter": [np.nan, 0.5, 2, 8, 0.5, 3],
        "classes": [10] * 6,
        "epsilon": [np.nan, 20.0, 1.3, 0.2, 300.0, 1800.0],
        "test_accuracy": [0.95, 0.8, 0.4, 0.1, 0.7, 0.94],
        column("auc", "white_box"): [0.8, 0.7, 0.6, 0.5, 0.6, 0.78],
        column("auc", "black_box"): [0.75, 0.66, 0.55, 0.5, 0.58, 0.74],
        column("phi", "white_box"): [np.nan, 1.9, 1.1, np.nan, 2.0, 1.4],
    }
    arrays = {name: np.array(values, dtype=float) for name, values in arrays.items()}
    if seeds > 1:
        measured = ("test_accuracy", column("auc", "white_box"), column("phi", "white_box"))
        arrays |= {f"{name}_sd": np.full(6, 0.02) for name in measured}
    arrays |= {column("roc", attack): np.tile(np.sqrt(GRID), (6, 1)) for attack in ATTACKS}
    return arrays


def sweep(arrays, words, **how):
    return plots.Drawn(sweep_of(arrays, CONFIG, words), **how)


def drawn(chart):
    return np.asarray(Image.open(io.BytesIO(chart.png())).convert("RGB"))


def texts(axes):
    return [text.get_text() for text in axes.texts]


def only(arrays, *kinds):
    kept = np.isin(arrays["mechanism"], kinds)
    return {name: values[kept] for name, values in arrays.items()}


REFERENCE = sweep(sweep_arrays(), "reference")
OWN = sweep(sweep_arrays(seeds=1), "your run 1", own=True)


def all_charts(sweeps, width, *played):
    played = played or ("white_box", "alike")
    roc = sweeps[0] if sweeps else None
    return [
        plots.over_epsilon_chart(sweeps, *played, AXES, width),
        tradeoffs.tradeoff_chart(sweeps, *played, "white box", width),
        tradeoffs.roc_chart(roc, *played, False, width),
    ]


@pytest.mark.parametrize("width", [300, 726])
def test_charts_are_drawn_at_their_width(width):
    charts = all_charts([REFERENCE, OWN], width)
    assert [drawn(chart).shape[1] for chart in charts] == [2 * width] * 3
    columns = {round(axes.get_position().x0, 2) for axes in charts[0].figure.axes}
    assert len(charts[0].figure.axes) == 6 and len(columns) == (2 if width == 726 else 1)


@pytest.mark.parametrize(
    "sweeps",
    [
        [],
        [OWN],
        [sweep(only(sweep_arrays(), 0, 1), "reference")],
        [sweep(only(sweep_arrays(1), 0), "your sweep so far", own=True)],
        [sweep({n: v for n, v in sweep_arrays(1).items() if "roc" not in n}, "your sweep so far", own=True)],
    ],
    ids=["nothing", "no reference", "central only", "no defence only", "while it runs"],
)
def test_what_is_missing_is_not_drawn(sweeps):
    for chart in all_charts(sweeps, 726):
        assert drawn(chart).size and "nan" not in chart.alt
    if not sweeps:
        assert all("nothing to show yet" in chart.alt for chart in all_charts(sweeps, 300))


def test_an_attack_that_was_not_made_leaves_its_places_empty():
    for chart in all_charts([REFERENCE], 726, "black_box", "shifted")[1:]:
        assert drawn(chart).size and "nothing to show yet" in chart.alt


def test_the_words_hold_the_numbers():
    over, scatter, roc = (chart.alt for chart in all_charts([REFERENCE, OWN], 726))
    assert "reference, central, at ε = 0.2: accuracy 0.10, AUC 0.50, no φ" in over
    assert "your run 1, local, at ε = 1800 (features only): accuracy 0.94, AUC 0.78, φ 1.40" in over
    assert "reference, no defence: accuracy 0.95, AUC 0.80" in scatter and "your run 1, central at ε = 20" in scatter
    assert "central, ε = 1.3: 0.3" in roc and "local, no defence" in roc


def test_an_undefined_phi_is_a_mark_at_the_axis_and_never_a_number():
    axes = plots.over_epsilon_chart([REFERENCE], "white_box", "alike", AXES, 726).figure.axes[4]  # φ, central
    crosses = [line for line in axes.lines if line.get_marker() == "x" and len(line.get_xdata())]
    assert [list(line.get_xdata()) for line in crosses] == [[0.2]]
    assert any("no φ: it would divide by chance" in words for words in texts(axes))
    line = next(line for line in axes.lines if line.get_marker() == "o")
    assert list(line.get_xdata()) == [1.3, 20.0]
    local = plots.over_epsilon_chart([REFERENCE], "white_box", "alike", AXES, 726).figure.axes[5]
    assert not any("no φ" in words for words in texts(local))


def test_no_phi_is_drawn_where_it_would_divide_by_chance():
    weak = sweep_arrays() | {column("auc", "white_box"): np.array([0.55, 0.54, 0.52, 0.5, 0.53, 0.54])}  # ± .014
    for axes in plots.over_epsilon_chart([sweep(weak, "reference")], "white_box", "alike", AXES, 726).figure.axes[4:]:
        drawn = [line for line in axes.lines if line.get_marker() in "os" and len(line.get_xdata())]
        assert drawn == [] and any("no φ" in words for words in texts(axes))


def test_the_likelihood_ratio_stands_alone():
    arrays = sweep_arrays() | {column("auc", "lira_offline"): np.array([0.9, 0.8, 0.7, 0.6, 0.7, 0.88])}
    chart = plots.over_epsilon_chart([sweep(arrays, "reference")], "lira_offline", "alike", AXES, 726)
    words = texts(chart.figure.axes[2])
    assert "likelihood ratio" in words and "white box" not in words
    assert "at ε = 20: accuracy 0.80, AUC 0.80, φ 1.42" in chart.alt  # of the means: (.1/.4) / (.15/.85)


def test_the_readers_points_are_larger_and_edged_in_ink():
    axes = plots.over_epsilon_chart([REFERENCE, OWN], "white_box", "alike", AXES, 726).figure.axes[0]
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert dots[1].get_markersize() > dots[0].get_markersize()
    assert dots[1].get_markeredgecolor() == plots.INK and dots[0].get_markeredgecolor() != plots.INK


def test_error_bars_need_several_seeds():
    several, single = (plots.over_epsilon_chart([one], "white_box", "alike", AXES, 726) for one in (REFERENCE, OWN))
    assert several.figure.axes[0].containers and not single.figure.axes[0].containers


def test_a_smaller_epsilon_is_darker_and_mechanisms_differ_in_shape():
    colours = tradeoffs.shades("central", np.array([0.2, 1.3, 20.0]))
    assert sorted(colours, key=sum) == colours
    assert len({marker for _, marker in plots.MARKS.values()}) == 3


def test_roc_axes_may_be_logarithmic():
    axes = tradeoffs.roc_chart(REFERENCE, "white_box", "alike", True, 726).figure.axes[0]
    assert axes.get_xscale() == axes.get_yscale() == "log" and axes.get_xlim()[0] == 1e-3


@pytest.mark.parametrize(
    ("epsilon", "words"), [(0.2, "0.2"), (1.2341, "1.24"), (1800.0, "1800"), (257_600.0, "257600")]
)
def test_an_epsilon_is_never_understated_nor_in_powers_of_ten(epsilon, words):
    assert epsilon_text(epsilon) == words
