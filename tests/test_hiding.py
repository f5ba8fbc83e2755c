"""What lessons 2 and 3 compute: private training, the matched comparison, the sweeps."""

from dataclasses import replace

import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import hiding, inversion, privacy_sweep, private_training
from dpmia_lab.privacy import accounting
from dpmia_lab.stages import Progress, drain

QUICK = private_training.Config(data="digits", q=0.2, steps=60)


@pytest.fixture(scope="module")
def trained():
    """Private training on small digits, and the events on the way."""
    events = []
    return drain(private_training.run(QUICK), events.append), events


# ---- private training
def test_it_learns_and_says_what_it_spent(trained):
    numbers = trained[0].numbers
    assert numbers["test_accuracy"] > 0.7 > 5 * numbers["chance"]
    assert numbers["units"] == 1258  # 70 % of 1,797 digits
    assert numbers["delta"] == accounting.default_delta(int(numbers["units"])) < 1 / numbers["units"]
    assert numbers["noise"] == pytest.approx(1.0 / (0.2 * numbers["units"]))
    how = {"sigma": 1.0, "q": 0.2, "steps": 60, "delta": numbers["delta"], "neighbours": "add-remove"}
    assert numbers["epsilon"] == accounting.epsilon("moments", **how)
    assert numbers["epsilon_tight"] == accounting.epsilon("tight", **how) < numbers["epsilon"]


def test_privacy_spent_is_shown_at_every_step_and_never_falls(trained):
    result, events = trained
    spent = [e.values["epsilon"] for e in events if isinstance(e, Progress) and "epsilon" in e.values]
    how = {"sigma": 1.0, "q": 0.2, "delta": result.numbers["delta"], "neighbours": "add-remove"}
    assert spent == [accounting.epsilon("moments", steps=step, **how) for step in range(1, 61)]
    assert spent == sorted(spent)
    assert spent[-1] == pytest.approx(result.numbers["epsilon"])
    assert result.arrays["curve_epsilon"][-1] == pytest.approx(spent[-1])
    assert result.arrays["curve_accuracy"][-1] == result.numbers["test_accuracy"]


def test_more_noise_costs_accuracy_and_less_epsilon(trained):
    noisy = drain(private_training.run(replace(QUICK, sigma=60.0))).numbers
    assert noisy["test_accuracy"] < trained[0].numbers["test_accuracy"] - 0.1
    assert noisy["epsilon"] < trained[0].numbers["epsilon"] / 5


def test_a_budget_stops_before_it_is_exceeded():
    budget = 3.0
    numbers = drain(private_training.run(replace(QUICK, budget=budget))).numbers
    assert 0 < numbers["steps"] < 60
    assert numbers["epsilon"] <= budget
    how = {"sigma": 1.0, "q": 0.2, "delta": numbers["delta"], "neighbours": "add-remove"}
    assert accounting.epsilon("moments", steps=int(numbers["steps"]) + 1, **how) > budget


def test_a_budget_that_buys_nothing_is_refused():
    with pytest.raises(Mistake, match="budget must pay for at least one step at this σ and q; it is 0.01"):
        drain(private_training.run(replace(QUICK, sigma=0.3, budget=0.01)))


def test_one_subclass_a_class_is_the_class_level_run():
    base = replace(QUICK, steps=8)
    one = drain(private_training.run(replace(base, unit="subclass", k_sub=1)))
    whole = drain(private_training.run(replace(base, unit="class")))
    assert one.numbers == whole.numbers
    assert np.array_equal(one.arrays["curve_accuracy"], whole.arrays["curve_accuracy"])


def test_weights_are_shown_about_mid_grey():
    signed = np.array([[[[-2.0, 0.0], [1.0, 2.0]]], [[[0.0, 0.0], [0.0, 0.0]]]])
    shown = private_training.stretched(signed)
    assert shown[0].ravel().tolist() == [0.0, 0.5, 0.75, 1.0]
    assert (shown[1] == 0.5).all()


# ---- the matched comparison
@pytest.fixture(scope="module")
def compared():
    config = hiding.Config(data="digits", unit="subclass", k_sub=5, accuracy=0.7, q=0.5, steps=25, rate=2.0, longest=40)
    return config, drain(hiding.run(config))


