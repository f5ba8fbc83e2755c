"""The playground without its page: what follows from what, and curves that bound what they should."""

import numpy as np
import pytest
from test_tradeoff import gaussian_tradeoff

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import spending as s
from dpmia_lab.privacy import accounting
from dpmia_lab.stages import drain

USUAL = s.Setting()


def tightly(setting):
    return drain(s.tight_answers(setting, drain(s.tight_epsilon_first(setting))))


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


def test_the_instant_curve_passes_through_the_answer():
    found = s.solved(USUAL)
    curve = s.instant_curve(found)
    assert curve.epsilons[curve.steps == found.steps] == found.epsilon
    assert (np.diff(curve.epsilons) >= 0).all()
    assert (np.diff(curve.misses) <= 1e-12).all()
    assert (curve.misses <= 1 - curve.rates + 1e-12).all()  # nobody does worse than guessing


@pytest.mark.parametrize("neighbours", accounting.NEIGHBOURS)
def test_the_tight_answers_are_the_smaller_ones(neighbours):
    found = s.solved(s.Setting(neighbours=neighbours))
    tight = tightly(found)
    assert tight.answers["tight"] == tight.epsilon < tight.answers["moments"] == found.epsilon
    assert tight.answers["paper-moments"] >= tight.answers["moments"]
    assert tight.answers["paper-closed-form"] == np.inf  # q = 0.25 breaks its conditions
    assert (tight.curves["tight"].misses >= tight.curves["moments"].misses - 1e-9).all()
    curve = tight.curves["tight"]
    assert curve.epsilons[curve.steps == found.steps] == tight.epsilon
    assert tight.curves["paper-moments"].steps[-1] == curve.steps[-1]


def test_without_sampling_the_tight_curve_is_the_gaussian_one():
    found = s.solved(s.Setting(q=1.0, sigma=20.0, steps=100))  # μ = √100 / 20
    curve = tightly(found).curves["tight"]
    exact = gaussian_tradeoff(0.5, curve.rates)
    assert (curve.misses <= exact + 1e-9).all()  # a valid, lower curve
    assert np.abs(curve.misses - exact).max() < 0.01  # 200 of its tangents


def test_what_comes_first_is_kept():
    found = s.solved(s.Setting(follows="sigma"))
    first = drain(s.tight_epsilon_first(found))
    assert first.epsilon < found.epsilon and first.answers == {}  # the tight σ is still to be searched
    everything = drain(s.tight_answers(found, first))
    assert everything.epsilon == first.epsilon
    assert everything.curves["tight"].misses is first.curves["tight"].misses


@pytest.mark.parametrize("follows", ["sigma", "steps"])
def test_an_accountant_without_an_answer_says_why(follows):
    tight = tightly(s.solved(s.Setting(follows=follows)))
    assert "no guarantee" in tight.answers["paper-closed-form"]
    better = np.less if follows == "sigma" else np.greater
    assert better(tight.answers["tight"], tight.answers["moments"])


def test_the_formula_s_own_setting_of_the_paper_is_broken():
    """q = 0.2 with σ = 1.6, as in paper A's experiments."""
    form = s.formula(s.Setting(sigma=1.6, q=0.2, neighbours="replace-one"))
    broken = [c.words for c in form.conditions if not c.met]
    assert "q < 1 / (16σ)" in broken and not form.holds
