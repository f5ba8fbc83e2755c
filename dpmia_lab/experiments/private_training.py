"""Lesson 2's experiment: train with differential privacy, and watch accuracy and the privacy spent.

The same function trains for records, subclasses and classes; lesson 3 calls it too.
"""

import math
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.checks import Mistake, between, not_negative, one_of, positive, whole
from dpmia_lab.data import Dataset, public_mean
from dpmia_lab.experiments.inversion import TargetConfig, loaded, outputs, typical_pictures
from dpmia_lab.metrics import classification
from dpmia_lab.options import option
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.moments import Spending
from dpmia_lab.privacy.units import UNITS, Units, divided
from dpmia_lab.seeds import derived_seed, torch_generator
from dpmia_lab.stages import Progress, Snapshot, Stage, part
from dpmia_lab.store import Result

if TYPE_CHECKING:  # torch is loaded by run(), not by the page that merely shows the controls
    from torch import nn

TITLE = "Train with differential privacy for a record, a subclass or a class"
OPTIMIZERS = ("sgd", "momentum", "adam")
LOOKS = 20  # how often test accuracy is taken along the way


@dataclass(frozen=True)
class Config(TargetConfig):
    unit: str = option("record", "what is hidden: record, subclass or class")
    k_sub: int = option(10, "clusters a class is divided into (subclasses only)")
    sigma: float = option(1.0, "σ, noise multiplier: noise a step, in units of the clipping norm")
    q: float = option(0.1, "each unit's chance to join a step")
    clip: float = option(1.0, "S, the norm a unit's gradient is clipped to")
    steps: int = option(300, "T, at most so many steps")
    rate: float = option(1.0, "η, size of a step")
    optimizer: str = option("sgd", "sgd, momentum or adam")
    budget: float = option(0.0, "stop before ε exceeds this (0: no budget)")
    delta: float = option(0.0, "δ (0: the largest power of ten below 1/units)")
    neighbours: str = option("add-remove", "what neighbours differ by: add-remove or replace-one")
    seed: int = option(0, "fixes every random choice")

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(UNITS, unit=self.unit)
        whole(1, 100_000, k_sub=self.k_sub)
        between(0.01, 1000, sigma=self.sigma)
        between(0.0001, 1, q=self.q)
        positive(clip=self.clip, rate=self.rate)
        whole(1, 100_000, steps=self.steps)
        one_of(OPTIMIZERS, optimizer=self.optimizer)
        not_negative(budget=self.budget)
        between(0, 0.5, delta=self.delta)
        one_of(accounting.NEIGHBOURS, neighbours=self.neighbours)
        whole(0, 2**31 - 1, seed=self.seed)


SMALL = Config(data="digits", unit="subclass", k_sub=4, steps=30)
PRESETS = {
    "faces": Config(sigma=2.0, q=0.25, rate=0.5),
    "digits": Config(data="mnist", q=0.06, rate=1.0, steps=300),
    "digits-hidden-layer": Config(data="mnist", model="mlp", q=0.06, rate=1.0, steps=400),
    "digits-cnn": Config(data="mnist", model="cnn", q=0.06, rate=0.5, steps=150),
}


def run(config: Config) -> Stage[Result]:
    """Numbers: accuracy, and ε for the steps taken by every accountant that promises one."""
    yield Progress(0, 1, "loading data")
    data = loaded(config)
    yield Snapshot("truth", 0, typical_pictures(data))
    units = yield from part(data_units(config, data), 0.0, 0.05)
    steps = allowed_steps(config, units)
    look = Look(config, data, units, steps)
    model = yield from part(trained(config, data, units, steps, look), 0.05, 0.98, "training privately")
    yield Progress(0.98, 1, "accounting")
    numbers = {
        "train_accuracy": classification.accuracy(outputs(model, data.train_x), data.train_y),
        "test_accuracy": look.accuracies[-1],
        "chance": 1 / data.classes,
        "steps": float(steps),
        **spent_numbers(config, units, steps),
    }
    yield Progress(1, 1, "accounting")
    return Result(numbers, {"truth": typical_pictures(data), "names": np.array(data.class_names), **look.arrays()})


def data_units(config: Config, data: Dataset) -> Stage[Units]:
    seed = derived_seed(config.seed, "units")
    return (yield from divided(config.unit, data.train_x, data.train_y, config.k_sub, seed))


def delta_of(config: Config, units: Units) -> float:
    return config.delta or accounting.default_delta(units.count)


def allowed_steps(config: Config, units: Units) -> int:
    """T, or what the budget leaves of it."""
    if not config.budget:
        return config.steps
    affordable = Spending(config.sigma, config.q, delta_of(config, units), config.neighbours).steps(config.budget)
    if affordable == 0:
        raise Mistake(f"budget must pay for at least one step at this σ and q; it is {config.budget:g}.")
    return min(config.steps, affordable)


