"""Lesson 9's engine: β, losses and choices against slow or hand-made ones, canaries, families, and what must show."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from dpmia_lab import devices  # noqa: F401 (one thread)
from dpmia_lab.attacks.membership.classifiers import classifier_scores, features
from dpmia_lab.attacks.membership.lira import levelled
from dpmia_lab.checks import Mistake
from dpmia_lab.commands.command_line import main
from dpmia_lab.data.objects import CIFAR_BYTES, CIFAR_FILES, drawn_objects
from dpmia_lab.data.population import load_population
from dpmia_lab.defences import Dap, Hamp, Masking, RelaxLoss, Smoothing, Stopping, Undefended
from dpmia_lab.defences.base import Recipe, Task
from dpmia_lab.defences.hamp import DONORS, chance_records, donor_of, reordered
from dpmia_lab.defences.steered import FED
from dpmia_lab.experiments import fooling, fooling_table, fooling_turns, membership
from dpmia_lab.experiments.fooling_target import QUICK, STRONG
from dpmia_lab.game.canaries import KINDS, with_canaries
from dpmia_lab.game.candidates import candidate_halves, candidates_of
from dpmia_lab.game.families import Family
from dpmia_lab.game.settings import Settings
from dpmia_lab.metrics.membership import auc
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.reference import shipped
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Progress, Snapshot, drain
from dpmia_lab.training import discriminator, losses
from dpmia_lab.training.adversarial import Balance, fooled_loss
from dpmia_lab.training.keeping import Kept, aops, aucs
from tests.test_defences import TASK, prepared, some_records, trained, trained_with_others, weights

RECIPE = Recipe(epochs=4, rate=0.01, batch=8)


@pytest.fixture(autouse=True, scope="module")
def quick_discriminator():
    """A few steps teach D all that is asked of it here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discriminator, "STEPS", 40)
        yield


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


# ---- canaries
def test_canaries_are_as_many_as_asked_for_and_keep_their_coins():
    config = Settings(records=100)
    population = load_population("purchases_like", classes=10, records=600)
    candidates = candidates_of(config, population)
    planted = with_canaries(candidates, 20, "bits", 10, numpy_generator(0))
    before, after = candidates.alike, planted.candidates.alike
    wrong, odd, usual = (planted.places(kind) for kind in ("mislabelled", "atypical", "ordinary"))
    assert [int(planted.places(kind).sum()) for kind in KINDS] == [160, 20, 20]
    assert np.array_equal(before.member, after.member)
    assert (after.records.y[wrong] != before.records.y[wrong]).all()
    assert np.array_equal(after.records.x[~odd], before.records.x[~odd])
    assert np.array_equal(after.records.y[~wrong], before.records.y[~wrong])
    assert after.records.x[odd].mean() == pytest.approx(0.5, abs=0.03) and before.records.x.mean() < 0.15
    assert len(planted.candidates.test) == (usual & ~after.member).sum()
    shares = [with_canaries(candidates, 20, "bits", 10, numpy_generator(s)).places("atypical") for s in range(40)]
    inside = np.mean([before.member[places].mean() for places in shares])
    assert inside == pytest.approx(before.member.mean(), abs=0.06)  # who becomes one does not depend on the coin
    with pytest.raises(Mistake, match="canaries must be at most a quarter of the 200 candidates"):
        with_canaries(candidates, 51, "bits", 10, numpy_generator(0))


def test_atypical_pictures_and_graphs_stay_pictures_and_graphs():
    for name in ("digits", "collaboration"):
        population = load_population(name, records=400)
        candidates = candidates_of(Settings(records=60), population)
        planted = with_canaries(candidates, 10, population.kind, population.classes, numpy_generator(1))
        x = planted.candidates.alike.records.x
        assert x.min() >= 0 and x.max() <= 1 and x.dtype == population.x.dtype
        assert population.kind != "graphs" or np.array_equal(x, x.transpose(0, 2, 1))


# ---- families
def test_members_are_not_told_apart_where_there_is_nothing_to_tell():
    """Scores in turn are fair: leaving out one of a pair alone would push members down."""
    found = {kind: [] for kind in ("plain", "levelled", "stopped")}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        inside = candidate_halves(6, 300, rng)
        family = Family(inside)
        sure = 2 * rng.standard_normal((6, 1))
        for moment in (0, 1, 2):
            family.logits[moment] = rng.standard_normal(inside.shape) + sure + rng.standard_normal(300)
        for kind, aucs_found in found.items():
            aucs_found.append(auc(family.scores_in_turn(0, kind).ravel(), inside.ravel()))
    for kind, values in found.items():
        assert abs(np.mean(values) - 0.5) < 4 * np.std(values) / np.sqrt(20) + 0.003, kind


