"""Lesson 9, the target: watched epoch by epoch while two losses pull at it, then attacked from weak to strong."""

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.membership.threshold import loss_scores
from dpmia_lab.defences.steered import FED, Steered
from dpmia_lab.experiments.fooling_game import Game
from dpmia_lab.game.attacks import FOOLING, MEMBERSHIP, Attack
from dpmia_lab.game.evidence import Evidence, ShadowOutputs
from dpmia_lab.game.families import QUERIES, Family
from dpmia_lab.game.labels import right_shares
from dpmia_lab.game.play import scores_name
from dpmia_lab.metrics.membership import auc
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Snapshot, Stage, mapped, part

if TYPE_CHECKING:
    from torch import nn

ALL: dict[str, Attack] = {**MEMBERSHIP, **FOOLING}
QUICK = ("loss", "own_d", "regression", "label_only", "forest")  # of the target alone, in the order in which they come
STRONG = ("lira_fixed", "lira_levelled", "rmia", "lira_unadapted")  # with shadow models
# Told by the defence where it watches itself: both losses, β, and on records held aside its accuracy, AUC and AOP(λ).
LOSSES = ("loss", "validation_loss", "fooled_loss", "beta", "accuracy", "auc", "aop")
CURVE = ("epoch", *LOSSES, "test_accuracy", "train_accuracy", "auc_loss")  # columns of the snapshot "curve"
LAM = 2.0  # λ of the AOP of a defence that does not watch itself


@dataclass(frozen=True)
class Target:
    model: "nn.Module"
    curve: np.ndarray  # (epochs, CURVE)
    kept: float  # the epoch that was kept
    family: Family  # as a family of one


def watched_target(game: Game) -> Stage[Target]:
    """One model trained while both losses, β, D's AUC, AOP, accuracies and a threshold's AUC are watched."""
    trainer, candidates = game.trainer, game.planted.candidates
    model, rows, kept = trainer.fresh("target"), [], float(game.config.epochs)
    family, moments = Family(game.member[None]), set(game.config.moments())
    with closing(trainer.train(model, candidates.alike.members, candidates.validation, "target")) as training:
        for event in training:
            values, ended = event.values, epoch_ended(game, event, len(rows))
            kept = values.get("kept", kept)
            if ended is not None:
                found = look(game, model, family, ended if ended in moments else None)
                told = values if "aop" in values else {**values, **validated(game, model)}
                rows.append([ended, *(told.get(name, np.nan) for name in LOSSES), *found])
                values = {**values, "ended": ended, **dict(zip(CURVE, rows[-1], strict=True))}
                yield Snapshot("curve", ended, np.array(rows))
            yield replace(event, values=values)
    look(game, model, family, 0)
    rng, people = numpy_generator(game.config.seed, "target", "labels"), candidates.alike.records
    family.labels = (yield from part(right_shares(trainer, model, people, rng, QUERIES), 1.0, 1.0))[None]
    return Target(model, np.array(rows).reshape(-1, len(CURVE)), kept, family)


def epoch_ended(game: Game, event: Progress, before: int) -> int | None:
    """The epoch, from 1, that this event ends; ``before``: how many did already.

    Training that is steered says so; of any other, such as DP-SGD, which draws its batches by chance, the share of
    steps tells.
    """
    if isinstance(game.trainer.defence, Steered):
        return event.values.get("ended")
    passed = int(event.done * game.config.epochs / event.total + 1e-9)
    return passed if passed > before else None


def validated(game: Game, model: "nn.Module") -> dict[str, float]:
    """What ``training.adversarial.Watching`` tells of a defence that watches itself, for one that does not."""
    candidates = game.planted.candidates
    aside = candidates.validation
    judging = aside.at(np.arange(round(FED * len(aside)), len(aside)))
    held, inside = (game.trainer.outputs(model, own) for own in (judging, candidates.alike.members))
    scores = [loss_scores(own.confidences, own.y) for own in (inside, held)]
    accuracy = float((held.confidences.argmax(1) == held.y).mean())
    leak = auc(np.concatenate(scores), np.repeat([True, False], [len(inside.y), len(held.y)]))
    return {
        "validation_loss": float(-scores[1].mean()), "accuracy": accuracy, "auc": leak, "aop": aop(accuracy, leak, LAM),
    }  # fmt: skip


def look(game: Game, model: "nn.Module", family: Family, moment: int | None) -> tuple[float, float, float]:
    """Accuracy on ordinary outsiders and on members, and the AUC of the loss; kept for the family at its moments."""
    outputs = game.trainer.outputs(model, game.planted.candidates.alike.records)
    right = outputs.confidences.argmax(1) == outputs.y
    if moment is not None:
        family.saw(moment, 0, outputs.logits, right)
    member, ordinary = game.member, game.ordinary
    return (
        float(right[~member & ordinary].mean()),
        float(right[member & ordinary].mean()),
        auc(loss_scores(outputs.confidences, outputs.y), member),
    )


# ---- attacks
def quick_scores(game: Game, target: Target) -> Stage[dict[str, np.ndarray]]:
    """Those that need no shadow models, each shown as soon as it is there."""
    evidence, scores = evidence_of(game, target), {}
    for place, name in enumerate(QUICK):
        stage = one_attack(evidence, name)
        scores[name] = yield from part(stage, place / len(QUICK), (place + 1) / len(QUICK), f"attacking: {words(name)}")
        yield Snapshot(scores_name(name), 0, scores[name])
    return scores


def strong_scores(
    game: Game, target: Target, family: Family, need: str, names: tuple[str, ...]
) -> Stage[dict[str, np.ndarray]]:
    evidence, scores = evidence_of(game, target), {}
    evidence.found[need] = {"alike": ShadowOutputs(logits=list(family.logits[0]), inside=family.inside)}
    for name in names:
        scores[name] = yield from without_progress(one_attack(evidence, name))
        yield Snapshot(scores_name(name), 0, scores[name])
    return scores


def without_progress(stage: Stage) -> Stage:
    """Of what takes no time."""
    return mapped(stage, lambda event: None if isinstance(event, Progress) else event)


def one_attack(evidence: Evidence, name: str) -> Stage[np.ndarray]:
    given = yield from evidence.gathered(ALL[name].needs, "alike", name)
    return (yield from ALL[name].run(given))


def evidence_of(game: Game, target: Target) -> Evidence:
    c = game.config
    return Evidence(game.trainer, target.model, game.planted.candidates, shadows=0, both=c.inside, most=c.records)


def words(attack: str) -> str:
    return ALL[attack].words
