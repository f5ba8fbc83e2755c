"""The chart of lesson 10: where its dots are, what they say and open, the front and the corner that is asked for."""

import pytest

from dpmia_lab.plots.comparing import Asked, Dot, front_chart, overlap


def dots() -> list[Dot]:
    return [
        Dot("none", "no defence", "70% right", "none", 0.4, 0.7, (0.38, 0.42), (0.69, 0.71), front=True),
        Dot("central_2", "DP-SGD, ε = 2", "50% right", "promise", 0.05, 0.5, front=True),
        Dot("mask", "the label alone", "60% right", "empirical", 0.45, 0.6, out=True),
        Dot("own 1", "RelaxLoss", "65% right", "own", 0.2, 0.65, front=True),
    ]


@pytest.mark.parametrize("width", [330, 774])
def test_every_dot_can_be_read_and_opened(width):
    readings = front_chart(dots(), "members caught", 0.01, width).readings()
    assert [reading.key for reading in readings] == ["none", "central_2", "mask", "own 1"]
    assert all(0 < reading.x < 1 and 0 < reading.y < 1 for reading in readings)
    by_key = {reading.key: reading for reading in readings}
    assert by_key["central_2"].x < by_key["none"].x and by_key["central_2"].y > by_key["none"].y


def test_the_words_of_the_chart_name_the_front_and_what_keeps_to_the_question():
    chart = front_chart(dots(), "members caught", 0.01, 774, Asked(0.3, 0.4))
    assert "On the front: DP-SGD, ε = 2: 50% right; RelaxLoss: 65% right; no defence: 70% right." in chart.alt
    assert "Within what was asked for: no defence, DP-SGD, ε = 2, RelaxLoss." in chart.alt
    assert "<svg" in chart.svg() and "RelaxLoss" in chart.svg()


def test_a_chart_of_nothing_says_so():
    assert front_chart([], "members caught", 0.01, 774).alt == "Nothing was measured yet."


def test_boxes_overlap_or_not():
    assert overlap((0, 0, 2, 2), (1, 1, 3, 3)) and not overlap((0, 0, 1, 1), (2, 0, 3, 1))
