"""Lesson 9's defences: β, losses, D and the epoch that is kept, against slow or hand-made ones."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from dpmia_lab import devices  # noqa: F401 (one thread)
from dpmia_lab.attacks.membership.classifiers import features
from dpmia_lab.defences import Dap, Hamp, Masking, RelaxLoss, Smoothing, Stopping, Undefended
from dpmia_lab.defences.base import Recipe, Task
from dpmia_lab.defences.hamp import DONORS, chance_records, donor_of, reordered
from dpmia_lab.defences.steered import FED
from dpmia_lab.experiments import membership
from dpmia_lab.metrics.membership import auc
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.training import discriminator, losses
from dpmia_lab.training.adversarial import Balance, fooled_loss
from dpmia_lab.training.keeping import Kept, aops, aucs
from tests.fooling_parts import quick_discriminator  # noqa: F401 (used by every test)
from tests.test_defences import TASK, prepared, some_records, trained, trained_with_others, weights

RECIPE = Recipe(epochs=4, rate=0.01, batch=8)


def some_logits(models=2, n=7, classes=4, seed=0):
    generator = torch_generator(seed, "logits")
    logits = 3 * torch.randn(models, n, classes, generator=generator)
    return logits, torch.randint(classes, (models, n), generator=generator)


# ---- β
def test_the_balance_by_hand():
    """1 at first; then r·CE/D of the epoch before, at least .25 and at most 4; r = 0 switches it off."""
    ce, d = torch.tensor([2.0, 2.0, 2.0]), torch.tensor([1.0, 0.01, 100.0])
    balance = Balance(r=0.2)
    assert balance.first(3).tolist() == [1, 1, 1]
    assert balance.after(ce, d).tolist() == pytest.approx([0.4, 4.0, 0.25])
    assert Balance(r=0.2, low=0.001).after(ce, d).tolist() == pytest.approx([0.4, 4.0, 0.004])
    off = Balance(r=0.0)
    assert off.first(2).tolist() == [0, 0] and off.after(ce, d).tolist() == [0, 0, 0]


def test_the_balance_of_a_run_follows_the_rule():
    """Every β told is what the rule makes of the two losses told an epoch before."""
    defence, records = Dap(r=1.0, teachers=2), some_records()
    _, events = trained(defence, records, Recipe(6, 0.01, 8))
    told = [event.values for event in events if "ended" in event.values]
    assert [one["ended"] for one in told] == [1, 2, 3, 4, 5, 6] and told[0]["beta"] == 1
    for before, now in zip(told, told[1:], strict=False):
        expected = min(4, max(0.25, before["validation_loss"] / before["fooled_loss"]))
        assert now["beta"] == pytest.approx(expected, rel=1e-4)
        assert now["aop"] == pytest.approx(aop(now["accuracy"], now["auc"], 2.0))


# ---- r = 0
@pytest.mark.parametrize("how", [trained, trained_with_others])
def test_without_fooling_the_model_is_the_undefended_one_bit_for_bit(how):
    records = some_records()
    plain, off, stopped = (
        weights(how(defence, records)[0]) for defence in (Undefended(), Dap(r=0.0, keep="last"), Stopping(after=4))
    )
    assert torch.equal(plain, off) and torch.equal(plain, stopped)
    assert not torch.equal(plain, weights(how(Dap(keep="last"), records)[0]))


def test_a_whole_run_without_fooling_is_the_undefended_run_bit_for_bit():
    quick = {"records": 60, "epochs": 3, "width": 8, "classes": 5, "shadows": 0, "inside": 4, "white_box": False}
    plain, off = (
        drain(membership.run(membership.Config(**quick, **more))).arrays
        for more in ({}, {"defence": "dap", "r": 0.0, "keep": "last"})
    )
    for name in ("target_logits", "shadow_logits", "scores_lira_fixed", "scores_loss"):
        assert plain[name].tobytes() == off[name].tobytes(), name


# ---- slow literal references
def literal_relaxed_loss(logits, y, epoch, alpha):
    """Record by record, class by class, as the paper's algorithm reads."""
    log_p = [F.log_softmax(row, 0) for row in logits]
    mean = sum(-log_p[i][y[i]] for i in range(len(y))) / len(y)
    if epoch % 2 == 1:
        return mean - alpha if mean >= alpha else alpha - mean
    if mean > alpha:
        return mean
    total = 0.0
    for i in range(len(y)):
        own = float(log_p[i][y[i]].detach().exp())
        for c in range(logits.shape[1]):
            total = total - (own if c == y[i] else (1 - own) / (logits.shape[1] - 1)) * log_p[i][c]
    return total / len(y)


