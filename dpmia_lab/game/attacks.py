"""The table of attacks: what each is called, what it needs, how evidence becomes its answer, how that is judged.

An attack's own file (``attacks/``) knows arrays or a model only; its entry here hands it those pieces of the evidence.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dpmia_lab.attacks.membership import lira, rmia, signals, threshold
from dpmia_lab.defences.base import Task
from dpmia_lab.game.drawing import (
    Drawing,
    Pictures,
    PriorDrawing,
    drawn_pictures,
    drawn_with_prior,
    judged_pictures,
)
from dpmia_lab.game.evidence import Given, ShadowOutputs
from dpmia_lab.game.verdicts import judged_scores
from dpmia_lab.rows import Row
from dpmia_lab.stages import Stage

if TYPE_CHECKING:
    from dpmia_lab.attacks.membership.shadow import Known


@dataclass(frozen=True)
class Attack:
    """``run`` is a stage from what it is given to its answer: scores (k,), higher for members, or pictures."""

    words: str
    needs: frozenset[str]
    run: Callable[[Given], Stage[np.ndarray | Pictures]]
    judged: Callable[..., Stage[list[Row]]]  # the answer and the truth → rows
    cost: float = 0.05  # the time it takes itself, in that of training a shadow model
    shadows: int = 1  # so many shadow models at least, if it needs any
    coarse: bool = False  # whether it knows but few different scores

    @property
    def draws(self) -> bool:
        """Whether it answers with pictures."""
        return self.judged is judged_pictures

    def fits(self, task: Task) -> str:
        """"" or the sentence why it cannot be made on such a model."""
        taken = f"features of {task.kind}" if task.features else task.kind
        if self.draws and taken != "pictures":
            return f"{self.words}: the model must take pictures themselves; it takes {taken}."
        return ""


def scoring(words: str, run: Callable, *needs: str, **more: Any) -> Attack:
    return Attack(words, frozenset(needs), run, judged_scores, **more)


def drawing(words: str, **settings: Any) -> Attack:
    how = Drawing(**settings)
    return Attack(words, frozenset({"weights"}), partial(drawn_pictures, how), judged_pictures)


def prior_drawing(words: str, **settings: Any) -> Attack:
    how = PriorDrawing(**settings)
    return Attack(words, frozenset({"weights", "public"}), partial(drawn_with_prior, how), judged_pictures)


def at_once(scores: Callable[[Given], np.ndarray]) -> Callable[[Given], Stage[np.ndarray]]:
    """What takes no time, as a stage."""

    def run(given: Given) -> Stage[np.ndarray]:
        return scores(given)
        yield

    return run


# ---- membership: from evidence to scores
@at_once
def loss(given: Given) -> np.ndarray:
    return threshold.loss_scores(given.outputs.confidences, given.outputs.y)


@at_once
def confidence(given: Given) -> np.ndarray:
    return threshold.confidence_scores(given.outputs.confidences)


def white_box(given: Given) -> Stage[np.ndarray]:
    """Nasr et al.: the attacker knows half of the members and outsiders, and is judged on the other half."""
    from dpmia_lab.attacks.membership.white_box import Features, white_box_scores
    from dpmia_lab.game.outputs import last_layer_inputs

    out, half = given.outputs, given.half
    errors = out.confidences - np.eye(out.confidences.shape[1])[out.y]
    inputs = last_layer_inputs(given.weights.model, given.weights.x)
    features = Features(out.confidences, signals.losses(out.confidences, out.y), inputs, errors, out.y)
    return (yield from white_box_scores(features, half.member, half.known, given.generator()))


def black_box(given: Given) -> Stage[np.ndarray]:
    """Shokri et al.: classifiers learn on the shadow models' own records how a member's outputs look."""
    from dpmia_lab.attacks.membership.shadow import shadow_scores

    out = given.outputs
    return (yield from shadow_scores(pooled(given.shadows), out.confidences, out.y, given.generator()))


def pooled(shadows: ShadowOutputs) -> "Known":
    """All shadow models' outputs on their own records as one."""
    from dpmia_lab.attacks.membership.shadow import Known

    outputs = [outputs for outputs, _ in shadows.own]
    inside = np.concatenate([np.full(len(outputs.y), trained_on) for outputs, trained_on in shadows.own])
    confidences = np.concatenate([one.confidences for one in outputs]).astype(np.float32)
    return Known(confidences, np.concatenate([one.y for one in outputs]), inside)


