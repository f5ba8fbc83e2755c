"""The contract of every defence: what it hands over, how it trains one model and many, what it promises."""

import math
from dataclasses import FrozenInstanceError, dataclass, fields, replace
from typing import ClassVar

import numpy as np
import pytest
import torch

from dpmia_lab.checks import Mistake
from dpmia_lab.defences import (
    DEFENCES,
    EMPIRICAL,
    Adversarial,
    Central,
    Dap,
    Defence,
    Hamp,
    LargerUnits,
    Local,
    Masking,
    Regularised,
    RelaxLoss,
    Smoothing,
    Stopping,
    Undefended,
)
from dpmia_lab.defences.base import Recipe, Task, TrainingSet, new_model
from dpmia_lab.game.settings import OFFERED, Settings, defence_of
from dpmia_lab.options import built_from, options_of
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.dp_sgd import DpSgd, of_epochs
from dpmia_lab.privacy.units import divided
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import drain

every_defence = pytest.mark.parametrize("defence", [kind() for kind in DEFENCES.values()], ids=DEFENCES)
TASK = Task("bits", (12,), 3, "mlp", width=6)
RECIPE = Recipe(epochs=4, rate=0.01, batch=8)


def some_records(n=30, seed=0):
    """With some more held aside."""
    bits = numpy_generator(seed, "records").integers(0, 2, (n + 24, 12)).astype(np.uint8)
    x, y = torch.from_numpy(bits), torch.from_numpy(np.arange(n + 24) % 3)
    return TrainingSet(x[:n], y[:n], (x[n:].float(), y[n:]))


def prepared(defence, records, recipe=RECIPE):
    """With what the defence makes of those held aside."""
    made = drain(defence.prepare(TASK, records.held, recipe, torch_generator(0, "prepared")))
    return replace(records, prepared=made)


def trained(defence, records, recipe=RECIPE, seed=1):
    """The model, and how many steps it took."""
    records = prepared(defence, records, recipe)
    model, events = defence.fresh_model(TASK, torch_generator(seed, "start")), []
    drain(defence.train(model, records, recipe, torch_generator(seed, "order")), events.append)
    return model, [event for event in events if event.label.startswith("training")]


def trained_with_others(defence, records, recipe=RECIPE, seed=1):
    """The same among two others, all at once."""
    seeds, records = (seed, 7, 8), prepared(defence, records, recipe)
    models, events = [defence.fresh_model(TASK, torch_generator(s, "start")) for s in seeds], []
    order = [torch_generator(s, "order") for s in seeds]
    drain(defence.train_many(models, [records] * 3, recipe, order), events.append)
    return models[0], events


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


# ---- what it is
@every_defence
def test_a_defence_is_frozen_and_says_what_it_is(defence):
    assert defence.title and defence.words() and "\n" not in defence.words()
    for name in ([f.name for f in fields(defence)] or ["anything"])[:1]:
        with pytest.raises((FrozenInstanceError, TypeError)):
            setattr(defence, name, 1)


def test_no_two_defences_say_the_same():
    said, titles = {kind().words() for kind in DEFENCES.values()}, {kind.title for kind in DEFENCES.values()}
    assert len(said) == len(titles) == len(DEFENCES)


def test_words_follow_the_settings():
    assert Central(0.5, 2.0).words() == "central, z = 0.5, clip 2"
    assert Local(3.0).words() == "local, ε = 3 each"
    assert Regularised().words() == "regularisation"
    assert Regularised(0.5, 0.0001, True).words() == "regularisation, dropout 0.5, decay 1e-4, moved pictures"
    assert LargerUnits(2.0, unit="subclass").words() == "subclass-level, σ = 2, clip 4"
    assert Central(epsilon=2.0).words() == "central, ε = 2 for a record, clip 4"
    assert Dap().words() == "DAP_t, r = 0.2"
    assert Dap(1.0, "validation", "all", learns=True).words() == "DAP_v, r = 1, all layers, D learns on"
    assert Stopping().words() == "early stopping, best AOP(2)" and Stopping(after=5).words().endswith(", 5 epochs")


