"""Everybody drawn from every model at once (paper E's attack in its Gram form), and how many are recognised.

The attack starts at the public mean that the model subtracts itself, or at nothing for carts. Judges learn nothing and
hold pictures that no model saw. One looks as the eye does: whose mean picture is most like the drawing, by structural
similarity (SSIM); snow fools it, and a blur before it looks helps. The matched filter is the strongest: where noise is
alike in all pixels no judge is better, and it needs no blur.
"""

from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.experiments.playground_people import Prepared, as_pictures
from dpmia_lab.metrics.intervals import Estimate
from dpmia_lab.metrics.matched_filter import matched_labels
from dpmia_lab.metrics.recognition import impacts, mean_estimate
from dpmia_lab.metrics.reconstruction import ssim_values
from dpmia_lab.stages import Stage

if TYPE_CHECKING:
    from dpmia_lab.experiments.playground_models import Linear

JUDGES = {  # protocols, in words
    "filter": "the matched filter",
    "plain": "similarity (SSIM)",
    "blur": "similarity (SSIM) after a blur",
}
STEPS, RATE = 40, 4.0  # of a step that moves logits by about as much, whatever the size of the weights
BLUR = 1.0  # pixels
LOOKED_AT = 8  # models whose drawings the slower judge looks at
CONTRAST = 0.12  # deviation of a drawing's tones from the public mean, about that of a person


def drawn(linear: "Linear") -> Stage[np.ndarray]:
    """(M, classes, d): what each drawing adds to where the attack starts."""
    import torch

    from dpmia_lab.attacks.inversion import gram

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


def verdicts(people: Prepared, differences: np.ndarray) -> dict[str, np.ndarray]:
    """By protocol, (models, classes): whom each judge takes each drawing for. Carts know the matched filter only."""
    shape = differences.shape[:2]
    flat = as_pictures(differences.reshape(-1, *people.task.shape))
    named = {"filter": matched_labels(flat, people.gallery).reshape(shape)}
    if people.pictured:
        few = differences[:LOOKED_AT]
        named |= {"plain": seen(people, few), "blur": seen(people, blurred(people, few))}
    return named


def seen(people: Prepared, differences: np.ndarray) -> np.ndarray:
    """(M, classes): who is most like each drawing as it is shown, by SSIM."""
    pictures = shown(people, differences.reshape(-1, differences.shape[2]))
    return ssim_values(pictures[:, None], people.truth).argmax(1).reshape(differences.shape[:2])


def recognised(names: np.ndarray) -> Estimate:
    """The share of people recognised, mean over models."""
    return mean_estimate(impacts(names))