def spent_numbers(config: Config, units: Units, steps: int) -> dict[str, float]:
    """ε by name of accountant, with what it is for; an accountant without an answer is left out."""
    delta = delta_of(config, units)
    how = {"sigma": config.sigma, "q": config.q, "steps": steps, "delta": delta, "neighbours": config.neighbours}
    numbers = {
        "units": float(units.count),
        "delta": delta,
        "noise": config.sigma * config.clip / (config.q * units.count),
    }
    for name, accountant in (("epsilon", "moments"), ("epsilon_tight", "tight"), ("epsilon_paper", "paper-moments")):
        try:
            epsilon = accounting.epsilon(accountant, **how)
        except Mistake:
            continue
        if math.isfinite(epsilon):
            numbers[name] = epsilon
    return numbers


class Look:
    """Test accuracy and ε along the way, and for softmax regression the weights as pictures."""

    def __init__(self, config: Config, data: Dataset, units: Units, steps: int) -> None:
        self.data, self.when = data, {round(s) for s in np.linspace(steps / LOOKS, steps, LOOKS)}
        self.spending = Spending(config.sigma, config.q, delta_of(config, units), config.neighbours)
        self.delta, self.pictured = delta_of(config, units), config.model == "softmax"
        self.weights: np.ndarray | None = None
        self.steps: list[int] = []
        self.accuracies: list[float] = []

    def at(self, model: "nn.Module", event: Progress) -> Snapshot | None:
        """After each step: its event gets the latest accuracy; a snapshot where there is something to show."""
        step, seen = int(event.done), int(event.done) in self.when
        event.values.update(step=step, steps=int(event.total), delta=self.delta)
        if seen:
            self.steps.append(step)
            self.accuracies.append(classification.accuracy(outputs(model, self.data.test_x), self.data.test_y))
        if self.accuracies:
            event.values["accuracy"] = self.accuracies[-1]
        if not (seen and self.pictured):
            return None
        self.weights = weight_pictures(model, self.data)
        return Snapshot("weights", step, self.weights)

    def arrays(self) -> dict[str, np.ndarray]:
        steps = np.array(self.steps)
        epsilons = np.array([self.spending.epsilon(int(step)) for step in steps])
        curves = {"curve_steps": steps, "curve_accuracy": np.array(self.accuracies), "curve_epsilon": epsilons}
        return curves if self.weights is None else {**curves, "weights": self.weights}


def weight_pictures(model: "nn.Module", data: Dataset) -> np.ndarray:
    """(classes, …): of softmax regression, the weights of each class, stretched onto black to white."""
    weights = list(model.parameters())[0].detach().cpu().numpy()
    return stretched(weights.reshape(data.classes, *data.shape))


def stretched(x: np.ndarray) -> np.ndarray:
    """Signed pictures with 0 at mid-grey, the largest value of each at black or white."""
    most = np.abs(x).max(axis=(1, 2, 3), keepdims=True)
    return (0.5 + x / np.maximum(2 * most, 1e-30)).astype(np.float32)


def trained(
    config: Config, data: Dataset, units: Units, steps: int, look: Look | None = None, sigma: float | None = None
) -> "Stage[nn.Module]":
    """A fresh model trained privately; ``sigma`` instead of the configuration's where it is being searched."""
    import torch

    from dpmia_lab.devices import best_device
    from dpmia_lab.training import private

    device = best_device()
    layout = {"device": device, "memory_format": torch.channels_last}  # convolutions are faster so
    model = fresh_model(config, data).to(**layout)
    x, y = torch.from_numpy(data.train_x).to(**layout), torch.from_numpy(data.train_y).to(device)
    stage = private.train(
        model,
        x,
        y,
        units,
        sigma=config.sigma if sigma is None else sigma,
        q=config.q,
        clip=config.clip,
        steps=steps,
        rate=config.rate,
        generator=torch_generator(config.seed, "private", "noise"),
        adam=config.optimizer == "adam",
        momentum=0.9 if config.optimizer == "momentum" else 0.0,
        spent=look.spending.epsilon if look else None,
    )
    with closing(stage):
        for event in stage:
            snapshot = look.at(model, event) if look else None
            yield event
            if snapshot is not None:
                yield snapshot
    return model


def fresh_model(config: TargetConfig, data: Dataset) -> "nn.Module":
    """The model on pictures centred at a public mean, so that noise need not hide what all have in common."""
    import torch

    from dpmia_lab import models

    start = torch_generator(config.seed, "target", "start")
    model = models.new_model(config.model, data.shape, data.classes, start)
    return models.centred(model, torch.from_numpy(public_mean(config.data, data.shape)))
