"""Lesson 3's experiment: no defence, record-level and (sub)class-level privacy at the same accuracy, all attacked.

Record-level and (sub)class-level training share q, T, S and η; only the unit and σ differ, and σ is searched so that
both reach the wanted test accuracy (A, V). Two controls that the paper lacks: the record-level model with the *same
noise a step* as the (sub)class-level one, and a stronger attacker.
"""

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.checks import between, one_of, positive, whole
from dpmia_lab.data import Dataset, public_mean
from dpmia_lab.experiments import inversion, private_training
from dpmia_lab.experiments.inversion_comparison import attacks_on
from dpmia_lab.experiments.matching import Match, Trial, matched_noise
from dpmia_lab.experiments.repeats import averaged, repeated
from dpmia_lab.game.drawing import (
    BASELINES,
    PRIOR_NULLS,
    baseline_pictures,
    confidences_of,
    likeness,
    prior_nulls,
    typical_pictures,
)
from dpmia_lab.metrics import classification
from dpmia_lab.options import option
from dpmia_lab.privacy.accounting import NEIGHBOURS
from dpmia_lab.privacy.units import Units
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.stages import Progress, Snapshot, Stage, mapped, part
from dpmia_lab.store import Result

if TYPE_CHECKING:
    from torch import nn

TITLE = "Record- against (sub)class-level privacy at the same accuracy, under the same attacks"
MODELS = {
    "vanilla": "no defence",
    "record": "record-level",
    "unit": "(sub)class-level",
    "equal": "record-level, same noise a step",
}
NAMES = PlainNames()
MEASURES = ("accuracy", "sigma", "units", "delta", "noise", "epsilon", "epsilon_tight", "epsilon_paper", "matched")
MEASURES += ("distance_mean", "ssim_distance_mean", "similarity_mean", "recognised_mean")
ATTACKERS = {"paper": "enhanced", "stronger": "ours"}  # contenders of the comparison in lesson 1
BLUR = 2  # times lesson 1's, for the stronger attacker: noise is finer than features, so a blur takes more of it
STRONGER = {"smooth": "smooth, blurred", "prior": "with public pictures"}  # who the stronger attacker may be
FIRST_NOISE = 0.015  # a step, σS/(qK): where the search for σ begins
JUDGE_STEPS = 700  # more people than in lesson 1 need a longer lesson