def test_what_does_not_fit_is_answered_in_a_sentence():
    pictures = Task("pictures", (1, 8, 8), 3, "cnn")
    assert all(kind().fits(TASK) == kind().fits(pictures) == "" for kind in DEFENCES.values())
    assert Regularised(augment=True).fits(pictures) == ""
    said = Regularised(augment=True).fits(Task("bits", (12,), 3, "mlp", data="carts"))
    assert said == "augment must be false unless the data are pictures; carts are bits."


WRONG = [
    (Central, {"sigma": 0.0}, "z must be from 0.01 to 1000; it is 0.0."),
    (Central, {"clip": -1.0}, "clip must be greater than 0; it is -1.0."),
    (Local, {"epsilon_i": 0.0}, "epsilon_i must be from 0.001 to 1000000; it is 0.0."),
    (Local, {"cell": 0}, "cell must be a whole number from 1 to 64; it is 0."),
    (Regularised, {"dropout": 0.96}, "dropout must be from 0 to 0.95; it is 0.96."),
    (Regularised, {"augment": 1}, "augment must be true or false; it is 1."),
    (Central, {"epsilon": -1.0}, "epsilon must be 0 or more; it is -1.0."),
    (Dap, {"r": -0.1}, "r must be from 0 to 1000; it is -0.1."),
    (Dap, {"feed": "test"}, "feed must be one of train, validation; it is 'test'."),
    (Dap, {"layers": "first"}, "layers must be one of last, all; it is 'first'."),
    (Dap, {"keep": "best"}, "keep must be one of aop, last; it is 'best'."),
    (Dap, {"low": 5.0}, "beta_low must be at most beta_high, 4; it is 5.0."),
    (Dap, {"teachers": 0}, "teachers must be a whole number from 1 to 64; it is 0."),
    (Stopping, {"after": -1}, "stop_after must be a whole number from 0 to 1000; it is -1."),
    (Smoothing, {"share": 1.0}, "smoothing must be from -1 to 0.95; it is 1.0."),
    (RelaxLoss, {"alpha": -1.0}, "alpha must be from 0 to 100; it is -1.0."),
    (Hamp, {"entropy": 1.1}, "hamp_entropy must be from 0 to 1; it is 1.1."),
    (Masking, {"mask": "hide"}, "mask must be one of round, top, label, temperature; it is 'hide'."),
    (Adversarial, {"weight": -1.0}, "adversary must be from 0 to 1000; it is -1.0."),
    (LargerUnits, {"unit": "record"}, "unit must be one of subclass, class; it is 'record'."),
    (LargerUnits, {"k_sub": 0}, "k_sub must be a whole number from 1 to 100000; it is 0."),
]


@pytest.mark.parametrize(("kind", "wrong", "sentence"), WRONG)
def test_nonsense_is_refused_in_one_sentence(kind, wrong, sentence):
    with pytest.raises(Mistake) as refusal:
        kind(**wrong)
    assert str(refusal.value) == sentence


# ---- built from a flat configuration
@pytest.mark.parametrize("name", OFFERED)
def test_a_configuration_has_every_option_of_every_defence_and_builds_it(name):
    settings = Settings(defence=name)
    for called, option in options_of(DEFENCES[name]).items():
        assert getattr(settings, called) == option.default
    assert defence_of(settings) == DEFENCES[name]()


def test_an_option_keeps_the_name_it_has_in_links():
    assert defence_of(Settings(defence="central", z=2.5, clip=1.0)) == Central(2.5, 1.0)
    assert built_from(Local, Settings(epsilon_i=2.0, cell=3)) == Local(2.0, 3)


def test_a_configuration_refuses_nonsense_of_a_defence_that_is_not_chosen():
    with pytest.raises(Mistake, match=r"^z must be from 0\.01 to 1000; it is -1\.$"):
        Settings(defence="none", z=-1)


# ---- what leaves the owners' hands
@every_defence
def test_only_local_noise_changes_what_is_handed_over(defence):
    x = numpy_generator(0).integers(0, 2, (50, 12)).astype(np.uint8)
    released = defence.released(x, "bits", numpy_generator(1))
    assert (released is x) == (type(defence) is not Local)
    if type(defence) is Local:  # ε = 1: each bit flips with chance 1/(e + 1) = .27
        assert 0.2 < (released != x).mean() < 0.35


