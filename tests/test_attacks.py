"""Inversion: each attack against a slow reading of its paper, one label at a time; priors and filters alike."""

import functools

import numpy as np
import pytest
import scipy.ndimage
import torch

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab import models
from dpmia_lab.attacks.inversion.costs import SNAPSHOTS, final_costs, snapshot_steps
from dpmia_lab.attacks.inversion.enhanced import enhanced as enhanced_attack
from dpmia_lab.attacks.inversion.filters import denoised, processed, sharpened, smoothed
from dpmia_lab.attacks.inversion.original import fredrikson
from dpmia_lab.attacks.inversion.priors import prior_gradients, prior_values
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Snapshot, drain
from dpmia_lab.training.plain import train

SHAPE = (1, 7, 6)
PRIORS = ("none", "l1", "btv", "l1+tv")


@pytest.fixture
def double():
    """Double precision throughout, so that "equal" can mean 1e-9."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def target(name="mlp", shape=SHAPE, classes=3, scale=4.0):
    """A model with strong weights: its confidences move when the picture does."""
    model = models.new_model("mlp", shape, classes, torch_generator(1, "model"))
    if name == "softmax":
        model = models.softmax_regression(shape, classes)
        torch.nn.init.normal_(model[1].weight, generator=torch_generator(2, "model"))
        scale = 1.0
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(scale)
    return model


def labels_of(model):
    return torch.arange(model[-1].out_features)


# ---- priors


def pixels(shape):
    return np.ndindex(*shape)


def slow_l1(x):
    return sum(abs(x[place]) for place in pixels(x.shape))


def slow_btv(x, alpha=0.9, p=2):
    total = 0.0
    for l in range(-p, p + 1):  # noqa: E741 (the paper's letter)
        for m in range(p + 1):
            if m + l >= 0:
                for c, i, j in pixels(x.shape):
                    if 0 <= i - m and 0 <= j - l < x.shape[2]:
                        total = total + alpha ** (m + l) * abs(x[c, i, j] - x[c, i - m, j - l])
    return total


def slow_tv(x):
    total = 0.0
    for c, i, j in pixels(x.shape):
        total = total + (abs(x[c, i, j] - x[c, i - 1, j]) if i else 0)
        total = total + (abs(x[c, i, j] - x[c, i, j - 1]) if j else 0)
    return total


SLOW_PRIORS = {
    "none": lambda x: 0.0,
    "l1": slow_l1,
    "btv": slow_btv,
    "l1+tv": lambda x: slow_tv(x) + 0.1 * slow_l1(x),
}


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", PRIORS)
def test_priors_equal_slow_loops(name, channels):
    x = numpy_generator(0, "x").normal(size=(4, channels, 6, 5))
    slow = [SLOW_PRIORS[name](picture) for picture in x]
    assert prior_values(name, torch.from_numpy(x)).numpy() == pytest.approx(slow)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("name", PRIORS)
def test_gradients_of_priors_are_those_of_autograd(name, channels):
    """In double precision, also where neighbours are equal (the slope of |0| is taken as 0 by both)."""
    x = torch.from_numpy(numpy_generator(0, "x").normal(size=(4, channels, 6, 5)).round(1)).requires_grad_()
    (slow,) = torch.autograd.grad(prior_values(name, x).sum() + 0 * x.sum(), x)
    assert torch.allclose(prior_gradients(name, x), slow, rtol=0, atol=1e-12)


def corner_picture(row, column):
    x = torch.zeros(1, 1, 9, 8)
    x[0, 0, row, column] = 1.0
    return x


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 7), (8, 0), (8, 7)])
def test_shifts_do_not_wrap_round(row, column):
    """A bright corner has two neighbours; were edges joined it would have four."""
    assert prior_values("l1+tv", corner_picture(row, column)).item() == pytest.approx(2 + 0.1)


def test_btv_of_a_bright_corner_by_hand():
    """The first pixel has partners only to the right and below: Σ α^(l+m) over l, m = 0..2, less (0, 0)."""
    assert prior_values("btv", corner_picture(0, 0)).item() == pytest.approx((1 + 0.9 + 0.81) ** 2 - 1)


def test_btv_of_two_halves_by_hand():
    """Five rows, left two columns black, right two white; a shift by l crosses the edge |l| times a row."""
    x = torch.zeros(1, 1, 5, 4)
    x[..., 2:] = 1.0
    rows = {0: 5, 1: 4, 2: 3}
    shifts = [(l, m) for l in (-2, -1, 1, 2) for m in (0, 1, 2) if m + l >= 0]  # noqa: E741
    by_hand = sum(0.9 ** (m + l) * abs(l) * rows[m] for l, m in shifts)  # noqa: E741
    assert prior_values("btv", x).item() == pytest.approx(by_hand)


@pytest.mark.parametrize("name", PRIORS)
def test_priors_are_sums_over_pixels_not_means(name):
    """Two tiles side by side weigh twice as much (but for the few pairs across the seam)."""
    x = torch.rand(2, 1, 24, 20, generator=torch_generator(0, "x"))
    ratio = prior_values(name, x.tile(1, 1, 1, 2)) / prior_values(name, x)
    assert name == "none" or ratio.numpy() == pytest.approx([2, 2], rel=0.06)


@pytest.mark.parametrize("name", ["btv", "l1+tv"])
def test_a_flat_picture_has_no_variation(name):
    x = torch.full((1, 1, 6, 5), 0.4)
    assert prior_values(name, x).item() == pytest.approx(0.1 * 0.4 * 30 if name == "l1+tv" else 0, abs=1e-6)


@pytest.mark.parametrize("name", PRIORS)
def test_a_prior_of_one_picture_does_not_see_the_others(name):
    x = torch.rand(3, 1, 6, 5, generator=torch_generator(0, "x"))
    alone = torch.cat([prior_values(name, x[i : i + 1]) for i in range(3)])
    assert torch.allclose(prior_values(name, x), alone)


# ---- filters


def random_pictures(channels=1, height=9, width=8):
    return numpy_generator(0, "pictures").random((3, channels, height, width)).astype(np.float32)


@pytest.mark.parametrize("channels", [1, 3])
def test_denoising_is_the_median_of_nine(channels):
    x = random_pictures(channels)
    expected = scipy.ndimage.median_filter(x, size=(1, 1, 3, 3), mode="nearest")
    assert np.array_equal(denoised(torch.from_numpy(x)).numpy(), expected)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("radius", "reach"), [(0.2, 1), (0.7, 2), (1.0, 3), (2.5, 8), (10.0, 30)])
def test_smoothing_is_scipys_gaussian(radius, reach, channels):
    x = random_pictures(channels)
    expected = scipy.ndimage.gaussian_filter(x, radius, radius=reach, axes=(2, 3), mode="nearest")
    assert smoothed(torch.from_numpy(x), radius).numpy() == pytest.approx(expected, abs=1e-5)


def test_smoothing_by_nothing_leaves_every_bit():
    x = torch.from_numpy(random_pictures())
    assert torch.equal(smoothed(x, 0.0), x) and torch.equal(smoothed(x, 1e-300), x)


@pytest.mark.parametrize("filter_of", [denoised, sharpened, lambda x: smoothed(x, 1.5)])
def test_filters_leave_a_flat_picture_alone(filter_of):
    x = torch.full((2, 3, 8, 8), 0.3)
    assert torch.allclose(filter_of(x), x, atol=1e-6)


def test_sharpening_stays_between_black_and_white_and_raises_contrast():
    x = torch.from_numpy(random_pictures())
    sharp = sharpened(x)
    assert 0 <= sharp.min() and sharp.max() <= 1
    grey = 0.4 + 0.2 * x
    assert (sharpened(grey).std((1, 2, 3)) > grey.std((1, 2, 3))).all()


def test_processes_go_by_their_names():
    x = torch.from_numpy(random_pictures())
    assert torch.equal(processed(x, "none"), x)
    assert torch.equal(processed(x, "denoise"), denoised(x))
    assert torch.equal(processed(x, "sharpen"), sharpened(x))


# ---- the enhanced attack


def slow_enhanced(model, label, shape, steps, rate, prior, weight, box):
    """Paper A, Algorithm 1, for a single label: no bias correction, τ under the root."""
    w, m, v = (torch.zeros(shape) for _ in range(3))
    x_of = (lambda w: (torch.tanh(w) + 1) / 2) if box else (lambda w: w)
    for _ in range(steps):
        w = w.detach().requires_grad_()
        x = x_of(w)
        c = 1 - torch.softmax(model(x[None]), 1)[0, label] + weight * SLOW_PRIORS[prior](x)
        c.backward()
        g = w.grad
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g**2
        w = w.detach() - rate * m / torch.sqrt(v + 1e-8)
    return x_of(w)


def enhanced(model, labels, steps=12, **how):
    settings = {"rate": 0.05, "prior": "none", "weight": 0.0, "box": True, **how}
    return drain(enhanced_attack(model, labels, SHAPE, steps=steps, **settings))


@pytest.mark.parametrize("box", [True, False])
@pytest.mark.parametrize("prior", PRIORS)
def test_the_enhanced_attack_is_algorithm_1_of_paper_a(prior, box, double):
    model, steps = target(), 8
    drawn = enhanced(model, labels_of(model), steps, prior=prior, weight=0.003, box=box)
    for label in range(3):
        slow = slow_enhanced(model, label, SHAPE, steps, 0.05, prior, 0.003, box)
        assert torch.allclose(drawn.x[label], slow, atol=1e-9)
        cost = 1 - torch.softmax(model(slow[None]), 1)[0, label]
        assert drawn.cost[label].item() == pytest.approx(cost.item(), abs=1e-9)
    assert drawn.steps.tolist() == [steps] * 3


def test_the_first_step_is_larger_than_with_bias_correction(double):
    """By hand: m = 0.1 g and v = 0.001 g², so |Δw| = η·0.1/√0.001 wherever τ does not matter."""
    drawn = enhanced(target(scale=20), torch.arange(3), steps=1, prior="l1", weight=10.0, box=False, rate=1.0)
    assert drawn.x.abs().max().item() == pytest.approx(0.1 / 0.001**0.5, rel=1e-2)


@pytest.mark.parametrize("prior", PRIORS)
def test_a_heavy_prior_shows_in_the_picture(prior):
    model = target()
    light, heavy = (enhanced(model, labels_of(model), 60, prior=prior, weight=w) for w in (0.0, 0.02))
    after = prior_values(prior, heavy.x) < prior_values(prior, light.x)
    assert after.all() if prior != "none" else torch.equal(light.x, heavy.x)


def test_the_box_keeps_pixels_within_black_and_white():
    drawn = enhanced(target(), torch.arange(3), 80, rate=1.0)
    assert 0 <= drawn.x.min() and drawn.x.max() <= 1
    assert drawn.x.max() - drawn.x.min() > 0.9


# ---- the original attack


def slow_process(x, name):
    if name == "denoise":
        return scipy.ndimage.median_filter(x, size=(1, 3, 3), mode="nearest")
    if name == "sharpen":
        blurred = scipy.ndimage.gaussian_filter(x, 1.0, radius=3, axes=(1, 2), mode="nearest")
        return np.clip(x + 0.5 * (x - blurred), 0, 1)
    return x


def slow_fredrikson(model, label, shape, steps, rate, patience, goal, process):
    """Paper E, Algorithm 2, for a single label; of all X_i that of least cost. The β-rule needs β earlier X_i.

    X_0, the black picture, is the first of them.
    """
    x, seen = np.zeros(shape), []
    with torch.no_grad():
        earlier = [1 - torch.softmax(model(torch.tensor(x[None])), 1)[0, label].item()]
    for step in range(1, steps + 1):
        leaf = torch.tensor(x[None], requires_grad=True)
        (1 - torch.softmax(model(leaf), 1)[0, label]).backward()
        x = slow_process(x - rate * leaf.grad[0].numpy(), process)
        with torch.no_grad():
            cost = 1 - torch.softmax(model(torch.tensor(x[None])), 1)[0, label].item()
        seen.append((cost, step, x))
        if len(earlier) >= patience and cost >= max(earlier[-patience:]):
            break
        if cost <= goal:
            break
        earlier.append(cost)
    best_cost, _, best_x = min(seen, key=lambda one: one[0])
    return best_x, best_cost, step


def original(model, labels, steps=60, **how):
    return drain(fredrikson(model, labels, SHAPE, steps=steps, **{"rate": 0.5, **how}))


RULES = {
    "steps": {"steps": 9, "rate": 0.5, "patience": 100, "goal": 0.0, "process": "none"},
    "goal": {"steps": 60, "rate": 0.5, "patience": 100, "goal": 0.3, "process": "none"},
    "patience": {"steps": 20, "rate": 300.0, "patience": 4, "goal": 0.0, "process": "none"},
    "patience of one": {"steps": 20, "rate": 3.0, "patience": 1, "goal": 0.0, "process": "none"},
    "denoise": {"steps": 25, "rate": 0.5, "patience": 5, "goal": 0.2, "process": "denoise"},
    "sharpen": {"steps": 25, "rate": 0.5, "patience": 5, "goal": 0.2, "process": "sharpen"},
}


@functools.cache
def rough_target(rule):
    """Steep enough that large steps overshoot, where a case is about that."""
    return target(scale=60.0 if rule.startswith("patience") else 8.0).double()


@pytest.mark.parametrize("rule", RULES)
def test_the_original_attack_is_algorithm_2_of_paper_e(rule, double):
    model, how = rough_target(rule), RULES[rule]
    drawn = original(model, labels_of(model), **how)
    for label in range(3):
        x, cost, step = slow_fredrikson(model, label, SHAPE, **how)
        assert drawn.steps[label].item() == step
        assert drawn.cost[label].item() == pytest.approx(cost, abs=1e-9)
        assert drawn.x[label].numpy() == pytest.approx(x, abs=1e-9)


def test_each_stop_rule_ends_some_label_before_the_others(double):
    """The cases above are not empty: every rule does act."""
    ends = {rule: original(rough_target(rule), torch.arange(3), **how) for rule, how in RULES.items()}
    assert ends["steps"].steps.tolist() == [9, 9, 9]
    for rule in ("goal", "patience", "patience of one"):
        assert ends[rule].steps.min() < RULES[rule]["steps"] and ends[rule].steps.unique().numel() > 1
    assert (ends["goal"].cost <= 0.3).all()
    assert (ends["patience"].cost > 0.5).any()


def test_the_picture_of_least_cost_is_returned_not_the_last(double):
    """Steps far too large overshoot: the picture shown never gets worse, and its cost is the one returned."""
    model, labels, pictures = rough_target("patience"), torch.arange(3), []
    stage = fredrikson(model, labels, SHAPE, **RULES["patience"])
    drawn = drain(stage, lambda event: isinstance(event, Snapshot) and pictures.append(event.array))
    costs = torch.stack([final_costs(model, torch.from_numpy(x), labels) for x in pictures])
    assert (costs.diff(dim=0) <= 1e-12).all()
    assert torch.allclose(final_costs(model, drawn.x, labels), drawn.cost)
    assert torch.equal(torch.from_numpy(pictures[-1]), drawn.x)


def test_a_finished_attack_says_so_at_once():
    events = []
    model = target("softmax")
    drawn = drain(fredrikson(model, labels_of(model), SHAPE, steps=500, rate=5.0, goal=0.5), events.append)
    progress = [event for event in events if not isinstance(event, Snapshot)]
    assert len(progress) == drawn.steps.max() < 500
    assert progress[-1].done == progress[-1].total == 500


# ---- both


ATTACKS = {
    "original": lambda model, labels: original(model, labels, rate=0.3),
    "enhanced": lambda model, labels: enhanced(model, labels, 60, prior="btv", weight=1e-4),
}
both_attacks = pytest.mark.parametrize("attack", ATTACKS)


@both_attacks
@pytest.mark.parametrize("name", ["softmax", "mlp"])
def test_a_batch_of_labels_equals_labels_one_by_one(attack, name, double):
    model = target(name)
    together = ATTACKS[attack](model, labels_of(model))
    for label in labels_of(model):
        alone = ATTACKS[attack](model, label[None])
        assert torch.allclose(together.x[label], alone.x[0], atol=1e-9)
        assert torch.allclose(together.cost[label], alone.cost[0], atol=1e-9)


@both_attacks
@pytest.mark.parametrize("name", ["softmax", "mlp"])
def test_an_attack_raises_the_confidence_of_its_label(attack, name):
    model = target(name)
    start = final_costs(model, torch.full((3, *SHAPE), 0.5), labels_of(model))
    drawn = ATTACKS[attack](model, labels_of(model))
    assert (drawn.cost < start).all()
    assert torch.allclose(drawn.cost, final_costs(model, drawn.x, labels_of(model)), atol=1e-5)


@both_attacks
def test_a_model_that_knows_nothing_gives_nothing_away(attack):
    """Null case: constant outputs have no gradient, so the picture stays where it started."""
    model = models.softmax_regression(SHAPE, 3)
    attacked = {"original": original, "enhanced": enhanced}[attack](model, torch.arange(3))
    start = 0.5 if attack == "enhanced" else 0.0
    assert torch.equal(attacked.x, torch.full((3, *SHAPE), start))
    assert attacked.cost.tolist() == pytest.approx([2 / 3] * 3)


def test_a_cost_that_never_improves_ends_the_original_attack():
    model = models.softmax_regression(SHAPE, 3)
    assert (original(model, torch.arange(3), steps=60, patience=10).steps == 10).all()


@both_attacks
@pytest.mark.parametrize("grad", [True, False])
def test_attacks_work_in_any_grad_mode_and_leave_it_alone(attack, grad):
    model = target()
    attacks = {
        "original": fredrikson(model, torch.arange(3), SHAPE, steps=5, rate=0.1),
        "enhanced": enhanced_attack(
            model, torch.arange(3), SHAPE, steps=5, rate=0.1, prior="btv", weight=0.1, box=True
        ),
    }
    with torch.set_grad_enabled(grad):
        drawn = drain(attacks[attack], lambda _: assert_grad_mode(grad))
        assert_grad_mode(grad)
    assert not drawn.x.requires_grad and not drawn.cost.requires_grad
    assert all(parameter.grad is None for parameter in model.parameters())


def assert_grad_mode(grad):
    assert torch.is_grad_enabled() is grad


def share_outside(x, rows):
    """The largest share of a picture of x (n, pixels) that no mixture of the rows explains."""
    x, rows = x.double().numpy(), rows.detach().double().numpy()
    basis = np.linalg.svd(rows, full_matrices=False)
    rows = basis.Vh[basis.S > 1e-9 * basis.S[0]]
    left = x - x @ rows.T @ rows
    return (np.linalg.norm(left, axis=1) / np.linalg.norm(x, axis=1)).max()


def test_the_plain_attack_on_softmax_regression_only_mixes_the_weights_and_so_the_training_pictures():
    x = torch.rand(20, *SHAPE, generator=torch_generator(0, "pictures"))
    y = torch.arange(20) % 4
    model = models.softmax_regression(SHAPE, 4)
    drain(train(model, x, y, epochs=30, rate=0.1, generator=torch_generator(0), decay=0.01))
    drawn = original(model, torch.arange(4), rate=1.0, process="none").x.flatten(1)
    assert drawn.norm(dim=1).min() > 0.1
    assert share_outside(drawn, model[1].weight) < 1e-4
    assert share_outside(drawn, x.flatten(1)) < 1e-4
    other = torch.rand(4, 42, generator=torch_generator(1, "pictures"))
    assert share_outside(other, model[1].weight) > 0.1


@pytest.mark.parametrize(("prior", "weight", "box"), [("none", 0.0, False), ("btv", 1e-3, True)])
def test_the_enhanced_attack_leaves_the_mixtures(prior, weight, box):
    """Adam scales pixel by pixel, priors and the box bend pixel by pixel: a tenth of a drawing's length and more."""
    model = models.softmax_regression(SHAPE, 4)
    with torch.no_grad():
        model[1].weight.normal_(generator=torch_generator(0, "weights"))
    how = {"steps": 40, "rate": 0.05, "prior": prior, "weight": weight, "box": box}
    drawn = drain(enhanced_attack(model, torch.arange(4), SHAPE, **how)).x.flatten(1) - (0.5 if box else 0.0)
    assert min(share_outside(one[None], model[1].weight) for one in drawn) > 0.1


def test_snapshots_are_dense_at_first_and_include_the_last_step():
    steps = sorted(snapshot_steps(1000))
    assert steps[0] == 1 and steps[-1] == 1000 and len(steps) <= SNAPSHOTS
    assert np.all(np.diff(steps)[1:] >= np.diff(steps)[:-1] - 1)
    assert snapshot_steps(1) == {1}
