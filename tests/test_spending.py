"""The playground without its page: what follows from what, and curves that bound what they should."""

from statistics import NormalDist

import numpy as np
import pytest
from test_tradeoff import gaussian_tradeoff

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import spending as s
from dpmia_lab.privacy import accounting
from dpmia_lab.stages import drain

USUAL = s.Setting()


def tightly(setting):
    return drain(s.tight_answer(setting))


@pytest.mark.parametrize("follows", s.FOLLOWS)
@pytest.mark.parametrize("neighbours", accounting.NEIGHBOURS)
def test_what_follows_is_what_the_accountant_says(follows, neighbours):
    setting = s.Setting(follows=follows, neighbours=neighbours)
    found = s.solved(setting)
    epsilon = accounting.epsilon("moments", **found.how())
    if follows == "epsilon":
        assert found.epsilon == epsilon
    else:
        assert epsilon <= found.epsilon == setting.epsilon
        more = {"sigma": {"sigma": found.sigma * 0.99}, "steps": {"steps": found.steps + 1}}[follows]
        assert accounting.epsilon("moments", **{**found.how(), **more}) > setting.epsilon


def test_delta_follows_the_number_of_units_unless_it_is_given():
    assert s.Setting(count=280).used_delta == 1e-3
    assert s.Setting(count=60_000).used_delta == 1e-5
    assert s.Setting(count=60_000, delta=1e-8).used_delta == 1e-8


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"count": 0}, "K must be a whole number"),
        ({"count": -5}, "K must be a whole number"),
        ({"q": 2.0}, "q must be"),
        ({"sigma": -1.0}, "sigma must be"),
        ({"steps": 0.5}, "steps must be"),
        ({"delta": 1.5}, "delta must be"),
        ({"neighbours": "friends"}, "neighbours must be one of"),
        ({"unit": "person"}, "unit must be one of"),
        ({"follows": "q"}, "follows must be one of"),
    ],
)
def test_nonsense_is_answered_in_one_sentence(wrong, words):
    with pytest.raises(Mistake, match=words) as mistake:
        s.Setting(**wrong)
    assert str(mistake.value).count(". ") == 0


def test_a_budget_too_small_for_one_step_is_said():
    with pytest.raises(Mistake, match="at least one step"):
        s.solved(s.Setting(follows="steps", epsilon=0.1, q=1.0, sigma=0.3))


@pytest.mark.parametrize("steps", [1, 7, 300, 99_999, 10**9])
def test_drawn_steps_hold_the_reader_s_own(steps):
    drawn = s.drawn_steps(steps)
    assert steps in drawn and drawn[0] == 1 and (np.diff(drawn) > 0).all()
    assert drawn[-1] >= min(10_000, steps)


@pytest.mark.parametrize("follows", s.FOLLOWS)
@pytest.mark.parametrize("accountant", ["moments", "tight"])
def test_number_dot_and_curve_are_one_answer(accountant, follows):
    """Whatever follows: ε at the setting's own steps is the curve's, and the accountant's for the filled-in setting."""
    setting = s.Setting(follows=follows)
    found = s.instant_answer(setting) if accountant == "moments" else tightly(setting)
    assert found.accountant == accountant
    assert found.epsilon == accounting.epsilon(accountant, **found.setting.how())
    assert found.epsilon <= found.setting.epsilon and found.guarantee.epsilon == found.epsilon
    assert (np.diff(found.curve.epsilons) >= 0).all()
    assert (np.diff(found.curve.misses) <= 1e-12).all()
    assert (found.curve.misses <= 1 - found.curve.rates + 1e-12).all()  # nobody does worse than guessing
    # Right at most: the curve's own best sum of errors, but for what falls between two of its points.
    best = 1 - (found.curve.rates + found.curve.misses).min() / 2
    assert best - 1e-12 <= found.right <= best + 0.002


@pytest.mark.parametrize("follows", s.FOLLOWS)
def test_what_the_reader_chose_stays(follows):
    setting = s.Setting(follows=follows, epsilon=4.0, sigma=3.0, steps=150)
    found = s.instant_answer(setting).setting
    same = [name for name in ("epsilon", "sigma", "q", "steps", "count") if name != follows]
    assert [getattr(found, name) for name in same] == [getattr(setting, name) for name in same]


@pytest.mark.parametrize("neighbours", accounting.NEIGHBOURS)
def test_the_tight_answer_is_the_smaller_one(neighbours):
    setting = s.Setting(neighbours=neighbours)
    tight, instant = tightly(setting), s.instant_answer(setting)
    assert tight.epsilon < instant.epsilon and tight.right < instant.right
    assert (tight.curve.misses >= instant.curve.misses - 1e-9).all()
    found = drain(s.comparison(tight))
    assert found.answers["tight"] == tight.epsilon < found.answers["moments"] == instant.epsilon
    assert found.answers["paper-moments"] >= found.answers["moments"]
    assert found.answers["paper-closed-form"] == np.inf  # q = 0.25 breaks its conditions
    assert found.curves["paper-moments"].steps[-1] == tight.curve.steps[-1]


def test_without_sampling_the_tight_curve_is_the_gaussian_one():
    found = tightly(s.Setting(q=1.0, sigma=20.0, steps=100))  # μ = √100 / 20
    exact = gaussian_tradeoff(0.5, found.curve.rates)
    assert (found.curve.misses <= exact + 1e-9).all()  # a valid, lower curve
    assert np.abs(found.curve.misses - exact).max() < 0.01  # 200 of its tangents
    assert found.right == pytest.approx(NormalDist().cdf(0.25), rel=1e-6)  # Φ(μ/2), as in the first picture


@pytest.mark.parametrize("follows", ["sigma", "steps"])
def test_an_accountant_without_an_answer_says_why(follows):
    found = drain(s.comparison(tightly(s.Setting(follows=follows))))
    assert "no guarantee" in found.answers["paper-closed-form"]
    better = np.less if follows == "sigma" else np.greater
    assert better(found.answers["tight"], found.answers["moments"])


def test_what_the_page_opens_with_is_what_it_would_compute():
    """0.01 %: the stored numbers are whole floats, but another processor may round a transform otherwise."""
    answer, epsilons = s.opening()
    again = tightly(USUAL)
    assert answer.setting.how() == USUAL.how() and answer.accountant == "tight"
    assert answer.curve.epsilons == pytest.approx(again.curve.epsilons, rel=1e-4)
    assert answer.curve.misses == pytest.approx(again.curve.misses, abs=1e-4)
    assert answer.right == pytest.approx(again.right, rel=1e-4)
    assert epsilons == pytest.approx(drain(s.persons(USUAL)), rel=1e-4)


def test_a_person_s_own_number_of_records_comes_first():
    arrays = []
    epsilons = drain(s.persons(s.Setting(records=7, sigma=4.0)), lambda event: arrays.append(event.array))
    first = arrays[0]
    assert np.isfinite(first).sum() == 2 and np.isfinite(first[[0, s.RECORDS.index(7)]]).all()
    assert np.isfinite(epsilons).all() and (np.diff(epsilons) > 0).all()
    assert (epsilons[1:] > np.array(s.RECORDS[1:]) * epsilons[0]).all()  # k times one record's is too little


def test_the_formula_s_own_setting_of_the_paper_is_broken():
    """q = 0.2 with σ = 1.6, as in paper A's experiments."""
    form = s.formula(s.Setting(sigma=1.6, q=0.2, neighbours="replace-one"))
    broken = [c.words for c in form.conditions if not c.met]
    assert "q < 1 / (16σ)" in broken and not form.holds