# ---- one model and many
@pytest.mark.parametrize("name", [name for name in DEFENCES if name != "units"])
def test_many_at_once_are_each_as_alone(name):
    """float32: the two take sums in another order."""
    defence, records = DEFENCES[name](), some_records()
    alone, _ = trained(defence, records)
    among, _ = trained_with_others(defence, records)
    start = defence.fresh_model(TASK, torch_generator(1, "start"))
    assert torch.allclose(weights(alone), weights(among), atol=2e-5)
    assert not torch.allclose(weights(alone), weights(start), atol=1e-3)  # and they did move


@pytest.mark.parametrize(("batch", "epochs", "steps"), [(256, 40, 40), (25, 3, 6), (50, 2, 2), (16, 3, 9)])
def test_target_shadow_models_and_promise_take_the_same_steps(batch, epochs, steps, n=50):
    """A batch above n is n: the target once took 8 steps where its shadow models took 40 (batch 256, 40 epochs)."""
    defence, records, recipe = Central(1.0), some_records(n), Recipe(epochs, 0.01, batch)
    assert len(trained(defence, records, recipe)[1]) == steps
    assert len(trained_with_others(defence, records, recipe)[1]) == steps
    promised = defence.dp_sgd(recipe, n)
    assert (promised.steps, promised.q) == (steps, min(batch, n) / n)
    spent = accounting.epsilon("tight", 1.0, promised.q, steps, 1 / n, "add-remove")
    assert defence.promise(TASK, recipe, n).epsilon == spent


@pytest.mark.parametrize("parent", [Defence, Central])
def test_a_defence_with_a_training_of_its_own_is_not_stacked_by_mistake(parent):
    @dataclass(frozen=True)
    class Odd(parent):
        title: ClassVar[str] = "odd"

        def train(self, model, records, recipe, generator):
            yield from super().train(model, records, recipe, generator)

    class Both(Odd):
        def train_many(self, models, sets, recipe, generators):
            yield from super().train_many(models, sets, recipe, generators)

    model = Undefended().fresh_model(TASK, torch_generator(0))
    assert not Odd().stacks(model) and Both().stacks(model)


def test_units_of_every_size_are_stacked():
    model = Undefended().fresh_model(TASK, torch_generator(0))
    assert all(defence.stacks(model) for defence in (Undefended(), Central(), Local(), LargerUnits()))


def test_dropout_sits_in_the_model_and_decay_in_the_recipe():
    model = Regularised(dropout=0.5).fresh_model(TASK, torch_generator(0))
    assert [type(layer).__name__ for layer in model].count("Dropout") == 1
    assert Regularised(decay=0.1).changed(Recipe(1, 1.0, decay=0.01)).decay == pytest.approx(0.11)
    assert Undefended().changed(RECIPE) is RECIPE


# ---- units
def test_the_limits_of_larger_units_are_classes_and_records():
    """k_sub = 1 is class-level privacy; as many subclasses as records is record-level (paper A): to the last bit."""
    how, records = {"q": 0.5, "steps": 5, "delta": 1e-3}, some_records(12)

    def hidden(unit, k_sub=1):
        units = drain(divided(unit, records.x.numpy(), records.y.numpy(), k_sub, seed=0))
        return weights(trained(LargerUnits(1.0, **how, unit="subclass"), replace(records, units=units))[0])

    by_record, by_class = weights(trained(Central(1.0, **how), records)[0]), hidden("class")
    assert torch.equal(hidden("subclass", 1), by_class)
    assert torch.equal(hidden("subclass", 12), by_record)
    assert not torch.equal(by_class, by_record)


def test_units_that_nobody_worked_out_are_found_by_the_defence():
    records, subclasses = some_records(12), LargerUnits(unit="subclass", k_sub=2)
    found = drain(subclasses.divided(records, torch_generator(0)))
    assert found.count == 6 and len(found.members) == 12
    assert drain(LargerUnits(unit="class").divided(records, torch_generator(0))).count == 3