@dataclass(frozen=True)
class Config(inversion.TargetConfig):
    people: int = option(120, "how many people (face sets only)")
    pictures: int = option(12, "pictures a person (generated faces only)")
    height: int = option(40, "height of a face in pixels (face sets only)")
    unit: str = option("class", "what is hidden beside a record: class or subclass")
    k_sub: int = option(50, "clusters a class is divided into (subclasses only)")
    accuracy: float = option(0.65, "test accuracy that both private models are brought to")
    q: float = option(0.33, "each unit's chance to join a step")
    clip: float = option(1.0, "S, the norm a unit's gradient is clipped to")
    steps: int = option(300, "T, steps")
    rate: float = option(1.0, "η, size of a step")
    neighbours: str = option("replace-one", "what neighbours differ by: add-remove or replace-one")
    longest: int = option(500, "no attack takes more steps than this")
    stronger: str = option("smooth", "the stronger attacker: smooth (and blurred) or prior (of public pictures)")
    repeats: int = option(1, "how many seeds, from the given one upwards")
    seed: int = option(0, "the first seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(("class", "subclass"), unit=self.unit)
        whole(1, 100_000, k_sub=self.k_sub)
        between(0.01, 1, accuracy=self.accuracy)
        between(0.0001, 1, q=self.q)
        positive(clip=self.clip, rate=self.rate)
        whole(1, 100_000, steps=self.steps)
        one_of(NEIGHBOURS, neighbours=self.neighbours)
        whole(1, 20_000, longest=self.longest)
        one_of(tuple(STRONGER), stronger=self.stronger)
        whole(1, 1000, repeats=self.repeats)
        whole(0, 2**31 - self.repeats, seed=self.seed)

    def training(self, unit: str, repeat: int) -> private_training.Config:
        """How a model is trained for that unit; σ is still to be found."""
        return replace(shared_fields(self, private_training.Config()), unit=unit, seed=self.seed + repeat)

    def attack(self, attacker: str, repeat: int) -> inversion.Config:
        chosen = replace(attack_on(self, attacker), seed=self.seed + repeat)
        return replace(chosen, attack="prior") if attacker == "stronger" and self.knows_public else chosen

    @property
    def knows_public(self) -> bool:
        """Whether the stronger attacker has public pictures."""
        return self.stronger == "prior"


def attack_on(config: inversion.TargetConfig, attacker: str) -> inversion.Config:
    """The attacker's settings for that data and model, no longer than the configuration allows."""
    chosen = attacks_on(config.data)[ATTACKERS[attacker]]
    target = {f.name: getattr(config, f.name) for f in fields(inversion.TargetConfig)}
    steps, smooth = min(chosen.steps, config.longest), BLUR * chosen.smooth
    return replace(chosen, **target, steps=steps, smooth=smooth, seed=config.seed)


def shared_fields(config: Config, other: private_training.Config) -> private_training.Config:
    names = {f.name for f in fields(config)} & {f.name for f in fields(other)}
    return replace(other, **{name: getattr(config, name) for name in names})


SMALL = Config(data="digits", unit="subclass", k_sub=4, accuracy=0.5, steps=15, longest=5)
PRESETS = {
    "faces": Config(),
    "digits": Config(data="mnist_varied", unit="subclass", accuracy=0.7, q=0.5, steps=30),
    "digits-prior": Config(data="mnist_varied", unit="subclass", accuracy=0.7, q=0.5, steps=30, stronger="prior"),
    "digits-cnn": Config(data="mnist_varied", model="cnn", unit="subclass", accuracy=0.65, q=0.1, steps=100, rate=1.5),
}


def run(config: Config) -> Stage[Result]:
    """Numbers: per model accuracy, σ, ε; per model and attacker every measure; means over seeds, and ``…_sd``."""
    return averaged((yield from repeated(config, one_repeat)))


def one_repeat(config: Config, repeat: int) -> Stage[Result]:
    base = config.attack("paper", repeat)
    yield Progress(0, 1, "loading data")
    data = inversion.loaded(base)
    shared = yield from inversion.shared_out(base, data, config.knows_public)
    yield Snapshot("truth", 0, typical_pictures(data))

    centre = public_mean(base.data, data.shape)  # as the private models' pictures are
    plain = yield from part(inversion.trained_target(base, data, centre), 0.0, 0.05, "training without defence")
    rows = [Row("accuracy", test_accuracy(plain, data), "vanilla")]
    drawn = yield from part(attacked(config, repeat, data, plain, "vanilla", shared.public), 0.05, 0.12)
    models, more = yield from part(trained_privately(config, repeat, data), 0.12, 0.65)
    rows += more
    for i, (name, model) in enumerate(models.items()):
        stage = attacked(config, repeat, data, model, name, shared.public)
        drawn |= yield from part(stage, 0.65 + 0.05 * i, 0.7 + 0.05 * i)

    judge = yield from part(trained_judge(base, shared.data), 0.8, 0.88, "training an independent judge")
    numbers = {
        "chance": 1 / data.classes,
        "judge_accuracy": classification.accuracy(confidences_of(judge, data.train_x), data.train_y),
    }
    nothing = baseline_pictures(data, base.seed)
    if shared.public is not None:
        nothing |= prior_nulls(shared.public, data.classes, base.seed)
    subjects = {**drawn, **{("", name): x for name, x in nothing.items()}}
    measured = yield from part(likenesses(data, judge, subjects), 0.88, 1.0, "measuring")
    arrays = {"truth": typical_pictures(data), "names": np.array(data.class_names), **measured.arrays}
    pictures = {called("picture", *subject): x for subject, x in drawn.items()}
    return Result(numbers, {**arrays, **pictures}, Rows((*rows, *measured.rows), NAMES))


def rows_of(numbers: dict[str, float]) -> Rows:
    """The rows of a result whose plain names are known, such as a shipped one's."""
    return NAMES.read(numbers, MEASURES, ("", *MODELS), ("", *ATTACKERS, *BASELINES, *PRIOR_NULLS))


def called(measure: str, model: str = "", attacker: str = "") -> str:
    """The array of a measure class by class, or of pictures (measure "picture"); a baseline is an attacker alone."""
    return NAMES.of(Row(measure, 0.0, model, attacker))


def mean_of(measure: str) -> str:
    """The rows' measure that is the mean over classes of this one."""
    return f"{measure}_mean"


def trained_judge(base: inversion.Config, data: Dataset) -> "Stage[nn.Module]":
    steps = JUDGE_STEPS if data.classes > 40 else inversion.JUDGE_STEPS
    return (yield from inversion.trained_judge(base, data, steps))


def test_accuracy(model: "nn.Module", data: Dataset) -> float:
    return classification.accuracy(confidences_of(model, data.test_x), data.test_y)


# ---- the private models
def trained_privately(config: Config, repeat: int, data: Dataset) -> "Stage[tuple[dict[str, nn.Module], list[Row]]]":
    """The models by name, and what can be said of each.

    The search for the record-level σ begins where noise a step is that of the (sub)class-level model, so its first
    trial is the control with equal noise.
    """
    unit, record = config.training(config.unit, repeat), config.training("record", repeat)
    found_unit = yield from part(found_noise(unit, data, config.accuracy, FIRST_NOISE), 0.0, 0.55)
    noise = found_unit.match.sigma * config.clip / (config.q * found_unit.units.count)
    found_record = yield from part(found_noise(record, data, config.accuracy, noise), 0.55, 1.0)
    equal_model, equal_accuracy = found_record.match.first
    equal_sigma = noise * config.q * found_record.units.count / config.clip
    models = {"unit": found_unit.match.model, "record": found_record.match.model, "equal": equal_model}
    rows = [
        *said_of("unit", unit, found_unit.units, found_unit.match.sigma, found_unit.match.accuracy),
        *said_of("record", record, found_record.units, found_record.match.sigma, found_record.match.accuracy),
        *said_of("equal", record, found_record.units, equal_sigma, equal_accuracy),
        Row("matched", float(found_unit.match.matched), "unit"),
        Row("matched", float(found_record.match.matched), "record"),
    ]
    return models, rows


@dataclass(frozen=True)
class Found:
    match: Match
    units: Units


def found_noise(training: private_training.Config, data: Dataset, wanted: float, noise: float) -> Stage[Found]:
    """The σ that gives the wanted accuracy, searched from the σ that gives this noise a step."""
    units = yield from part(private_training.data_units(training, data), 0.0, 0.03, "dividing into units")

    def trial(sigma: float) -> Stage[Trial]:
        defence = private_training.defence_of(replace(training, sigma=sigma), units)
        model = yield from private_training.trained(training, data, defence, units)
        return model, test_accuracy(model, data)

    start, label = noise * training.q * units.count / training.clip, f"looking for σ, {training.unit}-level"
    return Found((yield from part(matched_noise(trial, wanted, start, label), 0.03, 1.0)), units)


def said_of(name: str, training: private_training.Config, units: Units, sigma: float, accuracy: float) -> list[Row]:
    """Rows of the model of that name: accuracy, σ, and what is promised."""
    defence = private_training.defence_of(replace(training, sigma=sigma), units)
    spent = private_training.spent_numbers(defence, units)
    return [Row(what, value, name) for what, value in {"accuracy": accuracy, "sigma": sigma, **spent}.items()]


# ---- attack and measure
Drawn = dict[tuple[str, str], np.ndarray]  # pictures (classes, …) by model and attacker


def attacked(
    config: Config, repeat: int, data: Dataset, model: "nn.Module", name: str, public: np.ndarray | None
) -> Stage[Drawn]:
    drawn = {}
    for i, attacker in enumerate(ATTACKERS):
        picture = called("picture", name, attacker)

        def renamed(event, picture=picture):
            return Snapshot(picture, event.step, event.array) if isinstance(event, Snapshot) else event

        how = config.attack(attacker, repeat)
        attack = mapped(inversion.attacked(how, data, model, public), renamed)
        drawn[name, attacker], _ = yield from part(attack, i / 2, (i + 1) / 2, f"attacking: {MODELS[name]}")
    return drawn


def likenesses(data: Dataset, judge: "nn.Module", subjects: Drawn) -> Stage[Result]:
    """Every measure of every subject, in rows and class by class."""
    rows, arrays = [], {}
    for done, ((model, attacker), x) in enumerate(subjects.items()):
        share = done / len(subjects), (done + 1) / len(subjects)
        for measure, values in (yield from part(likeness(data, judge, x), *share)).items():
            rows.append(Row(mean_of(measure), float(values.mean()), model, attacker))
            arrays[called(measure, model, attacker)] = values
    return Result({}, arrays, Rows(tuple(rows), NAMES))
