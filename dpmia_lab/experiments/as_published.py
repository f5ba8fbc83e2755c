"""Paper A's own operating points on all MNIST digits, each model under four attackers (A, V-A).

The paper compares a record-level with a subclass-level model of equal accuracy, each with a σ and q of its own. So
does this experiment: one configuration is one model, and the presets are the models that lesson 3 sets side by side.
They were given the T and η that bring them to about 92 % (the paper prints neither). Two models that the paper lacks:
``same-noise``, a record-level model whose weights hold as much noise as the subclass-level one's, η√T·σS/(qK), and
``only-noise``, a fresh model with that noise and no data at all, for what an attacker draws from nothing.

The official test digits are shared out: half of them are the attacker's public digits, half teach the judge.
"""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.checks import Mistake, between, one_of, positive, whole
from dpmia_lab.data import Dataset, load
from dpmia_lab.defences import Undefended
from dpmia_lab.defences.base import Recipe
from dpmia_lab.experiments import inversion, private_training
from dpmia_lab.experiments.hiding import BLUR
from dpmia_lab.experiments.inversion_comparison import attacks_on
from dpmia_lab.experiments.repeats import averaged, repeated
from dpmia_lab.game.attacks import INVERSION
from dpmia_lab.game.drawing import class_means, confidences_of, mean_rows
from dpmia_lab.game.evidence import Given, Weights
from dpmia_lab.metrics import classification, reconstruction
from dpmia_lab.options import option
from dpmia_lab.privacy.accounting import NEIGHBOURS
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Progress, Snapshot, Stage, mapped, part
from dpmia_lab.store import Result

if TYPE_CHECKING:  # torch is loaded by run(), not by the page that merely shows the controls
    from torch import nn

TITLE = "Paper A's operating points on all MNIST digits, under four attackers"
UNITS = ("none", "record", "subclass", "class", "noise")  # noise: no data, nothing but a subclass-level model's noise
ATTACKERS = {
    "original": "original attack",
    "published": "enhanced attack, as published",
    "stronger": "stronger: smooth, blurred",
    "prior": "prior of public digits",
}
CONTENDERS = {"original": "original", "published": "published", "stronger": "ours"}  # of the comparison in lesson 1
BASELINES = ("noise", "blank")
NAMES = PlainNames()
OF_MODEL = ("accuracy", "units", "delta", "noise", "accumulated", "epsilon", "epsilon_tight")
OF_PICTURES = ("correlation_mean", "recognised_share", "similarity_mean", "distance_mean")
LEAST_SIDE = 14  # what the network's filters need
PLAIN = Recipe(3, rate=0.002, batch=64)  # without defence
JUDGE = Recipe(8, rate=0.001, batch=32)


@dataclass(frozen=True)
class Config:
    data: str = option("mnist:download", "the digits: mnist:FOLDER, mnist:download, or mnist for 5,000 of them")
    unit: str = option("subclass", "what is hidden: none, record, subclass or class; noise: a model without data")
    k_sub: int = option(50, "clusters a class is divided into (subclass and noise)")
    sigma: float = option(1.6, "σ, noise multiplier")
    q: float = option(0.2, "each unit's chance to join a step")
    clip: float = option(3.0, "S, the norm a unit's gradient is clipped to")
    steps: int = option(300, "T, steps")
    rate: float = option(0.15, "η, size of a step")
    neighbours: str = option("replace-one", "what neighbours differ by: add-remove or replace-one")
    longest: int = option(5000, "no attack takes more steps than this (5000 as published)")
    repeats: int = option(1, "how many seeds, from the given one upwards")
    seed: int = option(0, "the first seed")

    def __post_init__(self) -> None:
        one_of(UNITS, unit=self.unit)
        whole(1, 100_000, k_sub=self.k_sub, steps=self.steps)
        between(0.01, 1000, sigma=self.sigma)
        between(0.0001, 1, q=self.q)
        positive(clip=self.clip, rate=self.rate)
        one_of(NEIGHBOURS, neighbours=self.neighbours)
        whole(1, 20_000, longest=self.longest)
        whole(1, 1000, repeats=self.repeats)
        whole(0, 2**31 - self.repeats, seed=self.seed)

    @property
    def private(self) -> bool:
        return self.unit in ("record", "subclass", "class")

    def training(self) -> private_training.Config:
        """As lesson 2 trains privately."""
        shared = ("k_sub", "sigma", "q", "clip", "steps", "rate", "neighbours", "seed")
        return private_training.Config(
            data=self.data, model="cnn", unit=self.unit, **{name: getattr(self, name) for name in shared}
        )

    def attack(self, attacker: str) -> inversion.Config:
        """Lesson 1's attack on digits, blurred as in lesson 3."""
        chosen = attacks_on("mnist")[CONTENDERS[attacker]]
        return replace(
            chosen, steps=min(chosen.steps, self.longest), smooth=BLUR * chosen.smooth, seed=self.seed
        )

    def accumulated(self, units: int) -> float:
        """η√T·σS/(qK): the deviation, in each weight, of all the noise that T steps have added."""
        return self.rate * math.sqrt(self.steps) * self.sigma * self.clip / (self.q * units)


