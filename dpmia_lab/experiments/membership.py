"""Lesson 4's experiment: train a model on some candidates, and ask of each whether it was among them (paper C, 3).

Every attack sees arrays: what the target, or a shadow model, says about a record. Shadow models are trained with the
target's own defence, asked, and let go; what they said serves several attacks.
"""

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.membership.threshold import loss_scores
from dpmia_lab.checks import Mistake, true_or_false, whole
from dpmia_lab.data.population import Population, load_population
from dpmia_lab.experiments.spending import RATES
from dpmia_lab.game.attackers import (
    Book,
    Said,
    inside_attacks,
    outputs,
    pool_attacks,
    threshold_attacks,
    white_box_attack,
)
from dpmia_lab.game.candidates import Asked, Candidates, candidates_of
from dpmia_lab.game.defended import Defended, Workshop, promise, spending, workshop_for
from dpmia_lab.game.verdicts import audit_numbers, verdict_numbers
from dpmia_lab.metrics import classification
from dpmia_lab.metrics.membership import auc
from dpmia_lab.options import option
from dpmia_lab.privacy.tight import tight_profile
from dpmia_lab.privacy.tradeoff import tradeoff_curve
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Snapshot, Stage, part
from dpmia_lab.store import Result

if TYPE_CHECKING:
    from torch import nn

TITLE = "Ask of each record whether a model was trained on it"
# in the order in which they come; words for pages
ATTACKS = {
    "loss": "threshold on the loss",
    "confidence": "threshold on the largest confidence",
    "white_box": "white box (Nasr): outputs, loss, gradients",
    "black_box": "black box (Shokri): shadow models",
    "lira_offline": "likelihood ratio, offline",
    "rmia_offline": "RMIA, offline",
    "lira": "likelihood ratio (LiRA), online",
    "lira_fixed": "likelihood ratio, online, one variance for all",
    "rmia": "RMIA, online",
}
LEAST_INSIDE = 4
LOOKS = 20  # how often accuracy and AUC are taken while the target trains
MOST_LOOKED_AT = 2000  # records of each kind for that
CURVES = ("epoch", "train_accuracy", "test_accuracy", "auc")
SHOWN = 24  # records of each kind that a page can show


@dataclass(frozen=True)
class Config(Defended):
    white_box: bool = option(True, "also attack with the model's gradients, knowing half of the members")
    shadows: int = option(8, "shadow models on the attacker's own records (0: no such attack)")
    inside: int = option(32, "shadow models on random halves of the candidates, for likelihood ratios (0: none)")

    def __post_init__(self) -> None:
        super().__post_init__()
        true_or_false(white_box=self.white_box)
        whole(0, 256, shadows=self.shadows)
        whole(0, 512, inside=self.inside)
        if 0 < self.inside < LEAST_INSIDE:
            rule = f"0, or at least {LEAST_INSIDE}, so that two models had each candidate and two had not"
            raise Mistake(f"inside must be {rule}; it is {self.inside}.")


SMALL = Config(data="skewed_purchases", classes=10, records=60, epochs=3, width=8, shadows=2, inside=4)
PRESETS = {
    "purchases": Config(),
    "skewed": Config(data="skewed_purchases", classes=10, records=2000, epochs=20, batch=100, rate=0.001),
    "digits": Config(data="mnist", records=1000, model="mlp", epochs=60, inside=16, shadows=4),
    "faces": Config(
        data="faces", people=50, pictures=16, records=120, model="transfer", epochs=100, batch=32, shadows=4
    ),
    "hospital": Config(data="hospital_like", classes=50, records=1000),
    "graphs": Config(
        data="collaboration", records=150, model="graph", epochs=150, rate=0.005, batch=50, inside=4, shadows=2
    ),
}


def run(config: Config) -> Stage[Result]:
    """Numbers: accuracies, the promise, and of every attack AUC, true positives at few false ones, bounds on ε.

    Arrays: ``member``, ``scores_ATTACK``, …; where there is a shifted distribution also ``…_shifted``.
    """
    yield Progress(0, 1, "loading data")
    population = load_population(
        config.data,
        classes=config.classes,
        records=6 * config.records,
        people=config.people,
        pictures=config.pictures,
        height=config.height,
        seed=config.seed,
    )
    candidates = candidates_of(config, population)
    workshop = yield from part(workshop_for(config, population), 0.0, 0.05)
    share = Shares(config)
    target, arrays = yield from part(watched_target(workshop, candidates), *share.of("target"), "training the target")
    asked = candidates.protocols
    book = Book(asked, {ending: outputs(workshop, target, people.records) for ending, people in asked.items()})
    yield Snapshot("member", 0, candidates.same.member)
    yield from part(threshold_attacks(book), *share.of("threshold"))
    if config.white_box:
        yield from part(white_box_attack(workshop, target, book), *share.of("white_box"), "attacking: white box")
    if config.shadows:
        yield from part(pool_attacks(workshop, target, candidates, book), *share.of("shadows"))
    if config.inside:
        arrays |= yield from part(inside_attacks(workshop, target, candidates, book), *share.of("inside"))
    yield Progress(0.98, 1, "measuring")
    result = measured(config, population, candidates, book, outputs(workshop, target, candidates.test))
    yield Progress(1, 1, "measuring")
    return Result(result.numbers, result.arrays | arrays)


