"""A chart knows where its points are: held against the pixels that matplotlib draws, and against its SVG."""

import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
import test_plots as lesson_1
import test_plots_evaluation as lesson_6
import test_plots_hiding as lesson_3
import test_plots_mechanisms as lesson_5
import test_plots_membership as lesson_4
import test_plots_privacy as lesson_2
from matplotlib.colors import to_rgb
from PIL import Image

from dpmia_lab.plots import roc, tradeoffs
from dpmia_lab.plots.points import MOST, MarkedFigure, mark, readings_of, some_of
from dpmia_lab.plots.style import EXPOSED, PROTECTED, Chart, new_figure
from dpmia_lab.plots.svg import VARIABLES

RUN = lesson_2.plots.Point(3.0, 0.5, "my run", "run 1")
PEOPLE = [f"person {i + 1}" for i in range(6)]
CHARTS = {
    "classes": lambda: lesson_1.plots.per_class_chart(*lesson_1.values_of(6), "distance", PEOPLE, 600),
    "comparison": lambda: lesson_1.plots.comparison_chart(lesson_1.comparison_rows(), 900),
    "training": lambda: lesson_2.plots.training_chart([10, 20], [0.2, 0.5], [1.0, 1.5], 40, 0.1, 700),
    "accuracy": lambda: lesson_2.plots.accuracy_chart(lesson_2.REFERENCE, lesson_2.POINTS, 0.025, "record", 700),
    "models": lambda: lesson_3.models_chart(6),
    "curves": lambda: lesson_3.plots.curves_chart(lesson_3.sheet(lesson_3.curve()), lesson_3.sheet(), 700),
    "learning": lambda: lesson_4.plots.learning_chart([0, 5], [0.1, 0.8], [0.1, 0.5], [0.5, 0.6], 40, 0.05, 700),
    "record": lambda: lesson_4.plots.record_chart(lesson_4.INSIDE, lesson_4.OUTSIDE, 5.5, 600),
    "verdicts": lambda: lesson_4.plots.verdicts_chart(lesson_4.RNG.random(100), lesson_4.MEMBER, 600),
    "roc": lambda: roc.roc_chart({"loss": np.linspace(0, 1, 100)}, lesson_4.MEMBER, None, 700),
    "over ε": lambda: lesson_5.plots.over_epsilon_chart(
        [lesson_5.REFERENCE, lesson_5.OWN], "white_box", "alike", lesson_5.AXES, 726
    ),
    "scatter": lambda: tradeoffs.tradeoff_chart([lesson_5.REFERENCE, lesson_5.OWN], "white_box", "alike", "box", 726),
    "rocs": lambda: tradeoffs.roc_chart(lesson_5.REFERENCE, "white_box", "alike", True, 726),
    "choice": lambda: lesson_6.plots.choice_chart(lesson_6.grid_points(), lesson_6.CHOICE, None, "people", 726),
    "groups": lambda: lesson_6.plots.groups_chart(lesson_6.cell_rows(), "smoothed", lesson_6.CHANCE, 726),
}


def pixels(chart: Chart) -> np.ndarray:
    """(height, width, 3), as matplotlib's other backend draws it."""
    return np.asarray(Image.open(io.BytesIO(chart.png())).convert("RGB"))


def around(picture: np.ndarray, point, reach: int = 0) -> np.ndarray:
    """The pixels there, as far as ``reach`` each way."""
    height, width = picture.shape[:2]
    x, y = int(point.x * width), int(point.y * height)
    found = picture[max(0, y - reach) : y + reach + 1, max(0, x - reach) : x + reach + 1]
    return found.reshape(-1, 3)


# ---- where


@pytest.mark.parametrize("name", CHARTS)
def test_something_is_drawn_wherever_a_chart_says_that_it_has_a_point(name):
    """Within 13 pixels at twice the density, the largest hollow marker's half; white and the light grid are nothing."""
    chart = CHARTS[name]()
    picture, points = pixels(chart), chart.readings()
    assert points
    for point in points:
        assert around(picture, point, 13).min() < 0xD8, point
        assert point.name and point.words and 0 <= point.x <= 1 and 0 <= point.y <= 1


