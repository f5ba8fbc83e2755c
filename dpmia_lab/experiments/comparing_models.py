"""All models of one cell, trained with its defence on halves of the candidates, and what they say about everybody."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpmia_lab.attacks.membership.signals import logit_confidences_of_logits
from dpmia_lab.checks import Mistake
from dpmia_lab.defences.base import Defence
from dpmia_lab.defences.compared import Drop, NoisyAnswers, draws_anew
from dpmia_lab.experiments.comparing_case import Case
from dpmia_lab.experiments.comparing_config import Config, defence_of, recipe_of, undefended
from dpmia_lab.game.families import Family
from dpmia_lab.game.records import Records
from dpmia_lab.game.trainer import AT_ONCE, Trainer
from dpmia_lab.stages import Progress, Stage, part

if TYPE_CHECKING:
    import torch
    from torch import nn

MASKS = ("masking", "hamp", "uniform_noise")  # what they change is the answers
TRAINING = 0.85  # of the time, what training takes; the rest is asking


@dataclass(eq=False)
class Said:
    """What M models say about k candidates. ``signals``: log-odds of the label (M, k) by how they were come by: "one"
    question; "averaged" over several answers, where they are drawn anew; "mean", through the mean code; "weights", past
    a mask on answers."""

    inside: np.ndarray  # (M, k)
    signals: dict[str, np.ndarray]
    right: np.ndarray  # (M, k): was the label named?
    confidences: np.ndarray | None = None  # (M, k, C), as told
    labels: np.ndarray | None = None  # (M, k): share of a record's varied copies that are named right
    models: "list[nn.Module]" = field(default_factory=list)
    others: dict[str, Any] = field(default_factory=dict)

    def family(self, signal: str = "one") -> Family:
        return Family(self.inside, {0: self.signals[signal]}, {0: self.right}, self.labels)


def trainer_for(config: Config, case: Case) -> Trainer:
    """The defence is asked whether it fits, and told which bits of a table are sensitive and the seed of its noise."""
    defence = defence_of(config)
    if isinstance(defence, Drop) and case.patients is not None:
        defence = Drop(case.patients.bits)
    if isinstance(defence, NoisyAnswers):
        defence = replace(defence, stream=config.seed)
    if complaint := defence.fits(case.task):
        raise Mistake(complaint)
    return Trainer(defence, case.task, recipe_of(config), config.seed)


def said_by_all(config: Config, case: Case) -> Stage[Said]:
    trainer = trainer_for(config, case)
    models = yield from part(trained_models(trainer, case), 0.0, TRAINING, "training models with the defence")
    return (yield from part(asked(config, case, trainer, models), TRAINING, 1.0, "asking about everybody"))


def said_without_defence(config: Config, case: Case) -> Stage[Said]:
    """By an attacker's models who does not know of the defence; made once a case."""
    plain = undefended(config)
    return (yield from case.once(("said", config.model), lambda: said_by_all(plain, case)))


def trained_models(trainer: Trainer, case: Case) -> "Stage[list[nn.Module]]":
    """One a row of ``inside``, together where their shape allows."""
    few = AT_ONCE if trainer.defence.stacks(trainer.fresh("model", 0)) else 1
    models, count = [], len(case.inside)
    for start in range(0, count, few):
        numbers = range(start, min(start + few, count))
        paths = [("model", number) for number in numbers]
        sets = [(case.people.at(np.flatnonzero(case.inside[number])), case.held) for number in numbers]
        models += yield from part(trainer.train_many(sets, paths), start / count, (numbers[-1] + 1) / count)
    return models


def asked(config: Config, case: Case, trainer: Trainer, models: "list[nn.Module]") -> Stage[Said]:
    people, found, right, told, labels = case.people, {}, [], [], []
    x = trainer.inputs(people.x).float()
    copies = [trainer.inputs(copy).float() for copy in case.copies]
    ways = ways_of(config, trainer.defence)
    for number, model in enumerate(models):
        logits = {way: answered(trainer, model, x, way, config.answers) for way in ways}
        for way, own in logits.items():
            found.setdefault(way, []).append(logit_confidences_of_logits(own, people.y))
        right.append(logits["one"].argmax(1) == people.y)
        told.append(softmax(logits["one"]).astype(np.float32))
        shares = [answered(trainer, model, copy, "one").argmax(1) == people.y for copy in copies]
        labels.append(np.mean([right[-1], *shares], 0))
        yield Progress(number + 1, len(models), "asking about everybody")
    signals = {way: np.array(own) for way, own in found.items()}
    return Said(case.inside, signals, np.array(right), np.array(told), np.array(labels), models)


def ways_of(config: Config, defence: Defence) -> tuple[str, ...]:
    """Averaging over answers undoes noise that is drawn anew; who has the weights goes through MID's mean code, and
    past any mask on answers."""
    if config.defence == "mid":
        return "one", "averaged", "mean"
    masked = config.defence in MASKS and not defence.tells_all()
    return "one", *(("averaged",) if draws_anew(defence) else ()), *(("weights",) if masked else ())


def answered(trainer: Trainer, model: "nn.Module", x: "torch.Tensor", way: str, answers: int = 1) -> np.ndarray:
    """(n, C): log-probabilities or logits, float64, as they are told."""
    import torch

    from dpmia_lab.training.bottleneck import through_mean

    with torch.no_grad():
        if way in ("mean", "weights"):
            return through_mean(model)(x).double().cpu().numpy()
        if way == "one":
            return trainer.answers(model, x).double().cpu().numpy()
        mean = sum(trainer.answers(model, x).double().softmax(1) for _ in range(answers)) / answers
        return mean.clamp(min=1e-30).log().cpu().numpy()


def softmax(logits: np.ndarray) -> np.ndarray:
    exponents = np.exp(logits - logits.max(-1, keepdims=True))
    return exponents / exponents.sum(-1, keepdims=True)


def accuracies(said: Said, counted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(M,) each: the share of those counted (k,) named right, not trained on and trained on."""
    return tuple((said.right & who).sum(1) / who.sum(1) for who in (~said.inside & counted, said.inside & counted))


def members_of(case: Case, model: int) -> Records:
    return case.people.at(np.flatnonzero(case.inside[model]))