SMALL = Config(data="mnist", k_sub=2, steps=2, longest=5)
PRESETS = {
    "none": Config(unit="none"),
    "record": Config(unit="record", sigma=1.8, q=0.01, steps=160, rate=0.25),
    "subclass": Config(),
    "same-noise": Config(unit="record", sigma=8.818, q=0.01, steps=800, rate=0.1),  # η√T·σS/(qK) as for subclass
    "only-noise": Config(unit="noise"),
}


def run(config: Config) -> Stage[Result]:
    """Numbers: accuracy, noise and ε of the model; every measure by attacker; means over seeds, and ``…_sd``."""
    return averaged((yield from repeated(config, one_repeat)))


def rows_of(numbers: dict[str, float]) -> Rows:
    """The rows of a result whose plain names are known, such as a shipped one's."""
    measures = (*OF_MODEL, *OF_PICTURES)
    return NAMES.read(numbers, measures, attacks=("", *ATTACKERS, *BASELINES))


def one_repeat(config: Config, repeat: int) -> Stage[Result]:
    config = replace(config, repeats=1, seed=config.seed + repeat)
    yield Progress(0, 1, "loading data")
    data = loaded(config)
    means = class_means(data)
    yield Snapshot("truth", 0, means)

    model, rows = yield from part(trained_model(config, data), 0.0, 0.7)
    right = classification.accuracy(confidences_of(model, data.test_x), data.test_y)
    rows = [Row("accuracy", right), *rows]
    public, others = halves(data)
    drawn = yield from part(drawings(config, data, model, public), 0.7, 0.9)
    judge = yield from part(trained_judge(config, others), 0.9, 0.97, "training an independent judge")
    subjects = {**drawn, **baselines(means, config.seed)}
    rows += yield from part(measured(data, means, judge, subjects), 0.97, 1.0, "measuring")

    numbers = {
        "chance": 1 / data.classes,
        "judge_accuracy": classification.accuracy(confidences_of(judge, public), data.test_y[::2]),
    }
    pictures = {f"picture_{name}": x for name, x in {"truth": means, **drawn}.items()}
    return Result(numbers, {"names": np.array(data.class_names), **pictures}, Rows(tuple(rows), NAMES))


def loaded(config: Config) -> Dataset:
    data = load(config.data, seed=config.seed)
    if min(data.shape[1:]) < LEAST_SIDE:
        size = f"{data.shape[1]} x {data.shape[2]}"
        raise Mistake(f"pictures must be at least {LEAST_SIDE} x {LEAST_SIDE} pixels; those of {data.name} are {size}.")
    return data


def halves(data: Dataset) -> tuple[np.ndarray, Dataset]:
    """Every second test picture, for the attacker; the rest in place of all test pictures, for the judge."""
    return data.test_x[::2], replace(data, test_x=data.test_x[1::2], test_y=data.test_y[1::2])