def test_levelling_takes_out_how_sure_a_model_is_of_everybody():
    rng = np.random.default_rng(0)
    inside = candidate_halves(8, 400, rng)
    signal = 1.5 * inside + rng.standard_normal(inside.shape)
    sure = np.exp(rng.standard_normal((8, 1)))
    family = Family(inside, {0: signal * sure + 3 * rng.standard_normal((8, 1))})
    plain, level = (auc(family.scores_in_turn(0, kind).ravel(), inside.ravel()) for kind in ("plain", "levelled"))
    assert level > plain + 0.1 and level > 0.7
    assert np.allclose(np.median(levelled(signal), 1), 0, atol=0.01)


def test_shadow_models_are_taken_when_they_were_as_sure_as_the_target():
    family = Family(candidate_halves(6, 10, np.random.default_rng(0)))
    for moment in (0, 1, 2):
        family.logits[moment] = np.tile(np.arange(10.0) + 10 * moment, (6, 1))
    everyone = np.ones(6, dtype=bool)
    assert [family.as_sure(np.arange(10.0) + level, everyone) for level in (-3, 9, 40)] == [0, 1, 2]


# ---- equal accuracy
def test_early_stopping_at_equal_accuracy_by_hand():
    curve = {"stopping_accuracy": np.array([0.2, 0.4, 0.6, 0.5]), "stopping_auc": np.array([0.5, 0.6, 0.8, 0.9])}
    found = [fooling_turns.auc_at_accuracy(a, *curve.values()) for a in (0.1, 0.2, 0.3, 0.5, 0.6, 0.7)]
    assert found == pytest.approx([0.5, 0.5, 0.55, 0.7, 0.8, 0.8])
    matched = fooling_turns.matched_numbers(np.array([0.3, 0.5]), 0.6, curve)
    assert matched == {"matched_auc": pytest.approx(0.625), "matched_gain": pytest.approx(0.025)}
    assert fooling_turns.matched_numbers(np.array([0.7]), 0.6, curve) == {}


# ---- attackers of the target
def test_classifiers_learn_from_the_known_half_and_are_judged_on_the_other():
    rng = np.random.default_rng(0)
    member, known = rng.random(400) < 0.5, rng.random(400) < 0.5
    p = rng.dirichlet(np.ones(3), 400)
    p[member] = 0.3 * p[member] + 0.7 * np.eye(3)[0]
    y = np.zeros(400, dtype=int)
    for kind in ("regression", "forest"):
        scores = drain(classifier_scores(kind, p, y, member & known, known, 3))
        assert np.isnan(scores[known]).all() and auc(scores[~known], member[~known]) > 0.85
        again = drain(classifier_scores(kind, p, y, member & known, known, 3))
        assert np.array_equal(scores, again, equal_nan=True)
    with pytest.raises(Mistake, match="known must hold members and outsiders"):
        drain(classifier_scores("forest", p, y, member & False, known, 3))


# ---- the experiment
@pytest.fixture(scope="module")
def run():
    events = []
    config = fooling.Config(records=150, epochs=12, width=32, inside=8, unadapted=8, canaries=15, looks=4, teachers=4)
    return config, drain(fooling.run(config), events.append), events


def test_every_epoch_is_told_with_both_losses(run):
    config, result, events = run
    curves = [event for event in events if isinstance(event, Snapshot) and event.name == "curve"]
    assert [event.array.shape for event in curves] == [(e, len(fooling.CURVE)) for e in range(1, 13)]
    told = [event.values for event in events if isinstance(event, Progress) and "auc_loss" in event.values]
    assert [values["ended"] for values in told] == list(range(1, 13))
    assert all(set(fooling.CURVE) <= set(values) for values in told)
    assert result.arrays["curve_epoch"].tolist() == list(range(1, 13))
    best = 1 + int(np.argmax(result.arrays["curve_aop"]))
    assert result.numbers["kept_epoch"] == best


