"""Lesson 1's experiment: train a recogniser, invert it, measure what came out.

Published attack settings (papers A and E) are presets. λ weighs a *sum* over pixels.
"""

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.checks import Mistake, between, not_negative, one_of, positive, true_or_false, whole
from dpmia_lab.data import Dataset, load
from dpmia_lab.defences import Defence, Undefended
from dpmia_lab.defences.base import Recipe, Task, TrainingSet
from dpmia_lab.experiments.inversion_measures import Found, accuracies, all_measures, as_result, measures
from dpmia_lab.game.attacks import ATTACKS, Attack, drawing, prior_drawing
from dpmia_lab.game.drawing import Drawing, PriorDrawing, baseline_pictures, prior_nulls, typical_pictures
from dpmia_lab.game.evidence import Given, Weights
from dpmia_lab.game.public_pictures import PutAside, put_aside
from dpmia_lab.metrics import reconstruction
from dpmia_lab.options import option
from dpmia_lab.own_code import check_model
from dpmia_lab.privacy.units import Units
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import Event, Once, Progress, Snapshot, Stage, mapped, part, stretches
from dpmia_lab.store import Result

if TYPE_CHECKING:  # torch is loaded by run(), not by the page that merely shows the controls
    import torch
    from torch import nn

TITLE = "Draw what a label looks like from a trained model"
CHOICES = ("original", "enhanced", "prior")
MODELS = ("softmax", "mlp", "cnn")
PRIORS = ("none", "l1", "btv", "l1+tv")
PROCESSES = ("none", "denoise", "sharpen")
LEAST_EPOCHS = 5  # over a large set, so that every picture is seen a few times
MOST_PIXELS = 200_000_000  # of generated faces: what a page's memory bears


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

    model: str = option("softmax", "the model under attack: softmax, mlp or cnn, or yours as module:function")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_model(self.model, MODELS)


@dataclass(frozen=True)
class Config(TargetConfig):
    attack: str = option(
        "enhanced", "original (plain gradient descent), enhanced (Adam, prior, box) or prior (of public pictures)"
    )
    prior: str = option("btv", "what the attacker expects of pictures: none, l1, btv or l1+tv")
    lam: float = option(1e-6, "λ, weight of the prior (a sum over pixels)")
    steps: int = option(300, "T, at most so many steps of the attack")
    rate: float = option(0.01, "η, size of a step")
    box: bool = option(True, "keep pixels within black and white by x = (tanh w + 1)/2")
    process: str = option("none", "filter after each step of the original attack: none, denoise or sharpen")
    smooth: float = option(0.0, "blur the finished pictures by so many pixels")
    components: int = option(40, "attack prior: in so many directions public pictures are let differ")
    weight: float = option(0.1, "attack prior: λ, weight of the log-density of public pictures")
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
        whole(1, 1000, components=self.components)
        not_negative(weight=self.weight)
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
    "digits-prior": Config(data="mnist", model="cnn", attack="prior"),
}

# How each model is trained: enough steps to fit its training pictures, no more. Steps, then how they are taken.
RECIPES = {
    "softmax": (540, Recipe(LEAST_EPOCHS, rate=0.01, batch=32, optimizer="momentum", decay=0.01)),
    "mlp": (600, Recipe(LEAST_EPOCHS, rate=0.1, batch=32, optimizer="momentum")),
    "cnn": (300, Recipe(LEAST_EPOCHS, rate=0.002, batch=32)),
}
JUDGE_STEPS, JUDGE_RECIPE = 160, Recipe(LEAST_EPOCHS, rate=0.001, batch=16)
LEAST_SIDE = 6  # what the judge's filters need


# About how long each part takes, in seconds (40 faces, one core): so that progress goes by time.
COSTS = {"load": 0.3, "train": 0.4, "attack": 0.003, "judge": 3.0, "compare": 0.8, "measure": 0.2}  # attack: a step


