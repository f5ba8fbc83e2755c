"""Lesson 1's experiment: train a recogniser, invert it, measure what came out.

Published attack settings (papers A and E) are presets. λ weighs a *sum* over pixels.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.checks import Mistake, between, not_negative, one_of, positive, true_or_false, whole
from dpmia_lab.data import Dataset, load
from dpmia_lab.metrics import classification, reconstruction
from dpmia_lab.options import option
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Event, Progress, Snapshot, Stage, mapped, part
from dpmia_lab.store import Result

if TYPE_CHECKING:  # torch is loaded by run(), not by the page that merely shows the controls
    import torch
    from torch import nn

TITLE = "Draw what a label looks like from a trained model"
ATTACKS = ("original", "enhanced")
MODELS = ("softmax", "mlp", "cnn")
PRIORS = ("none", "l1", "btv", "l1+tv")
PROCESSES = ("none", "denoise", "sharpen")
MOST_PIXELS = 200_000_000  # of generated faces: what a page's memory bears
BASELINES = {  # pictures that owe nothing to the attack, in words
    "noise": "random noise",
    "blank": "a black picture",
    "class_mean": "the class's mean picture",
    "other_class": "someone else's picture",
}


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
        one_of(ATTACKS, attack=self.attack)
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

# How each model is trained: enough steps to fit its training pictures, no more.
RECIPES = {
    "softmax": {"steps": 540, "rate": 0.01, "decay": 0.01, "batch": 32},
    "mlp": {"steps": 600, "rate": 0.1, "batch": 32},
    "cnn": {"steps": 300, "rate": 0.002, "adam": True, "batch": 32},
}
JUDGE_RECIPE = {"steps": 160, "rate": 0.001, "adam": True, "batch": 16}
LEAST_SIDE = 6  # what the judge's filters need
LEAST_EPOCHS = 5  # over a large set, so that every picture is seen a few times


def run(config: Config) -> Stage[Result]:
    """Numbers: every measure as a mean over labels, and the same of each baseline picture."""
    data, model, x, frames = yield from part(drawn(config), 0.0, 0.6)
    judge = yield from part(trained_judge(config, data), 0.6, 0.9, "training an independent judge")
    subjects = {"": x, **baseline_pictures(data, config.seed)}
    result = yield from part(measured(data, model, judge, subjects), 0.9, 1.0, "measuring")
    return Result(result.numbers, {"reconstruction": x, **result.arrays, **frames})


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


def typical_pictures(data: Dataset) -> np.ndarray:
    """(classes, …): of each class the training picture nearest to the class's mean."""
    labels, means = np.arange(data.classes), class_means(data)
    distances = reconstruction.euclidean_distances(means, data.train_x)
    return data.train_x[reconstruction.nearest_of_class(distances, labels, data.train_y)[1]]


def class_means(data: Dataset) -> np.ndarray:
    return np.stack([data.train_x[data.train_y == c].mean(0) for c in range(data.classes)])


def trained_target(config: Config, data: Dataset) -> "Stage[nn.Module]":
    """The recogniser under attack, trained on the training pictures."""
    from dpmia_lab import models

    model = models.new_model(config.model, data.shape, data.classes, torch_generator(config.seed, "target", "start"))
    order = torch_generator(config.seed, "target", "order")
    return (yield from trained(model, data.train_x, data.train_y, order, RECIPES[config.model]))


def trained_judge(config: Config, data: Dataset, recipe: dict = JUDGE_RECIPE) -> "Stage[nn.Module]":
    """Paper E's evaluation model: trained on the *test* pictures, it shares no picture with the target."""
    from dpmia_lab import models

    judge = models.evaluation_cnn(data.shape, data.classes, torch_generator(config.seed, "judge", "start"))
    order = torch_generator(config.seed, "judge", "order")
    return (yield from trained(judge, data.test_x, data.test_y, order, recipe))


