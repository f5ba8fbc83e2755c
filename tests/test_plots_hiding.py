"""Charts of lesson 3: every mark where its number is, words that hold the numbers, any width."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dpmia_lab.plots import hiding as plots
from dpmia_lab.seeds import numpy_generator

WORDS = {"vanilla": "no defence", "record": "record-level", "unit": "class-level"}
MEASURES = ("distance", "ssim_distance", "similarity")


def values_of(classes, measure="distance"):
    """A value a class for every model, and for every baseline."""
    rng = numpy_generator(0, f"chart {measure}")
    return tuple({name: rng.random(classes) for name in names} for names in (plots.MARKS, plots.BASELINES))


def models_chart(classes, width=600, measure="distance"):
    names = [f"person {i}" for i in range(classes)]
    return plots.models_chart(measure, *values_of(classes, measure), names, WORDS, width)


def curve(model="record", **others):
    x = np.array([8.0, 0.5, 2.0])
    return plots.Curve(model, f"{model} curve", x, np.array([0.9, 0.4, 0.7]), **others)


def sheet(*curves, lines=None):
    return plots.Sheet(list(curves), "ε", "test accuracy\nhigher: more useful", lines or {})


def drawn(chart):
    return np.asarray(Image.open(io.BytesIO(chart.png())).convert("RGB"))


@pytest.mark.parametrize("width", [300, 800])
@pytest.mark.parametrize("classes", [2, 10, 40])
def test_classes_are_drawn_at_the_width_asked_for(classes, width):
    assert drawn(models_chart(classes, width)).shape[1] == 2 * width


@pytest.mark.parametrize("classes", [6, 30])
def test_every_value_of_every_model_is_a_mark(classes):
    (models, _), axes = values_of(classes), models_chart(classes).figure.axes[0]
    for model, (_, _, marker, _) in plots.MARKS.items():
        marks = next(line for line in axes.lines if line.get_marker() == marker)
        assert sorted(marks.get_ydata()) == sorted(models[model])


def test_many_classes_stand_in_the_same_order_for_every_model():
    """Else the reader would compare one person's picture with another's."""
    (models, _), axes = values_of(30), models_chart(30).figure.axes[0]
    order = np.argsort(models["record"])
    for model, (_, _, marker, _) in plots.MARKS.items():
        marks = next(line for line in axes.lines if line.get_marker() == marker)
        assert (marks.get_ydata() == models[model][order]).all()


@pytest.mark.parametrize("measure", MEASURES)
def test_the_words_of_a_chart_hold_the_means(measure):
    (models, baselines), words = values_of(6, measure), models_chart(6, measure=measure).alt
    for model, called in WORDS.items():
        assert f"{called} {models[model].mean():.2f}" in words
    for name, called in plots.BASELINES.items():
        assert f"{called} {baselines[name].mean():.2f}" in words
    assert "6 classes" in words and plots.MEASURES[measure][0] in words


def test_every_model_and_baseline_is_named_at_its_marks():
    said = {text.get_text() for text in models_chart(6).figure.axes[0].texts}
    assert said == {*WORDS.values(), *plots.BASELINES.values()}


@pytest.mark.parametrize(("width", "columns"), [(300, 1), (760, 2)])
def test_two_curves_stand_side_by_side_where_there_is_room(width, columns):
    chart = plots.curves_chart(sheet(curve()), sheet(curve("unit")), width)
    assert drawn(chart).shape[1] == 2 * width
    assert len({round(axes.get_position().x0, 2) for axes in chart.figure.axes}) == columns


def test_a_curve_runs_from_small_to_large_and_its_band_is_one_spread():
    spread = np.array([0.01, 0.02, 0.03])
    axes = plots.curves_chart(sheet(curve(spread=spread)), sheet(), 700).figure.axes[0]
    assert list(axes.lines[0].get_xdata()) == [0.5, 2.0, 8.0]
    assert list(axes.lines[0].get_ydata()) == [0.4, 0.7, 0.9]
    corners = axes.collections[0].get_paths()[0].vertices
    assert corners[:, 1].min() == pytest.approx(0.4 - 0.02) and corners[:, 1].max() == pytest.approx(0.9 + 0.01)


def test_published_points_are_grey_and_own_points_are_edged_in_ink():
    made = plots.curves_chart(sheet(curve(source="published"), curve(source="own")), sheet(), 700)
    published, own = made.figure.axes[0].lines
    assert published.get_markeredgecolor() == plots.REFERENCE
    assert own.get_markeredgecolor() == plots.INK and own.get_color() == plots.RECORD
    assert own.get_markersize() > published.get_markersize()


def test_the_words_of_curves_hold_their_ends_and_baselines():
    words = plots.curves_chart(sheet(curve(), lines={"a black picture": 4.56}), sheet(), 700).alt
    assert "record curve from 0.40 at 0.5 to 0.90 at 8" in words
    assert "a black picture 4.56" in words and "test accuracy, higher: more useful" in words
    assert "nothing to show yet" in words  # the empty sheet says so


def test_an_empty_chart_can_be_drawn():
    assert drawn(plots.curves_chart(sheet(), sheet(lines={"noise": 1.0}), 400)).size


@pytest.mark.parametrize(("high", "ticks"), [(10.0, {"1", "2", "5", "10"}), (1000.0, {"1", "10", "100", "1000"})])
def test_a_logarithmic_axis_has_plain_numbers(high, ticks):
    long = plots.Curve("unit", "long", np.array([1.0, high]), np.array([0.0, 1.0]))
    axes = plots.curves_chart(sheet(long), sheet(), 700).figure.axes[0]
    low, top = axes.get_xlim()
    within = {axes.xaxis.get_major_formatter()(t) for t in axes.xaxis.get_majorticklocs() if low <= t <= top}
    assert within == ticks


def test_drawing_twice_gives_the_same_bytes():
    one, same = (models_chart(6).png() for _ in range(2))
    assert one == same


def test_pyplot_is_never_loaded():
    code = (
        "import sys, test_plots_hiding as t\n"
        "t.drawn(t.models_chart(4)); t.drawn(t.plots.curves_chart(t.sheet(t.curve()), t.sheet(), 700))\n"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent).returncode == 0
