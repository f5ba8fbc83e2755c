"""Charts of lesson 2: at any width, described by their own numbers, with the live point where it belongs."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dpmia_lab.experiments import spending
from dpmia_lab.plots import privacy as plots
from dpmia_lab.plots.axes import apart, power_text
from dpmia_lab.stages import drain

REFERENCE = {
    "epsilon_tight": [30.0, 9.2, 3.6, 1.5],
    "accuracy": [0.93, 0.78, 0.42, 0.21],
    "accuracy_sd": [0.01, 0.02, 0.03, 0.02],
}
POINTS = [plots.Point(9.2, 0.8, "run 3"), plots.Point(3.0, 0.38, "run 2"), plots.Point(2.0, 0.3, "run 1")]
RECORDS, EPSILONS = (1, 2, 7, 50), np.array([9.1743, 24.2, 178.14, np.nan])  # the last is still being computed


def curves(**setting):
    """An answer by the moments accountant, and its curve among others."""
    found = spending.instant_answer(spending.Setting(**setting))
    others = drain(spending.comparison(found)).curves
    return found, {"moments": found.curve, **{name: others[name] for name in ("paper-moments", "paper-closed-form")}}


def drawn(chart):
    return np.asarray(Image.open(io.BytesIO(chart.png())).convert("RGB"))


def texts(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("width", [300, 760])
def test_charts_are_drawn_at_their_width(width):
    found, some = curves()
    charts = [
        plots.accounting_chart(some, found.setting.steps, found.epsilon, 0.01, width),
        plots.training_chart([10, 20], [0.2, 0.5], [1.0, 1.5], 40, 0.1, width),
        plots.accuracy_chart(REFERENCE, POINTS, 0.025, "record", width),
        plots.person_chart(RECORDS, EPSILONS, 2, width),
    ]
    assert [drawn(chart).shape[1] for chart in charts] == [2 * width] * 4
    side_by_side = len({round(axes.get_position().y0, 2) for axes in charts[0].figure.axes}) == 1
    assert side_by_side == (width == 760)


def test_the_live_point_lies_on_the_curve():
    found, some = curves(sigma=3.0)
    axes = plots.accounting_chart(some, found.setting.steps, found.epsilon, 0.01, 700).figure.axes[0]
    point = next(line for line in axes.lines if line.get_marker() == "o")
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (300, found.epsilon)


def test_the_words_of_the_accounting_chart_hold_its_numbers():
    found, some = curves()
    alt = plots.accounting_chart(some, found.setting.steps, found.epsilon, 0.01, 700).alt
    missed = np.interp(0.01, some["moments"].rates, some["moments"].misses)
    assert (
        f"ε = {plots.epsilon_text(found.epsilon)} after 300 steps" in alt and f"at least {missed:.0%} of members" in alt
    )


@pytest.mark.parametrize("setting", [{"sigma": 0.3, "steps": 100_000}, {"sigma": 50.0, "q": 0.0005}, {"q": 1.0}])
def test_extreme_settings_can_be_drawn(setting):
    found, some = curves(**setting)
    assert drawn(plots.accounting_chart(some, found.setting.steps, found.epsilon, 0.01, 300)).size


def test_a_tight_curve_of_one_point_leaves_the_axes_as_they_were():
    found, some = curves()
    one = spending.Curve(np.array([300]), np.array([9.2]), some["moments"].rates, some["moments"].misses)
    chart = plots.accounting_chart({"tight": one, **some}, 300, 9.2, 0.01, 700)
    assert chart.figure.axes[0].get_xlim() == (1, 10_000)
    assert "moments ε" in chart.alt and "tight ε" not in chart.alt and "ε = 9.2 after 300 steps" in chart.alt


def test_lines_without_a_guarantee_are_not_named():
    found, some = curves()  # the formula's conditions are broken at all steps
    axes = plots.accounting_chart(some, found.setting.steps, found.epsilon, 0.01, 700).figure.axes[0]
    assert "moments" in texts(axes) and "A's formula" not in texts(axes)


@pytest.mark.parametrize("heights", [[0.2], [0.5, 0.5, 0.5], [0.95, 0.99, 1.0, 1.0], [0.0, 0.01, 1.0]])
def test_names_at_line_ends_keep_apart_and_inside(heights):
    moved = apart(list(heights), 0.085)
    assert all(b - a > 0.0849 for a, b in zip(moved, moved[1:], strict=False))
    assert max(moved) <= 1 and min(moved) >= 0



@pytest.mark.parametrize(
    ("power", "words"), [(-3, "0.001"), (-1, "0.1"), (0, "1"), (3, "1000"), (4, "10k"), (6, "1M"), (9, "1e9")]
)
def test_powers_of_ten_are_short(power, words):
    assert power_text(power) == words


def test_a_run_is_drawn_from_its_first_look_on():
    chart = plots.training_chart([15], [0.4], [2.5], 300, 0.025, 700)
    assert chart.alt == "After 15 of 300 steps: accuracy 40%, ε = 2.5 (moments)."
    assert chart.figure.axes[0].get_xlim() == (0, 300)
    assert {"40%", "by chance"} <= set(texts(chart.figure.axes[0])) and texts(chart.figure.axes[1]) == ["ε = 2.5"]


def test_the_newest_run_is_the_largest_and_the_only_one_named():
    axes = plots.accuracy_chart(REFERENCE, POINTS, 0.025, "record", 700).figure.axes[0]
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    sizes = {float(dot.get_xdata()[0]): dot.get_markersize() for dot in dots}
    assert sizes[9.2] > sizes[3.0] == sizes[2.0]
    assert [words for words in texts(axes) if "run" in words] == ["run 3: 80% at ε = 9.2"]
    strength = {float(dot.get_xdata()[0]): dot.get_alpha() for dot in dots}
    assert strength[9.2] > strength[3.0] > strength[2.0]


def test_the_band_is_one_standard_deviation_each_way():
    axes = plots.accuracy_chart(REFERENCE, [], 0.025, "record", 700).figure.axes[0]
    vertices = axes.collections[0].get_paths()[0].vertices
    at = vertices[np.isclose(vertices[:, 0], 3.6)][:, 1]
    assert at.min() == pytest.approx(0.39) and at.max() == pytest.approx(0.45)


def test_the_words_of_the_accuracy_chart_hold_runs_and_reference():
    alt = plots.accuracy_chart(REFERENCE, POINTS, 0.025, "record", 700).alt
    assert "run 3: accuracy 80% at ε = 9.2" in alt and "42% at ε = 3.6" in alt
    alone = plots.accuracy_chart(None, POINTS, 0.025, "record", 700)
    assert "Reference" not in alone.alt and drawn(alone).size
    assert "no runs yet" in plots.accuracy_chart(None, [], 0.025, "record", 300).alt


def test_pyplot_is_never_loaded():
    code = (
        "import sys, test_plots_privacy as t\n"
        "t.drawn(t.plots.accuracy_chart(t.REFERENCE, t.POINTS, 0.025, 'record', 300))\n"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent).returncode == 0


def test_a_person_s_point_lies_on_the_curve_and_k_times_one_below():
    axes = plots.person_chart(RECORDS, EPSILONS, 2, 700).figure.axes[0]
    times, computed, point = axes.lines
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (7, 178.14)
    assert list(computed.get_xdata()) == [1, 2, 7]  # what is not known is not drawn
    assert times.get_ydata()[2] == pytest.approx(7 * 9.1743) and set(texts(axes)) == {"k times one's", "computed"}


def test_a_person_s_chart_in_words():
    alt = plots.person_chart(RECORDS, EPSILONS, 2, 700).alt
    assert "9.18 for 1, 24.2 for 2, 179 for 7." in alt and "Yours: k = 7." in alt and "for 50" not in alt
    empty = plots.person_chart(RECORDS, np.full(4, np.nan), 2, 700)
    assert "not computed yet" in empty.alt and drawn(empty).size