def literal_high_entropy_loss(logits, y, epoch, own, weight):
    total = 0.0
    for i in range(len(y)):
        log_p = F.log_softmax(logits[i], 0)
        for c in range(logits.shape[1]):
            t = own if c == y[i] else (1 - own) / (logits.shape[1] - 1)
            total = total + t * (math.log(t) - log_p[c]) + weight * log_p[c].exp() * log_p[c]
    return total / len(y)


def literal_smoothed_loss(logits, y, epoch, share):
    total = 0.0
    for i in range(len(y)):
        log_p = F.log_softmax(logits[i], 0)
        for c in range(logits.shape[1]):
            total = total - ((1 - share) * (c == int(y[i])) + share / logits.shape[1]) * log_p[c]
    return total / len(y)


LITERAL = {
    "relaxloss": (RelaxLoss(1.05), literal_relaxed_loss, {"alpha": 1.05}),
    "relaxloss, high": (RelaxLoss(1.2), literal_relaxed_loss, {"alpha": 1.2}),
    "hamp": (Hamp(0.8, 0.05), literal_high_entropy_loss, {"own": losses.own_share(0.8, 3), "weight": 0.05}),
    "smoothing": (Smoothing(0.3), literal_smoothed_loss, {"share": 0.3}),
    "negative": (Smoothing(-0.2), literal_smoothed_loss, {"share": -0.2}),
}


@pytest.mark.parametrize("name", LITERAL)
def test_training_agrees_with_a_slow_literal_reference(name):
    """The same shuffles, each loss taken record by record and class by class, torch's own Adam: the same weights."""
    defence, loss, settings = LITERAL[name]
    records, recipe = some_records(), Recipe(epochs=6, rate=0.02, batch=8)
    found, _ = trained(defence, records, recipe)
    model, order = defence.fresh_model(TASK, torch_generator(1, "start")), torch_generator(1, "order")
    optimizer, sides = torch.optim.Adam(model.parameters(), recipe.rate), set()
    for epoch in range(1, recipe.epochs + 1):
        for chosen in torch.randperm(len(records), generator=order).split(recipe.batch):
            logits = model(records.x[chosen].float())
            value = loss(logits, records.y[chosen], epoch, **settings)
            sides.add((epoch % 2, bool(F.cross_entropy(logits, records.y[chosen]) < 1.05)))
            optimizer.zero_grad()
            value.backward()
            optimizer.step()
    assert torch.allclose(weights(found), weights(model), atol=2e-4)
    assert name != "relaxloss" or len(sides) == 4  # every branch was taken


def test_labels_have_the_entropy_that_was_asked_for():
    for classes in (3, 10, 100):
        own = losses.own_share(0.8, classes)
        assert losses.label_entropy(own, classes) == pytest.approx(0.8 * math.log(classes), rel=1e-6)
        assert own > 1 / classes
    assert losses.own_share(1.0, 5) == pytest.approx(0.2, abs=1e-3)


# ---- answers
def test_reordered_answers_keep_their_order_and_take_the_donors_numbers():
    own = torch.tensor([[3.0, -1.0, 0.5], [0.0, 9.0, 1.0]])
    donors = torch.tensor([[-3.0, -2.0, -1.0], [-9.0, -5.0, 0.0]])
    assert reordered(own, donors).tolist() == [[-1, -3, -2], [-9, 0, -5]]
    x = torch.rand(500, 12, generator=torch_generator(0))
    assert torch.equal(donor_of(x), donor_of(x)) and donor_of(x).max() < DONORS and len(donor_of(x).unique()) > 100
    graphs = chance_records(Task("graphs", (6, 6), 3, "graph"))
    assert torch.equal(graphs, graphs.mT) and (graphs.diagonal(dim1=1, dim2=2) == 1).all()


