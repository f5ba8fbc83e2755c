"""Lesson 9, every model in its turn: many targets for the price of one, at the end and at every epoch looked at.

Undefended models looked at while they train are early stopping, which a defence is compared with where the two are
equally accurate.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpmia_lab.experiments.fooling_game import Game
from dpmia_lab.game.families import Family
from dpmia_lab.metrics.membership import auc, tpr_at_fpr

TURNS = {  # attack, every model in its turn → the signal it takes
    "lira_fixed": "plain", "lira_levelled": "levelled", "lira_stopped": "stopped", "lira_labels": "labels",
}  # fmt: skip


@dataclass(frozen=True)
class Turns:
    """A family, each of whose models is the target in its turn; the target itself too, where it has their defence."""

    family: Family
    target: Family | None = None

    @property
    def inside(self) -> np.ndarray:
        """(models, k)."""
        return self.family.inside if self.target is None else np.concatenate([self.family.inside, self.target.inside])

    @property
    def epochs(self) -> list[int]:
        return self.family.epochs

    def scores(self, attack: str, moment: int = 0) -> np.ndarray:
        """(models, k): likelihood ratios of the attack's signal; or the plain threshold's scores."""
        both = [one for one in (self.family, self.target) if one is not None]
        if attack == "loss":
            return np.concatenate([one.logits[moment] for one in both])
        own = self.family.scores_in_turn(moment, TURNS[attack])
        return np.concatenate([own, *(self.family.scores_of(one, moment, TURNS[attack]) for one in both[1:])])

    def accuracies(self, counted: np.ndarray, moment: int = 0) -> np.ndarray:
        both = [one.accuracies(counted, moment) for one in (self.family, self.target) if one is not None]
        return np.concatenate(both)

    def best(self, counted: np.ndarray, moment: int = 0) -> tuple[float, float]:
        """AUC and members caught at 1 % of those counted, by the better of two likelihood ratios: plain, levelled."""
        inside = self.inside[:, counted].ravel()
        both = [self.scores(attack, moment)[:, counted].ravel() for attack in tuple(TURNS)[:2]]
        scores = max(both, key=lambda own: auc(own, inside))
        return auc(scores, inside), tpr_at_fpr(scores, inside, 0.01).value


# ---- early stopping
def stopping_curve(game: Game, plain: Family) -> dict[str, np.ndarray]:
    """Early stopping after each looked-at epoch: accuracy, the likelihood ratio's AUC and members caught at 1 %."""
    return looked("stopping", game, Turns(plain))


def looked(name: str, game: Game, turns: Turns) -> dict[str, np.ndarray]:
    """At every looked-at epoch, of ordinary candidates; of models that cannot be asked while they train, at the end."""
    who, moments = game.ordinary, {epoch: epoch for epoch in turns.epochs} or {game.config.epochs: 0}
    found = np.array([turns.best(who, moment) for moment in moments.values()])
    return {
        f"{name}_epoch": np.array(list(moments), dtype=np.int64),
        f"{name}_accuracy": np.array([turns.accuracies(who, moment).mean() for moment in moments.values()]),
        f"{name}_auc": found[:, 0],
        f"{name}_tpr1": found[:, 1],
    }


def matched_numbers(accuracies: np.ndarray, leak: float, curve: Mapping[str, np.ndarray]) -> dict[str, float]:
    """The AUC of early stopping where it is as accurate as each of a defence's models (M,), on average.

    Model by model, as models that choose their epochs are not equally accurate. None where early stopping never was as
    accurate as they are on average. ``matched_gain``: how much lower the defence's AUC, ``leak``, is; below 0 early
    stopping would have been better.
    """
    known, aucs = curve["stopping_accuracy"], curve["stopping_auc"]
    if accuracies.mean() > known.max():
        return {}
    stopping = float(np.mean([auc_at_accuracy(accuracy, known, aucs) for accuracy in accuracies]))
    return {"matched_auc": stopping, "matched_gain": stopping - leak}


def auc_at_accuracy(accuracy: float, accuracies: np.ndarray, aucs: np.ndarray) -> float:
    """When the accuracy was first reached, between two looks by a straight line; beyond the best, that of the best."""
    places = np.flatnonzero(accuracies >= accuracy)
    after = places[0] if len(places) else int(accuracies.argmax())
    if after == 0 or not len(places):
        return float(aucs[after])
    low, high = accuracies[after - 1], accuracies[after]
    share = (accuracy - low) / (high - low)
    return float(aucs[after - 1] + share * (aucs[after] - aucs[after - 1]))
