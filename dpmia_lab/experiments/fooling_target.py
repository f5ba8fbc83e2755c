"""Lesson 9, the target: watched epoch by epoch while two losses pull at it, then attacked from weak to strong."""

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.membership.threshold import loss_scores
from dpmia_lab.experiments.fooling_game import Game
from dpmia_lab.game.attacks import FOOLING, MEMBERSHIP, Attack
from dpmia_lab.game.evidence import Evidence, ShadowOutputs
from dpmia_lab.game.families import QUERIES, Family
from dpmia_lab.game.labels import right_shares
from dpmia_lab.game.play import scores_name
from dpmia_lab.metrics.membership import auc
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Snapshot, Stage, mapped, part

if TYPE_CHECKING:
    from torch import nn

ALL: dict[str, Attack] = {**MEMBERSHIP, **FOOLING}
QUICK = ("loss", "own_d", "regression", "label_only", "forest")  # of the target alone, in the order in which they come
STRONG = ("lira_fixed", "lira_levelled", "rmia", "lira_unadapted")  # with shadow models
LOSSES = ("loss", "validation_loss", "fooled_loss", "beta", "accuracy", "auc", "aop")  # told by the defence itself
CURVE = ("epoch", *LOSSES, "test_accuracy", "train_accuracy", "auc_loss")  # columns of the snapshot "curve"


@dataclass(frozen=True)
class Target:
    model: "nn.Module"
    curve: np.ndarray  # (epochs, CURVE); none where the defence does not tell
    kept: float  # the epoch that was kept
    family: Family  # as a family of one


def watched_target(game: Game) -> Stage[Target]:
    """One model trained while both losses, β, D's AUC, AOP, accuracies and a threshold's AUC are watched."""
    trainer, candidates = game.trainer, game.planted.candidates
    model, rows, kept = trainer.fresh("target"), [], float(game.config.epochs)
    family, moments = Family(game.member[None]), set(game.config.moments())
    with closing(trainer.train(model, candidates.alike.members, candidates.validation, "target")) as training:
        for event in training:
            values = event.values
            kept = values.get("kept", kept)
            if "ended" in values:
                told = look(game, model, family, values["ended"] if values["ended"] in moments else None)
                rows.append([values["ended"], *(values.get(name, np.nan) for name in LOSSES), *told])
                values = {**values, **dict(zip(CURVE, rows[-1], strict=True))}
                yield Snapshot("curve", values["ended"], np.array(rows))
            yield replace(event, values=values)
    look(game, model, family, 0)
    rng, people = numpy_generator(game.config.seed, "target", "labels"), candidates.alike.records
    family.labels = (yield from part(right_shares(trainer, model, people, rng, QUERIES), 1.0, 1.0))[None]
    return Target(model, np.array(rows).reshape(-1, len(CURVE)), kept, family)


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