class Shares:
    """How much of the whole each part takes, roughly."""

    def __init__(self, config: Config) -> None:
        parts = {
            "target": 2.0,
            "threshold": 0.1,
            "white_box": 2.0 * config.white_box,
            "shadows": 1.0 * config.shadows,
            "inside": 0.8 * config.inside,
        }
        ends = np.cumsum(list(parts.values()))
        places = 0.05 + 0.93 * np.concatenate([[0.0], ends]) / ends[-1]
        self.places = {name: (places[i], places[i + 1]) for i, name in enumerate(parts)}

    def of(self, name: str) -> tuple[float, float]:
        return self.places[name]


# ---- the target
def watched_target(workshop: Workshop, candidates: Candidates) -> "Stage[tuple[nn.Module, dict[str, np.ndarray]]]":
    """Trained while accuracy and the plainest attack's AUC are watched: what is learned and what leaks."""
    model, epochs = workshop.fresh("target"), workshop.config.epochs
    look, rows = Look(workshop, model, candidates), []
    with closing(workshop.train(model, candidates.same.members, candidates.validation, "target")) as training:
        for event in training:
            if event.done * LOOKS >= event.total * len(rows):
                rows.append((epochs * event.done / event.total, *look.now()))
            event.values.update(zip(CURVES, rows[-1], strict=True))
            yield event
    rows.append((rows[-1][0], *look.now()))  # the best epoch's weights may be back
    return model, dict(zip((f"curve_{name}" for name in CURVES), np.array(rows).T, strict=True))


class Look:
    """Accuracy on some members and on test records, and the AUC of the loss, as the model stands."""

    def __init__(self, workshop: Workshop, model: "nn.Module", candidates: Candidates) -> None:
        same = candidates.same
        some = [np.flatnonzero(same.member == kind)[:MOST_LOOKED_AT] for kind in (True, False)]
        self.workshop, self.model = workshop, model
        self.asked = Asked(same.records.at(np.concatenate(some)), np.repeat([True, False], [len(s) for s in some]))
        self.test = candidates.test.at(np.arange(min(MOST_LOOKED_AT, len(candidates.test))))

    def now(self) -> tuple[float, float, float]:
        said = outputs(self.workshop, self.model, self.asked.records)
        inside = self.asked.member
        test = outputs(self.workshop, self.model, self.test)
        return (
            classification.accuracy(said.confidences[inside], said.y[inside]),
            classification.accuracy(test.confidences, test.y),
            auc(loss_scores(said.confidences, said.y), inside),
        )


# ---- what came out
def measured(
    config: Config,
    population: Population,
    candidates: Candidates,
    book: Book,
    test: Said,
) -> Result:
    same, said = candidates.same, book.said[""]
    members = int(same.member.sum())
    promised = promise(config, population, members)
    delta = promised.get("delta", 1 / members)
    numbers = {
        "train_accuracy": classification.accuracy(said.confidences[same.member], said.y[same.member]),
        "test_accuracy": classification.accuracy(test.confidences, test.y),
        "chance": 1 / population.classes,
        "members": float(members),
        **promised,
    }
    for name, scores in book.scores.items():
        asked = candidates.protocols["_shifted" if name.endswith("_shifted") else ""]
        rng = numpy_generator(config.seed, "verdict", name)
        numbers |= verdict_numbers(name, scores, asked.member, rng)
        if asked is same:  # elsewhere it is not coins that tell members from outsiders, and no ε is at stake
            numbers |= audit_numbers(name, scores, asked.member, delta, rng)
    arrays = {
        "member": same.member,
        "y": said.y,
        "names": np.array(population.class_names),
        "decisive": said.confidences.max(1).astype(np.float32),
        "target_logits": said.logits.astype(np.float32),
        **{f"scores_{name}": scores.astype(np.float32) for name, scores in book.scores.items()},
        **shown_records(config, population, candidates, book),
        **promised_curve(config, members),
    }
    if candidates.shifted is not None:
        arrays["member_shifted"] = candidates.shifted.member
        arrays["decisive_shifted"] = book.said["_shifted"].confidences.max(1).astype(np.float32)
    return Result(numbers, arrays)


def strongest(scores: dict[str, np.ndarray]) -> str:
    """Of the attacks made, the one that tells most about single records."""
    return next(name for name in ("lira_fixed", "lira_offline", "black_box", "loss") if name in scores)


def shown_records(config: Config, population: Population, candidates: Candidates, book: Book) -> dict[str, np.ndarray]:
    """``shown``: places of the most and least exposed candidates and of some at random; ``shown_x``: the records."""
    risk = book.scores[strongest(book.scores)]
    order = np.argsort(-risk, kind="stable")
    some = numpy_generator(config.seed, "shown").permutation(len(risk))[:SHOWN]
    shown = np.unique(np.concatenate([order[:SHOWN], order[-SHOWN:], some]))
    x = candidates.same.records.x[shown]
    scale = 255 if population.kind == "pictures" else 1
    return {"shown": shown, "shown_x": np.rint(scale * x).astype(np.uint8)}


def promised_curve(config: Config, members: int) -> dict[str, np.ndarray]:
    """Under central noise: the least share of members that any attack must miss, at each rate of false alarms."""
    if config.defence != "central":
        return {}
    how = spending(config, members)
    profile = tight_profile(how["sigma"], how["q"], how["steps"], how["neighbours"])
    return {"promise_fpr": RATES, "promise_fnr": tradeoff_curve(RATES, *profile)}
