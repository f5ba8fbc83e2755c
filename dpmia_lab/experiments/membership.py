"""Lesson 4's experiment: train a model on some candidates, and ask of each whether it was among them (paper C, 3).

Every attack sees arrays: what the target, or a shadow model, says about a record. Shadow models are trained with the
target's own defence, asked, and let go; what they said serves several attacks.
"""

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.membership.lira import fitted
from dpmia_lab.attacks.membership.threshold import loss_scores
from dpmia_lab.checks import Mistake, true_or_false, whole
from dpmia_lab.data.population import Population, load_population
from dpmia_lab.experiments.spending import RATES
from dpmia_lab.game.attacks import MEMBERSHIP
from dpmia_lab.game.candidates import Asked, Candidates, candidates_of
from dpmia_lab.game.evidence import Evidence, ending
from dpmia_lab.game.play import Scores, attacked, cost_of_all, scores_name
from dpmia_lab.game.settings import Settings
from dpmia_lab.game.trainer import PREPARING, Trainer, trainer_of
from dpmia_lab.game.verdicts import DELTA, MEASURES, NAMES, audit_limit
from dpmia_lab.metrics import classification
from dpmia_lab.metrics.membership import auc
from dpmia_lab.options import option
from dpmia_lab.privacy.local import LocalGuarantee
from dpmia_lab.privacy.tight import tight_profile
from dpmia_lab.privacy.tradeoff import tradeoff_curve
from dpmia_lab.rows import Row, Rows
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Snapshot, Stage, part
from dpmia_lab.store import Result

if TYPE_CHECKING:
    from torch import nn

TITLE = "Ask of each record whether a model was trained on it"
ATTACKS = {name: attack.words for name, attack in MEMBERSHIP.items()}  # words for pages
PROTOCOLS = ("alike", "shifted")
LEAST_INSIDE = 4
TARGET = 2.0  # the time that training the target takes, in that of a shadow model: it is watched, and trains alone
LOOKS = 20  # how often accuracy and AUC are taken while the target trains
MOST_LOOKED_AT = 2000  # records of each kind for that
CURVES = ("epoch", "train_accuracy", "test_accuracy", "auc")
SHOWN = 24  # records of each kind that a page can show


@dataclass(frozen=True)
class Config(Settings):
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
    "digits": Config(data="mnist", records=1000, model="mlp", epochs=60, inside=16, shadows=4),
    "purchases": Config(),
    "skewed": Config(data="skewed_purchases", classes=10, records=2000, epochs=20, batch=100, rate=0.001),
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
    trainer = yield from part(trainer_of(config, population), 0.0, 0.05)
    made = {name: attack for name, attack in MEMBERSHIP.items() if config.white_box or name != "white_box"}
    trained = 0.05 + 0.93 * TARGET / (TARGET + cost_of_all(made, config.shadows, config.inside))
    target, curves = yield from part(watched_target(trainer, candidates), 0.05, trained, "training the target")
    yield Snapshot("member", 0, candidates.alike.member)
    evidence = Evidence(trainer, target, candidates, shadows=config.shadows, both=config.inside, most=config.records)
    scores = yield from part(attacked(evidence, made), trained, 0.98)
    return (yield from part(measured(config, population, evidence, scores, curves), 0.98, 1.0, "measuring"))


def rows_of(numbers: dict[str, float], defence: str = "") -> Rows:
    """The rows of a result whose plain names are known, such as a shipped one's."""
    return NAMES.read(numbers, MEASURES, (defence,), tuple(MEMBERSHIP), PROTOCOLS)


def scores_of(arrays: dict[str, np.ndarray], protocol: str = "alike") -> dict[str, np.ndarray]:
    """Every attack's scores among a result's arrays, by its name, in the order of the table of attacks."""
    names = {attack: scores_name(attack, protocol) for attack in MEMBERSHIP}
    return {attack: arrays[name] for attack, name in names.items() if name in arrays}


# ---- the target
def watched_target(trainer: Trainer, candidates: Candidates) -> "Stage[tuple[nn.Module, dict[str, np.ndarray]]]":
    """Trained while accuracy and the plainest attack's AUC are watched: what is learned and what leaks."""
    model, epochs = trainer.fresh("target"), trainer.recipe.epochs
    look, rows = Look(trainer, model, candidates), []
    prepared = PREPARING if trainer.prepares else 0.0
    yield from part(trainer.prepare(candidates.validation), 0.0, prepared)
    learning = trainer.train(model, candidates.alike.members, candidates.validation, "target")
    with closing(part(learning, prepared, 1.0)) as training:
        for event in training:
            share = (event.done / event.total - prepared) / (1 - prepared)
            if share * LOOKS >= len(rows):
                rows.append((epochs * share, *look.now()))
            yield replace(event, values={**event.values, **dict(zip(CURVES, rows[-1], strict=True))})
    rows.append((rows[-1][0], *look.now()))  # the best epoch's weights may be back
    return model, dict(zip((f"curve_{name}" for name in CURVES), np.array(rows).T, strict=True))


class Look:
    """Accuracy on some members and on test records, and the AUC of the loss, as the model stands."""

    def __init__(self, trainer: Trainer, model: "nn.Module", candidates: Candidates) -> None:
        alike = candidates.alike
        some = [np.flatnonzero(alike.member == kind)[:MOST_LOOKED_AT] for kind in (True, False)]
        self.trainer, self.model = trainer, model
        self.asked = Asked(alike.records.at(np.concatenate(some)), np.repeat([True, False], [len(s) for s in some]))
        self.test = candidates.test.at(np.arange(min(MOST_LOOKED_AT, len(candidates.test))))

    def now(self) -> tuple[float, float, float]:
        outputs, inside = self.trainer.outputs(self.model, self.asked.records), self.asked.member
        test = self.trainer.outputs(self.model, self.test)
        return (
            classification.accuracy(outputs.confidences[inside], outputs.y[inside]),
            classification.accuracy(test.confidences, test.y),
            auc(loss_scores(outputs.confidences, outputs.y), inside),
        )


