"""The search for the noise at which a defence reaches the wanted accuracy."""

import math

import pytest

from dpmia_lab.experiments.matching import LEAST_SIGMA, MOST_SIGMA, MOST_TRIES, matched_noise, next_sigma
from dpmia_lab.stages import Progress, drain


def search(accuracy_of, wanted: float, start: float):
    """Match, and the σ tried, for a defence whose accuracy is a known function of σ."""
    tried, seen = [], []

    def train(sigma):
        tried.append(sigma)
        yield Progress(1, 1, "training")
        return f"model at {sigma}", accuracy_of(sigma)

    return drain(matched_noise(train, wanted, start, "looking"), seen.append), tried, seen


def falling(sigma: float) -> float:
    """0.9 without noise, 0.5 at σ = 2, falling smoothly to 0.1."""
    return 0.1 + 0.8 / (1 + sigma / 2)


@pytest.mark.parametrize("start", [0.2, 0.5, 2.0, 10.0, 30.0])
@pytest.mark.parametrize("wanted", [0.3, 0.5, 0.7])
def test_the_wanted_accuracy_is_found_from_any_start(start, wanted):
    match, tried, _ = search(falling, wanted, start)
    assert match.matched and abs(falling(match.sigma) - wanted) <= 0.02
    assert len(tried) <= MOST_TRIES


def test_the_match_is_the_nearest_trial_and_the_first_is_kept():
    match, tried, _ = search(falling, 0.5, 0.5)
    assert abs(match.accuracy - 0.5) == min(abs(falling(sigma) - 0.5) for sigma in tried)
    assert match.model == f"model at {match.sigma}"
    assert match.first == ("model at 0.5", falling(0.5)) and tried[0] == 0.5


def test_a_start_that_fits_ends_the_search():
    _, tried, _ = search(falling, 0.5, 2.0)
    assert tried == [2.0]


def test_what_cannot_be_matched_is_said_and_the_best_is_given():
    match, tried, _ = search(falling, 0.95, 1.0)  # even without noise it reaches only 0.9
    assert not match.matched
    assert match.sigma == min(tried) and min(tried) >= LEAST_SIGMA
    match, tried, _ = search(lambda sigma: 0.8, 0.5, 1.0)  # noise never hurts
    assert not match.matched and max(tried) <= MOST_SIGMA


def test_an_uneven_curve_does_not_trap_the_search():
    match, _, _ = search(lambda s: falling(s) + 0.015 * math.sin(40 * math.log(s)), 0.5, 0.1)
    assert match.matched


def test_progress_rises_and_tells_the_tries():
    _, tried, seen = search(falling, 0.3, 0.05)
    shares = [event.done / event.total for event in seen]
    assert shares == sorted(shares) and shares[-1] <= 1
    assert [f"try {i + 1}" in event.label for i, event in enumerate(seen)] == [True] * len(tried)


def test_between_two_trials_the_next_lies_between_them():
    sigma = next_sigma((math.log(1.0), 0.7), (math.log(4.0), 0.3), 0.5)
    assert sigma == pytest.approx(2.0)  # halfway in accuracy is halfway in log σ
    assert 1.0 < next_sigma((math.log(1.0), 0.7), (math.log(4.0), 0.3), 0.69999) < 1.5  # never onto a known trial
