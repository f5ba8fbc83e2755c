"""Charts: rendered at any width, described in words, without pyplot."""

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from dpmia_lab.plots import inversion as plots
from dpmia_lab.rows import Row, Rows
from dpmia_lab.seeds import numpy_generator


def values_of(classes):
    """A value a class, of the attack and of each baseline."""
    rng = numpy_generator(0, "chart")
    return rng.random(classes), {name: rng.random(classes) for name in plots.BASELINES}


def comparison_rows(spread=0.05):
    rng = numpy_generator(0, "chart")
    who = [*plots.CONTENDERS, *plots.BASELINES]
    rows = [Row(m, float(rng.random()), attack=one, spread=spread) for m in plots.COMPARED for one in who]
    return Rows(tuple(rows))


def drawn(chart):
    return np.asarray(Image.open(io.BytesIO(chart.png())).convert("RGB"))


@pytest.mark.parametrize("width", [300, 800])
@pytest.mark.parametrize("classes", [2, 10, 40])
@pytest.mark.parametrize("measure", plots.MEASURES)
def test_a_chart_of_classes_is_drawn_at_its_width(measure, classes, width):
    names = [f"person {i + 1}" for i in range(classes)]
    chart = plots.per_class_chart(*values_of(classes), measure, names, width)
    if measure == "distance":  # one is enough to draw
        picture = drawn(chart)
        assert picture.shape[1] == 2 * width
        assert colour_count(picture, plots.EXPOSED) > 100
    assert plots.MEASURES[measure][1] in chart.figure.axes[0].get_title(loc="left")


def colour_count(picture, colour):
    wanted = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return int((picture == wanted).all(axis=2).sum())


@pytest.mark.parametrize("measure", plots.MEASURES)
def test_the_words_of_a_chart_hold_the_means(measure):
    own, baselines = values_of(6)
    chart = plots.per_class_chart(own, baselines, measure, list("abcdef"), 500)
    assert f"drawn by the attack {own.mean():.2f}" in chart.alt
    for name, words in plots.BASELINES.items():
        assert f"{words} {baselines[name].mean():.2f}" in chart.alt
    assert plots.MEASURES[measure][0] in chart.alt and "6 classes" in chart.alt


@pytest.mark.parametrize("classes", [6, 30])
def test_every_value_of_the_attack_is_a_dot(classes):
    own, baselines = values_of(classes)
    chart = plots.per_class_chart(own, baselines, "distance", [str(i) for i in range(classes)], 500)
    dots = next(line for line in chart.figure.axes[0].lines if line.get_marker() == "o")
    assert sorted(dots.get_ydata()) == sorted(own)


def test_labels_at_the_lines_name_every_line():
    chart = plots.per_class_chart(*values_of(6), "distance", list("abcdef"), 500)
    said = {text.get_text() for text in chart.figure.axes[0].texts}
    assert said == {plots.DRAWN, *plots.BASELINES.values()}


def test_labels_at_the_lines_do_not_overlap():
    axes = Figure().add_subplot()
    axes.set_ylim(0, 1)
    plots.label_line_ends(axes, 1, {"a": 0.5, "b": 0.5, "c": 0.51, "d": 0.9}, {})
    heights = sorted(text.xy[1] for text in axes.texts)
    assert np.diff(heights).min() >= 0.07


@pytest.mark.parametrize(("width", "columns"), [(300, 1), (800, 2), (1200, 4)])
def test_a_comparison_is_drawn_at_its_width(width, columns):
    chart = plots.comparison_chart(comparison_rows(), width)
    assert drawn(chart).shape[1] == 2 * width
    lefts = {round(axes.get_position().x0, 2) for axes in chart.figure.axes}
    assert len(chart.figure.axes) == 4 and len(lefts) == columns


def test_the_words_of_a_comparison_hold_its_numbers():
    rows = comparison_rows()
    words = plots.comparison_chart(rows, 600).alt
    for name, contender in plots.CONTENDERS.items():
        share, distance = (rows.value(measure, attack=name) for measure in ("recognised_share", "distance_mean"))
        assert f"{contender}: {share:.0%} recognised by the judge, distance {distance:.2f}" in words


def test_a_comparison_without_spread_can_be_drawn():
    assert drawn(plots.comparison_chart(comparison_rows(spread=None), 300)).size


def test_drawing_twice_gives_the_same_bytes():
    one, same = (plots.comparison_chart(comparison_rows(), 300).png() for _ in range(2))
    assert one == same


@pytest.mark.parametrize("names", [["", " "], ["$\\nonsense$", "a_b^c"], ["<b>", "two words"]], ids=repr)
def test_classes_may_have_odd_names(names):
    """They come from files of the reader's own."""
    assert drawn(plots.per_class_chart(*values_of(2), "distance", names, 300)).size


def test_pyplot_is_never_loaded():
    code = (
        "import sys, test_plots as t\n"
        "t.drawn(t.plots.comparison_chart(t.comparison_rows(), 300))\n"
        "t.drawn(t.plots.per_class_chart(*t.values_of(4), 'distance', list('abcd'), 300))\n"
        "sys.exit('matplotlib.pyplot' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent).returncode == 0
