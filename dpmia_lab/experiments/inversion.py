"""Lesson 1's experiment: train a recogniser, invert it, measure what came out.

Published attack settings (papers A and E) are presets. λ weighs a *sum* over pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.checks import Mistake, between, not_negative, one_of, positive, true_or_false, whole
from dpmia_lab.data import Dataset, load
from dpmia_lab.defences import Defence, Undefended
from dpmia_lab.defences.base import Recipe, Task, TrainingSet
from dpmia_lab.game.attacks import ATTACKS, Attack, drawing
from dpmia_lab.game.drawing import (
    Drawing,
    baseline_pictures,
    confidences_of,
    likeness,
    mean_rows,
    typical_pictures,
)
from dpmia_lab.game.evidence import Given, Weights
from dpmia_lab.metrics import classification, reconstruction
from dpmia_lab.options import option
from dpmia_lab.privacy.units import Units
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import Event, Progress, Snapshot, Stage, mapped, part
from dpmia_lab.store import Result

if TYPE_CHECKING:  # torch is loaded by run(), not by the page that merely shows the controls
    import torch
    from torch import nn

TITLE = "Draw what a label looks like from a trained model"
CHOICES = ("original", "enhanced")
MODELS = ("softmax", "mlp", "cnn")
PRIORS = ("none", "l1", "btv", "l1+tv")
PROCESSES = ("none", "denoise", "sharpen")
LEAST_EPOCHS = 5  # over a large set, so that every picture is seen a few times
MOST_PIXELS = 200_000_000  # of generated faces: what a page's memory bears
MEASURES = ("distance_mean", "ssim_distance_mean", "similarity_mean", "recognised_share", "confidence_mean")
MEASURES += ("recognised_ssim_share",)


@dataclass(frozen=True)
class PicturesConfig:
    """Whose pictures."""

    data: str = option("faces", "digits, mnist, faces, att_faces, or a file or folder of yours")
    people: int = option(40, "how many people (face sets only)")
    pictures: int = option(10, "pictures a person (generated faces only)")
    height: int = option(56, "height of a face in pixels (face sets only)")

    def __post_init__(self) -> None:
        whole(2, 1000, people=self.people)
        whole(4, 1000, pictures=self.pictures)
        whole(16, 224, height=self.height)
        pixels = self.people * self.pictures * self.height**2
        if pixels > MOST_PIXELS:
            raise Mistake(
                f"people times pictures times height squared must be at most {MOST_PIXELS:,}; it is {pixels:,}."
            )


@dataclass(frozen=True)
class TargetConfig(PicturesConfig):
    """What is attacked: the data and the model."""

    model: str = option("softmax", "the model under attack: softmax, mlp or cnn")

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(MODELS, model=self.model)


@dataclass(frozen=True)
class Config(TargetConfig):
    attack: str = option("enhanced", "original (plain gradient descent) or enhanced (Adam, prior, box)")
    prior: str = option("btv", "what the attacker expects of pictures: none, l1, btv or l1+tv")
    lam: float = option(1e-6, "λ, weight of the prior (a sum over pixels)")
    steps: int = option(300, "T, at most so many steps of the attack")
    rate: float = option(0.01, "η, size of a step")
    box: bool = option(True, "keep pixels within black and white by x = (tanh w + 1)/2")
    process: str = option("none", "filter after each step of the original attack: none, denoise or sharpen")
    smooth: float = option(0.0, "blur the finished pictures by so many pixels")
    seed: int = option(0, "fixes every random choice")

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(CHOICES, attack=self.attack)
        one_of(PRIORS, prior=self.prior)
        one_of(PROCESSES, process=self.process)
        not_negative(lam=self.lam)
        whole(1, 20_000, steps=self.steps)
        positive(rate=self.rate)
        true_or_false(box=self.box)
        between(0, 10, smooth=self.smooth)
        whole(0, 2**31 - 1, seed=self.seed)


SMALL = Config(data="digits", steps=20)  # for tests: every part, in a second or two

PRESETS = {
    "faces": Config(),
    "faces-published": Config(lam=0.001, steps=100, rate=0.05),
    "faces-original": Config(attack="original", prior="none", lam=0.0, steps=1000, rate=0.3, box=False),
    "digits-original": Config(
        data="mnist", model="cnn", attack="original", prior="none", lam=0.0, steps=1000, rate=1.0, box=False
    ),
    "digits": Config(data="mnist", model="cnn", prior="l1", lam=0.003, steps=500, rate=0.03),
    "digits-published": Config(data="mnist", model="cnn", prior="l1", lam=0.05, steps=5000, rate=0.1),
}

# How each model is trained: enough steps to fit its training pictures, no more. Steps, then how they are taken.
RECIPES = {
    "softmax": (540, Recipe(LEAST_EPOCHS, rate=0.01, batch=32, optimizer="momentum", decay=0.01)),
    "mlp": (600, Recipe(LEAST_EPOCHS, rate=0.1, batch=32, optimizer="momentum")),
    "cnn": (300, Recipe(LEAST_EPOCHS, rate=0.002, batch=32)),
}
JUDGE_STEPS, JUDGE_RECIPE = 160, Recipe(LEAST_EPOCHS, rate=0.001, batch=16)
LEAST_SIDE = 6  # what the judge's filters need


def run(config: Config) -> Stage[Result]:
    """Numbers: every measure as a mean over labels, and the same of each baseline picture."""
    data, model, x, frames = yield from part(drawn(config), 0.0, 0.6)
    judge = yield from part(trained_judge(config, data), 0.6, 0.9, "training an independent judge")
    subjects = {config.attack: x, **baseline_pictures(data, config.seed)}
    result = yield from part(measured(data, model, judge, subjects, config.attack), 0.9, 1.0, "measuring")
    return replace(result, arrays={"reconstruction": x, **result.arrays, **frames})


def drawn(config: Config) -> "Stage[tuple[Dataset, nn.Module, np.ndarray, dict]]":
    """The attacker's half: data, the trained recogniser, the finished pictures, the frames on the way."""
    yield Progress(0, 1, "loading data")
    data = loaded(config)
    yield Snapshot("truth", 0, typical_pictures(data))
    model = yield from part(trained_target(config, data), 0.02, 0.3, "training the recogniser")
    x, frames = yield from part(attacked(config, data, model), 0.3, 1.0, "attacking")
    return data, model, x, frames


