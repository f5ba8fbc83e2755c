"""Lesson 8's experiment: turn a network's confidences back into faces (paper B, its network and three attacks).

One network is trained, with or without a defence; then it is attacked in three ways. *Knowledge alignment*: a decoder
from its answers to pictures. *GMI*: pictures that it is sure of, drawn with a prior of public pictures. *Update leaks*:
what it learned anew, from how its answers changed. The first two also as adapted to a defence that adds noise.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.confidences.views import VIEWS
from dpmia_lab.checks import Mistake, not_negative, one_of, positive, whole
from dpmia_lab.defences.base import Recipe, Task
from dpmia_lab.defences.networks import NETWORK_DEFENCES, NetworkDefence
from dpmia_lab.experiments.confidence_attacks import ATTACKS, MOST_ATTACKED, NULLS, PRIORS, Attacker, on_device
from dpmia_lab.experiments.inversion import LEAST_SIDE, MODELS, long_enough, trained
from dpmia_lab.game.drawing import confidences_of
from dpmia_lab.game.network_answers import Answers
from dpmia_lab.game.picture_judge import Drawings, Judge, measured_rows
from dpmia_lab.game.picture_roles import Roles, shared_out
from dpmia_lab.metrics.calibration import reliability
from dpmia_lab.metrics.classification import accuracy
from dpmia_lab.metrics.spread import spread_over_draws, spread_over_inputs
from dpmia_lab.options import built_from, option, widened
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import Event, Once, Progress, Snapshot, Stage, mapped, part, stretches
from dpmia_lab.store import Result

if TYPE_CHECKING:  # torch is loaded by run(), not by the page that merely shows the controls
    from torch import nn

    from dpmia_lab.attacks.inversion.picture_vae import PictureVae

TITLE = "Turn a network's confidences back into pictures: alignment, GMI, update leaks, and defences"
WORDS = ATTACKS | NULLS  # what pages and tables call them
NAMES = PlainNames(("measure", "attack", "protocol", "end"), frozenset({"test"}))
MEASURES = ("recognised", "correlation", "feature_distance", "feature_distance_training", "recognised_ssim")
RECIPES = {  # steps, and how they are taken
    "softmax": (400, Recipe(5, rate=0.002, batch=32)),
    "mlp": (600, Recipe(5, rate=0.003, batch=32)),
    "cnn": (400, Recipe(5, rate=0.002, batch=32)),
}
JUDGE_STEPS, JUDGE_RECIPE = 300, Recipe(5, rate=0.001, batch=16)
LOOK = 40  # steps of training between two looks at the accuracy
SHOWN_ANSWERS = 20  # answers about the first picture that a page can show


@dataclass(frozen=True)
class Network:
    """Whose pictures, and what is trained on them."""

    data: str = option("faces", "faces, att_faces, mnist, digits, or a file or folder of yours")
    people: int = option(40, "how many people (face sets only; of att_faces the second half is public)")
    pictures: int = option(30, "pictures a person (generated faces only)")
    height: int = option(28, "height of a face in pixels (face sets only)")
    model: str = option("cnn", "the network: softmax, mlp or cnn")
    defence: str = option("none", "one of " + ", ".join(NETWORK_DEFENCES))

    def __post_init__(self) -> None:
        whole(4, 1000, people=self.people)
        whole(5, 1000, pictures=self.pictures)
        whole(20, 112, height=self.height)
        one_of(MODELS, model=self.model)
        one_of(tuple(NETWORK_DEFENCES), defence=self.defence)


@dataclass(frozen=True)
class Config(widened(Network, NETWORK_DEFENCES.values())):
    view: str = option("log", "alignment: what the decoder is given: " + ", ".join(VIEWS))
    top: int = option(5, "alignment: how many confidences are told where the view is top")
    answers: int = option(20, "adapted alignment: answers averaged about each picture")
    decoder_steps: int = option(500, "alignment: steps of the decoder's training")
    prior: str = option("pca", "GMI: what knows public pictures: pca (a Gaussian) or vae (an autoencoder)")
    components: int = option(60, "GMI: directions in which public pictures differ most (prior pca)")
    identity: float = option(100.0, "GMI: λ, weight of the network's log-confidence against the prior")
    restarts: int = option(3, "GMI: starts a label, of which the surest is kept")
    gmi_steps: int = option(100, "GMI: steps")
    updates: int = option(400, "update leaks: shadow updates (0: no such attack)")
    probes: int = option(50, "update leaks: pictures asked about before and after")
    adversarial: float = option(0.0, "update leaks: weight of a discriminator against the decoder's error (0: none)")
    seed: int = option(0, "fixes every random choice")

    def __post_init__(self) -> None:
        super().__post_init__()
        for defence in NETWORK_DEFENCES.values():
            built_from(defence, self)
        one_of(tuple(VIEWS), view=self.view)
        whole(1, 1000, top=self.top)
        whole(1, 1000, answers=self.answers)
        whole(1, 20_000, decoder_steps=self.decoder_steps, gmi_steps=self.gmi_steps)
        one_of(tuple(PRIORS), prior=self.prior)
        whole(1, 1000, components=self.components)
        positive(identity=self.identity)
        whole(1, 100, restarts=self.restarts)
        whole(0, 10_000, updates=self.updates)
        whole(1, 1000, probes=self.probes)
        not_negative(adversarial=self.adversarial)
        whole(0, 2**31 - 1, seed=self.seed)


SMALL = Config(data="digits", model="mlp", decoder_steps=40, gmi_steps=10, restarts=2, updates=30, probes=10)
PRESETS = {
    "faces": Config(),
    "att_faces": Config(data="att_faces"),
    "digits": Config(data="mnist"),
}


def defence_of(config: Config) -> NetworkDefence:
    return built_from(NETWORK_DEFENCES[config.defence], config)


def recipe_of(config: Config, records: int) -> Recipe:
    return long_enough(*RECIPES[config.model], records)


def task_of(config: Config, roles: Roles) -> Task:
    """Pictures are centred on the mean of public ones."""
    centre = roles.public.mean(0)
    return Task("pictures", roles.shape, roles.classes, config.model, centre=centre, data=roles.name)


# ---- what does not depend on the network
class Prepared:
    """Pictures, the judge, an autoencoder of public pictures: made once for any defence, strength and attack."""

    PICTURES = ("data", "people", "pictures", "height", "seed")

    def __init__(self, config: Config) -> None:
        self.config = config
        self.roles = Once(self._roles)
        self.judge = Once(self._judge)
        self.vae = Once(self._vae)

    def fits(self, config: Config) -> bool:
        return all(getattr(config, name) == getattr(self.config, name) for name in self.PICTURES)

    def _roles(self) -> Stage[Roles]:
        c = self.config
        roles = yield from shared_out(c.data, c.people, c.pictures, c.height, c.seed)
        if min(roles.shape[1:]) < LEAST_SIDE:
            size = f"{roles.shape[1]} x {roles.shape[2]}"
            rule = f"at least {LEAST_SIDE} x {LEAST_SIDE} pixels"
            raise Mistake(f"pictures must be {rule}; those of {roles.name} are {size}.")
        return roles

    def _judge(self) -> Stage[Judge]:
        """Paper E's evaluation model, on pictures that nobody else has."""
        from dpmia_lab import models

        roles = yield from self.roles.result()
        yield Progress(0, 1, "training an independent judge")
        judge = models.evaluation_cnn(roles.shape, roles.classes, torch_generator(self.config.seed, "judge", "start"))
        order = torch_generator(self.config.seed, "judge", "order")
        recipe = long_enough(JUDGE_STEPS, JUDGE_RECIPE, len(roles.judge))
        judge = yield from trained(NETWORK_DEFENCES["none"](), judge, (roles.judge.x, roles.judge.y), recipe, order)
        return Judge(judge, roles)

    def _vae(self) -> "Stage[PictureVae]":
        from dpmia_lab.experiments.public_vaes import public_vae

        roles = yield from self.roles.result()
        return (yield from public_vae(roles.public, self.config.seed))


