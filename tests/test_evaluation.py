"""Lesson 6's experiment: what is counted, what chance alone gives, and that the risk rises with ε."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dpmia_lab import devices  # noqa: F401 (one thread)
from dpmia_lab.checks import Mistake
from dpmia_lab.defences import Central
from dpmia_lab.experiments import attacked_models, evaluation
from dpmia_lab.experiments.evaluation import SMALL, Cell, Config, defence_of
from dpmia_lab.experiments.inversion import loaded, trained_judge
from dpmia_lab.metrics import recognition, reconstruction
from dpmia_lab.metrics.matched_filter import gallery_of
from dpmia_lab.privacy import accounting
from dpmia_lab.reference import shipped
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import drain


# ---- recognition, and chance
@pytest.mark.parametrize("named", [[0, 1, 2, 3, 4], [0, 0, 0, 0, 0], [1, 1, 3, 3, 3], [4, 4, 0, 2, 2]])
def test_chance_of_hits_is_that_of_dealing_out_the_verdicts(named):
    hits = [np.sum(np.array(dealt) == np.arange(5)) for dealt in itertools.permutations(named)]
    expected = np.bincount(hits, minlength=6) / len(hits)
    assert recognition.chance_of_hits(np.array(named)) == pytest.approx(expected, abs=1e-12)


def test_guessing_succeeds_more_often_than_not():
    """Whatever the judge prefers: 63 % where all names differ, always where all are alike; one person on average."""
    random = numpy_generator(0, "named")
    different, alike, mixed = np.arange(40), np.full(40, 7), random.integers(0, 9, 40)
    chance = recognition.chance_of_success(np.stack([different, alike, mixed]))
    assert chance[0] == pytest.approx(1 - np.exp(-1), abs=1e-12) and chance[1] == 1 and 0.63 < chance[2] < 1
    for named in (different, alike, mixed, random.integers(0, 1000, 1000)):
        chances = recognition.chance_of_hits(named)
        assert chances.sum() == pytest.approx(1) and np.arange(len(chances)) @ chances == pytest.approx(1)


def test_more_hits_than_chance_explains():
    named = np.stack([np.arange(40), np.full(40, 7), np.roll(np.arange(40), 1)])
    assert recognition.impacts(named).tolist() == [1.0, 1 / 40, 0.0]
    assert recognition.p_values(named) == pytest.approx([0, 1, 1], abs=1e-12)
    named[2, :4] = range(4)  # four right, some named twice
    assert 0.005 < recognition.p_values(named)[2] < 0.05


def test_verdicts_without_knowledge_are_seldom_beyond_chance():
    named = numpy_generator(1, "named").integers(0, 12, (400, 40))
    assert (recognition.p_values(named) <= 0.05).mean() < 0.075  # 5 %, and two standard errors
    assert recognition.impacts(named).mean() == pytest.approx(1 / 40, abs=0.004)


def test_the_interval_of_a_mean_covers_it():
    random = numpy_generator(2, "shares")
    found = [recognition.mean_estimate(random.random(10)) for _ in range(300)]
    assert 0.9 < np.mean([low <= 0.5 <= high for _, low, high in found]) < 0.99
    assert recognition.mean_estimate(np.array([0.3])) == (0.3, 0.0, 1.0)


def test_a_window_s_sums_and_moments():
    x = numpy_generator(3, "x").random((2, 1, 9, 8))
    windows = np.lib.stride_tricks.sliding_window_view(x, (5, 5), axis=(2, 3))
    assert reconstruction.window_sums(x, 5) == pytest.approx(windows.sum((-1, -2)))
    mean, variance = reconstruction.local_moments(x, 5)
    assert mean == pytest.approx(windows.mean((-1, -2))) and variance == pytest.approx(windows.var((-1, -2), ddof=1))


# ---- T and η
def test_steps_are_what_epsilon_pays_for():
    config = evaluation.PRESETS["att"]
    pairs = [(2, 2), (2, 6), (8, 2), (8, 6)]
    steps = {(e, s): defence_of(replace(config, epsilon=e, sigma=s), 280).steps for e, s in pairs}
    assert steps == {(2, 2): 121, (2, 6): 1357, (8, 2): 1276, (8, 6): 13101}
    how = {"sigma": 2.0, "q": 0.1, "delta": 1e-3, "neighbours": "add-remove"}
    assert accounting.epsilon("moments", steps=1276, **how) <= 8 < accounting.epsilon("moments", steps=1277, **how)
    with pytest.raises(Mistake, match="^epsilon must pay for at least one step"):
        defence_of(replace(config, epsilon=0.01), 280)
    deltas = [defence_of(Config(), records).dp_sgd(None, records).delta for records in (280, 2800)]
    assert deltas == [1e-3, 1e-4]  # as in the paper


@pytest.mark.parametrize(
    "wrong",
    [{"epsilon": 0.0}, {"sigma": 0.0}, {"q": 0.0}, {"rate": -1.0}, {"models": 0}, {"accountant": "paper-moments"},
     {"neighbours": "both"}, {"smooth": 11.0}, {"goal": 2.0}, {"others": 0}, {"ssim_models": 0}, {"people": 1}],
    ids=str,
)  # fmt: skip
def test_nonsense_is_refused_in_one_sentence(wrong):
    with pytest.raises(Mistake, match=f"^{next(iter(wrong))} must be"):
        Config(**wrong)


# ---- a cell
FEW = Config(people=12, height=24, sigma=1.0, models=12, others=6, ssim_models=2, attack_steps=300, smooth=1.0)


@pytest.fixture(scope="module")
def target():
    return attacked_models.target_of(loaded(FEW), FEW.data)


@pytest.fixture(scope="module")
def cells():
    """The same people, protected well and hardly."""
    return {epsilon: drain(evaluation.run(replace(FEW, epsilon=epsilon))) for epsilon in (2.0, 20.0)}


def test_risk_rises_with_epsilon_beyond_chance(cells):
    strict, loose = (recognition.impacts(cells[epsilon].arrays["named_smoothed"]) for epsilon in (2.0, 20.0))
    error = np.hypot(strict.std() / 12**0.5, loose.std() / 12**0.5)
    assert loose.mean() > strict.mean() + 4 * error
    assert cells[20.0].numbers["beyond_chance_rate_smoothed"] > cells[2.0].numbers["beyond_chance_rate_smoothed"] + 0.3
    assert cells[20.0].numbers["impact_mean_smoothed_low"] > 2 * cells[20.0].numbers["chance"]
    assert cells[20.0].numbers["test_accuracy"] > cells[2.0].numbers["test_accuracy"] + 0.3
    assert cells[20.0].numbers["steps"] > cells[2.0].numbers["steps"]


@pytest.mark.parametrize("judge", ["", "_matched"])
def test_models_of_pure_noise_are_recognised_at_the_rate_of_chance(cells, judge):
    drawn = [f"noise_named{who}{judge}" for who in ("", "_smoothed")]
    named = np.concatenate([cell.arrays[name] for cell in cells.values() for name in drawn])
    impacts = recognition.impacts(named)
    assert abs(impacts.mean() - 1 / 12) < 5 * max(impacts.std(), 0.05) / len(impacts) ** 0.5
    assert (recognition.p_values(named) <= 0.05).mean() <= 0.25
    assert all(cell.numbers["noise_test_accuracy"] < 0.25 for cell in cells.values())


def test_the_control_is_as_accurate_and_gives_more_away(cells):
    """So what hides people in the private models is not only that they learnt little."""
    for cell in cells.values():
        n = cell.numbers
        assert n["test_accuracy"] <= n["control_test_accuracy"] < n["test_accuracy"] + 0.15
        assert n["control_impact_mean"] > n["impact_mean"] + 0.1
    assert n["plain_test_accuracy"] > 0.9 and n["plain_impact_mean"] > 0.5


def test_a_weak_judge_is_a_weak_attack(cells):
    """The same drawings: where the network finds hardly anybody, correlation finds most; of noise neither does."""
    strict, loose = (cells[epsilon].numbers for epsilon in (2.0, 20.0))
    assert loose["impact_mean_matched_low"] > loose["impact_mean_high"] + 0.2
    assert loose["impact_mean_matched_low"] > loose["impact_mean_smoothed_high"]
    assert loose["impact_mean_nearest"] > loose["impact_mean"] + 0.2
    assert strict["impact_mean_matched"] < loose["impact_mean_matched"] - 0.2  # noise does protect, if less
    assert loose["matched_accuracy"] < loose["judge_accuracy"] + 0.15  # in photographs it is hardly the better judge


def test_numbers_are_those_of_the_arrays(cells):
    for group in ("", "noise_", "control_", "plain_"):
        for who in ("", "_smoothed", "_matched", "_smoothed_matched"):
            numbers, arrays = cells[20.0].numbers, cells[20.0].arrays
            impacts = recognition.impacts(arrays[f"{group}named{who}"])
            assert len(impacts) == (FEW.models if group == "" else FEW.others)
            assert numbers[f"{group}impact_mean{who}"] == pytest.approx(impacts.mean())
            assert numbers[f"{group}impact_highest{who}"] == impacts.max()
            assert numbers[f"{group}success_rate{who}"] == pytest.approx((impacts > 0).mean())
            low, high = (numbers[f"{group}success_rate{who}_{end}"] for end in ("low", "high"))
            assert low <= numbers[f"{group}success_rate{who}"] <= high
        assert numbers[f"{group}test_accuracy"] == pytest.approx(arrays[f"{group}test_accuracy"].mean())
        assert arrays[f"{group}reconstruction"].shape == arrays["truth"].shape
    assert numbers["epsilon"] <= 20 and numbers["epsilon_tight"] <= numbers["epsilon"]


def test_eta_makes_the_noise_add_up_to_the_same_length(target):
    import torch

    for sigma, steps in ((2.0, 50), (6.0, 700)):
        cell = cell_of(replace(FEW, sigma=sigma), target, steps)
        assert cell.across * target.train[0].shape[1] ** 0.5 == pytest.approx(evaluation.NOISE_LENGTH)
        weights = drain(cell.comparison_weights(0.0))["noise"]
        full, _ = attacked_models_full(target, weights, cell.across)
        assert float(torch.mean(full.norm(dim=2))) == pytest.approx(evaluation.NOISE_LENGTH, rel=0.1)
    assert cell_of(replace(FEW, rate=0.25), target, 50).rate == 0.25


def cell_of(config, target, steps):
    """The cell with another T than ε pays for."""
    return Cell(config, target, Central(config.sigma, config.clip, q=config.q, steps=steps))


def attacked_models_full(target, weights, deviation):
    from dpmia_lab.training.span import full_weights

    return full_weights(target.span, weights, deviation, [torch_generator(0, i) for i in range(len(weights))])


def test_a_few_models_at_a_time_are_judged_as_all_at_once(target, monkeypatch):
    """So memory does not grow with the number of models, nor does anything else change."""
    weights = drain(cell_of(replace(FEW, models=5), target, 30).private_weights())
    gallery = gallery_of(target.data.test_x, target.data.test_y)
    judges = attacked_models.Judges(drain(trained_judge(FEW, target.data, steps=20)), gallery, ssim_models=3)

    def seen():
        own = [torch_generator(1, i) for i in range(5)]
        return drain(attacked_models.attacked(target, weights, 0.05, own, FEW.attack(), judges))

    whole = seen()
    monkeypatch.setattr(attacked_models, "PIXELS_AT_ONCE", 2 * 12 * 24 * 20)
    monkeypatch.setattr(attacked_models, "JUDGED_PIXELS", 3 * 24 * 20)
    pieces = seen()
    every = {(who, by) for who in evaluation.ATTACKERS for by in ("judge", "matched", "nearest")}
    assert whole.named.keys() == pieces.named.keys() == every | {("published", "ssim")}
    for (who, by), named in pieces.named.items():
        assert named.shape == ((3, 12) if by == "ssim" else (5, 12))
        assert (whole.named[who, by] == named).mean() > 0.95  # rounding may turn a close call
    assert whole.test_accuracy == pytest.approx(pieces.test_accuracy)
    for who in evaluation.ATTACKERS:
        assert whole.pictures[who] == pytest.approx(pieces.pictures[who], abs=1e-3)


# ---- beside the paper
def test_the_paper_s_tables_are_shipped():
    park = shipped("published")["park"]
    assert (park["epsilon"], park["sigma"], park["models"], park["clip"]) == ([2, 4, 6, 8], [2, 4, 6], 100, 4)
    for data in ("att_faces", "vggface2"):
        tables = [park[data][name] for name in ("train_accuracy", "test_accuracy", "success_rate", "impact_of_40")]
        assert all(np.shape(table) == (4, 3) for table in tables)
    assert park["att_faces"]["test_accuracy"][3] == [0.91, 0.9, 0.9]
    assert park["att_faces"]["success_rate"][3] == [0.46, 0.38, 0.31]
    assert park["vggface2"]["impact_of_40"][3] == [15, 11, 12]
    preset = evaluation.PRESETS["att"]
    assert (preset.q, preset.delta, preset.clip, preset.models) == (0.1, 1e-3, 4.0, 100)
    small, large = evaluation.PRESETS["small"], evaluation.PRESETS["large"]
    assert replace(large, pictures=small.pictures) == small  # nothing but the number of pictures


def test_the_small_configuration_uses_every_part():
    assert SMALL.models > SMALL.ssim_models and defence_of(SMALL, 1258).steps > 10