@pytest.mark.parametrize(("how", "told"), [
    ({"mask": "round"}, [[0.7, 0.2, 0.1], [0.4, 0.3, 0.3]]),
    ({"mask": "top"}, [[0.68, 0, 0], [0.36, 0, 0]]),
    ({"mask": "top", "top": 2}, [[0.68, 0.21, 0], [0.36, 0.33, 0]]),
    ({"mask": "label"}, [[1, 0, 0], [1, 0, 0]]),
])  # fmt: skip
def test_masks_by_hand(how, told):
    p = torch.tensor([[0.68, 0.21, 0.11], [0.36, 0.33, 0.31]])
    answers = Masking(**how).answers(lambda x: x.log(), p, TASK).exp()
    assert torch.allclose(answers, torch.tensor(told).double(), atol=1e-6)
    assert (answers.argmax(1) == p.argmax(1)).all()
    tempered = Masking("temperature", temperature=2.0).answers(lambda x: x.log(), p, TASK)
    assert torch.allclose(tempered, p.log() / 2)


# ---- the discriminator
def test_what_d_sees_is_the_same_when_it_learns_when_it_is_fooled_and_when_it_attacks():
    """From logits (training), from the logarithms of confidences (attack), and by the attackers' own features."""
    logits, y = some_logits(1, 40)
    learnt = discriminator.inputs(logits, y)[0]
    p = F.softmax(logits[0].double(), 1)
    attacked = discriminator.inputs(p.log().float()[None], y)[0]
    assert torch.allclose(learnt, attacked, atol=1e-5)
    assert np.allclose(features(p.numpy(), y[0].numpy()), learnt.numpy(), atol=1e-4)
    loss = F.cross_entropy(logits[0], y[0], reduction="none")
    own = p[range(40), y[0]]
    others = p.clone()
    others[range(40), y[0]] = -1
    assert torch.allclose(learnt[:, 4], loss, atol=1e-5)
    assert torch.allclose(learnt[:, 5], ((1 - own) ** 2 * loss).float(), atol=1e-5)
    assert torch.allclose(learnt[:, 6], (1 + others.max(1).values - own).clamp(min=0).float(), atol=1e-5)
    assert torch.equal(learnt[:, 7:], F.one_hot(y[0], 4).float())


def test_every_use_of_d_goes_through_the_one_function(monkeypatch):
    seen, real = [], discriminator.inputs
    monkeypatch.setattr(discriminator, "inputs", lambda logits, y: (seen.append(1), real(logits, y))[1])
    made = prepared(Dap(teachers=2), some_records(), RECIPE).prepared
    taught = len(seen)
    logits, y = some_logits(3, 5, 3)
    made.judged(logits, y)
    fooled_loss(made, logits, y, member=True)
    assert taught > discriminator.STEPS and len(seen) == taught + 2


def test_fooling_losses_by_hand():
    class Fixed:
        def judged(self, logits, y):
            return torch.tensor([[0.0, 2.0]])

    sure = 1 / (1 + math.exp(-2))
    for member, expected in ((True, [0.5, 1 - sure]), (False, [0.5, sure])):
        mean = -sum(math.log(p) for p in expected) / 2
        assert float(fooled_loss(Fixed(), None, None, member)) == pytest.approx(mean, rel=1e-5)


def test_one_d_judges_many_models_as_each_alone_and_copies_are_alike():
    made = discriminator.Discriminator(1, 4, torch_generator(0))
    logits, y = some_logits(3, 6)
    together = made.judged(logits, y)
    alone = torch.cat([made.judged(logits[i : i + 1], y[i : i + 1]) for i in range(3)])
    assert torch.allclose(together, alone, atol=1e-6)
    assert torch.allclose(made.copies(3).judged(logits, y), together, atol=1e-6)


def test_fooling_lowers_what_d_finds():
    records, recipe = some_records(60), Recipe(epochs=12, rate=0.02, batch=10)
    told = {}
    for r in (0.0, 5.0):
        _, events = trained(Dap(r=r, layers="all", keep="last", teachers=4), records, recipe)
        told[r] = [event.values for event in events if "ended" in event.values][-1]
    assert told[5.0]["auc"] < told[0.0]["auc"] - 0.03


