"""The first step of training, taken apart: what one photograph adds to the update, and what noise does to it.

Softmax regression starts at zero, on pictures x centred at a public mean m. The gradient of one photograph is then,
in the row of its own label, (p − 1)·(x − m) for the weights and p − 1 for the bias: divided by one another they give
the photograph back. Clipping scales both alike; whoever knows all the others' pictures subtracts their part.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpmia_lab.data import load, public_mean
from dpmia_lab.files import write_whole
from dpmia_lab.reference import FOLDER
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Stage

PEOPLE, HEIGHT = 40, 56
SHOWN = 8  # people to choose from
JOIN = 0.25  # each photograph's chance to be in the step
CLIP = 1.0  # S
STORED = FOLDER / "one_step.npz"


@dataclass(frozen=True)
class Step:
    """For each of the shown people, the row of the update that belongs to their name: weights, then the bias."""

    mean: np.ndarray  # (channels, height, width), public
    photographs: np.ndarray  # (shown, channels, height, width)
    names: tuple[str, ...]
    with_them: np.ndarray  # (shown, pixels + 1): the clipped sum over everybody in the step
    without_them: np.ndarray  # (shown, pixels + 1): the same without their photograph
    norms: np.ndarray  # (shown,): of their whole gradient, before clipping
    joined: int  # photographs in the step


def one_step(seed: int = 0) -> Stage[Step]:
    """One private step of softmax regression on generated faces, without its noise."""
    yield Progress(0, 2, "drawing faces")
    data = load("faces", people=PEOPLE, height=HEIGHT, seed=seed)
    mean = public_mean("faces", data.shape)
    yield Progress(1, 2, "taking one step")
    chosen = joined_records(data.train_y, numpy_generator(seed, "one step", "joined"))
    x, y = data.train_x[chosen], data.train_y[chosen]
    places = [int(np.flatnonzero(y == label)[0]) for label in range(SHOWN)]  # their first photograph in the step
    whole, norms = clipped_sum(x, y, mean, data.classes)
    rests = [clipped_sum(np.delete(x, i, 0), np.delete(y, i), mean, data.classes)[0] for i in places]
    own = np.arange(SHOWN)  # the rows of their names
    without_them = np.stack(rests)[own, own]
    return Step(mean, x[places], data.class_names[:SHOWN], whole[own], without_them, norms[places], len(x))


def stored_step() -> Step:
    """The same step, computed beforehand (with half the digits), to be there before PyTorch is."""
    with np.load(STORED) as arrays:
        stored = {name: arrays[name] for name in arrays}
    names, joined = tuple(stored.pop("names").tolist()), int(stored.pop("joined"))
    return Step(names=names, joined=joined, **{name: array.astype(np.float64) for name, array in stored.items()})


def write_step(step: Step) -> None:
    """Ship it: ``python -m dpmia_lab.commands.shipped_runs one_step``."""
    arrays = {name: value for name, value in vars(step).items() if isinstance(value, np.ndarray)}
    half = {name: array.astype(np.float16) for name, array in arrays.items()}
    kept = half | {"names": np.array(step.names), "joined": np.array(step.joined)}
    write_whole(STORED, lambda file: np.savez_compressed(file, **kept))


def joined_records(labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The photographs in the step: each by chance, and one at least of everybody who is shown."""
    joined = rng.random(len(labels)) < JOIN
    for label in range(SHOWN):
        own = np.flatnonzero(labels == label)
        if not joined[own].any():
            joined[own[0]] = True
    return np.flatnonzero(joined)


def clipped_sum(x: np.ndarray, y: np.ndarray, mean: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """(classes, pixels + 1): Σ clip(g_i, S) at weights 0, weights and bias side by side; (n,): the norms ‖g_i‖."""
    import torch

    from dpmia_lab import models
    from dpmia_lab.privacy.clipping import Clipper
    from dpmia_lab.privacy.groups import Groups

    model = models.centred(models.softmax_regression(x.shape[1:], classes), torch.from_numpy(mean))
    groups = Groups(torch.ones(len(x), dtype=torch.int64))
    drawn = Clipper(model).clipped_sum(torch.from_numpy(x), torch.from_numpy(y), groups, CLIP)
    weight, bias = drawn.gradients
    return torch.cat([weight, bias[:, None]], 1).numpy(), drawn.norms.numpy()


def unit_noise(size: int, seed: int) -> np.ndarray:
    """(size,): N(0, 1), to be scaled by σS."""
    return numpy_generator(seed, "one step", "noise").standard_normal(size)


def sent_picture(row: np.ndarray, shape: tuple[int, int, int]) -> np.ndarray:
    """A row of the update as a picture: the weights' part, turned round since a step goes against the gradient."""
    weights = -row[:-1].reshape(shape)
    return 0.5 + weights / max(2 * np.abs(weights).max(), 1e-30)


def observed_picture(difference: np.ndarray, own: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """The photograph as somebody reads it off the difference of two updates: m + weights / bias.

    ``own`` is the difference without noise; only its bias is used, which this observer is granted.
    """
    return within_range(mean + (difference[:-1] / own[-1]).reshape(mean.shape))


def within_range(x: np.ndarray) -> np.ndarray:
    """A picture as it is, or squeezed until all but four in a hundred pixels lie between black and white."""
    low, high = min(0.0, float(np.quantile(x, 0.02))), max(1.0, float(np.quantile(x, 0.98)))
    return np.clip((x - low) / (high - low), 0, 1)


def best_chance(sigma: float) -> float:
    """How often the best observer decides rightly, after one step, whether somebody was in it: Φ(1 / (2σ)).

    The two worlds are N(0, σ²S²I) and the same moved by a vector of length S, each as likely beforehand.
    """
    return 0.5 * math.erfc(-1 / (2 * sigma) / math.sqrt(2)) if sigma else 1.0