def test_a_defence_that_does_not_watch_itself_is_watched_alike():
    """RelaxLoss with α = 0 and regularisation by nothing are no defence: epoch by epoch what an undefended run tells.

    The undefended one's epochs are told by training itself, from logits; these by whoever looks on, from confidences.
    """
    plain, *others = (
        drain(fooling.run(replace(fooling.SMALL, canaries=0, **changes))).arrays
        for changes in ({"defence": "none"}, {"defence": "relaxloss", "alpha": 0.0}, {"defence": "regularised"})
    )
    for watched in others:
        for name in ("epoch", "validation_loss", "accuracy", "auc", "aop", "test_accuracy", "auc_loss"):
            assert watched[f"curve_{name}"] == pytest.approx(plain[f"curve_{name}"], abs=1e-4), name
        assert watched["look_epoch"][-1] == fooling.SMALL.epochs
        assert watched["look_auc"][-1] == pytest.approx(plain["look_auc"][-1], abs=1e-6)


def test_attacks_come_from_weak_to_strong_and_a_first_picture_early(run):
    _, _, events = run
    names = [event.name for event in events if isinstance(event, Snapshot) and event.name != "curve"]
    assert names == ["member", *(f"scores_{attack}" for attack in (*QUICK, *STRONG))]


def test_rows_of_all_attacks_and_protocols(run):
    config, result, _ = run
    rows = result.rows
    assert {row.attack for row in rows.where(protocol="alike")} == {*QUICK, *STRONG}
    for defence in ("dap", "none"):
        for protocol in ("turns", "mislabelled", "atypical"):
            for attack in (*fooling.TURNS, "loss"):
                assert 0 <= rows.value("auc", defence=defence, attack=attack, protocol=protocol) <= 1
    kind = result.arrays["kind"]
    assert [int((kind == place).sum()) for place in range(3)] == [270, 15, 15]
    assert result.arrays["turns_inside"].shape == (9, 300) and (result.arrays["turns_inside"][:8].sum(0) == 4).all()
    assert rows.value("auc", defence="none", attack="lira_fixed", protocol="turns") > 0.7
    accuracy = rows.value("accuracy", defence="dap", protocol="turns")
    assert rows.value("aop_5", defence="dap", attack="best") == pytest.approx(
        aop(accuracy, fooling.strongest(rows, "dap"), 5)
    )


def test_a_model_that_learnt_nothing_gives_nobody_away_to_anybody():
    """All attackers, also with every model in its turn, within four standard errors."""
    config = fooling.Config(
        records=120, epochs=1, rate=1e-9, width=16, inside=6, unadapted=6, canaries=0, looks=1, teachers=2
    )
    rows = drain(fooling.run(config)).rows
    for row in rows.where(measure="auc"):
        assert abs(row.value - 0.5) <= (row.high - row.low) + 0.02, row


@pytest.mark.parametrize(("changes", "words"), [
    ({"inside": 7}, "inside must be even, as models come in pairs; it is 7."),
    ({"inside": 4}, "inside must be a whole number from 6 to 512; it is 4."),
    ({"patience": 2}, "patience must be 0 here, where stopping is a defence; it is 2."),
    ({"looks": 0}, "looks must be a whole number from 1 to 100; it is 0."),
    ({"r": -1.0}, "r must be from 0 to 1000; it is -1.0."),
    ({"defence": "dapp"}, r"defence must be one of .*; it is 'dapp' \(did you mean dap\?\)."),
])  # fmt: skip
def test_nonsense_is_refused_in_one_sentence(changes, words):
    with pytest.raises(Mistake, match=words):
        fooling.Config(**changes)


def test_the_table_refuses_a_column_it_does_not_know_and_always_has_the_baseline():
    with pytest.raises(Mistake, match=r"columns must be one of .*; it is 'dap_x'"):
        fooling_table.Config(columns="dap_x")
    assert fooling_table.Config(columns="dap_t none").chosen() == ["none", "dap_t"]
    assert fooling_table.Config().chosen() == list(fooling_table.COLUMNS)
    assert set(fooling_table.PUBLISHED.values()) <= set(fooling_table.COLUMNS)


def test_every_column_of_the_table_is_a_valid_setting():
    for name in fooling_table.COLUMNS:
        config = fooling_table.Config().column(name, 3)
        assert config.seed == 3 and config.records == fooling_table.Config().records


def test_means_over_seeds_leave_out_what_is_undefined():
    from dpmia_lab.rows import Row, Rows

    one = Rows((Row("auc", 0.6, "a"), Row("matched_gain", 0.1, "a")))
    other = Rows((Row("auc", 0.8, "a"),))
    found = fooling_table.averaged([one, other])
    assert found.row("auc").value == pytest.approx(0.7) and found.row("auc").spread == pytest.approx(0.1 * 2**0.5)
    assert found.row("matched_gain").value == 0.1 and found.row("matched_gain").spread is None


