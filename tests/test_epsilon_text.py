"""A computed ε is rounded up wherever it is printed: a promise must not look better than it is."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpmia_lab
from dpmia_lab.privacy.accounting import Guarantee, epsilon_text
from dpmia_lab.privacy.local import bits_guarantee


@pytest.mark.parametrize(
    ("value", "text"),
    [(362.1, "363"), (11.2, "11.2"), (11.21, "11.3"), (5.031, "5.04"), (0.9991, "1"), (1234.2, "1235"), (0, "0"),
     (math.inf, "∞"), (1e-5, "1e-5"), (99.951, "100"), (2_345_678.9, "2.35e6")],
)  # fmt: skip
def test_some_by_hand(value, text):
    assert epsilon_text(value) == text


@given(st.floats(1e-9, 1e12), st.integers(2, 6))
def test_never_below_and_close_above(value, digits):
    """But for the rounding of the float itself: 1e-8 of the last digit."""
    shown = float(epsilon_text(value, digits))
    assert value * (1 - 1e-8) <= shown <= value * (1 + 10.0 ** (1 - digits))


def test_guarantees_say_it_so():
    assert "ε = 5.04 for" in Guarantee(5.031, "record", "add-remove", 1e-5, "tight").words()
    local = bits_guarantee(600, 2.0571).words()
    assert "ε = 1235 for a record (features only: labels are not randomised), 2.06 for" in local



def test_nobody_prints_an_epsilon_to_so_many_digits():
    """No ".3g" or ".2f" beside an ε in the code of pages, charts and commands: those round to the nearest.

    What is worked out from an ε (by a call, or as a quotient) is another matter.
    """
    rounds = re.compile(r"\{[^{}()/\n]*epsilon[^{}()/\n]*:[.,][^{}\n]*\}")
    assert rounds.search('f"{made.epsilon:.3g}"') and rounds.search("{n['epsilon_record']:.3g}")
    rooms = ("widgets", "plots", "commands", "experiments", "defences", "game")
    files = [file for room in rooms for file in (Path(dpmia_lab.__file__).parent / room).rglob("*.py")]
    assert not [f"{file.name}: {hit}" for file in files for hit in rounds.findall(file.read_text())]
