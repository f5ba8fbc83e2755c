"""The playground's engine: what a position gives, and that what is kept between positions changes nothing."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import playground, playground_curves, playground_drawing
from dpmia_lab.experiments.playground_models import Models, linear_form
from dpmia_lab.experiments.playground_people import LEAST_OF_CLASS, Shelf, dealt, loaded, new_people
from dpmia_lab.experiments.playground_position import played
from dpmia_lab.metrics.membership import auc, tpr_at_fpr
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Snapshot, drain

FEW = playground.Config(shadows=6)
CARTS = replace(FEW, data="purchases_like")
WEAK = {"central": {"sigma": 0.1}, "units": {"sigma": 0.1}, "local": {"epsilon_i": 1000.0}}
STRONG = {"central": {"sigma": 16.0}, "units": {"sigma": 16.0}, "local": {"epsilon_i": 0.5}}


@cache
def result_of(config):
    events = []
    return drain(playground.run(config), events.append), events


def value(config, measure, **wanted):
    return result_of(config)[0].rows.value(measure, **wanted)


# ---- what a position gives
@pytest.mark.parametrize("defence", playground.PLAYED)
def test_every_defence_is_played_with_everything_that_is_promised(defence):
    config = replace(FEW, defence=defence)
    result, events = result_of(config)
    shown = [event for event in events if isinstance(event, Snapshot)]
    assert [event.name for event in shown] == ["pictures", "accuracy", "scores"]
    assert shown[0].array.shape == (20, 16, 14) and 0 <= shown[0].array.min() and shown[0].array.max() <= 1
    assert shown[1].array.shape == (3,) and shown[2].array.shape == (2, 6 * 360)
    rows = result.rows
    for measure in ("accuracy", "auc", "tpr1"):
        row = rows.row(measure)
        assert row.low <= row.value <= row.high and row.defence == defence
    assert [rows.has("recognised", protocol=judge) for judge in playground.JUDGES] == [True] * 3
    promises = rows.has("epsilon") or rows.has("epsilon_record")
    assert promises == playground.PLAYED[defence].promises
    assert (playground.promise_of(config, playground.prepared(config)) is not None) == promises


def test_numbers_are_those_of_the_arrays():
    result, _ = result_of(FEW)
    scores, member = result.arrays["scores"], result.arrays["member"]
    assert value(FEW, "auc") == pytest.approx(auc(scores, member), abs=1e-6)
    assert value(FEW, "tpr1") == pytest.approx(tpr_at_fpr(scores, member, 0.01).value, abs=0.002)
    fpr, tpr = result.arrays["fpr"], result.arrays["tpr"]
    assert np.interp(0.01, fpr, tpr) == pytest.approx(value(FEW, "tpr1"), abs=0.01)
    assert (np.diff(tpr) >= 0).all() and tpr[-1] == 1
    assert result.arrays["recognised_filter"].dtype == bool and result.arrays["pictures"].shape == (20, 16, 14)
    assert member.mean() == pytest.approx(0.5) and result.arrays["wrong"].mean() == pytest.approx(0.05)


@pytest.mark.parametrize("defence", STRONG)
def test_more_protection_leaks_less_and_costs_accuracy(defence):
    weak, strong = (replace(FEW, defence=defence, **how[defence]) for how in (WEAK, STRONG))
    for measure in ("accuracy", "auc"):
        assert value(weak, measure) > value(strong, measure) + 0.1
    for judge in playground.JUDGES:
        seen = [value(config, "recognised", protocol=judge) for config in (weak, strong)]
        assert seen[0] > 0.8 > 0.6 > seen[1]


def test_where_noise_drowns_everything_the_attacks_only_guess():
    """The null case: AUC about a half, recognised as often as by chance, accuracy that of guessing."""
    config = replace(FEW, defence="units", sigma=100.0)
    assert value(config, "auc") == pytest.approx(0.5, abs=0.04)
    assert value(config, "tpr1") < 0.03
    assert value(config, "accuracy") < 0.12 and value(config, "recognised", protocol="filter") < 0.15


def test_wrong_labels_leak_most():
    result, _ = result_of(FEW)
    scores, member, wrong = (result.arrays[name] for name in ("scores", "member", "wrong"))
    assert auc(scores[wrong], member[wrong]) > auc(scores[~wrong], member[~wrong]) + 0.05


def test_epsilon_and_sigma_are_linked():
    config = replace(FEW, defence="central", epsilon=4.0)
    people = playground.prepared(config)
    promised = playground.promise_of(config, people)
    assert 3.9 < promised.epsilon <= 4.0 and promised.unit == "record"
    sigma = playground.defence_of(config, people).dp_sgd(None, people.members).sigma
    again = playground.promise_of(replace(config, epsilon=0.0, sigma=sigma), people)
    assert again.epsilon == pytest.approx(promised.epsilon)
    for unit, name in (("class", "class"), ("subclass", "subclass")):
        told = playground.promise_of(replace(config, defence="units", unit=unit), people)
        assert told.epsilon <= 4.0 and told.unit == name


def test_carts_are_drawn_as_shares_of_bits():
    result, events = result_of(replace(CARTS, defence="central"))
    shown = next(event for event in events if isinstance(event, Snapshot))
    assert shown.array.shape == (10, 600) == result.arrays["truth"].shape
    assert not result.rows.has("recognised", protocol="plain") and result.rows.has("recognised", protocol="filter")


# ---- the same people, the same models
def test_a_second_position_draws_the_same_people_and_gives_the_same_bits():
    first = playground.prepared(FEW)
    assert playground.prepared(replace(FEW, defence="mid", lam=1.0)) is first
    assert playground.prepared(replace(FEW, seed=1)) is not first
    again, _ = drain(playground.run(FEW)), None
    assert again.numbers == result_of(FEW)[0].numbers


def test_the_shelf_keeps_few():
    shelf = Shelf(2)
    for seed in range(4):
        shelf.get("purchases_like", seed)
    assert list(shelf.kept) == [("purchases_like", 2, 0), ("purchases_like", 3, 0)]


def test_roles_share_no_record_and_every_class_has_its_part():
    population = loaded("faces", 0)
    roles = dealt(population, numpy_generator(0))
    places = np.concatenate(list(roles.values()))
    assert len(set(places)) == len(places)
    for own in roles.values():
        assert set(population.y[own]) == set(range(20))


@pytest.mark.parametrize("defence", ["none", "mid", "dropout"])
def test_the_linear_form_is_what_the_model_says_without_noise(defence):
    import torch

    from dpmia_lab.training.bottleneck import through_mean

    config = replace(FEW, defence=defence)
    people = playground.prepared(config)
    models = drain(Models(config, people).trained(range(2)))
    linear = linear_form(people, models)
    x = torch.from_numpy(people.test.x[:5])
    found = (x - torch.from_numpy(people.task.centre)).flatten(1) @ linear.weight.mT + linear.bias[:, None]
    with torch.no_grad():
        said = torch.stack([through_mean(model)(x) for model in models])
    assert torch.allclose(found, said, atol=1e-4)


@pytest.mark.parametrize("defence", ["none", "central", "units", "mid", "dap", "dropout", "smoothing", "stopping"])
def test_models_trained_together_are_those_trained_alone(defence):
    import torch

    config = replace(FEW, defence=defence)
    models = Models(config, playground.prepared(config))
    both = [drain(models.trained(range(2), together=together)) for together in (True, False)]
    forms = [linear_form(models.people, own).weight for own in both]
    assert torch.allclose(*forms, atol=0.02 * float(forms[0].abs().max()))


def test_judges_recognise_the_people_themselves_and_not_noise():
    people = playground.prepared(FEW)
    truth = (people.truth - people.gallery.mean).reshape(1, 20, -1)
    noise = numpy_generator(0).standard_normal((8, 20, 224)).astype(np.float32)
    for judge, named in playground_drawing.verdicts(people, truth).items():
        assert playground_drawing.recognised(named).value == 1, judge
    for judge, named in playground_drawing.verdicts(people, noise).items():
        assert playground_drawing.recognised(named).value < 0.15, judge


def test_stopping_is_immediate_and_the_next_position_is_not_disturbed():
    config = replace(FEW, defence="dap", seed=5)
    stage = played(config, playground.prepared(config))
    for _ in range(40):
        next(stage)
    stage.close()
    one, other = (drain(playground.run(config)).numbers for _ in range(2))
    assert one == other


# ---- one's own
def written(path, x, y):
    np.savez(path, X=x, y=y)
    return str(path)


def some_pictures(count=60, side=6, classes=3, channels=()):
    rng = numpy_generator(1)
    y = np.arange(count) % classes
    means = rng.random((classes, side, side, *channels))
    return np.clip(means[y] + 0.1 * rng.standard_normal((count, side, side, *channels)), 0, 1).astype(np.float32), y


def test_a_small_set_of_ones_own_is_played_colours_made_grey(tmp_path):
    for name, channels in (("grey.npz", ()), ("colour.npz", (3,))):
        config = replace(FEW, data=written(tmp_path / name, *some_pictures(channels=channels)), defence="central")
        result = drain(playground.run(config))
        assert result.arrays["pictures"].shape == (3, 6, 6)
        assert 0 <= result.rows.value("accuracy") <= 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda: some_pictures(count=5003), "at most 5,000 records; there are 5,003"),
        (lambda: some_pictures(side=65), "at most 4,096 numbers a record; there are 4,225"),
        (lambda: some_pictures(count=400, side=50, classes=30), "at most 60,000 numbers a record times classes"),
        (lambda: some_pictures(count=15), f"at least {LEAST_OF_CLASS} records; 0 has 5"),
    ],
)
def test_too_large_or_too_small_a_set_is_refused_in_a_sentence(given, words, tmp_path):
    with pytest.raises(Mistake, match=words):
        new_people(written(tmp_path / "own.npz", *given()), 0)


BAD = [{"defence": "magic"}, {"sigma": 0.0}, {"q": 0.0}, {"unit": "record"}, {"k_sub": 0}, {"lam": -1.0}, {"r": -1.0}]
BAD += [{"dropout": 1.0}, {"epsilon_i": 0.0}, {"after": 0}, {"smoothing": 1.0}, {"shadows": 7}, {"seed": -1}]


@pytest.mark.parametrize("wrong", BAD, ids=str)
def test_a_config_refuses_nonsense_in_one_sentence(wrong):
    with pytest.raises(Mistake, match=f"^{next(iter(wrong))} must be .*\\.$"):
        playground.Config(**wrong)


# ---- curves
def test_every_slider_names_a_field_and_its_values_are_allowed():
    for name, offered in playground.PLAYED.items():
        for slider in offered.sliders:
            for setting in slider.values:
                playground.Config(defence=name, **{slider.field: setting})
    assert {line.changes["defence"] for line in playground_curves.LINES.values()} == set(playground.PLAYED)


def test_curves_come_back_from_their_points():
    rows = [[result_of(FEW)[0].rows, result_of(replace(FEW, defence="mid"))[0].rows]] * 3
    points = playground_curves.listed("mid", rows)
    curve = playground_curves.curves_from(points)["mid"]
    both = [own.value("auc") for own in rows[0]]
    assert curve.mean["auc"] == pytest.approx([np.mean(both)] * 3)
    assert curve.spread["auc"] == pytest.approx([np.std(both, ddof=1)] * 3)