@pytest.mark.parametrize(
    ("name", "chosen", "colour"),
    [("classes", PEOPLE, EXPOSED), ("accuracy", ["run 3"], PROTECTED), ("choice", ["ε = 2, σ = 4"], PROTECTED)],
)
def test_the_middle_of_a_marker_has_its_colour(name, chosen, colour):
    chart = CHARTS[name]()
    found = [point for point in chart.readings() if point.name in chosen]
    assert len(found) == len(chosen)
    for point in found:
        assert around(pixels(chart), point).tolist() == [[round(255 * part) for part in to_rgb(colour)]]


def test_what_is_not_there_has_no_reading_and_a_logarithm_of_nothing_no_warning():
    figure = new_figure(200, 100, 20, 20, 20, 20)
    axes = figure.add_subplot()
    mark(axes, [1, 10, np.nan, 0, -3, 1e9], 5, list("abcdef"), "words")
    axes.set_xscale("log")  # places are worked out at the end
    axes.set_xlim(1, 100)
    axes.set_ylim(0, 10)
    found = readings_of(figure)
    assert [point.name for point in found] == ["a", "b"]
    assert [point.x for point in found] == pytest.approx([0.1, 0.5]) and found[0].y == pytest.approx(0.5)


@pytest.mark.parametrize("count", [0, 1, 2, MOST, MOST + 1, 5000])
def test_a_line_has_few_readings_its_ends_among_them(count):
    some = some_of(count).tolist()
    assert len(some) == min(count, MOST) and some[:1] == [0][:count] and some[-1:] == [count - 1][:count]


# ---- what a click opens


@pytest.mark.parametrize(
    ("chart", "keys"),
    [
        (lambda: CHARTS["classes"](), {str(i) for i in range(6)}),
        (lambda: CHARTS["roc"](), set()),
        (lambda: lesson_2.plots.accuracy_chart(None, [RUN], None, "record", 500), {"run 1"}),
    ],
)
def test_a_point_has_the_key_it_was_given(chart, keys):
    assert {point.key for point in chart().readings()} - {""} == keys


# ---- as SVG


@pytest.mark.parametrize("name", CHARTS)
def test_an_svg_says_every_word_of_its_chart_and_refers_only_to_itself(name):
    chart = CHARTS[name]()
    drawn = ElementTree.fromstring(chart.svg("one"))
    said = {"".join(part.itertext()) for part in drawn.iter() if part.tag.endswith("}text")}
    for axes in chart.figure.axes:
        for text in (*axes.texts, axes.title, axes._left_title):
            assert set(filter(str.strip, text.get_text().split("\n"))) <= said
    ids = {part.get("id") for part in drawn.iter()} - {None}
    assert set(re.findall(r"(?:url\(|href=\")#(\w+)", chart.svg("one"))) <= ids
    assert not ids & {part.get("id") for part in ElementTree.fromstring(chart.svg("another")).iter()} - {None}


def test_an_svg_is_the_same_twice_and_as_wide_as_it_was_asked_for():
    one, same = (CHARTS["classes"]().svg("here") for _ in range(2))
    assert one == same and 'width="600" height="320"' in one


def test_colours_follow_the_page_and_numbers_in_words_stay_whole():
    figure = new_figure(200, 100, 20, 20, 20, 20)
    assert isinstance(figure, MarkedFigure)
    figure.add_subplot().text(0.5, 0.5, "ε = 0.0012345", color=EXPOSED)
    drawn = Chart(figure, "").svg()
    assert "ε = 0.0012345" in drawn and f"var(--exposed, {EXPOSED.lower()})" in drawn
    assert not any(f": {colour}" in drawn for colour in VARIABLES)
