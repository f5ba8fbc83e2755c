"""Lesson 2's experiment: train with differential privacy, and watch accuracy and the privacy spent.

The same function trains for records, subclasses and classes; lesson 3 calls it too.
"""

import math
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.checks import Mistake, between, not_negative, one_of, positive, whole
from dpmia_lab.data import Dataset, public_mean
from dpmia_lab.defences import Central, LargerUnits
from dpmia_lab.defences.base import Recipe
from dpmia_lab.experiments import inversion
from dpmia_lab.experiments.inversion import TargetConfig, loaded
from dpmia_lab.game.drawing import confidences_of, typical_pictures
from dpmia_lab.metrics import classification
from dpmia_lab.options import option
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.dp_sgd import DpSgd
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
    defence = within_budget(config, defence_of(config, units), units)
    look = Look(config, data, defence.dp_sgd(None, units.count))
    model = yield from part(trained(config, data, defence, units, look), 0.05, 0.98, "training privately")
    yield Progress(0.98, 1, "accounting")
    numbers = {
        "train_accuracy": classification.accuracy(confidences_of(model, data.train_x), data.train_y),
        "test_accuracy": look.accuracies[-1],
        "chance": 1 / data.classes,
        "steps": float(defence.steps),
        **spent_numbers(defence, units),
    }
    yield Progress(1, 1, "accounting")
    return Result(numbers, {"truth": typical_pictures(data), "names": np.array(data.class_names), **look.arrays()})


def data_units(config: Config, data: Dataset) -> Stage[Units]:
    seed = derived_seed(config.seed, "units")
    return (yield from divided(config.unit, data.train_x, data.train_y, config.k_sub, seed))


def defence_of(config: Config, units: Units) -> Central:
    """What hides these units: DP-SGD with the configuration's own σ, q, S and T."""
    delta = config.delta or accounting.default_delta(units.count)
    how = {"q": config.q, "steps": config.steps, "delta": delta, "neighbours": config.neighbours}
    if config.unit == "record":
        return Central(config.sigma, config.clip, **how)
    return LargerUnits(config.sigma, config.clip, **how, unit=config.unit, k_sub=config.k_sub)


def within_budget(config: Config, defence: Central, units: Units) -> Central:
    """With its T, or what the budget leaves of it."""
    if not config.budget:
        return defence
    affordable = defence.dp_sgd(None, units.count).within(config.budget).steps
    if affordable == 0:
        raise Mistake(f"budget must pay for at least one step at this σ and q; it is {config.budget:g}.")
    return replace(defence, steps=min(config.steps, affordable))


def spent_numbers(defence: Central, units: Units) -> dict[str, float]:
    """ε by name of accountant, with what it is for; an accountant without an answer is left out."""
    dp = defence.dp_sgd(None, units.count)
    numbers = {"units": float(units.count), "delta": dp.delta, "noise": dp.noise(units.count)}
    for name, accountant in (("epsilon", "moments"), ("epsilon_tight", "tight"), ("epsilon_paper", "paper-moments")):
        try:
            epsilon = dp.epsilon(accountant)
        except Mistake:
            continue
        if math.isfinite(epsilon):
            numbers[name] = epsilon
    return numbers


class Look:
    """Test accuracy and ε along the way, and for softmax regression the weights as pictures."""

    def __init__(self, config: Config, data: Dataset, dp: DpSgd) -> None:
        self.data, self.dp, self.spending = data, dp, dp.spending()
        self.when = {round(s) for s in np.linspace(dp.steps / LOOKS, dp.steps, LOOKS)}
        self.pictured = config.model == "softmax"
        self.weights: np.ndarray | None = None
        self.steps: list[int] = []
        self.accuracies: list[float] = []

    def at(self, model: "nn.Module", event: Progress) -> Stage[None]:
        """After each step: its event with ε and the latest accuracy, and now and then the weights."""
        step = int(event.done)
        if step in self.when:
            self.steps.append(step)
            self.accuracies.append(classification.accuracy(confidences_of(model, self.data.test_x), self.data.test_y))
        values = {"epsilon": self.spending.epsilon(step), "step": step, "steps": int(event.total)}
        values |= {"delta": self.dp.delta} | ({"accuracy": self.accuracies[-1]} if self.accuracies else {})
        yield replace(event, values={**event.values, **values})
        if step in self.when and self.pictured:
            self.weights = weight_pictures(model, self.data)
            yield Snapshot("weights", step, self.weights)

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
    config: Config, data: Dataset, defence: Central, units: Units, look: Look | None = None
) -> "Stage[nn.Module]":
    """A fresh model, on pictures centred at a public mean, so that noise need not hide what all have in common."""
    task = inversion.task_of(config, data, public_mean(config.data, data.shape))
    model = defence.fresh_model(task, torch_generator(config.seed, "target", "start"))
    recipe = Recipe(0, config.rate, optimizer=config.optimizer)  # the defence itself says how long
    noise = torch_generator(config.seed, "private", "noise")
    stage = inversion.trained(defence, model, (data.train_x, data.train_y), recipe, noise, units)
    if look is None:
        return (yield from stage)
    with closing(stage):
        for event in stage:
            yield from look.at(model, event)
    return model