# ---- what came out
def measured(
    config: Config, population: Population, evidence: Evidence, scores: Scores, curves: dict[str, np.ndarray]
) -> Stage[Result]:
    alike, outputs = evidence.candidates.alike, evidence.found["outputs"]["alike"]
    test = evidence.trainer.outputs(evidence.model, evidence.candidates.test)
    members = int(alike.member.sum())
    tried = sum(protocol == "alike" for _, protocol in scores)
    numbers = {
        "train_accuracy": classification.accuracy(outputs.confidences[alike.member], outputs.y[alike.member]),
        "test_accuracy": classification.accuracy(test.confidences, test.y),
        "chance": 1 / population.classes,
        "members": float(members),
        **promise_numbers(evidence.trainer, members),
        "audit_delta": DELTA,
        "audit_limit": audit_limit(len(alike.member), tried),
    }
    rows = yield from judged(config, evidence.candidates, scores, tried)
    arrays = {
        "member": alike.member,
        "y": outputs.y,
        "names": np.array(population.class_names),
        "decisive": outputs.confidences.max(1).astype(np.float32),
        "target_logits": outputs.logits.astype(np.float32),
        **{scores_name(*of): s.astype(np.float32) for of, s in scores.items()},
        **shown_records(config, population, alike, scores),
        **shadow_arrays(evidence),
        **promised_curve(evidence.trainer, members),
        **curves,
    }
    if evidence.candidates.shifted is not None:
        arrays["member_shifted"] = evidence.candidates.shifted.member
        arrays["decisive_shifted"] = evidence.found["outputs"]["shifted"].confidences.max(1).astype(np.float32)
    yield Progress(1, 1, "measuring")
    return Result(numbers, arrays, rows)


def judged(config: Config, candidates: Candidates, scores: Scores, tried: int) -> Stage[Rows]:
    """``tried``: attacks that an audit may choose from."""
    rows: list[Row] = []
    for place, ((name, protocol), own) in enumerate(scores.items()):
        rng = numpy_generator(config.seed, "verdict", f"{name}{ending(protocol)}")
        of = {"defence": config.defence, "attack": name, "protocol": protocol}
        stage = MEMBERSHIP[name].judged(own, candidates.protocols[protocol].member, rng, tried, **of)
        rows += yield from part(stage, place / len(scores), (place + 1) / len(scores))
    return Rows(tuple(rows), NAMES)


def promise_numbers(trainer: Trainer, members: int) -> dict[str, float]:
    """ε and what belongs to it: of one record; under local noise also of one bit, edge or few pixels.

    epsilon_audit: the same promise at the δ of the audit, which is the ε that a bound may be compared with.
    """
    promised = trainer.defence.promise(trainer.task, trainer.recipe, members)
    if promised is None:
        return {}
    if isinstance(promised, LocalGuarantee):
        return {"epsilon_i": promised.epsilon_part, "epsilon_record": promised.epsilon, "delta": promised.delta}
    numbers = {"delta": promised.delta, "epsilon_tight": promised.epsilon}
    dp = trainer.defence.dp_sgd(trainer.recipe, members)
    if dp is not None:
        numbers |= {"q": dp.q, "steps": float(dp.steps), "epsilon": dp.epsilon("moments")}
        numbers["epsilon_audit"] = replace(dp, delta=DELTA).epsilon()
    return numbers


def promised_curve(trainer: Trainer, members: int) -> dict[str, np.ndarray]:
    """Under central noise: the least share of members that any attack must miss, at each rate of false alarms."""
    dp = trainer.defence.dp_sgd(trainer.recipe, members)
    if dp is None:
        return {}
    profile = tight_profile(dp.sigma, dp.q, dp.steps, dp.neighbours)
    return {"promise_fpr": RATES, "promise_fnr": tradeoff_curve(RATES, *profile)}


# ---- single records
def strongest(attacks: set[str]) -> str:
    """Of the attacks made, the one that tells most about single records."""
    return next(name for name in ("lira_fixed", "lira_offline", "black_box", "loss") if name in attacks)


def shown_records(config: Config, population: Population, alike: Asked, scores: Scores) -> dict[str, np.ndarray]:
    """``shown``: places of the most and least exposed candidates and of some at random; ``shown_x``: the records.

    Bits are 0 and 1, what pictures and graphs hold is 0 to 255.
    """
    risk = scores[strongest({name for name, _ in scores}), "alike"]
    order = np.argsort(-risk, kind="stable")
    some = numpy_generator(config.seed, "shown").permutation(len(risk))[:SHOWN]
    shown = np.unique(np.concatenate([order[:SHOWN], order[-SHOWN:], some]))
    x = alike.records.x[shown]
    scale = 1 if population.kind == "bits" else 255
    return {"shown": shown, "shown_x": np.rint(scale * x).astype(np.uint8)}


def shadow_arrays(evidence: Evidence) -> dict[str, np.ndarray]:
    """What a page shows of single records: the shadow models' logits, who was in each, and how far logits spread.

    ``shadow_spread``: the deviations of the attack with one variance for all, with a record and without it.
    """
    if "both" not in evidence.found:
        return {}
    both = evidence.found["both"]["alike"]
    logits = np.array(both.logits)
    spread = [np.sqrt(fitted(logits, both.inside == kind, True)[1][0]) for kind in (True, False)]
    return {
        "shadow_logits": logits.astype(np.float32),
        "shadow_inside": both.inside,
        "shadow_spread": np.array(spread),
    }