def trained(
    model: "nn.Module", x: np.ndarray, y: np.ndarray, order: "torch.Generator", recipe: dict
) -> "Stage[nn.Module]":
    import torch

    from dpmia_lab.devices import best_device
    from dpmia_lab.training.plain import train

    device = best_device()
    layout = {"device": device, "memory_format": torch.channels_last}  # convolutions are faster so
    x, y, model = torch.from_numpy(x).to(**layout), torch.from_numpy(y).to(device), model.to(**layout)
    recipe = dict(recipe)
    epochs = max(LEAST_EPOCHS, recipe.pop("steps") * recipe["batch"] // len(x))
    return (yield from train(model, x, y, generator=order, epochs=epochs, **recipe))


def attacked(config: Config, data: Dataset, model: "nn.Module") -> Stage[tuple[np.ndarray, dict]]:
    """The finished pictures (classes, …) as shown, and the frames on the way there."""
    import torch

    from dpmia_lab.attacks.inversion import descent as inversion
    from dpmia_lab.attacks.inversion.filters import smoothed

    labels = torch.arange(data.classes, device=next(model.parameters()).device)
    how = {"steps": config.steps, "rate": config.rate}
    if config.attack == "original":
        attack = inversion.fredrikson(model, labels, data.shape, process=config.process, **how)
    else:
        attack = inversion.enhanced(
            model, labels, data.shape, prior=config.prior, weight=config.lam, box=config.box, **how
        )
    frames = Frames()
    drawn = yield from mapped(attack, frames.kept)
    x = reconstruction.viewable(smoothed(drawn.x, config.smooth).cpu().numpy())
    yield Snapshot("reconstruction", int(drawn.steps.max()), x)
    return x, frames.arrays()


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


def measured(data: Dataset, model: "nn.Module", judge: "nn.Module", subjects: dict[str, np.ndarray]) -> Stage[Result]:
    """Every measure of every subject: a name and one picture a class; the nameless one is the attack's."""
    numbers = {
        "train_accuracy": classification.accuracy(outputs(model, data.train_x), data.train_y),
        "test_accuracy": classification.accuracy(outputs(model, data.test_x), data.test_y),
        "judge_accuracy": classification.accuracy(outputs(judge, data.train_x), data.train_y),
        "chance": 1 / data.classes,
    }
    arrays = {"truth": typical_pictures(data), "names": np.array(data.class_names)}
    for done, (name, x) in enumerate(subjects.items()):
        suffix = f"_{name}" if name else ""
        share = done / len(subjects), (done + 1) / len(subjects)
        for measure, values in (yield from part(measures(data, model, judge, x), *share)).items():
            arrays[measure + suffix] = values
            word = "share" if values.dtype == bool else "mean"
            numbers[f"{measure}_{word}{suffix}"] = float(values.mean())
    return Result(numbers, arrays)


def baseline_pictures(data: Dataset, seed: int) -> dict[str, np.ndarray]:
    """One picture a class of each kind; a measure that likes them says nothing about an attack."""
    truth, means = typical_pictures(data), class_means(data)
    noise = numpy_generator(seed, "noise").random(truth.shape, dtype=np.float32)
    return dict(zip(BASELINES, (noise, np.zeros_like(truth), means, np.roll(truth, 1, axis=0)), strict=True))


def measures(data: Dataset, model: "nn.Module", judge: "nn.Module", x: np.ndarray) -> Stage[dict[str, np.ndarray]]:
    """(classes,) each: the likeness, the model's own confidence, and recognition by the most similar test picture."""
    labels = np.arange(data.classes)
    lookalike = yield from part(most_similar_labels(x, data.test_x, data.test_y), 0.0, 0.5)
    seen = yield from part(likeness(data, judge, x), 0.5, 1.0)
    return {**seen, "confidence": outputs(model, x)[labels, labels], "recognised_ssim": lookalike == labels}


def likeness(data: Dataset, judge: "nn.Module", x: np.ndarray) -> Stage[dict[str, np.ndarray]]:
    """(classes,) each: nearness to training pictures, and whether the judge, who never saw those, recognises x."""
    seen = yield from nearness(data, x)
    return {**seen, "recognised": outputs(judge, x).argmax(1) == np.arange(data.classes)}


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


def most_similar_labels(x: np.ndarray, others: np.ndarray, other_labels: np.ndarray) -> Stage[np.ndarray]:
    """(n,): the label of the most similar other picture, by SSIM (paper E, Table 5); some rows at a time."""
    labels = []
    for start in range(0, len(x), 10):
        labels.append(other_labels[reconstruction.ssim_values(x[start : start + 10], others).argmax(1)])
        yield Progress(start, len(x), "measuring")
    return np.concatenate(labels)


def outputs(model: "nn.Module", x: np.ndarray) -> np.ndarray:
    """The model's confidences (n, classes) as an array."""
    import torch

    from dpmia_lab.training.plain import confidences

    device = next(model.parameters()).device
    return confidences(model, torch.from_numpy(x).to(device)).cpu().numpy()
