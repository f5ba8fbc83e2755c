"""Pictures in a comparison: every attack that draws people, and an independent judge of the drawings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.defences.base import Recipe
from dpmia_lab.defences.compared import draws_anew
from dpmia_lab.defences.networks.undefended import Undefended
from dpmia_lab.experiments.comparing_case import Case
from dpmia_lab.experiments.comparing_config import Config
from dpmia_lab.experiments.comparing_models import Said, answered, softmax, trainer_for
from dpmia_lab.experiments.confidence_attacks import ATTACKS as CONFIDENCE_ATTACKS
from dpmia_lab.experiments.confidence_attacks import Attacker, class_means
from dpmia_lab.experiments.inversion import long_enough, trained
from dpmia_lab.game.drawing import Drawing, PriorDrawing, drawn_pictures, drawn_with_prior
from dpmia_lab.game.evidence import Given, Weights
from dpmia_lab.game.picture_judge import Drawings, Judge, measured_rows
from dpmia_lab.metrics import reconstruction
from dpmia_lab.rows import Row
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Progress, Snapshot, Stage, mapped, part

if TYPE_CHECKING:
    from torch import nn

    from dpmia_lab.game.trainer import Trainer

JUDGE_STEPS, JUDGE_RECIPE = 300, Recipe(5, rate=0.001, batch=16)
INVERSION = {  # by the weights, in words
    "original": "original attack (paper E)",
    "enhanced": "enhanced attack (paper A)",
    "stronger": "this lab's prior, then a blur",
    "prior": "prior of public pictures",
}
FROM_ANSWERS = {name: words for name, words in CONFIDENCE_ATTACKS.items() if not name.startswith("update")}
ATTACKS = INVERSION | FROM_ANSWERS
NOTHING = "nothing"  # what noise, the average picture and the prior alone score
MEASURES = ("recognised", "correlation")


@dataclass(frozen=True)
class Effort:
    """How hard the attackers of ``confidence_attacks`` try, as they read it."""

    decoder_steps: int
    answers: int
    seed: int
    view: str = "log"
    top: int = 5
    prior: str = "pca"
    components: int = 40
    identity: float = 100.0
    restarts: int = 2
    gmi_steps: int = 60
    updates: int = 0


def judge_of(config: Config, case: Case) -> Stage[Judge]:
    """Paper E's evaluation model, on pictures that nobody else has; made once a case."""

    def made() -> Stage[Judge]:
        from dpmia_lab import models

        roles = case.roles
        judge = models.evaluation_cnn(roles.shape, roles.classes, torch_generator(config.seed, "judge", "start"))
        recipe = long_enough(JUDGE_STEPS, JUDGE_RECIPE, len(roles.judge))
        order = torch_generator(config.seed, "judge", "order")
        judge = yield from trained(Undefended(), judge, (roles.judge.x, roles.judge.y), recipe, order)
        return Judge(judge, roles)

    return (yield from case.once("judge", made))


# ---- attacks
def picture_rows(config: Config, case: Case, said: Said) -> Stage[tuple[list[Row], dict[str, np.ndarray]]]:
    """Of every attack whom the judge recognises, and one picture a person of the first model."""
    judge = yield from part(judge_of(config, case), 0.0, 0.3, "training an independent judge")
    trainer = trainer_for(config, case)
    drawn: dict[tuple[str, str], list[Drawings]] = {}
    for place in range(config.targets):
        share = 0.3 + 0.3 * place / config.targets, 0.3 + 0.3 * (place + 1) / config.targets
        model = said.models[2 * place % len(said.models)]
        for of, one in (yield from part(inverted(config, case, model), *share, "inverting")).items():
            drawn.setdefault(of, []).append(one)
    attacker = Attacker(Effort(config.decoder_steps, config.answers, config.seed), case.roles)
    told = Told(trainer, said.models[0])
    for of, one in (yield from part(without_pictures(attacker.drawings(told)), 0.6, 0.9, "decoding answers")).items():
        if of[0] in FROM_ANSWERS:
            drawn[of] = [one]
    drawn[NOTHING, "test"] = list(nothing(config, attacker))
    rows = [row for of, some in drawn.items() for row in measured_of(judge, some, *of)]
    yield Progress(1, 1, "judging")
    classes = case.task.classes
    return rows, {f"picture_{name}": some[0].x[:classes] for (name, who), some in drawn.items() if who == "test"}