def loaded(config: PicturesConfig) -> Dataset:
    data = load(config.data, people=config.people, pictures=config.pictures, height=config.height, seed=config.seed)
    if min(data.shape[1:]) < LEAST_SIDE:
        size = f"{data.shape[1]} x {data.shape[2]}"
        raise Mistake(f"pictures must be at least {LEAST_SIDE} x {LEAST_SIDE} pixels; those of {data.name} are {size}.")
    return data


# ---- training
def task_of(config: TargetConfig, data: Dataset, centre: np.ndarray | None = None) -> Task:
    """``centre``: a public picture that all pictures are centred on."""
    return Task("pictures", data.shape, data.classes, config.model, centre=centre, data=data.name)


def trained_target(config: Config, data: Dataset, centre: np.ndarray | None = None) -> "Stage[nn.Module]":
    """The recogniser under attack, trained on the training pictures without a defence."""
    defence, task = Undefended(), task_of(config, data, centre)
    model = defence.fresh_model(task, torch_generator(config.seed, "target", "start"))
    recipe = long_enough(*RECIPES[config.model], len(data.train_y))
    order = torch_generator(config.seed, "target", "order")
    return (yield from trained(defence, model, (data.train_x, data.train_y), recipe, order))


def trained_judge(config: Config, data: Dataset, steps: int = JUDGE_STEPS) -> "Stage[nn.Module]":
    """Paper E's evaluation model: trained on the *test* pictures, it shares no picture with the target."""
    from dpmia_lab import models

    judge = models.evaluation_cnn(data.shape, data.classes, torch_generator(config.seed, "judge", "start"))
    recipe = long_enough(steps, JUDGE_RECIPE, len(data.test_y))
    order = torch_generator(config.seed, "judge", "order")
    return (yield from trained(Undefended(), judge, (data.test_x, data.test_y), recipe, order))