def test_both_private_models_have_the_wanted_accuracy(compared):
    numbers = compared[1].numbers
    assert numbers["matched_unit"] == numbers["matched_record"] == 1
    assert abs(numbers["accuracy_unit"] - 0.7) <= 0.02 and abs(numbers["accuracy_record"] - 0.7) <= 0.02
    assert numbers["accuracy_vanilla"] > 0.8


def test_the_control_has_the_same_noise_a_step(compared):
    config, result = compared
    n = result.numbers
    assert n["noise_equal"] == pytest.approx(n["noise_unit"])
    assert n["noise_unit"] == pytest.approx(n["sigma_unit"] * config.clip / (config.q * n["units_unit"]))
    assert n["units_unit"] == 50 and n["units_record"] == n["units_equal"] > 1000


def test_every_epsilon_is_for_its_own_unit_and_delta(compared):
    config, result = compared
    for name in ("unit", "record", "equal"):
        said = {what: result.numbers[f"{what}_{name}"] for what in ("sigma", "delta", "units", "epsilon")}
        assert said["delta"] < 1 / said["units"]
        how = {"q": config.q, "steps": config.steps, "delta": said["delta"], "neighbours": "replace-one"}
        assert said["epsilon"] == accounting.epsilon("moments", sigma=said["sigma"], **how)


def test_both_attackers_draw_every_class_from_every_model(compared):
    result = compared[1]
    for model in hiding.MODELS:
        for attacker in hiding.ATTACKERS:
            x = result.arrays[f"picture_{model}_{attacker}"]
            assert x.shape == (10, 1, 8, 8) and 0 <= x.min() and x.max() <= 1
            assert result.numbers[f"distance_mean_{model}_{attacker}"] == pytest.approx(
                result.arrays[f"distance_{model}_{attacker}"].mean()
            )
    assert result.numbers["similarity_mean_vanilla_paper"] > result.numbers["similarity_mean_noise"]


def test_an_accuracy_out_of_reach_is_reported_not_hidden():
    config = hiding.Config(data="digits", unit="class", accuracy=1.0, q=0.5, steps=3, longest=2)
    numbers = drain(hiding.run(config)).numbers
    assert numbers["matched_unit"] == numbers["matched_record"] == 0
    assert numbers["accuracy_unit"] < 0.98


def test_the_stronger_attacker_blurs_and_the_paper_s_does_not():
    for data in ("faces", "mnist_varied"):
        attacks = {name: hiding.attack_on(replace(hiding.Config(), data=data), name) for name in hiding.ATTACKERS}
        assert attacks["paper"].smooth == 0 < attacks["stronger"].smooth
        assert attacks["paper"].prior in ("l1", "btv") and attacks["stronger"].prior == "l1+tv"


# ---- sweeps
def test_a_sweep_of_sigma_trades_epsilon_for_accuracy():
    config = privacy_sweep.Config(data="digits", q=0.3, steps=40, rate=2.0, sigma=20.0, repeats=2)
    result = drain(privacy_sweep.run(config))
    assert np.allclose(result.arrays["sigma"], 20 * np.array(privacy_sweep.FACTORS))
    assert (np.diff(result.arrays["epsilon"]) < 0).all()
    assert result.arrays["accuracy"][0] > result.arrays["accuracy"][-1]
    assert result.numbers["rank_correlation_accuracy"] > 0.8
    assert (result.arrays["accuracy_sd"] > 0).any() and (result.arrays["epsilon_sd"] == 0).all()


def test_a_sweep_of_subclasses_goes_from_class_to_record_level(monkeypatch):
    monkeypatch.setattr(privacy_sweep, "SUBCLASSES", (1, 10, 1000))
    config = privacy_sweep.Config(
        data="digits", unit="subclass", vary="k_sub", q=0.5, steps=30, sigma=1.0, attacked=True, longest=20
    )
    arrays = drain(privacy_sweep.run(config)).arrays
    records = len(inversion.loaded(config).train_y)
    assert arrays["units"].tolist() == [10, 100, records]
    assert arrays["accuracy"][0] < arrays["accuracy"][1] < arrays["accuracy"][2] + 0.02  # Fig. 9 (a)
    assert {"distance_paper", "similarity_stronger", "ssim_distance_paper"} <= set(arrays)


def test_varying_subclasses_of_another_unit_is_refused():
    with pytest.raises(Mistake, match="unit must be subclass where k_sub is varied; it is 'record'"):
        privacy_sweep.Config(vary="k_sub")