# ---- the network
def trained_network(config: Config, roles: Roles) -> "Stage[nn.Module]":
    """Progress on the way has its accuracy on test pictures among its values."""
    defence, task = defence_of(config), task_of(config, roles)
    if why := defence.fits(task):
        raise Mistake(why)
    model = defence.fresh_model(task, torch_generator(config.seed, "network", "start"))
    recipe, order = recipe_of(config, len(roles.train)), torch_generator(config.seed, "network", "order")
    looked_at = roles.first_of_all("test", MOST_ATTACKED)
    steps, last = 0, {}

    def watched(event: Event) -> Event:
        nonlocal steps, last
        steps += 1
        if steps % LOOK == 0 or event.done == event.total:
            last = {"test_accuracy": accuracy(confidences_of(model, looked_at.x), looked_at.y)}
        return replace(event, values={**event.values, **last})

    stage = trained(defence, model, (roles.train.x, roles.train.y), recipe, order)
    return (yield from mapped(stage, watched))


# ---- the run
def run(config: Config, prepared: Prepared | None = None) -> Stage[Result]:
    """Numbers: ``MEASURE_ATTACK``, of training pictures ``MEASURE_ATTACK_train``; the network's accuracy and ECE.

    Arrays: ``truth`` and one picture a class for each attack and null, by its name; ``…_renamed`` for updates under
    another's name; ``answers`` about the first picture, (draws, classes); ``reliability_…``, (bins,);
    ``confidences`` about the test pictures and their ``labels``.
    """
    prepared = prepared if prepared is not None and prepared.fits(config) else Prepared(config)
    loading, training, attacking, judging, measuring = shares_of(config, prepared)
    roles = yield from part(prepared.roles.result(), *loading)
    attacker = Attacker(config, roles, prepared.vae)
    yield Snapshot("truth", 0, attacker.truth)
    model = yield from part(trained_network(config, roles), *training, "training the network")
    answers = Answers(model, defence_of(config), config.seed)
    drawn = yield from part(attacker.drawings(answers), *attacking)
    judge = yield from part(prepared.judge.result(), *judging, "training an independent judge")
    rows = yield from part(judged(judge, drawn), *measuring, "measuring")
    numbers, arrays = described(config, roles, answers, judge)
    shown = {shown_as(*of): one.x[: roles.classes] for of, one in drawn.items() if of[1] != "train"}
    names = np.array(roles.class_names)
    arrays = {"truth": attacker.truth, **shown, "names": names, **arrays}
    return Result(numbers, arrays, Rows((*rows, *attacker.label_rows), NAMES))


