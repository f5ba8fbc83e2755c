"""Families: models of one defence on halves of the candidates, asked about everybody while they train and at the end.

Models come in pairs, and each candidate is in one of the two. So every model can be the target in its turn, and the
others its attacker's shadow models: many targets for the price of one, which rates at 0.1 % false alarms need.
"""

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np

from dpmia_lab.attacks.membership.lira import levelled, lira_scores
from dpmia_lab.game.labels import right_shares
from dpmia_lab.game.records import Records
from dpmia_lab.game.trainer import AT_ONCE, Trainer
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Stage, part

# Of the signals that a likelihood ratio is taken of. "stopped": shadow models as they were when they were about as sure
# as the target is; who chooses its own epoch for every model is to be compared with others of that epoch.
KINDS = ("plain", "levelled", "stopped", "labels")
QUERIES, LEAST = 8, 0.05  # varied copies a record; so that no share of labels has infinite odds


@dataclass
class Family:
    """``logits`` and ``right`` by moment: an epoch, or 0 for the model as it is released; (M, k) each."""

    inside: np.ndarray  # (M, k): was that candidate trained on?
    logits: dict[int, np.ndarray] = field(default_factory=dict)  # log-odds of the label
    right: dict[int, np.ndarray] = field(default_factory=dict)  # was the label named?
    labels: np.ndarray | None = None  # (M, k): share of a record's varied copies that are named right, at the end
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

    def signals(self, moment: int = 0, kind: str = "plain") -> np.ndarray:
        """(M, k): log-odds as they are, or levelled; or of labels alone, which are asked for at the end."""
        if kind == "labels":
            return np.log((self.labels + LEAST) / (1 - self.labels + LEAST))
        return self.logits[moment] if kind == "plain" else levelled(self.logits[moment])

    def scores_in_turn(self, moment: int = 0, kind: str = "plain") -> np.ndarray:
        """(M, k): the likelihood ratio of each candidate in each model, from all others but its partner.

        Of a pair each model has the other's outsiders. Were only one of them left out, a member would have one model
        fewer with it than without, whose mean is less certain: scores of members would be low by nothing but that.
        """
        pair = np.arange(len(self.inside)) // 2
        return np.stack([self.ratio(self, one, pair != pair[one], moment, kind) for one in range(len(pair))])

    def scores_of(self, other: "Family", moment: int = 0, kind: str = "plain") -> np.ndarray:
        """(N, k): the same of another family's models, from all of this one's."""
        everyone = np.ones(len(self.inside), dtype=bool)
        return np.stack([self.ratio(other, one, everyone, moment, kind) for one in range(len(other.inside))])

    def ratio(self, other: "Family", one: int, chosen: np.ndarray, moment: int, kind: str) -> np.ndarray:
        """(k,): of one model of another family (or of this), from this one's ``chosen`` models."""
        when = self.as_sure(other.logits[moment][one], chosen) if kind == "stopped" else moment
        target, theirs = other.signals(moment, kind)[one], self.signals(when, kind)[chosen]
        return lira_scores(target, theirs, self.inside[chosen], fixed_variance=True)

    def as_sure(self, logits: np.ndarray, chosen: np.ndarray) -> int:
        """The moment at which the chosen models were about as sure as whoever gave these log-odds (k,)."""

        def sureness(of: np.ndarray) -> np.ndarray:
            return np.quantile(of, (0.25, 0.5, 0.75), axis=-1)

        wanted = sureness(logits)
        distance = {
            moment: np.abs(sureness(there[chosen]).mean(1) - wanted).sum() for moment, there in self.logits.items()
        }
        return min(distance, key=distance.get)


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
    found, moments = Family(inside, labels=np.empty(inside.shape)), set(moments)
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
        stage = right_shares(trainer, model, people, numpy_generator(trainer.seed, *paths[place], "labels"), QUERIES)
        found.labels[numbers[place]] = yield from part(stage, 1.0, 1.0, "asking shadow models")
