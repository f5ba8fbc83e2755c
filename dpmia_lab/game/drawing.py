"""Model inversion as an attack of the table: from a model to one picture a label, and how such pictures are judged."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.data import Dataset
from dpmia_lab.game.evidence import Given
from dpmia_lab.metrics import reconstruction
from dpmia_lab.rows import Row
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Progress, Stage

if TYPE_CHECKING:  # torch is loaded by a run, not by the page that merely shows the controls
    from torch import nn

BASELINES = {  # pictures that owe nothing to the attack, in words
    "noise": "random noise",
    "blank": "a black picture",
    "class_mean": "the class's mean picture",
    "other_class": "someone else's picture",
}
PRIOR_NULLS = {  # what public pictures give without a model, in words
    "average": "the average public picture",
    "prior_alone": "the prior without the model",
}


@dataclass(frozen=True)
class Drawing:
    """How pictures are drawn: by the original attack (paper E) or the enhanced one (paper A)."""

    attack: str = "enhanced"
    prior: str = "none"
    lam: float = 0.0  # λ, weight of the prior, which is a *sum* over pixels
    steps: int = 300  # T
    rate: float = 0.01  # η
    box: bool = False
    process: str = "none"  # filter after each step of the original attack
    smooth: float = 0.0  # blur of the finished pictures, in pixels


@dataclass(frozen=True)
class PriorDrawing:
    """How pictures are drawn by an attacker who has public ones of the same kind."""

    components: int = 40  # directions in which the public pictures differ most
    weight: float = 1.0  # λ, of the prior's log-density
    steps: int = 200
    rate: float = 0.1


@dataclass(frozen=True)
class Pictures:
    """One a class, (classes, …) from 0 to 1, and how many steps the longest took."""

    x: np.ndarray
    steps: int


def drawn_pictures(how: Drawing, given: Given) -> Stage[Pictures]:
    """White box: one picture a class."""
    import torch

    from dpmia_lab.attacks.inversion import enhanced, original
    from dpmia_lab.attacks.inversion.filters import smoothed

    model, task = given.weights.model, given.weights.task
    labels = torch.arange(task.classes, device=next(model.parameters()).device)
    length = {"steps": how.steps, "rate": how.rate}
    if how.attack == "original":
        stage = original.fredrikson(model, labels, task.shape, process=how.process, **length)
    else:
        stage = enhanced.enhanced(model, labels, task.shape, prior=how.prior, weight=how.lam, box=how.box, **length)
    drawn = yield from stage
    return Pictures(reconstruction.viewable(smoothed(drawn.x, how.smooth).cpu().numpy()), int(drawn.steps.max()))


def drawn_with_prior(how: PriorDrawing, given: Given) -> Stage[Pictures]:
    """White box, and public pictures: one picture a class."""
    import torch

    from dpmia_lab.attacks.inversion.public_prior import picture_gaussian, with_public_prior

    model, task = given.weights.model, given.weights.task
    labels = torch.arange(task.classes, device=next(model.parameters()).device)
    public = torch.from_numpy(given.public).to(labels.device)
    prior = picture_gaussian(public, how.components)
    stage = with_public_prior(model, labels, prior, steps=how.steps, rate=how.rate, weight=how.weight)
    drawn = yield from stage
    return Pictures(drawn.x.cpu().numpy(), how.steps)


# ---- what pictures are compared with
def class_means(data: Dataset) -> np.ndarray:
    return np.stack([data.train_x[data.train_y == c].mean(0) for c in range(data.classes)])


def typical_pictures(data: Dataset) -> np.ndarray:
    """(classes, …): of each class the training picture nearest to the class's mean."""
    labels, means = np.arange(data.classes), class_means(data)
    distances = reconstruction.euclidean_distances(means, data.train_x)
    return data.train_x[reconstruction.nearest_of_class(distances, labels, data.train_y)[1]]


def baseline_pictures(data: Dataset, seed: int) -> dict[str, np.ndarray]:
    """One picture a class of each kind; a measure that likes them says nothing about an attack."""
    truth, means = typical_pictures(data), class_means(data)
    noise = numpy_generator(seed, "noise").random(truth.shape, dtype=np.float32)
    return dict(zip(BASELINES, (noise, np.zeros_like(truth), means, np.roll(truth, 1, axis=0)), strict=True))


def prior_nulls(public: np.ndarray, classes: int, seed: int) -> dict[str, np.ndarray]:
    """One picture a class of each kind: all the same, and drawn at random from the prior."""
    import torch

    from dpmia_lab.attacks.inversion.public_prior import picture_gaussian

    prior = picture_gaussian(torch.from_numpy(public), PriorDrawing.components)
    alone = prior.pictures(prior.starts(classes, torch_generator(seed, "prior alone"))).clamp(0, 1).numpy()
    return dict(zip(PRIOR_NULLS, (np.repeat(public.mean(0)[None], classes, axis=0), alone), strict=True))


# ---- how like they are
def confidences_of(model: "nn.Module", x: np.ndarray) -> np.ndarray:
    """The model's confidences (n, classes) as an array."""
    import torch

    from dpmia_lab.training.plain import confidences

    device = next(model.parameters()).device
    return confidences(model, torch.from_numpy(x).to(device)).cpu().numpy()


def likeness(data: Dataset, judge: "nn.Module", x: np.ndarray) -> Stage[dict[str, np.ndarray]]:
    """(classes,) each: nearness to training pictures, and whether the judge, who never saw those, recognises x."""
    near = yield from nearness(data, x)
    return {**near, "recognised": confidences_of(judge, x).argmax(1) == np.arange(data.classes)}


def nearness(data: Dataset, x: np.ndarray) -> Stage[dict[str, np.ndarray]]:
    """(classes,) each: distances and correlation to the class's nearest training picture (A2)."""
    rows = []
    for label in range(data.classes):
        own = data.train_x[data.train_y == label]
        one = x[label : label + 1]
        rows.append(
            {
                "distance": reconstruction.euclidean_distances(one, own).min(),
                "ssim_distance": reconstruction.least_ssim_distance(one, own),
                "similarity": reconstruction.correlations(one, own).max(),
            }
        )
        yield Progress(label + 1, data.classes, "measuring")
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


# ---- in rows
def judged_pictures(pictures: Pictures, data: Dataset, judge: "nn.Module", **of: str) -> Stage[list[Row]]:
    """Means over classes of the likeness; ``of``: which defence and attack the rows are of."""
    like = yield from likeness(data, judge, pictures.x)
    return list(mean_rows(like, **of))


def mean_rows(measured: dict[str, np.ndarray], **of: str) -> Iterator[Row]:
    """A row a measure: ``…_share`` of what is true or false, ``…_mean`` of numbers."""
    for measure, values in measured.items():
        word = "share" if values.dtype == bool else "mean"
        yield Row(f"{measure}_{word}", float(values.mean()), **of)
