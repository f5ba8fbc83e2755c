"""Families: models of one defence on halves of the candidates, asked about everybody while they train and at the end.

Models come in pairs, and each candidate is in one of the two. So every model can be the target in its turn and the others its attacker's
shadow models: many targets for the price of one, which is what rates at 0.1 % false alarms need.
"""

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from dpmia_lab.attacks.membership.lira import lira_scores
from dpmia_lab.game.records import Records
from dpmia_lab.game.trainer import AT_ONCE, Trainer
from dpmia_lab.stages import Progress, Stage, part


@dataclass
class Family:
    """``logits`` and ``right`` by moment: an epoch, or 0 for the model as it is released; (M, k) each."""

    inside: np.ndarray  # (M, k): was that candidate trained on?
    logits: dict[int, np.ndarray] = field(default_factory=dict)  # log-odds of the label
    right: dict[int, np.ndarray] = field(default_factory=dict)  # was the label named?
    others: np.ndarray | None = None  # (M, z): log-odds for further records, at the end

    def saw(self, moment: int, number: int, logits: np.ndarray, right: np.ndarray) -> None:
        if moment not in self.logits:
            self.logits[moment] = np.full(self.inside.shape, np.nan)
            self.right[moment] = np.zeros(self.inside.shape, dtype=bool)
        self.logits[moment][number], self.right[moment][number] = logits, right

    @property
    def epochs(self) -> list[int]:
        """The moments at which all were asked while they trained."""
        return sorted(moment for moment in self.logits if moment)

    def accuracies(self, counted: np.ndarray, moment: int = 0) -> np.ndarray:
        """(M,): the share of those counted (k,) and not trained on whom each model names right."""
        outside = ~self.inside & counted
        return (self.right[moment] & outside).sum(1) / outside.sum(1)

    def scores_in_turn(self, moment: int = 0) -> np.ndarray:
        """(M, k): the likelihood ratio of each candidate in each model, from all others but its partner.

        Of a pair of models each has the other's outsiders. Were only one of them left out, a member would have one model
        fewer with it than without, whose mean is less certain: scores of members would be low by nothing but that.
        """
        logits, pair = self.logits[moment], np.arange(len(self.inside)) // 2
        return np.stack([
            lira_scores(logits[one], logits[pair != pair[one]], self.inside[pair != pair[one]], fixed_variance=True)
            for one in range(len(pair))
        ])  # fmt: skip

    def scores_of(self, other: "Family", moment: int = 0) -> np.ndarray:
        """(N, k): the same of another family's models, from all of this one's."""
        logits = self.logits[moment]
        scores = [lira_scores(own, logits, self.inside, fixed_variance=True) for own in other.logits[moment]]
        return np.stack(scores)


def new_family(
    trainer: Trainer,
    people: Records,
    held: Records,
    inside: np.ndarray,
    moments: Iterable[int],
    path: str,
    others: Records | None = None,
) -> Stage[Family]:
    """One model a row of ``inside``, together where their shape allows; ``moments``: epochs at whose end all are asked.

    ``others``: further records that they are asked about at the end.
    """
    found, moments = Family(inside), set(moments)
    if others is not None:
        found.others = np.empty((len(inside), len(others)))
    few = AT_ONCE if trainer.defence.stacks(trainer.fresh(path, 0)) else 1
    for start in range(0, len(inside), few):
        numbers = range(start, min(start + few, len(inside)))
        stage = member_models(trainer, people, held, found, numbers, moments, path, others)
        yield from part(stage, start / len(inside), (numbers[-1] + 1) / len(inside))
    return found


def member_models(
    trainer: Trainer,
    people: Records,
    held: Records,
    found: Family,
    numbers: range,
    moments: set[int],
    path: str,
    others: Records | None,
) -> Stage[None]:
    paths = [(path, number) for number in numbers]
    models = [trainer.fresh(*own) for own in paths]
    sets = [(people.at(np.flatnonzero(found.inside[number])), held) for number in numbers]

    def ask(place: int, moment: int) -> None:
        outputs = trainer.outputs(models[place], people)
        found.saw(moment, numbers[place], outputs.logits, outputs.confidences.argmax(1) == outputs.y)

    with closing(trainer.train_these(models, sets, paths)) as training:
        for event in training:
            if event.values.get("ended") in moments:
                for place in range(event.values["first"], event.values["last"]):
                    ask(place, event.values["ended"])
            yield event
    for place, model in enumerate(models):
        ask(place, 0)
        if others is not None:
            found.others[numbers[place]] = trainer.outputs(model, others).logits
        yield Progress(1, 1, "asking shadow models")
