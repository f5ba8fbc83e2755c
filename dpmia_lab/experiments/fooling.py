"""Lesson 9's experiment: a model learns to fool an attacker, then meets those it did not learn to fool (paper D).

Epoch by epoch two losses pull at the model. Then every attacker has a turn: paper D's own, the discriminator itself,
likelihood ratios with shadow models of the same defence and of none, labels alone; and canaries, the worst case.
The undefended shadow models, asked while they train, are early stopping at every epoch, which any defence must beat.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.membership.lira import fitted
from dpmia_lab.attacks.membership.threshold import loss_scores
from dpmia_lab.checks import Mistake, whole
from dpmia_lab.data.population import Population, load_population
from dpmia_lab.defences.stopping import Stopping
from dpmia_lab.game.attacks import FOOLING, MEMBERSHIP, Attack
from dpmia_lab.game.canaries import KINDS, Planted, with_canaries
from dpmia_lab.game.candidates import candidate_halves, candidates_of
from dpmia_lab.game.evidence import Evidence, ShadowOutputs
from dpmia_lab.game.families import QUERIES, Family, new_family
from dpmia_lab.game.labels import right_shares
from dpmia_lab.game.play import scores_name
from dpmia_lab.game.settings import Settings
from dpmia_lab.game.trainer import Trainer, trainer_of
from dpmia_lab.game.verdicts import judged_scores
from dpmia_lab.metrics.membership import auc, auc_interval, tpr_at_fpr
from dpmia_lab.metrics.tradeoffs import aop, phi
from dpmia_lab.options import option
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Snapshot, Stage, mapped, part, stretches
from dpmia_lab.store import Result

if TYPE_CHECKING:
    from torch import nn

TITLE = "Train a model to fool an attacker, then let stronger ones try: DAP, its rivals, canaries, early stopping"
ALL: dict[str, Attack] = {**MEMBERSHIP, **FOOLING}
QUICK = ("loss", "own_d", "regression", "label_only", "forest")  # of the target alone, in the order in which they come
STRONG = ("lira_fixed", "lira_levelled", "rmia", "lira_unadapted")  # with shadow models
TURNS = {  # attack, every model in its turn → the signal it takes
    "lira_fixed": "plain", "lira_levelled": "levelled", "lira_stopped": "stopped", "lira_labels": "labels",
}  # fmt: skip
ATTACKS = {name: ALL[name].words for name in (*QUICK, *STRONG)}  # words for pages
ATTACKS |= {
    "lira_stopped": "likelihood ratio, shadow models as sure as the target",
    "lira_labels": "likelihood ratio of labels of varied copies",
    "lira_offline": MEMBERSHIP["lira_offline"].words,
    "paper": "the best of paper D's attacks",
    "best": "the best of the likelihood ratios",
}
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
LOSSES = ("loss", "validation_loss", "fooled_loss", "beta", "accuracy", "auc", "aop")  # told by the defence itself
CURVE = ("epoch", *LOSSES, "test_accuracy", "train_accuracy", "auc_loss")  # columns of the snapshot "curve"
LEAST_INSIDE = 6  # so that four are left to attack each with


@dataclass(frozen=True)
class Config(Settings):
    records: int = option(600, "n, about so many records are trained on")
    epochs: int = option(30, "times each record is seen")
    defence: str = option("dap", "what is tried: dap, or any other defence (see dpmia-lab run membership --help)")
    inside: int = option(16, "shadow models with the same defence, each on a random half of the candidates")
    unadapted: int = option(16, "shadow models without any, which also are early stopping's curve")
    canaries: int = option(30, "mislabelled candidates, and as many atypical ones (0: none)")
    looks: int = option(8, "epochs at whose end all models are attacked")

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(LEAST_INSIDE, 512, inside=self.inside, unadapted=self.unadapted)
        whole(0, 10_000, canaries=self.canaries)
        whole(1, 100, looks=self.looks)
        for name in ("inside", "unadapted"):
            if getattr(self, name) % 2:
                raise Mistake(f"{name} must be even, as models come in pairs; it is {getattr(self, name)}.")
        if self.patience:
            raise Mistake(f"patience must be 0 here, where stopping is a defence; it is {self.patience}.")

    def moments(self) -> list[int]:
        """The epochs at whose end all models are attacked, more of them early."""
        return sorted(set(np.geomspace(1, self.epochs, self.looks).round().astype(int).tolist()))


SMALL = Config(
    data="purchases_like", classes=5, records=60, epochs=3, width=8, inside=6, unadapted=6, canaries=6, looks=2,
    teachers=2,
)  # fmt: skip
PRESETS = {
    "carts": Config(),
    "digits": Config(data="mnist", records=500, r=2.0, layers="all"),
    "hospital": Config(data="hospital_like", classes=50, records=800),
    "faces": Config(data="faces", people=50, pictures=16, records=120, model="transfer", epochs=60, batch=32),
    "objects": Config(
        data="objects", records=400, model="cnn", epochs=12, rate=0.001, inside=6, unadapted=6, looks=5, teachers=2
    ),
}


def run(config: Config) -> Stage[Result]:
    """Numbers: accuracies, the epoch kept, early stopping at equal accuracy. Rows: of every attack and protocol.

    Arrays: ``curve_…`` (an epoch each), ``member``, ``kind``, ``scores_ATTACK`` (a candidate each), ``turns_…``
    (models, candidates), ``look_…`` and ``stopping_…`` (a look each).
    """
    yield Progress(0, 1, "loading data")
    game = yield from part(new_game(config), 0.0, 0.03)
    learning, attacking, shadows, undefended = stretches(2.5, 1.0, 2.0 * config.inside / 8, config.unadapted / 8)

    def placed(stage: Stage, stretch: tuple[float, float], label: str = "") -> Stage:
        return part(stage, *(0.03 + 0.95 * end for end in stretch), label)

    target = yield from placed(watched_target(game), learning)
    yield Snapshot("member", 0, game.member)
    scores = yield from placed(quick_scores(game, target), attacking)
    family = yield from placed(defended_family(game), shadows, "training shadow models with the defence")
    scores |= yield from strong_scores(game, target, family, "both", STRONG[:3])
    plain = yield from placed(undefended_family(game), undefended, "training shadow models without it")
    scores |= yield from strong_scores(game, target, plain, "unadapted", STRONG[3:])
    return (yield from part(measured(game, target, scores, family, plain), 0.98, 1.0))


# ---- who plays
@dataclass(frozen=True)
class Game:
    config: Config
    population: Population
    planted: Planted
    trainer: Trainer
    inside: np.ndarray  # (shadow models, k): who is in which half

    @property
    def member(self) -> np.ndarray:
        return self.planted.candidates.alike.member

    @property
    def ordinary(self) -> np.ndarray:
        return self.planted.places("ordinary")

    def without_defence(self) -> Trainer:
        """Undefended training that tells of every epoch: bit for bit the same models."""
        t = self.trainer
        return Trainer(Stopping(after=self.config.epochs), t.task, t.recipe, t.seed, t.core)


def new_game(config: Config) -> Stage[Game]:
    c = config
    population = load_population(
        c.data, classes=c.classes, records=8 * c.records, people=c.people, pictures=c.pictures, height=c.height,
        seed=c.seed,
    )  # fmt: skip
    held = replace(c, defence="dap")  # so that every defence meets the same people
    candidates = candidates_of(held, population)
    rng = numpy_generator(c.seed, "canaries")
    planted = with_canaries(candidates, c.canaries, population.kind, population.classes, rng)
    trainer = yield from trainer_of(c, population)
    count = max(c.inside, c.unadapted)
    inside = candidate_halves(count, len(planted.kind), numpy_generator(c.seed, "inside"))
    game = Game(c, population, planted, trainer, inside)
    return replace(game, trainer=game.without_defence()) if c.defence == "none" else game


# ---- the target
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


def defended_family(game: Game) -> Stage[Family]:
    people, candidates = game.planted.candidates.alike.records, game.planted.candidates
    inside, moments = game.inside[: game.config.inside], game.config.moments()
    return (yield from new_family(game.trainer, people, candidates.validation, inside, moments, "inside"))


def undefended_family(game: Game) -> Stage[Family]:
    """Also asked about the people held aside, on whom none of them was trained."""
    people, candidates = game.planted.candidates.alike.records, game.planted.candidates
    inside, moments, held = game.inside[: game.config.unadapted], game.config.moments(), candidates.validation
    return (yield from new_family(game.without_defence(), people, held, inside, moments, "inside", held))


# ---- every model in its turn
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


# ---- what came out
def measured(
    game: Game, target: Target, scores: Mapping[str, np.ndarray], family: Family, plain: Family
) -> Stage[Result]:
    config, trainer = game.config, game.trainer
    rows = yield from part(target_rows(game, scores), 0.0, 0.5)
    everyone = Turns(family, target.family)
    own, none = family_rows(game, everyone, config.defence), family_rows(game, Turns(plain), "none")
    curve = stopping_curve(game, plain)
    rows += own + (none if config.defence != "none" else [])
    rows += held_rows(game, target, plain)
    rows += trade_rows(Rows(tuple(rows), NAMES), config.defence, game.population.classes)
    outputs = trainer.outputs(target.model, game.planted.candidates.alike.records)
    right = outputs.confidences.argmax(1) == outputs.y
    promised = trainer.defence.promise(trainer.task, trainer.recipe, int(game.member.sum()))
    numbers = {
        "train_accuracy": float(right[game.member & game.ordinary].mean()),
        "test_accuracy": float(right[~game.member & game.ordinary].mean()),
        "chance": 1 / game.population.classes,
        "members": float(game.member.sum()),
        "kept_epoch": target.kept,
        **({} if promised is None else {"epsilon_tight": promised.epsilon, "delta": promised.delta}),
        **matched_numbers(
            everyone.accuracies(game.ordinary), strongest(Rows(tuple(rows), NAMES), config.defence), curve
        ),
    }
    yield Progress(1, 1, "measuring")
    return Result(numbers, arrays_of(game, target, scores, everyone, plain, curve, outputs.y), Rows(tuple(rows), NAMES))


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


def stopping_curve(game: Game, plain: Family) -> dict[str, np.ndarray]:
    """Early stopping after each looked-at epoch: accuracy, the likelihood ratio's AUC and members caught at 1 %."""
    return looked("stopping", Turns(plain), game.ordinary)