def long_enough(steps: int, recipe: Recipe, records: int) -> Recipe:
    """The recipe for about so many steps over so many records."""
    return replace(recipe, epochs=max(LEAST_EPOCHS, steps * recipe.batch // records))


def trained(
    defence: Defence,
    model: "nn.Module",
    pictures: tuple[np.ndarray, np.ndarray],
    recipe: Recipe,
    generator: "torch.Generator",
    units: Units | None = None,
) -> "Stage[nn.Module]":
    """The model trained under that defence on pictures and their labels, on the best device there is."""
    import torch

    from dpmia_lab.devices import best_device

    device = best_device()
    layout = {"device": device, "memory_format": torch.channels_last}  # convolutions are faster so
    x, y = (torch.from_numpy(array) for array in pictures)
    model = model.to(**layout)
    yield from defence.train(model, TrainingSet(x.to(**layout), y.to(device), units=units), recipe, generator)
    return model


# ---- attacking
def attack_of(config: Config) -> Attack:
    """The table's attack of that name, with the configuration's settings."""
    how = {option.name: getattr(config, option.name) for option in fields(Drawing)}
    return drawing(ATTACKS[config.attack].words, **how)


def attacked(config: Config, data: Dataset, model: "nn.Module") -> Stage[tuple[np.ndarray, dict]]:
    """The finished pictures (classes, …) as shown, and the frames on the way there."""
    given = Given({"weights": Weights(model, task_of(config, data))}, config.seed)
    frames = Frames()
    drawn = yield from mapped(attack_of(config).run(given), frames.kept)
    yield Snapshot("reconstruction", drawn.steps, drawn.x)
    return drawn.x, frames.arrays()


class Frames:
    """The reconstructions along the way, as bytes, for the time-lapse."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.pictures: list[np.ndarray] = []

    def kept(self, event: Event) -> Event:
        """The event; a snapshot is made viewable and kept."""
        if not isinstance(event, Snapshot):
            return event
        shown = reconstruction.viewable(event.array)
        self.steps.append(event.step)
        self.pictures.append((shown * 255).round().astype(np.uint8))
        return Snapshot(event.name, event.step, shown)

    def arrays(self) -> dict[str, np.ndarray]:
        return {"frame_steps": np.array(self.steps), "frames": np.stack(self.pictures)}


# ---- measuring
def measured(
    data: Dataset, model: "nn.Module", judge: "nn.Module", subjects: dict[str, np.ndarray], only: str = ""
) -> Stage[Result]:
    """Every measure of every subject: a name and one picture a class.

    ``only``: an attack that plain names do not name, being the only one.
    """
    names = PlainNames(silent=frozenset({"none", only}))
    numbers = {
        "train_accuracy": classification.accuracy(confidences_of(model, data.train_x), data.train_y),
        "test_accuracy": classification.accuracy(confidences_of(model, data.test_x), data.test_y),
        "judge_accuracy": classification.accuracy(confidences_of(judge, data.train_x), data.train_y),
        "chance": 1 / data.classes,
    }
    arrays, rows = {"truth": typical_pictures(data), "names": np.array(data.class_names)}, []
    for done, (name, x) in enumerate(subjects.items()):
        share = done / len(subjects), (done + 1) / len(subjects)
        found = yield from part(measures(data, model, judge, x), *share)
        arrays |= {names.of(Row(measure, 0.0, attack=name)): values for measure, values in found.items()}
        rows += mean_rows(found, defence="none", attack=name)
    return Result(numbers, arrays, Rows(tuple(rows), names))


def rows_of(numbers: dict[str, float], subjects: Sequence[str]) -> Rows:
    """The rows of a comparison whose plain names are known, such as a shipped one's."""
    return PlainNames(silent=frozenset({"none"})).read(numbers, MEASURES, ("none",), tuple(subjects))


def by_class(result: Result, measure: str) -> dict[str, np.ndarray]:
    """(classes,) of every attack and baseline, by its name; ``measure`` such as distance."""
    attacks = result.rows.all("attack")
    return {attack: result.arrays[result.rows.names.of(Row(measure, 0.0, attack=attack))] for attack in attacks}


def measures(data: Dataset, model: "nn.Module", judge: "nn.Module", x: np.ndarray) -> Stage[dict[str, np.ndarray]]:
    """(classes,) each: the likeness, the model's own confidence, and recognition by the most similar test picture."""
    labels = np.arange(data.classes)
    lookalike = yield from part(most_similar_labels(x, data.test_x, data.test_y), 0.0, 0.5)
    like = yield from part(likeness(data, judge, x), 0.5, 1.0)
    return {**like, "confidence": confidences_of(model, x)[labels, labels], "recognised_ssim": lookalike == labels}


def most_similar_labels(x: np.ndarray, others: np.ndarray, other_labels: np.ndarray) -> Stage[np.ndarray]:
    """(n,): the label of the most similar other picture, by SSIM (paper E, Table 5); some rows at a time."""
    labels = []
    for start in range(0, len(x), 10):
        labels.append(other_labels[reconstruction.ssim_values(x[start : start + 10], others).argmax(1)])
        yield Progress(start, len(x), "measuring")
    return np.concatenate(labels)
