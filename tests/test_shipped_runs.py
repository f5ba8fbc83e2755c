"""Whole runs that ship: one for each preset of a page, of the present settings, small, and what the code computes."""

import numpy as np
import pytest

from dpmia_lab.commands.shipped_runs import pages, thinned
from dpmia_lab.machine import yardstick
from dpmia_lab.reference.shipped_runs import RUNS, packed, records_of, shipped_run, unpacked
from dpmia_lab.stages import drain

PRESETS = [(name, preset) for name, page in pages().items() for preset in page.PRESETS]
QUICK = [("inversion", "faces"), ("private_training", "faces")]  # some seconds each


@pytest.mark.parametrize(("experiment", "preset"), PRESETS)
def test_every_preset_ships_a_run_of_its_present_settings(experiment, preset):
    found = shipped_run(experiment, pages()[experiment].PRESETS[preset])
    assert found is not None, f"python -m dpmia_lab.commands.shipped_runs {experiment}/{preset}"
    result, record = found
    assert result.numbers and record["seconds"] > 0 and record["yardstick"] > 0
    assert record["versions"].keys() >= {"dpmia_lab", "torch"} and record["device"]


def test_nothing_ships_that_no_page_opens_with():
    names = {f"{experiment}-{preset}" for experiment, preset in PRESETS}
    assert {record["name"] for name in pages() for record in records_of(name)} == names
    assert {file.name.rsplit(".", 1)[0] for file in RUNS.iterdir()} == names


def test_they_are_small():
    sizes = {file.name: len(file.read_bytes()) for file in RUNS.iterdir()}
    assert max(sizes.values()) < 1.2e6 and sum(sizes.values()) < 8e6, sizes


@pytest.mark.parametrize(("experiment", "preset"), QUICK)
def test_a_shipped_run_is_what_the_code_computes(experiment, preset):
    """To 1 %: another processor may add in another order, and a hundred steps carry that on."""
    page = pages()[experiment]
    again, (result, _) = drain(page.run(page.PRESETS[preset])), shipped_run(experiment, page.PRESETS[preset])
    assert again.numbers.keys() == result.numbers.keys()
    for name, value in again.numbers.items():
        assert value == pytest.approx(result.numbers[name], rel=0.01, abs=0.01), name
    assert again.arrays.keys() == result.arrays.keys()


def test_pictures_come_back_to_half_a_grey_level_and_fractions_to_three_digits():
    rng = np.random.default_rng(0)
    picture, fractions, whole = rng.random((4, 3, 5)), 1 / rng.integers(1, 999, 50), np.arange(4)
    assert np.abs(unpacked(packed(picture)) - picture).max() <= 0.5 / 255 + 1e-6
    np.testing.assert_allclose(unpacked(packed(fractions)), fractions, rtol=1e-3)
    assert packed(whole) is whole and unpacked(whole) is whole


def test_what_half_the_digits_cannot_hold_keeps_more():
    large = np.array([1e6, 123456.7, 2.5])
    np.testing.assert_allclose(unpacked(packed(large)), large, rtol=1e-6)
    assert unpacked(packed(np.array([0.5, np.nan])))[0] == 0.5


def test_scores_that_half_the_digits_would_make_equal_keep_their_order():
    scores = 1 - np.linspace(0, 0.01, 500)
    np.testing.assert_array_equal(np.argsort(unpacked(packed(scores))), np.argsort(scores))


def test_of_shadow_models_only_what_they_say_of_shown_records_stays():
    arrays = {"shown": np.array([1, 3]), "shadow_logits": np.ones((2, 5)), "shadow_inside": np.ones((2, 5), dtype=bool)}
    for name in ("shadow_logits", "shadow_inside"):
        left = thinned(arrays)[name]
        assert (left.sum(0) == [0, 2, 0, 2, 0]).all() and left.dtype == arrays[name].dtype


def test_of_a_time_lapse_some_moments_stay_the_last_among_them():
    arrays = thinned({"frames": np.arange(50), "frame_steps": np.arange(50) * 10, "other": np.arange(50)})
    assert arrays["frames"][-1] == 49 and 8 <= len(arrays["frames"]) <= 10 and len(arrays["other"]) == 50
    assert (arrays["frame_steps"] == arrays["frames"] * 10).all()


def test_the_yardstick_measures_some_work():
    assert 1e-5 < yardstick() < 10