@at_once
def lira_offline(given: Given) -> np.ndarray:
    theirs = np.array(given.shadows.logits)
    return lira.offline_lira_scores(given.outputs.logits, theirs, fixed_variance=True)


@at_once
def rmia_offline(given: Given) -> np.ndarray:
    theirs, population = np.array(given.shadows.logits), np.array(given.shadows.population)
    return rmia.rmia_scores(given.outputs.logits, theirs, given.population, population)


@at_once
def lira_own(given: Given) -> np.ndarray:
    return lira_scores(given, fixed_variance=False)


@at_once
def lira_fixed(given: Given) -> np.ndarray:
    return lira_scores(given, fixed_variance=True)


def lira_scores(given: Given, fixed_variance: bool) -> np.ndarray:
    both = given.both
    return lira.lira_scores(given.outputs.logits, np.array(both.logits), both.inside, fixed_variance=fixed_variance)


@at_once
def lira_levelled(given: Given) -> np.ndarray:
    target, theirs = lira.levelled(given.outputs.logits), lira.levelled(np.array(given.both.logits))
    return lira.lira_scores(target, theirs, given.both.inside, fixed_variance=True)


@at_once
def rmia_online(given: Given) -> np.ndarray:
    both = given.both
    return rmia.online_rmia_scores(given.outputs.logits, np.array(both.logits), both.inside)


# ---- paper D's attackers, and those it takes to judge a defence that was made to fool them
def known_half_scores(given: Given, kind: str) -> Stage[np.ndarray]:
    from dpmia_lab.attacks.membership.classifiers import classifier_scores

    out, half = given.outputs, given.half
    seed = int(given.numpy_generator().integers(2**31))
    return (yield from classifier_scores(kind, out.confidences, out.y, half.member, half.known, seed))


@at_once
def own_d(given: Given) -> np.ndarray:
    return given.discriminator


@at_once
def label_only(given: Given) -> np.ndarray:
    return given.labels


@at_once
def lira_unadapted(given: Given) -> np.ndarray:
    theirs = given.unadapted
    return lira.lira_scores(given.outputs.logits, np.array(theirs.logits), theirs.inside, fixed_variance=True)


MEMBERSHIP = {  # in the order in which they come
    "loss": scoring("threshold on the loss", loss, "outputs"),
    "confidence": scoring("threshold on the largest confidence", confidence, "outputs"),
    "white_box": scoring(
        "white box (Nasr): outputs, loss, gradients", white_box, "outputs", "weights", "half", cost=8.0
    ),
    "black_box": scoring("black box (Shokri): shadow models", black_box, "outputs", "shadows", cost=1.0),
    "lira_offline": scoring("likelihood ratio, offline", lira_offline, "outputs", "shadows", shadows=2),
    "rmia_offline": scoring("RMIA, offline", rmia_offline, "outputs", "shadows", "population", shadows=2),
    "lira": scoring("likelihood ratio (LiRA), online", lira_own, "outputs", "both", shadows=4),
    "lira_fixed": scoring(
        "likelihood ratio, online, one variance for all", lira_fixed, "outputs", "both", shadows=4
    ),
    "rmia": scoring("RMIA, online", rmia_online, "outputs", "both", shadows=4),
}
FOOLING = {  # lesson 9's, besides
    "regression": scoring(
        "logistic regression on outputs and losses", partial(known_half_scores, kind="regression"), "outputs", "half"
    ),
    "forest": scoring(
        "random forest on outputs and losses", partial(known_half_scores, kind="forest"), "outputs", "half"
    ),
    "own_d": scoring("paper D's discriminator", own_d, "discriminator"),
    "label_only": scoring("labels of varied copies alone", label_only, "labels", coarse=True),
    "lira_levelled": scoring(
        "likelihood ratio, every model's confidence levelled", lira_levelled, "outputs", "both", shadows=4
    ),
    "lira_unadapted": scoring(
        "likelihood ratio, undefended shadow models", lira_unadapted, "outputs", "unadapted", shadows=4
    ),
}
INVERSION = {
    "original": drawing("original attack (paper E)", attack="original", steps=1000, rate=0.3),
    "enhanced": drawing("enhanced attack (paper A)", prior="btv", lam=1e-6, steps=300, rate=0.01, box=True),
    "stronger": drawing(
        "this lab's prior, then a blur", prior="l1+tv", lam=1e-5, steps=300, rate=0.01, box=True, smooth=2.0
    ),
    "prior": prior_drawing("prior of public pictures"),
}
ATTACKS: dict[str, Attack] = {**MEMBERSHIP, **FOOLING, **INVERSION}