# ---- the command line
@pytest.mark.parametrize("defence", ["dap", "relaxloss", "hamp", "adversarial", "stopping", "smoothing", "masking"])
def test_every_new_defence_on_ones_own_records(defence, tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    np.savez(tmp_path / "my.npz", X=(rng.random((300, 30)) < 0.2 + 0.2 * y[:, None]).astype(np.uint8), y=y)
    quick = ["--records", "50", "--epochs", "2", "--shadows", "2", "--inside", "4", "--teachers", "2"]
    place, data = tmp_path / "result.json", str(tmp_path / "my.npz")
    assert main(["run", "membership", "--defence", defence, "--data", data, *quick, "--json", str(place)]) == 0
    assert place.exists()
    assert f"defence {defence}" in capsys.readouterr().out


# ---- pictures in colour
def test_objects_are_coloured_pictures_in_turn_and_the_same_however_many():
    x, y = drawn_objects(250, 3)
    assert x.shape == (250, 3, 32, 32) and x.dtype == np.float32 and 0 <= x.min() and x.max() <= 1
    assert y[:12].tolist() == [*range(10), 0, 1]
    assert np.array_equal(drawn_objects(60, 3)[0], x[:60]) and not np.array_equal(drawn_objects(60, 4)[0], x[:60])
    assert load_population("objects", records=100).shape == (3, 32, 32)


def test_cifar_is_read_from_the_readers_own_files(tmp_path):
    rng = np.random.default_rng(0)
    for place, name in enumerate(CIFAR_FILES):
        rows = rng.integers(0, 256, (5, CIFAR_BYTES)).astype(np.uint8)
        rows[:, 0] = place
        rows.tofile(tmp_path / f"{name}.bin")
    population = load_population(f"cifar10:{tmp_path}")
    assert population.x.shape == (30, 3, 32, 32) and sorted(set(population.y.tolist())) == [0, 1, 2, 3, 4, 5]
    assert population.classes == 10 and population.x.max() <= 1
    (tmp_path / "test_batch.bin").write_bytes(b"123")
    with pytest.raises(Mistake, match="test_batch.bin must hold 3,073 bytes a picture; it has 3 bytes"):
        load_population(f"cifar10:{tmp_path}")
    with pytest.raises(Mistake, match="data_batch_1.bin is not there"):
        load_population("cifar10:nowhere")


def test_an_attacked_model_of_pictures_in_colour():
    config = replace(fooling.PRESETS["objects"], records=20, epochs=1, canaries=3, looks=1, teachers=1, width=8)
    result = drain(fooling.run(config))
    assert result.rows.has("auc", defence="dap", attack="own_d", protocol="alike")


# ---- what ships
@pytest.mark.parametrize("name", fooling_table.PRESETS)
def test_the_shipped_table_is_of_five_seeds_and_answers_what_was_asked(name):
    """Every column, every attacker; whether each beats early stopping where the two are equally accurate."""
    record = shipped("fooling_table")[name]
    config = fooling_table.Config(**record["config"])
    assert config == replace(fooling_table.PRESETS[name], repeats=5)
    rows = fooling_table.rows_of(record["results"])
    assert len(rows) + sum(row.spread is not None for row in rows) == len(record["results"])
    for column in fooling_table.COLUMNS:
        own = rows.where(defence=column)
        assert own.row("accuracy", protocol="turns").spread is not None
        assert {row.attack for row in own.where(measure="auc", protocol="alike")} == {*QUICK, *STRONG}, column
        worth = aop(own.value("accuracy"), fooling.strongest(own, column), 1)
        assert own.value("aop_1", attack="best") == pytest.approx(worth, abs=0.03)
    gain, error = fooling_table.beats_stopping(rows, "dap_t", config.repeats)
    assert abs(gain) < 0.05 and error < 0.05  # DAP is worth what its choice of an epoch is worth
    assert fooling_table.beats_stopping(rows, "dap_last", config.repeats)[0] < 0  # without that choice, less
    assert fooling_table.beats_stopping(rows, "dp_little", config.repeats)[0] > 0.01
    assert np.array(record["points"]["accuracy"]).shape == (5, len(fooling_table.COLUMNS))