# ---- what is promised
def test_promises_name_unit_neighbours_and_delta():
    assert Undefended().promise(TASK, RECIPE, 100) is None and Regularised().promise(TASK, RECIPE, 100) is None
    central = Central(1.0).promise(TASK, RECIPE, 100)
    assert (central.unit, central.delta, central.neighbours) == ("record", 0.01, "add-remove")
    units = LargerUnits(1.0, unit="class").promise(TASK, RECIPE, 3)
    assert (units.unit, units.delta) == ("class", 0.1)  # the largest power of ten below 1/3
    local = Local(2.0).promise(TASK, RECIPE, 100)
    assert (local.epsilon, local.epsilon_part, local.delta) == (24.0, 2.0, 0.0)
    assert Local(2.0, reach=4).promise(Task("pictures", (1, 8, 8), 3, "cnn"), RECIPE, 9).epsilon == 32.0
    assert Local(1.0).promise(Task("graphs", (5, 5), 3, "graph"), RECIPE, 9).epsilon == 10.0


def test_noise_is_found_for_an_epsilon_and_promises_no_more():
    for wanted in (0.5, 2.0, 8.0):
        dp = Central(epsilon=wanted).dp_sgd(RECIPE, 100)
        assert dp.epsilon("moments") <= wanted < replace(dp, sigma=0.98 * dp.sigma).epsilon("moments")
        assert Central(epsilon=wanted).promise(TASK, RECIPE, 100).epsilon <= wanted


def test_what_is_only_measured_promises_nothing():
    assert all(DEFENCES[name]().promise(TASK, RECIPE, 100) is None for name in EMPIRICAL)


def test_records_held_aside_are_asked_for_in_a_sentence():
    alone = replace(some_records(), held=None, prepared=3)
    for kind in (Stopping, Adversarial):
        with pytest.raises(Mistake, match="must have 12 records held aside; there are 0"):
            drain(kind().train(new_model(TASK, torch_generator(0)), alone, RECIPE, torch_generator(0)))
    with pytest.raises(Mistake, match="must have 12 records held aside; there are 0"):
        drain(Dap().prepare(TASK, None, RECIPE, torch_generator(0)))


def test_more_noise_promises_more():
    epsilons = [Central(sigma).promise(TASK, RECIPE, 100).epsilon for sigma in (0.5, 1.0, 2.0, 4.0)]
    assert epsilons == sorted(epsilons, reverse=True) and epsilons[0] > 2 * epsilons[-1]


# ---- one description of DP-SGD
def test_epochs_and_batch_become_q_and_steps():
    assert of_epochs(1.0, 4.0, 10, 25, 100) == DpSgd(1.0, 0.25, 4.0, 40)
    assert of_epochs(1.0, 4.0, 10, 500, 100) == DpSgd(1.0, 1.0, 4.0, 10)
    assert of_epochs(1.0, 4.0, 0.001, 1, 100).steps == 1


def test_a_description_agrees_with_the_accountants_front_door():
    dp = DpSgd(1.1, 0.004, 1.0, 15_000, 1e-5)
    assert dp.epsilon("moments") == accounting.epsilon("moments", 1.1, 0.004, 15_000, 1e-5, "add-remove")
    assert dp.epsilon("moments-classic") == pytest.approx(2.91, abs=0.01)  # the figure of Opacus' classic accountant
    assert dp.guarantee("subclass", "moments").unit == "subclass"
    assert dp.spending().epsilon(15_000) == dp.epsilon("moments")
    longest = dp.within(2.0)
    assert longest.epsilon("moments") <= 2.0 < DpSgd(1.1, 0.004, 1.0, longest.steps + 1, 1e-5).epsilon("moments")
    assert dp.noise(1000) == pytest.approx(1.1 * 1.0 / (0.004 * 1000))


def test_plain_descent_promises_nothing():
    plain = DpSgd(0.0, 0.5, math.inf, 10, 1e-3)
    assert plain.epsilon("moments") == math.inf and plain.noise(10) == 0.0


BAD = [{"q": 1.5}, {"q": 0.0}, {"sigma": -1.0}, {"clip": 0.0}, {"clip": math.inf}, {"steps": -1}, {"neighbours": "x"}]


@pytest.mark.parametrize("wrong", BAD, ids=str)
def test_a_description_refuses_nonsense(wrong):
    with pytest.raises(Mistake, match=f"^{next(iter(wrong))} must be"):
        DpSgd(**{"sigma": 1.0, "q": 0.5, "clip": 1.0, "steps": 3, **wrong})
