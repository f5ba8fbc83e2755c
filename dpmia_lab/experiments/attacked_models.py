"""Many softmax regressions attacked and judged a few at a time: what paper E does to its hundred models a cell.

Models arrive as weights in the span of the training inputs; their full weights and pictures exist for a few models at
once only, so that memory does not grow with their number.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.data import Dataset, public_mean
from dpmia_lab.game.drawing import PriorDrawing, confidences_of, prior_nulls
from dpmia_lab.metrics import reconstruction
from dpmia_lab.metrics.matched_filter import Gallery, matched_labels, nearest_labels
from dpmia_lab.stages import Progress, Stage, part

if TYPE_CHECKING:  # torch is loaded by run(), not by the page that merely shows the controls
    import torch
    from torch import nn

    from dpmia_lab.attacks.inversion.gram import Combinations
    from dpmia_lab.training.span import Span

PIXELS_AT_ONCE = 4_000_000  # of reconstructions: 10 models of 40 people at 92 x 112, some 16 MB
JUDGED_PIXELS = 400_000  # of pictures before the judge at once: its filters take 30 times as much


@dataclass(frozen=True)
class PlainInversion:
    """Plain model inversion (E, Algorithm 2) by its letters, and the blur of a stronger attacker."""

    steps: int  # α
    rate: float  # λ
    patience: int  # β
    goal: float  # γ
    smooth: float  # pixels
    prior: PriorDrawing  # how an attacker draws who has public pictures, if there are any


@dataclass(frozen=True)
class Target:
    """What all models of a cell share: the pictures centred on a public mean, and the span of the training ones."""

    data: Dataset
    span: "Span"
    train: tuple["torch.Tensor", "torch.Tensor"]  # inputs (n, d) and labels
    test: tuple["torch.Tensor", "torch.Tensor"]
    centre: "torch.Tensor"  # (d,): that public mean
    public: np.ndarray | None  # the pictures of an attacker who knows what such pictures look like


def target_of(data: Dataset, name: str, public: np.ndarray | None = None) -> Target:
    """name: as the configuration calls the data, which decides where their mean is taken from."""
    import torch

    from dpmia_lab import devices  # noqa: F401 (one thread: the same bits everywhere)
    from dpmia_lab.training.span import span_of

    mean = torch.from_numpy(public_mean(name, data.shape))
    train_x, test_x = ((torch.from_numpy(x) - mean).flatten(1) for x in (data.train_x, data.test_x))
    labels = torch.from_numpy(data.train_y), torch.from_numpy(data.test_y)
    return Target(data, span_of(train_x), (train_x, labels[0]), (test_x, labels[1]), mean.flatten(), public)


@dataclass(frozen=True)
class Judges:
    """Who puts names to drawings. All hold the test pictures, which no attacked model saw, and nothing else."""

    network: "nn.Module"  # paper E's
    gallery: Gallery  # of the matched filter, and of the nearest picture
    ssim_models: int  # how many models are also judged by SSIM, which is slow


@dataclass
class GroupOutcome:
    """What came of attacking a group of models; lists with an entry a chunk until they are joined."""

    train_accuracy: list = field(default_factory=list)  # (models,)
    test_accuracy: list = field(default_factory=list)
    confidence: list = field(default_factory=list)  # (models, classes): what the model itself says of the picture
    named: dict = field(default_factory=lambda: defaultdict(list))  # by attack and judge: (models, classes), verdicts
    pictures: dict = field(default_factory=dict)  # of the first model, by attack: (classes, …), viewable

    def joined(self) -> "GroupOutcome":
        lists = {name: np.concatenate(value) for name, value in vars(self).items() if isinstance(value, list)}
        named = {whose: np.concatenate(value) for whose, value in self.named.items()}
        return GroupOutcome(**lists, named=named, pictures=self.pictures)


def attacked(
    target: Target,
    weights: "torch.Tensor",  # (models, r + 1, classes)
    deviation: float,  # of each weight across the span
    generators: "Sequence[torch.Generator]",  # one a model, for what lies across
    attack: PlainInversion,
    judges: Judges,
) -> Stage[GroupOutcome]:
    """Attack all people of all models, a few models at a time, and ask the judges about every picture."""
    from dpmia_lab.training.span import full_weights

    classes, pixels = target.data.classes, target.train[0].shape[1]
    chunk, models, outcome = max(1, PIXELS_AT_ONCE // (classes * pixels)), len(weights), GroupOutcome()
    for start in range(0, models, chunk):
        own = slice(start, min(start + chunk, models))
        full, bias = full_weights(target.span, weights[own], deviation, generators[own])
        outcome.train_accuracy.append(accuracies(full, bias, *target.train))
        outcome.test_accuracy.append(accuracies(full, bias, *target.test))
        share = own.start / models, own.stop / models
        still = replace(judges, ssim_models=judges.ssim_models - start)
        yield from part(chunk_judged(target, full, bias, attack, still, outcome), *share)
    return outcome.joined()


def chunk_judged(
    target: Target,
    full: "torch.Tensor",
    bias: "torch.Tensor",
    attack: PlainInversion,
    judges: Judges,
    outcome: GroupOutcome,
) -> Stage[None]:
    """full: (models, classes, d).  Adds to what was outcome."""
    from dpmia_lab.attacks.inversion.filters import smoothed
    from dpmia_lab.attacks.inversion.gram import fredrikson

    yield Progress(0, 1, "attacking")
    how = {"steps": attack.steps, "rate": attack.rate, "patience": attack.patience, "goal": attack.goal}
    found: Combinations = yield from part(fredrikson(full @ full.mT, bias, **how), 0.0, 0.2)
    outcome.confidence.append(1 - found.cost.numpy())
    x = (found.a @ full).view(-1, *target.data.shape)  # (models · classes, …)
    drawings = {"published": x, "smoothed": smoothed(x, attack.smooth)}
    if target.public is not None:
        drawings["prior"] = yield from part(drawn_with_prior(target, full, bias, attack.prior), 0.2, 0.3)
    if not outcome.pictures:
        outcome.pictures |= {who: reconstruction.viewable(p[: len(bias[0])].numpy()) for who, p in drawings.items()}
    width = 0.5 / len(drawings)
    for place, (who, drawn) in enumerate(drawings.items()):
        stage = verdicts(judges.network, drawn)
        photographs = who == "prior"  # the others draw differences from the public mean
        apart = drawn.numpy() - judges.gallery.mean if photographs else drawn.numpy()
        named = {
            "judge": (yield from part(stage, 0.3 + width * place, 0.3 + width * (place + 1))),
            "matched": matched_labels(apart, judges.gallery),
            "nearest": nearest_labels(apart, judges.gallery),
        }
        for by, labels in named.items():
            outcome.named[who, by].append(labels.reshape(bias.shape))
    if judges.ssim_models > 0:
        few = reconstruction.viewable(x[: judges.ssim_models * bias.shape[1]].numpy())
        labels = yield from part(most_similar(few, target.data.test_x, target.data.test_y), 0.8, 1.0)
        outcome.named["published", "ssim"].append(labels.reshape(-1, bias.shape[1]))
    yield Progress(1, 1, "judging")


def drawn_with_prior(
    target: Target, full: "torch.Tensor", bias: "torch.Tensor", how: PriorDrawing
) -> "Stage[torch.Tensor]":
    """(models · classes, …): pictures themselves; the models' inputs are these minus the public mean."""
    import torch

    from dpmia_lab.attacks.inversion.public_prior import many_with_public_prior, picture_gaussian

    prior = picture_gaussian(torch.from_numpy(target.public), how.components)
    length = {"steps": how.steps, "rate": how.rate, "weight": how.weight}
    return (yield from many_with_public_prior(full, bias - full @ target.centre, prior, **length))


