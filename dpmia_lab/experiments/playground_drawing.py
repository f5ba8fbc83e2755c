"""Everybody drawn from every model at once (paper E's attack in its Gram form), and how many a judge recognises.

The attack starts at the public mean that the model subtracts itself, or at nothing for carts. The judge is the matched
filter: it learns nothing, holds pictures that no model saw, and for noise alike in all pixels no judge is better.
"""

from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.inversion import gram
from dpmia_lab.experiments.playground_people import Prepared, as_pictures
from dpmia_lab.metrics.intervals import Estimate
from dpmia_lab.metrics.matched_filter import Gallery, matched_labels
from dpmia_lab.metrics.recognition import impacts, mean_estimate
from dpmia_lab.stages import Stage

if TYPE_CHECKING:
    from dpmia_lab.experiments.playground_models import Linear

STEPS, RATE = 40, 4.0  # of a step that moves logits by about as much, whatever the size of the weights
BLUR = 1.0  # pixels
CONTRAST = 0.12  # deviation of a drawing's tones from the public mean, about that of a person


def drawn(linear: "Linear") -> Stage[np.ndarray]:
    """(M, classes, d): what each drawing adds to where the attack starts."""
    import torch

    products = linear.weight @ linear.weight.mT
    size = products.diagonal(dim1=1, dim2=2).mean(1)[:, None, None].clamp(min=1e-20)
    found = yield from gram.fredrikson(products / size, linear.bias, steps=STEPS, rate=RATE)
    return torch.bmm(found.a / size, linear.weight).numpy()


def shown(people: Prepared, differences: np.ndarray) -> np.ndarray:
    """(classes, …) from 0 to 1: drawings (classes, d) at one contrast, upon the public mean."""
    spread = differences.std(1, keepdims=True).clip(1e-12)
    if people.task.centre is None:
        return (0.5 + 0.2 * (differences - differences.mean(1, keepdims=True)) / spread).clip(0, 1).astype(np.float32)
    upon = people.task.centre.reshape(1, -1) + CONTRAST * differences / spread
    return people.shown(upon.clip(0, 1).astype(np.float32))


def blurred(people: Prepared, x: np.ndarray) -> np.ndarray:
    """Drawings (…, d) of pictures, blurred."""
    import torch

    from dpmia_lab.attacks.inversion.filters import smoothed

    flat = torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32)).reshape(-1, *people.task.shape)
    return smoothed(flat, BLUR).numpy().reshape(x.shape)


def named(people: Prepared, differences: np.ndarray) -> np.ndarray:
    """(M, classes): whom the judge takes each drawing for."""
    flat = as_pictures(differences.reshape(-1, *people.task.shape))
    return matched_labels(flat, people.gallery).reshape(differences.shape[:2])


def named_blurred(people: Prepared, differences: np.ndarray) -> np.ndarray:
    """The same where drawings and the judge's pictures are blurred."""
    shape, gallery = people.gallery.people.shape, people.gallery
    soft = blurred(people, gallery.people.reshape(len(gallery.people), -1)).reshape(shape)
    other = Gallery(gallery.mean, soft, gallery.pictures, gallery.labels)
    flat = blurred(people, differences).reshape(-1, *people.task.shape)
    return matched_labels(flat, other).reshape(differences.shape[:2])


def recognised(names: np.ndarray) -> Estimate:
    """The share of people recognised, mean over models."""
    return mean_estimate(impacts(names))