# ---- training
def trained_model(config: Config, data: Dataset) -> "Stage[tuple[nn.Module, list[Row]]]":
    """The model, and what can be said of its noise and its promise."""
    from dpmia_lab import models

    model = models.tanh_cnn(data.shape, data.classes, torch_generator(config.seed, "target", "start"))
    order = torch_generator(config.seed, "target", "order")
    pictures = data.train_x, data.train_y
    if config.unit == "none":
        stage = inversion.trained(Undefended(), model, pictures, PLAIN, order)
        return (yield from part(stage, 0.0, 1.0, "training without defence")), []
    if config.unit == "noise":
        noise = config.accumulated(data.classes * config.k_sub)
        add_noise(model, noise, torch_generator(config.seed, "private", "noise"))
        return model, [Row("accumulated", noise)]

    training = config.training()
    units = yield from part(private_training.data_units(training, data), 0.0, 0.05, "dividing into units")
    defence, recipe = private_training.defence_of(training, units), Recipe(0, config.rate, optimizer="sgd")
    noise = torch_generator(config.seed, "private", "noise")
    stage = inversion.trained(defence, model, pictures, recipe, noise, units)
    model = yield from part(stage, 0.05, 0.98, f"training, {config.unit}-level")
    yield Progress(0.98, 1, "accounting")
    said = private_training.spent_numbers(defence, units) | {"accumulated": config.accumulated(units.count)}
    return model, [Row(what, said[what]) for what in OF_MODEL if what in said]


def add_noise(model: "nn.Module", deviation: float, generator) -> None:
    """N(0, deviation²) on every weight."""
    import torch

    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=deviation)


def trained_judge(config: Config, data: Dataset) -> "Stage[nn.Module]":
    """Paper E's evaluation model, on test pictures that nobody else has."""
    from dpmia_lab import models

    judge = models.evaluation_cnn(data.shape, data.classes, torch_generator(config.seed, "judge", "start"))
    order = torch_generator(config.seed, "judge", "order")
    return (yield from inversion.trained(Undefended(), judge, (data.test_x, data.test_y), JUDGE, order))


# ---- attack and measure
def drawings(config: Config, data: Dataset, model: "nn.Module", public: np.ndarray) -> Stage[dict[str, np.ndarray]]:
    """Every attacker's pictures (classes, …)."""
    drawn = {}
    for i, (attacker, words) in enumerate(ATTACKERS.items()):
        stage = attacked(config, data, model, attacker, public)
        share = i / len(ATTACKERS), (i + 1) / len(ATTACKERS)
        drawn[attacker] = yield from part(mapped(stage, renamed(f"picture_{attacker}")), *share, f"attacking: {words}")
    return drawn


def renamed(name: str):
    return lambda event: replace(event, name=name) if isinstance(event, Snapshot) else event


def attacked(
    config: Config, data: Dataset, model: "nn.Module", attacker: str, public: np.ndarray
) -> Stage[np.ndarray]:
    if attacker in CONTENDERS:
        x, _ = yield from inversion.attacked(config.attack(attacker), data, model)
        return x
    task = inversion.task_of(config.attack("original"), data)
    return (yield from INVERSION["prior"].run(Given({"weights": Weights(model, task), "public": public}))).x


def baselines(means: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """Pictures that owe nothing to any model."""
    noise = numpy_generator(seed, "noise").random(means.shape, dtype=np.float32)
    return dict(zip(BASELINES, (noise, np.zeros_like(means)), strict=True))


def measured(
    data: Dataset, means: np.ndarray, judge: "nn.Module", subjects: dict[str, np.ndarray]
) -> Stage[list[Row]]:
    """Means over classes of every measure of every subject."""
    labels, rows = np.arange(data.classes), []
    for done, (name, x) in enumerate(subjects.items(), 1):
        found = nearness(data, x)
        found["correlation"] = reconstruction.correlations(x, means).diagonal()
        found["recognised"] = confidences_of(judge, x).argmax(1) == labels
        rows += mean_rows(found, attack=name)
        yield Progress(done, len(subjects), "measuring")
    return rows


def nearness(data: Dataset, x: np.ndarray) -> dict[str, np.ndarray]:
    """(classes,) each: distance and correlation to the class's nearest training picture (A2)."""
    pairs = [(x[c : c + 1], data.train_x[data.train_y == c]) for c in range(data.classes)]
    return {
        "distance": np.array([reconstruction.euclidean_distances(*pair).min() for pair in pairs]),
        "similarity": np.array([reconstruction.correlations(*pair).max() for pair in pairs]),
    }