def inverted(config: Config, case: Case, model: "nn.Module") -> Stage[dict[tuple[str, str], Drawings]]:
    """One picture a person by each attack on the weights; who knows of a noisy code goes through its mean."""
    from dpmia_lab.training.bottleneck import through_mean

    roles, labels = case.roles, np.arange(case.task.classes)
    truth, mean = class_means(roles.train), through_mean(model)
    steps = config.steps
    attacks = {
        "original": (model, Drawing("original", steps=2 * steps, rate=0.3)),
        "enhanced": (model, Drawing(prior="btv", lam=1e-6, steps=steps, rate=0.02, box=True)),
        "stronger": (mean, Drawing(prior="l1+tv", lam=1e-5, steps=steps, rate=0.02, box=True, smooth=1.0)),
        "prior": (mean, PriorDrawing(steps=steps)),
    }
    found = {}
    for place, (name, (attacked, how)) in enumerate(attacks.items()):
        given = Given({"weights": Weights(attacked, case.task), "public": roles.public}, config.seed, (name,))
        stage = drawn_with_prior(how, given) if name == "prior" else drawn_pictures(how, given)
        pictures = yield from part(without_pictures(stage), place / len(attacks), (place + 1) / len(attacks))
        found[name, "test"] = Drawings(pictures.x, labels, truth)
    return found


def without_pictures(stage: Stage) -> Stage:
    """Nobody watches the drawings of one cell of many."""
    return mapped(stage, lambda event: None if isinstance(event, Snapshot) else event)


class Told:
    """One model as those meet it who ask it, for the attackers of ``confidence_attacks``."""

    def __init__(self, trainer: "Trainer", model: "nn.Module") -> None:
        from dpmia_lab.training.bottleneck import through_mean

        self.trainer, self.model, self.mean_model = trainer, model, through_mean(model)
        self.defence = Undefended() if not draws_anew(trainer.defence) else trainer.defence

    def once(self, x: np.ndarray) -> np.ndarray:
        """(n, classes)."""
        return self.confidences(x, "one")

    def averaged(self, x: np.ndarray, count: int) -> np.ndarray:
        return self.confidences(x, "averaged", count)

    def through_mean(self, x: np.ndarray) -> np.ndarray:
        return self.confidences(x, "mean")

    def confidences(self, x: np.ndarray, way: str, answers: int = 1) -> np.ndarray:
        return softmax(answered(self.trainer, self.model, self.trainer.inputs(x), way, answers)).astype(np.float32)


# ---- how like they are
def nothing(config: Config, attacker: Attacker) -> Iterator[Drawings]:
    """Pictures that owe nothing to any model: noise, the average public picture, the prior alone."""
    test = attacker.test
    noise = numpy_generator(config.seed, "noise").random(test.x.shape, dtype=np.float32)
    yield Drawings(noise, test.y, test.x)
    prior = attacker.public_prior(attacker.config.components)
    yield from (drawings for name, drawings in attacker.nulls(prior) if name in ("average_face", "prior_alone"))


def measured_of(judge: Judge, some: list[Drawings], attack: str, protocol: str) -> list[Row]:
    """Drawn from the model alone, or turned back from answers about a picture: two harms, and two measures.

    Whoever turns back an answer draws the picture that was asked about, which need not have been trained on.
    """
    rows = judged(judge, some, attack, protocol)
    answers = [replace(row, measure=f"{row.measure}_answers") for row in rows]
    return rows + answers if attack == NOTHING else answers if attack.startswith("alignment") else rows


def judged(judge: Judge, some: list[Drawings], attack: str, protocol: str) -> list[Row]:
    """Of all drawings of an attack together: the share of people recognised, and the mean correlation."""
    x, y, truth = (np.concatenate([getattr(one, name) for one in some]) for name in ("x", "y", "truth"))
    alike = reconstruction.correlations(x - judge.average, truth - judge.average).diagonal()
    found = {"recognised": judge.names(judge.features(x)) == y, "correlation": alike}
    return measured_rows(found, attack=attack, protocol=protocol)