class Recogniser:
    """What all attacks on one recogniser share, each part computed once, when it is first asked for."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.shared = Once(self._shared)  # the pictures, and what of them the attacker has
        self.data = Once(self._data)
        self.model = Once(self._model)
        self.judge = Once(self._judge)
        self.known = Once(self._known)  # accuracies, and what is measured of pictures that owe nothing to an attack

    def fits(self, config: Config) -> bool:
        """Whether that is an attack on this recogniser."""
        shared = [option.name for option in fields(TargetConfig)] + ["seed"]
        same = all(getattr(config, name) == getattr(self.config, name) for name in shared)
        return same and knows_public(config) == knows_public(self.config)

    def _shared(self) -> Stage[PutAside]:
        yield Progress(0, 1, "loading data")
        return (yield from shared_out(self.config, loaded(self.config), knows_public(self.config)))

    def _data(self) -> Stage[Dataset]:
        return (yield from self.shared.result()).data

    def _model(self) -> "Stage[nn.Module]":
        return (yield from trained_target(self.config, (yield from self.data.result())))

    def _judge(self) -> "Stage[nn.Module]":
        return (yield from trained_judge(self.config, (yield from self.data.result())))

    def _known(self) -> "Stage[tuple[dict[str, float], Found]]":
        data = yield from self.data.result()
        model = yield from self.model.result()
        judge = yield from self.judge.result()
        shared, seed = (yield from self.shared.result()), self.config.seed
        subjects = baseline_pictures(data, seed)
        if shared.public is not None:
            subjects |= prior_nulls(shared.public, data.classes, seed)
        found = yield from all_measures(data, model, judge, subjects)
        return accuracies(data, model, judge), found


def run(config: Config, recogniser: Recogniser | None = None) -> Stage[Result]:
    """Numbers: every measure as a mean over labels, and the same of each baseline picture.

    ``recogniser``: one that was attacked before, of which nothing need be computed again.
    """
    kept = recogniser or Recogniser(config)
    steps = (kept.data, "load"), (kept.model, "train"), (None, "attack"), (kept.judge, "judge"), (kept.known, "compare")
    costs = [0.0 if once is not None and once.found else COSTS[name] for once, name in steps]
    costs[2] *= config.steps
    *before, judging, comparing, measuring = stretches(*costs, COSTS["measure"])
    data, model, x, frames = yield from part(drawn(config, kept), 0.0, before[-1][1])
    judge = yield from part(kept.judge.result(), *judging, "training an independent judge")
    numbers, found = yield from part(kept.known.result(), *comparing, "measuring")
    own = yield from part(measures(data, model, judge, x), *measuring, "measuring")
    result = as_result(data, numbers, {config.attack: own, **found}, config.attack)
    return replace(result, arrays={"reconstruction": x, **result.arrays, **frames})


def drawn(
    config: Config, recogniser: Recogniser | None = None
) -> "Stage[tuple[Dataset, nn.Module, np.ndarray, dict]]":
    """The attacker's half: data, the trained recogniser, the finished pictures, the frames on the way."""
    kept = recogniser or Recogniser(config)
    data = yield from kept.data.result()
    yield Snapshot("truth", 0, typical_pictures(data))
    ready = 0.0 if kept.model.found else 0.3
    model = yield from part(kept.model.result(), 0.0, ready, "training the recogniser")
    public = (yield from kept.shared.result()).public
    x, frames = yield from part(attacked(config, data, model, public), ready, 1.0, "attacking")
    return data, model, x, frames


def loaded(config: PicturesConfig) -> Dataset:
    data = load(config.data, people=config.people, pictures=config.pictures, height=config.height, seed=config.seed)
    if min(data.shape[1:]) < LEAST_SIDE:
        size = f"{data.shape[1]} x {data.shape[2]}"
        raise Mistake(f"pictures must be at least {LEAST_SIDE} x {LEAST_SIDE} pixels; those of {data.name} are {size}.")
    return data


def knows_public(config: Config) -> bool:
    """Whether the attacker has public pictures."""
    return "public" in ATTACKS[config.attack].needs


def shared_out(config: PicturesConfig, data: Dataset, knows: bool) -> Stage[PutAside]:
    """The data, and public pictures put aside where an attacker ``knows`` some."""
    if not knows:
        return PutAside(data)
    return (yield from put_aside(data, config.data, config.seed))


# ---- training
def task_of(config: TargetConfig, data: Dataset, centre: np.ndarray | None = None) -> Task:
    """``centre``: a public picture that all pictures are centred on."""
    return Task("pictures", data.shape, data.classes, config.model, centre=centre, data=data.name)


def trained_target(config: Config, data: Dataset, centre: np.ndarray | None = None) -> "Stage[nn.Module]":
    """The recogniser under attack, trained on the training pictures without a defence."""
    defence, task = Undefended(), task_of(config, data, centre)
    model = defence.fresh_model(task, torch_generator(config.seed, "target", "start"))
    recipe = long_enough(*recipe_of(config.model), len(data.train_y))
    order = torch_generator(config.seed, "target", "order")
    return (yield from trained(defence, model, (data.train_x, data.train_y), recipe, order))


def trained_judge(config: Config, data: Dataset, steps: int = JUDGE_STEPS) -> "Stage[nn.Module]":
    """Paper E's evaluation model: trained on the *test* pictures, it shares no picture with the target."""
    from dpmia_lab import models

    judge = models.evaluation_cnn(data.shape, data.classes, torch_generator(config.seed, "judge", "start"))
    recipe = long_enough(steps, JUDGE_RECIPE, len(data.test_y))
    order = torch_generator(config.seed, "judge", "order")
    return (yield from trained(Undefended(), judge, (data.test_x, data.test_y), recipe, order))


def recipe_of(model: str) -> tuple[int, Recipe]:
    """A user's own model is trained as the convolutional network is."""
    return RECIPES.get(model, RECIPES["cnn"])


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
    kind, made = (PriorDrawing, prior_drawing) if knows_public(config) else (Drawing, drawing)
    how = {option.name: getattr(config, option.name) for option in fields(kind)}
    return made(ATTACKS[config.attack].words, **how)


def attacked(
    config: Config, data: Dataset, model: "nn.Module", public: np.ndarray | None = None
) -> Stage[tuple[np.ndarray, dict]]:
    """The finished pictures (classes, …) as shown, and the frames on the way there.

    ``public``: pictures that an attacker has who knows what such pictures look like.
    """
    attack, found = attack_of(config), {"weights": Weights(model, task_of(config, data)), "public": public}
    given = Given({need: found[need] for need in attack.needs}, config.seed)
    frames = Frames()
    drawn = yield from mapped(attack.run(given), frames.kept)
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