def shown_as(attack: str, protocol: str) -> str:
    return attack if protocol == "test" else f"{attack}_{protocol}"


def shares_of(config: Config, prepared: Prepared) -> list[tuple[float, float]]:
    """Where each part begins and ends, by about how long it takes: 40 faces, one core."""
    costs = {"load": 1.5, "train": 3.0, "attack": 12.0, "judge": 2.5, "measure": 3.0}
    if prepared.roles.found:
        costs["load"] = 0.0
    if prepared.judge.found:
        costs["judge"] = 0.0
    return stretches(*costs.values())


def judged(judge: Judge, drawn: dict[tuple[str, str], Drawings]) -> Stage[list[Row]]:
    rows = []
    for place, ((attack, protocol), drawings) in enumerate(drawn.items()):
        found = yield from part(judge.measures(drawings), place / len(drawn), (place + 1) / len(drawn))
        rows += measured_rows(found, attack=attack, protocol=protocol)
    yield Progress(1, 1, "measuring")
    return rows


def described(config: Config, roles: Roles, answers: Answers, judge: Judge) -> tuple[dict, dict]:
    """The network and its answers as they are told: numbers and arrays."""
    test = roles.first_of_all("test", MOST_ATTACKED)
    said = answers.many(test.x, SHOWN_ANSWERS if answers.defence.draws_anew else 1)  # (draws, n, classes)
    found = reliability(said[0], test.y)
    numbers = {
        "train_accuracy": accuracy(answers.once(roles.train.x), roles.train.y),
        "test_accuracy": accuracy(said[0], test.y),
        "judge_accuracy": accuracy(confidences_of(judge.model, test.x), test.y),
        "chance": 1 / roles.classes,
        "ece": found.error,
        "outputs_spread": spread_over_inputs(said),
        "answer_spread": spread_over_draws(said),
        **defence_numbers(config, roles, answers),
    }
    arrays = {
        "confidences": said[0],
        "labels": test.y,
        "answers": said[:, 0],
        "reliability_count": found.count,
        "reliability_accuracy": found.accuracy,
        "reliability_confidence": found.confidence,
    }
    return numbers, arrays


def defence_numbers(config: Config, roles: Roles, answers: Answers) -> dict[str, float]:
    """What some defences have to tell besides: MID its λ·k and how much a code may tell, DP-SGD its ε."""
    if config.defence == "mid":
        from dpmia_lab.training.bottleneck import information

        told = information(answers.model, on_device(roles.test.x))
        return {"lam_times_code": config.lam * config.code, "information": told}
    promise = answers.defence.promise(task_of(config, roles), recipe_of(config, len(roles.train)), len(roles.train))
    return {} if promise is None else {"epsilon_tight": float(promise.epsilon), "delta": float(promise.delta)}