def looked(name: str, turns: Turns, who: np.ndarray) -> dict[str, np.ndarray]:
    """At every looked-at epoch, of those counted."""
    epochs = turns.epochs
    found = np.array([turns.best(who, epoch) for epoch in epochs]).reshape(-1, 2)
    return {
        f"{name}_epoch": np.array(epochs, dtype=np.int64),
        f"{name}_accuracy": np.array([turns.accuracies(who, epoch).mean() for epoch in epochs]),
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


def strongest(rows: Rows, defence: str) -> float:
    """The highest AUC of a likelihood ratio, every model in its turn."""
    return max(rows.value("auc", defence=defence, attack=attack, protocol="turns") for attack in TURNS)


def auc_at_accuracy(accuracy: float, accuracies: np.ndarray, aucs: np.ndarray) -> float:
    """When the accuracy was first reached, between two looks by a straight line; beyond the best, that of the best."""
    places = np.flatnonzero(accuracies >= accuracy)
    after = places[0] if len(places) else int(accuracies.argmax())
    if after == 0 or not len(places):
        return float(aucs[after])
    low, high = accuracies[after - 1], accuracies[after]
    share = (accuracy - low) / (high - low)
    return float(aucs[after - 1] + share * (aucs[after] - aucs[after - 1]))


def arrays_of(
    game: Game,
    target: Target,
    scores: Mapping[str, np.ndarray],
    everyone: Turns,
    plain: Family,
    curve: Mapping[str, np.ndarray],
    y: np.ndarray,
) -> dict[str, np.ndarray]:
    return {
        "member": game.member,
        "kind": game.planted.kind,
        "y": y,
        "names": np.array(game.population.class_names),
        **{f"curve_{name}": target.curve[:, place] for place, name in enumerate(CURVE)},
        **{scores_name(name): own.astype(np.float32) for name, own in scores.items()},
        "turns_scores": everyone.scores("lira_levelled").astype(np.float32),
        "turns_inside": everyone.inside,
        "undefended_scores": plain.scores_in_turn().astype(np.float32),
        "undefended_inside": plain.inside,
        **looked("look", everyone, game.ordinary),
        **curve,
    }