def without_a_model(public: np.ndarray, classes: int, judges: Judges, seed: int) -> dict[str, float]:
    """Of what public pictures give without a model, the share that the network and the filter name right."""
    labels, told = np.arange(classes), {}
    for name, x in prior_nulls(public, classes, seed).items():
        told[f"{name}_impact_mean"] = float(np.mean(confidences_of(judges.network, x).argmax(1) == labels))
        apart = matched_labels(x - judges.gallery.mean, judges.gallery)
        told[f"{name}_impact_mean_matched"] = float(np.mean(apart == labels))
    return told


def accuracies(full: "torch.Tensor", bias: "torch.Tensor", x: "torch.Tensor", y: "torch.Tensor") -> np.ndarray:
    """(models,)"""
    return ((x @ full.mT + bias[:, None]).argmax(2) == y).double().mean(1).numpy()


def verdicts(judge: "nn.Module", x: "torch.Tensor") -> Stage[np.ndarray]:
    """(n,): the label the judge gives each picture; some pictures at a time."""
    from dpmia_lab.training.plain import confidences

    device = next(judge.parameters()).device
    batch = max(1, JUDGED_PIXELS // x[0].numel())
    return (yield from piecewise(x, batch, lambda piece: confidences(judge, piece.to(device)).argmax(1).cpu().numpy()))


def most_similar(x: np.ndarray, others: np.ndarray, labels: np.ndarray) -> Stage[np.ndarray]:
    """(n,): the label of the most similar other picture, by SSIM (paper E, Table 5)."""
    batch = max(1, 1_000_000 // others.size)
    return (yield from piecewise(x, batch, lambda piece: labels[reconstruction.ssim_values(piece, others).argmax(1)]))


def piecewise(x, batch: int, work: Callable) -> Stage[np.ndarray]:
    pieces = []
    for start in range(0, len(x), batch):
        pieces.append(work(x[start : start + batch]))
        yield Progress(min(start + batch, len(x)), len(x), "judging")
    return np.concatenate(pieces)
