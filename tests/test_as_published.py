"""Paper A's operating points: what each model is, what its noise amounts to, and what the shipped result says."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import as_published
from dpmia_lab.experiments.as_published import ATTACKERS, PRESETS, SMALL, Config
from dpmia_lab.privacy import accounting
from dpmia_lab.reference import shipped
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.sweeps import over_seeds

UNITS = {"record": 60_000, "subclass": 500, "same-noise": 60_000}


@pytest.fixture(scope="module")
def small():
    return drain(as_published.run(replace(SMALL, repeats=2)))


# ---- the settings are the paper's
def test_sigma_q_and_clip_are_those_that_the_paper_prints():
    paper = shipped("published")["hiding_digits"]
    assert PRESETS["record"].sigma in paper["record"]["sigma"]
    unit = paper["unit"]
    assert PRESETS["subclass"].sigma in unit["sigma"] and unit["name"] == "subclass"
    assert PRESETS["subclass"].q == unit["q"] and PRESETS["subclass"].k_sub == 50
    assert {PRESETS[name].clip for name in PRESETS} == {3.0}


def test_the_control_s_weights_hold_as_much_noise_as_the_subclass_level_model_s():
    """η√T·σS/(qK), to the four digits that σ is given with."""
    noise = {name: PRESETS[name].accumulated(units) for name, units in UNITS.items()}
    assert noise["same-noise"] == pytest.approx(noise["subclass"], rel=1e-4)
    assert noise["record"] < noise["subclass"] / 4
    assert PRESETS["only-noise"].accumulated(UNITS["subclass"]) == noise["subclass"]


def test_accumulated_noise_is_what_so_many_steps_without_data_leave_in_a_weight():
    """A walk of T steps of deviation η·σS/(qK): measured over 20,000 weights, right to 2 % (four standard errors)."""
    config, generator = Config(sigma=2.0, q=0.5, clip=3.0, steps=50, rate=0.2), torch_generator(0, "walk")
    walk = sum(config.rate * 2.0 * 3.0 / (0.5 * 40) * torch.randn(20_000, generator=generator) for _ in range(50))
    assert config.accumulated(40) == pytest.approx(float(walk.std()), rel=0.02)
    model = torch.nn.Linear(200, 100)
    before = model.weight.detach().clone()
    as_published.add_noise(model, config.accumulated(40), torch_generator(1, "noise"))
    assert float((model.weight.detach() - before).std()) == pytest.approx(config.accumulated(40), rel=0.02)


# ---- a run
def test_every_attacker_draws_and_is_measured(small):
    assert small.numbers["chance"] == 0.1
    for attacker in ATTACKERS:
        x = small.arrays[f"picture_{attacker}"]
        assert x.shape == (10, 1, 28, 28) and 0 <= x.min() and x.max() <= 1
        assert small.rows.has("correlation_mean", attack=attacker)
        assert small.rows.row("distance_mean", attack=attacker).spread is not None
    assert small.numbers["correlation_mean_blank"] == 0
    assert small.numbers["accumulated"] == pytest.approx(SMALL.accumulated(20))
    how = {"sigma": SMALL.sigma, "q": SMALL.q, "steps": SMALL.steps, "neighbours": "replace-one"}
    delta = small.numbers["delta"]
    assert small.numbers["epsilon_tight"] == accounting.epsilon("tight", delta=delta, **how)


def test_seeds_stored_one_by_one_are_the_run_bit_for_bit(small, tmp_path):
    stored = drain(over_seeds.run("as_published", replace(SMALL, repeats=2), tmp_path, workers=1))
    assert stored.numbers == small.numbers and stored.arrays.keys() == small.arrays.keys()
    assert all(np.array_equal(array, small.arrays[name]) for name, array in stored.arrays.items())
    assert len(list(tmp_path.glob("as_published-*"))) == 2


def test_the_attacker_the_judge_and_the_model_share_no_picture():
    data = as_published.loaded(SMALL)
    public, others = as_published.halves(data)
    assert len(public) + len(others.test_x) == len(data.test_x)
    sets = [{x.tobytes() for x in pictures} for pictures in (public, others.test_x, data.train_x)]
    assert not (sets[0] & sets[1] or sets[0] & sets[2] or sets[1] & sets[2])


@pytest.mark.parametrize("unit", ["none", "noise"])
def test_models_without_a_promise_promise_nothing(unit):
    short = replace(SMALL, unit=unit, longest=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(as_published, "PLAIN", replace(as_published.PLAIN, epochs=1))
        found = drain(as_published.one_repeat(short, 0))
    assert not found.rows.has("epsilon") and found.rows.has("accumulated") == (unit == "noise")
    assert (found.numbers["accuracy"] > 0.5) == (unit == "none")


def test_small_pictures_are_refused():
    with pytest.raises(Mistake, match="pictures must be at least 14 x 14 pixels; those of digits are 8 x 8"):
        drain(as_published.run(replace(SMALL, data="digits")))


# ---- what ships
def rows_of(name):
    return as_published.rows_of(shipped("as_published")[name]["results"])


def test_the_shipped_models_have_equal_accuracy_and_their_own_noise():
    accuracy = {name: rows_of(name).value("accuracy") for name in PRESETS}
    assert all(abs(accuracy[name] - 0.92) < 0.01 for name in UNITS)  # "about 92 %"
    assert accuracy["none"] > 0.97 and abs(accuracy["only-noise"] - 0.1) < 0.05
    for name, units in UNITS.items():
        rows = rows_of(name)
        assert rows.value("units") == units and rows.value("delta") < 1 / units
        assert rows.value("accumulated") == pytest.approx(PRESETS[name].accumulated(units), rel=1e-4)


def test_the_paper_s_pictures_reproduce_come_from_noise_and_do_not_survive_a_better_attacker():
    """The three sentences of the lesson, each by more than twice the standard error over the seeds."""

    def clearly(higher, lower, attacker):
        one, other = (rows_of(name).row("correlation_mean", attack=attacker) for name in (higher, lower))
        error = math.hypot(one.spread, other.spread) / math.sqrt(3)
        return one.value - other.value > 2 * error

    assert clearly("record", "subclass", "original") and clearly("record", "same-noise", "original")
    apart = [rows_of(name).value("correlation_mean", attack="original") for name in ("subclass", "same-noise")]
    assert abs(apart[0] - apart[1]) < 0.1
    for name in UNITS:
        assert rows_of(name).value("recognised_share", attack="prior") > 0.95
    assert rows_of("only-noise").value("recognised_share", attack="prior") < 0.25