def literal_dap(defence, records, recipe):
    """Step by step as the formula reads, by autograd through the whole model, torch's own Adam."""
    fed = round(FED * len(records.held[1]))
    (fed_x, x_v), (fed_y, y_v) = (whole.split([fed, len(whole) - fed]) for whole in records.held)
    model, draws = defence.fresh_model(TASK, torch_generator(1, "start")), torch_generator(1, "order")
    optimizer, beta = torch.optim.Adam(model.parameters(), recipe.rate), 1.0

    def member_chance(logits, y):
        return torch.sigmoid(records.prepared.judged(logits[None], y[None])[0])

    for _ in range(recipe.epochs):
        for chosen in torch.randperm(len(records), generator=draws).split(recipe.batch):
            x, y = records.x[chosen].float(), records.y[chosen]
            if defence.feed == "train":  # members, who are to pass for outsiders
                fooled = -torch.log(1 - member_chance(model(x), y)).mean()
            else:  # outsiders, who are to pass for members
                others = torch.randint(fed, (len(chosen),), generator=draws)
                fooled = -torch.log(member_chance(model(fed_x[others]), fed_y[others])).mean()
            parameters = list(model.parameters())
            gradients = list(torch.autograd.grad(F.cross_entropy(model(x), y), parameters))
            for place, g in enumerate(torch.autograd.grad(fooled, parameters)):
                if defence.layers == "all" or place >= len(parameters) - 2:  # the last layer's weight and bias
                    gradients[place] = gradients[place] + beta * g
            for parameter, g in zip(parameters, gradients, strict=True):
                parameter.grad = g
            optimizer.step()
        with torch.no_grad():
            ce, d = F.cross_entropy(model(x_v), y_v), -torch.log(member_chance(model(x_v), y_v)).mean()
        beta = min(4.0, max(0.25, defence.r * float(ce / d)))
    return model


@pytest.mark.parametrize("feed", ["train", "validation"])
@pytest.mark.parametrize("layers", ["last", "all"])
def test_dap_agrees_with_a_slow_literal_reference(feed, layers):
    """∇CE + β·∇(−log of D being fooled), the latter on the last layer alone or on all."""
    defence, recipe = Dap(r=2.0, feed=feed, layers=layers, keep="last", teachers=2), Recipe(5, rate=0.02, batch=8)
    records = prepared(defence, some_records(), recipe)
    found, _ = trained(defence, some_records(), recipe)
    assert torch.allclose(weights(found), weights(literal_dap(defence, records, recipe)), atol=5e-4)
    assert not torch.allclose(weights(found), weights(trained(Undefended(), some_records(), recipe)[0]), atol=5e-3)


@pytest.mark.parametrize("defence", [
    Dap(teachers=2, learns=True), Dap(teachers=2, feed="validation"), Dap(teachers=2, feed="validation", layers="all"),
])  # fmt: skip
def test_variants_of_dap_train_many_as_each_alone(defence):
    records = some_records()
    alone, among = trained(defence, records)[0], trained_with_others(defence, records)[0]
    assert torch.allclose(weights(alone), weights(among), atol=2e-4)


# ---- which epoch is kept
def test_scores_and_worth_agree_with_the_metrics():
    rng = np.random.default_rng(0)
    inside, outside = rng.integers(0, 9, (2, 30)).astype(float), rng.integers(0, 7, (2, 40)).astype(float)
    found = aucs(torch.from_numpy(inside), torch.from_numpy(outside))
    for m in range(2):
        member = np.repeat([True, False], [30, 40])
        assert float(found[m]) == pytest.approx(auc(np.concatenate([inside[m], outside[m]]), member))
    accuracy, leak = torch.tensor([0.8, 0.5]), torch.tensor([0.6, 0.4])
    assert aops(accuracy, leak, 5.0).tolist() == pytest.approx([aop(0.8, 0.6, 5), 0.5])


def test_the_best_epoch_comes_back_by_hand():
    weight = torch.zeros(2, 1)
    kept = Kept([weight])
    for epoch, worth in enumerate([[0.1, 0.5], [0.3, 0.5], [0.2, 0.4]], 1):
        weight.fill_(epoch)
        kept.after_epoch(epoch, torch.tensor(worth))
    kept.restore()
    assert weight.flatten().tolist() == [2, 1] and kept.epoch.tolist() == [2, 1]


def test_dap_keeps_the_epoch_of_the_highest_aop():
    _, events = trained(Dap(teachers=2, lam=5.0), some_records(), Recipe(8, 0.02, 8))
    told = [event.values for event in events if "ended" in event.values]
    assert events[-1].values["kept"] == 1 + int(np.argmax([one["aop"] for one in told]))
