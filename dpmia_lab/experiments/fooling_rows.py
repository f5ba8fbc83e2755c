"""Lesson 9, what came out: rows of every attack and protocol, AOP(λ) and φ."""

from collections.abc import Mapping

import numpy as np

from dpmia_lab.attacks.membership.lira import fitted
from dpmia_lab.experiments.fooling_game import Game
from dpmia_lab.experiments.fooling_target import Target
from dpmia_lab.experiments.fooling_turns import TURNS, Turns
from dpmia_lab.game.canaries import KINDS
from dpmia_lab.game.families import Family
from dpmia_lab.game.verdicts import judged_scores
from dpmia_lab.metrics.membership import auc_interval, tpr_at_fpr
from dpmia_lab.metrics.tradeoffs import aop, phi
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Stage, part

PAPER = ("loss", "regression", "forest")  # the best of which is paper D's AUC
LAMBDAS = (1, 2, 5, 10, 20, 50)  # paper D's
# Of rows: one target with coins; every model in its turn; the worst cases, every model in its turn; those held aside.
PROTOCOLS = {
    "alike": "one target",
    "turns": "every model in its turn",
    "mislabelled": "mislabelled canaries",
    "atypical": "atypical canaries",
    "held": "people held aside",
}
NAMES = PlainNames(("measure", "end", "defence", "attack", "protocol"), frozenset({"alike"}))


def target_rows(game: Game, scores: Mapping[str, np.ndarray]) -> Stage[list[Row]]:
    rows: list[Row] = []
    for place, (name, own) in enumerate(scores.items()):
        rng, of = numpy_generator(game.config.seed, "verdict", name), {"defence": game.config.defence, "attack": name}
        stage = judged_scores(own, game.member, rng, len(scores), **of, protocol="alike")
        rows += yield from part(stage, place / len(scores), (place + 1) / len(scores))
    return rows


def family_rows(game: Game, turns: Turns, defence: str) -> list[Row]:
    """Accuracy, and the likelihood ratio and the plain threshold with every model in its turn: of all and of canaries.

    Spread: standard deviation over models.
    """
    accuracy = turns.accuracies(game.ordinary)
    rows = [Row("accuracy", float(accuracy.mean()), defence, protocol="turns", spread=float(accuracy.std(ddof=1)))]
    for attack in (*TURNS, "loss"):
        scores = turns.scores(attack)
        for protocol, who in counted_in(game).items():
            if who.sum() >= 4:
                rows += pooled_rows(scores[:, who], turns.inside[:, who], defence, attack, protocol)
    return rows


def counted_in(game: Game) -> dict[str, np.ndarray]:
    """Whose scores each protocol counts, (k,) bool."""
    planted = game.planted
    return {"turns": planted.places("ordinary")} | {kind: planted.places(kind) for kind in KINDS[1:]}


def pooled_rows(scores: np.ndarray, inside: np.ndarray, defence: str, attack: str, protocol: str) -> list[Row]:
    """Of all models' scores together; intervals as if these were independent, which they nearly are."""
    flat, member = scores.ravel(), inside.ravel()
    found = {
        "auc": auc_interval(flat, member),
        "tpr1": tpr_at_fpr(flat, member, 0.01),
        "tpr01": tpr_at_fpr(flat, member, 0.001),
    }
    return [
        Row(measure, float(one.value), defence, attack, protocol, float(one.low), float(one.high))
        for measure, one in found.items()
    ]


def held_rows(game: Game, target: Target, plain: Family) -> list[Row]:
    """Can those held aside be told from outsiders? A defence that learns from them makes them members of a kind.

    The offline likelihood ratio: how much surer the target is of them than models are that never saw them.
    """
    if not game.trainer.defence.holds_aside or plain.others is None:
        return []
    asked = game.trainer.outputs(target.model, game.planted.candidates.validation).logits
    outside = ~game.member & game.ordinary
    never = np.ones(plain.others.shape, dtype=bool)
    mean, variance = fitted(plain.logits[0], ~plain.inside, fixed_variance=True)
    theirs, spread = fitted(plain.others, never, fixed_variance=True)
    held, others = (asked - theirs) / np.sqrt(spread), (target.family.logits[0][0] - mean) / np.sqrt(variance)
    scores = np.concatenate([held, others[outside]])
    member = np.repeat([True, False], [len(held), outside.sum()])
    found = auc_interval(scores, member)
    return [Row("auc", *found[:1], game.config.defence, "lira_offline", "held", *map(float, found[1:]))]


def trade_rows(found: Rows, defence: str, classes: int) -> list[Row]:
    """AOP(λ) by paper D's best attacker and by the best likelihood ratio, and φ by the latter."""
    accuracy = found.value("accuracy", defence=defence, protocol="turns")
    paper = max(found.value("auc", defence=defence, attack=name, protocol="alike") for name in PAPER)
    strong = strongest(found, defence)
    made = [
        Row(f"aop_{lam}", float(aop(accuracy, value, lam)), defence, attack)
        for lam in LAMBDAS
        for attack, value in {"paper": paper, "best": strong}.items()
    ]
    if defence != "none":
        original = found.value("accuracy", defence="none", protocol="turns")
        value = phi(original, accuracy, strongest(found, "none"), strong, classes)
        made += [] if value is None else [Row("phi", value, defence, "best")]
    return made


def strongest(rows: Rows, defence: str) -> float:
    """The highest AUC of a likelihood ratio, every model in its turn."""
    return max(rows.value("auc", defence=defence, attack=attack, protocol="turns") for attack in TURNS)
