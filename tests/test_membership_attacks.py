"""Membership inference: each attack against a slow reading of its paper, on noise, and on signals that do leak."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab.attacks.membership import shadow, signals, threshold, white_box
from dpmia_lab.checks import Mistake
from dpmia_lab.metrics.membership import auc
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Progress, drain


def softmax(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def outputs(rng, n, classes=5, gain=0.0, noise=1.0):
    """Softmax vectors, labels and membership (half and half); members are surer of their label by ``gain``."""
    member = rng.permutation(n) < n // 2
    y = rng.integers(0, classes, n)
    z = noise * rng.normal(size=(n, classes))
    z[np.arange(n), y] += 2 + gain * member
    return softmax(z), y, member


# ---- signals and thresholds


def test_logit_confidence_is_the_log_odds_of_the_label():
    p, y = np.array([[0.7, 0.2, 0.1], [0.25, 0.5, 0.25]]), np.array([0, 2])
    assert signals.logit_confidences(p, y) == pytest.approx([math.log(0.7 / 0.3), math.log(0.25 / 0.75)])
    many = np.stack([p, p[::-1]])  # (models, n, C)
    assert signals.logit_confidences(many, y)[1] == pytest.approx([math.log(0.25 / 0.75), math.log(0.1 / 0.9)])


def test_signals_agree_with_each_other_and_with_torch():
    rng = numpy_generator(0, "signals")
    logits, y = rng.normal(size=(40, 6)) * 3, rng.integers(0, 6, 40)
    p = softmax(logits)
    from_logits = signals.logit_confidences_of_logits(logits, y)
    assert signals.logit_confidences(p, y) == pytest.approx(from_logits)
    assert signals.logit_confidences_of_logits(np.log(p), y) == pytest.approx(from_logits)
    assert signals.log_odds(p)[np.arange(40), y] == pytest.approx(from_logits)
    assert signals.log_odds(p) == pytest.approx(np.log(p / (1 - p)))
    expected = F.cross_entropy(torch.from_numpy(logits), torch.from_numpy(y), reduction="none").numpy()
    assert signals.losses(p, y) == pytest.approx(expected)


def test_saturated_outputs_stay_finite_and_in_order():
    logits, y = np.array([[0.0, 30, 60], [0, 50, 80], [0, 0, 800], [0, 0, 5000]]), np.full(4, 2)
    exact = signals.logit_confidences_of_logits(logits, y)
    assert exact == pytest.approx([30, 30, 800 - math.log(2), 5000 - math.log(2)], rel=1e-6)
    p = F.softmax(torch.from_numpy(logits).float(), 1).numpy()
    assert (p[:, 2] == 1).all()  # 1 − p is 0, yet
    assert signals.logit_confidences(p, y)[:2] == pytest.approx(exact[:2], rel=1e-5)
    for label in range(3):
        wrong = np.full(4, label)
        assert np.isfinite(signals.logit_confidences(p, wrong)).all() and np.isfinite(signals.losses(p, wrong)).all()
    assert np.isfinite(signals.log_odds(p)).all()
    assert (signals.losses(p, y)[:2] > 0).all()


def test_threshold_scores_are_higher_for_what_looks_like_a_member():
    p, y = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]), np.array([0, 0, 0])
    assert threshold.loss_scores(p, y) == pytest.approx(np.log([0.9, 0.6, 0.2]))
    assert threshold.confidence_scores(p) == pytest.approx(np.log([9, 1.5, 4]))
    sure = softmax(np.array([[0.0, 40], [0, 50]]))  # both round to 1
    assert np.diff(threshold.confidence_scores(sure)) > 0


# ---- shadow models


def shadow_run(gain, known_gain=None, n=1600, classes=5, seed=0, change=None):
    rng = numpy_generator(seed, "shadow")
    known_p, known_y, inside = outputs(rng, n, classes, gain if known_gain is None else known_gain)
    p, y, member = outputs(rng, n, classes, gain)
    if change:
        known_p, known_y, inside = change(known_p, known_y, inside)
    known = shadow.Known(known_p, known_y, inside)
    return drain(shadow.shadow_scores(known, p, y, torch_generator(seed, "attack"))), y, member


def test_shadow_attack_finds_members_that_are_surer():
    scores, _, member = shadow_run(gain=5.0)
    assert auc(scores, member) > 0.95


def test_shadow_attack_sees_what_raw_confidences_hide():
    """Both kinds near-certain: p differs in the sixth decimal only."""
    rng = numpy_generator(3, "sure")
    sure = [outputs(rng, 1200, 3, gain=3.0, noise=0.5) for _ in range(2)]
    z = [signals.log_odds(p) + 12 * (np.eye(3)[y] - 0.5) for p, y, _ in sure]
    known, target = (softmax(values) for values in z)
    scores = drain(shadow.shadow_scores(shadow.Known(known, *sure[0][1:]), target, sure[1][1], torch_generator(0)))
    assert target[np.arange(1200), sure[1][1]].min() > 0.999
    assert auc(scores, sure[1][2]) > 0.9


def test_shadow_attack_on_noise_only_guesses():
    scores, _, member = shadow_run(gain=0.0)
    assert abs(auc(scores, member) - 0.5) < 3.5 * 0.289 * math.sqrt(2 / 800)


def test_shadow_attack_answers_class_by_class():
    """What marks members of even classes marks outsiders of odd ones, and no vector shows its class."""
    rng = numpy_generator(5, "turned")

    def turned():
        p, y = softmax(2 * rng.normal(size=(1600, 4))), rng.integers(0, 4, 1600)
        return p, y, (p[:, 0] > np.median(p[:, 0])) ^ (y % 2 == 1)

    p, y, member = turned()
    scores = drain(shadow.shadow_scores(shadow.Known(*turned()), p, y, torch_generator(0)))
    assert auc(scores, member) > 0.9


def test_a_class_known_from_one_side_only_is_answered_by_the_common_classifier():
    def one_sided(p, y, inside):
        keep = ~((y == 0) & inside) & (y != 1)  # class 0: outsiders only; class 1: nothing at all
        return p[keep], y[keep], inside[keep]

    scores, y, member = shadow_run(gain=5.0, change=one_sided)
    for label in (0, 1):
        assert auc(scores[y == label], member[y == label]) > 0.8
    with pytest.raises(Mistake, match="one kind is missing"):
        shadow_run(gain=1.0, change=lambda p, y, inside: (p[inside], y[inside], inside[inside]))


def test_batched_networks_are_the_single_ones():
    networks = shadow.Networks(3, 4, torch_generator(0))
    x = torch.randn(3, 7, 4, generator=torch_generator(1))
    together = networks.logits(x)
    for k in range(3):
        w1, b1, w2, b2 = (p[k] for p in networks.parameters)
        alone = ((x[k] @ w1 + b1).relu() @ w2 + b2).squeeze(1)
        assert torch.allclose(together[k], alone, atol=1e-6)
        assert torch.allclose(networks.logits(x[k][None], slice(k, k + 1))[0], alone, atol=1e-6)


# ---- white box


def white_features(rng, n=1200, classes=4, d=10, gain=0.0):
    p, y, member = outputs(rng, n, classes, gain)
    h = np.maximum(rng.normal(size=(n, d)), 0)
    return white_box.Features(p, signals.losses(p, y), h, p - np.eye(classes)[y], y), member


def white_run(features, member, known, seed=0):
    return drain(white_box.white_box_scores(features, member, known, torch_generator(seed, "attack")))


def rows_changed(features, rows, rng):
    """The same features with rubbish in the given rows."""
    parts = {
        name: np.array(getattr(features, name), copy=True) for name in ("confidences", "losses", "inputs", "errors")
    }
    for part in parts.values():
        part[rows] = rng.random(part[rows].shape)
    return white_box.Features(**parts, y=np.where(rows, 0, features.y))


def test_filters_over_the_fan_in_are_those_of_the_gradient_itself():
    generator = torch_generator(0)
    h, e, filters = (torch.randn(*shape, generator=generator) for shape in ((6, 9), (6, 4), (9, 5)))
    gradient = torch.einsum("nc,nd->ncd", e, h)  # (n, C, d), as autograd would give it for the last layer
    convolved = F.conv2d(gradient[:, None], filters.T[:, None, None, :]).squeeze(3).permute(0, 2, 1)
    assert torch.allclose(white_box.gradient_responses(h, e, filters), convolved, atol=1e-5)


def test_errors_and_inputs_are_the_last_layer_s_gradient():
    generator = torch_generator(1)
    h, y = torch.randn(1, 9, generator=generator), torch.tensor([2])
    weight = torch.randn(4, 9, generator=generator, requires_grad=True)
    (gradient,) = torch.autograd.grad(F.cross_entropy(h @ weight.T, y), weight)
    e = F.softmax(h @ weight.T, 1).detach() - F.one_hot(y, 4)
    assert torch.allclose(gradient, e[0, :, None] * h, atol=1e-6)


def test_half_of_everybody_is_known():
    known = white_box.known_half(10_000, numpy_generator(0))
    assert known.mean() == pytest.approx(0.5, abs=4 * 0.5 / 100)  # four standard deviations


def test_white_box_attack_finds_members_and_leaves_out_those_it_knew():
    features, member = white_features(numpy_generator(0, "white"), gain=5.0)
    known = white_box.known_half(len(member), numpy_generator(1))
    scores = white_run(features, member, known)
    assert (np.isnan(scores) == known).all()
    assert auc(scores, member) > 0.95


def test_white_box_attack_sees_the_gradient():
    """Members whose last-layer inputs point elsewhere: outputs, loss and label say nothing."""
    features, member = white_features(numpy_generator(4, "white"), n=2000)
    shifted = white_box.Features(
        features.confidences,
        features.losses,
        features.inputs + 2.0 * np.outer(member, np.eye(10)[0]),
        features.errors,
        features.y,
    )
    known = white_box.known_half(len(member), numpy_generator(1))
    assert auc(white_run(shifted, member, known), member) > 0.8


def test_white_box_attack_on_noise_only_guesses():
    features, member = white_features(numpy_generator(2, "white"), n=2000)
    known = white_box.known_half(len(member), numpy_generator(3))
    scores = white_run(features, member, known)
    assert abs(auc(scores, member) - 0.5) < 3.5 * 0.289 * math.sqrt(2 / 500)


def test_membership_of_evaluated_records_is_never_read():
    features, member = white_features(numpy_generator(0, "white"), n=400, gain=2.0)
    known = white_box.known_half(len(member), numpy_generator(1))
    scores = white_run(features, member, known)
    for other in (np.where(known, member, ~member), np.where(known, member, False)):
        assert np.array_equal(scores, white_run(features, other, known), equal_nan=True)
    turned = white_run(features, np.where(known, ~member, member), known)  # that of known ones is
    assert auc(turned, member) < 0.5 < auc(scores, member)


def test_evaluated_records_never_train_or_scale_the_attack():
    """Rubbish in half of them leaves the scores of the other half as they were."""
    features, member = white_features(numpy_generator(0, "white"), n=400, gain=2.0)
    known = white_box.known_half(len(member), numpy_generator(1))
    spoilt = ~known & (np.arange(400) % 2 == 0)
    scores = white_run(features, member, known)
    again = white_run(rows_changed(features, spoilt, numpy_generator(5)), member, known)
    untouched = ~known & ~spoilt
    assert again[untouched] == pytest.approx(scores[untouched], abs=1e-5)
    assert not np.allclose(again[spoilt], scores[spoilt])
    elsewhere = white_run(rows_changed(features, known & (np.arange(400) % 2 == 0), numpy_generator(5)), member, known)
    assert not np.allclose(elsewhere[untouched], scores[untouched])


def test_white_box_attack_wants_records_of_both_kinds():
    features, member = white_features(numpy_generator(0, "white"), n=40)
    with pytest.raises(Mistake, match="4 members and 4 outsiders; it holds 20 and 0"):
        white_run(features, member, member)


@pytest.mark.parametrize("kind", ["shadow", "white"])
def test_stages_report_often_rise_to_their_total_and_repeat_themselves(kind):
    def stage():
        rng = numpy_generator(0, kind)
        features, member = white_features(rng, n=200, gain=1.0)
        if kind == "white":
            known = white_box.known_half(len(member), rng)
            return white_box.white_box_scores(features, member, known, torch_generator(0))
        known = shadow.Known(features.confidences, features.y, member)
        return shadow.shadow_scores(known, features.confidences, features.y, torch_generator(0))

    events, state = [], torch.get_rng_state()
    first = drain(stage(), events.append)
    assert np.array_equal(first, drain(stage()), equal_nan=True)
    assert torch.equal(state, torch.get_rng_state())
    shares = [event.done / event.total for event in events if isinstance(event, Progress)]
    assert shares == sorted(shares) and shares[-1] == 1 and len(shares) > 10
