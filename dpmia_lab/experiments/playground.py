"""The playground: a slider position trained, inverted and attacked within a second.

Sixteen softmax regressions of 224 × 20 (generated faces of 20 people; also carts, or a small set of one's own) are
trained with one defence, each on a random half of the candidates. The first is the target whose people are drawn; for
likelihood ratios every one is the target in its turn, and the others are its attacker's shadow models.

``run`` yields, besides progress, and as early as it can:
  Snapshot("pictures", 0, (people, h, w))  drawings of everybody from the target, 0 to 1; carts (classes, bits)
  Snapshot("accuracy", 0, (3,))            share right on records nobody trained on, low, high (of the first two models)
  Snapshot("scores", 0, (2, n))            likelihood ratios, and 1 where it was a member; all models' together
Result arrays: ``pictures``, ``blurred`` (pictures only), ``truth`` (the same shape); ``recognised_JUDGE`` (people,)
bool, of the target's drawings; ``scores`` (n,) float32 and ``member`` (n,) bool, n = models × candidates; ``wrong`` (n,)
bool: those with a wrong label; ``fpr`` and ``tpr`` (200,), the ROC at false-alarm rates from 0.001 to 1 on a log scale.
Rows, all with ``defence``: accuracy · auc, tpr1 (attack "lira", protocol "turns") · recognised (attack "original",
protocol the judge: "filter", the strongest; on pictures also "plain", which looks as the eye does, and "blur", the same
after a blur; mean over all models' drawings; by chance 1/classes), each with low and high · phi, aop_1 … aop_50 (attack
"lira"; phi against the undefended models of the same seed) · where something is promised epsilon_tight, delta, sigma
and q (noise on gradients), or epsilon_record (noise on the data). ``promise_of`` has it in words.
"""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.attacks.membership.signals import logit_confidences_of_logits
from dpmia_lab.checks import between, not_negative, one_of, whole
from dpmia_lab.defences import DEFENCES
from dpmia_lab.defences.base import Defence, Recipe
from dpmia_lab.defences.networks.mid import Mid
from dpmia_lab.defences.regularised import Regularised
from dpmia_lab.experiments import playground_drawing as drawing
from dpmia_lab.experiments.playground_models import PLAIN, Linear, Models, linear_form
from dpmia_lab.experiments.playground_people import SHELF, Prepared
from dpmia_lab.game.families import Family
from dpmia_lab.metrics.intervals import Estimate
from dpmia_lab.metrics.membership import auc_interval, roc, tpr_at_fpr
from dpmia_lab.metrics.recognition import mean_estimate
from dpmia_lab.metrics.tradeoffs import aop, phi
from dpmia_lab.options import option
from dpmia_lab.privacy.accounting import Guarantee, default_delta
from dpmia_lab.privacy.local import LocalGuarantee
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.stages import Once, Progress, Snapshot, Stage, mapped, part
from dpmia_lab.store import Result

TITLE = "Play: one defence, one position of its sliders; drawings, likelihood ratios and accuracy within a second"
LAMBDAS = (1, 2, 5, 10, 20, 50)  # of AOP, as in paper D
STEPS, CLIP, RATE = 60, 1.0, 2.0  # of DP-SGD: T, S, η
NAMES = PlainNames(("measure", "end", "attack", "protocol"), frozenset({"lira", "turns", "original", "filter"}))


@dataclass(frozen=True)
class Slider:
    """One field of the configuration; values from no protection to much."""

    field: str
    words: str
    values: tuple


@dataclass(frozen=True)
class Played:
    """A defence as the playground offers it."""

    title: str
    sliders: tuple[Slider, ...]
    promises: bool
    note: str  # one sentence


SIGMA = Slider("sigma", "noise σ", (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 16.0))
PLAYED: dict[str, Played] = {
    "none": Played("nothing", (), False, "Ordinary training: what every defence is compared with."),
    "central": Played(
        "DP-SGD for a record",
        (SIGMA, Slider("q", "chance q to join a step", (1.0, 0.7, 0.5, 0.3, 0.2, 0.1))),
        True,
        "Each record's gradient is clipped, and noise is added to their sum.",
    ),
    "units": Played(
        "DP-SGD for a class or subclass",
        (SIGMA, Slider("unit", "what is hidden", ("subclass", "class")), Slider("k_sub", "subclasses", (6, 4, 3, 2))),
        True,
        "The same noise, for everything a person has in the data, or for a cluster of it.",
    ),
    "local": Played(
        "noise on the data",
        (Slider("epsilon_i", "ε of one number", (1000.0, 100.0, 50.0, 30.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0, 0.5)),),
        True,
        "Everybody changes their own records before anyone sees them.",
    ),
    "mid": Played(
        "MID: a noisy code",
        (Slider("lam", "weight λ", (0.0, 0.001, 0.003, 0.01, 0.03, 0.06, 0.1, 0.2, 0.3, 0.6, 1.0)),),
        False,
        "The answer goes through a code that may tell little about the record.",
    ),
    "dap": Played(
        "DAP: fools an attacker",
        (Slider("r", "weight r", (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)),),
        False,
        "The model learns its task, and to fool one membership attacker.",
    ),
    "dropout": Played(
        "dropout",
        (Slider("dropout", "share left out", (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)),),
        False,
        "In every step some of the inputs are left out at random.",
    ),
    "stopping": Played(
        "early stopping",
        (Slider("after", "epochs", (20, 15, 10, 7, 5, 4, 3, 2, 1)),),
        False,
        "Ordinary training, ended sooner: the rival that every defence must beat.",
    ),
    "smoothing": Played(
        "label smoothing",
        (Slider("smoothing", "share s", (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9)),),
        False,
        "Labels are told as less sure than they are.",
    ),
}


@dataclass(frozen=True)
class Config:
    data: str = option("faces", "faces, purchases_like (carts), or the path of a small .npz of yours")
    defence: str = option("none", f"what protects: {', '.join(PLAYED)}")
    sigma: float = option(1.0, "central, units: σ, noise multiplier")
    epsilon: float = option(0.0, "central, units: ε for which σ is found (0: σ as it is given)")
    q: float = option(0.5, "central, units: each unit's chance to join a step")
    unit: str = option("class", "units: class or subclass")
    k_sub: int = option(3, "units: subclasses a class is divided into")
    lam: float = option(0.03, "mid: λ, weight of the code's information")
    r: float = option(0.2, "dap: r, how much fooling weighs against learning")
    dropout: float = option(0.5, "dropout: share of inputs left out in a step")
    epsilon_i: float = option(20.0, "local: ε of one pixel or bit")
    after: int = option(3, "stopping: epochs after which training ends")
    smoothing: float = option(0.2, "smoothing: s of labels (1 - s)·1 + s/C")
    shadows: int = option(16, "models, each the target in its turn and the others its attacker's shadow models; even")
    seed: int = option(0, "fixes every random choice")

    def __post_init__(self) -> None:
        one_of(PLAYED, defence=self.defence)
        between(0.01, 1000, sigma=self.sigma)
        not_negative(epsilon=self.epsilon)
        between(0.01, 1, q=self.q)
        one_of(("class", "subclass"), unit=self.unit)
        whole(1, 100, k_sub=self.k_sub)
        between(0, 100, lam=self.lam)
        between(0, 1000, r=self.r)
        between(0, 0.95, dropout=self.dropout)
        between(0.001, 1_000_000, epsilon_i=self.epsilon_i)
        whole(1, 1000, after=self.after)
        between(0, 0.95, smoothing=self.smoothing)
        one_of(range(4, 65, 2), shadows=self.shadows)
        whole(0, 2**31 - 1, seed=self.seed)


SMALL = Config(defence="central", shadows=4)
PRESETS = {
    "faces": Config(),
    "record": Config(defence="central", sigma=2.0),
    "class": Config(defence="units", sigma=1.0),
    "mid": Config(defence="mid", lam=0.1),
    "carts": Config(data="purchases_like", defence="central", sigma=1.0),
}


# ---- the nouns of a position
def defence_of(config: Config, members: int) -> Defence:
    """``members``: records that a model is trained on."""
    c = config
    noise = {"sigma": c.sigma, "clip": CLIP, "q": c.q, "steps": STEPS, "epsilon": c.epsilon}
    match c.defence:
        case "central":
            return DEFENCES["central"](**noise, delta=default_delta(members))
        case "units":
            return DEFENCES["units"](**noise, unit=c.unit, k_sub=c.k_sub)
        case "local":
            return DEFENCES["local"](epsilon_i=c.epsilon_i)
        case "mid":
            return Mid(lam=c.lam)
        case "dap":
            return DEFENCES["dap"](r=c.r)
        case "dropout":
            return Regularised(dropout=c.dropout)
        case "stopping":
            return DEFENCES["stopping"](after=c.after)
        case "smoothing":
            return DEFENCES["smoothing"](share=c.smoothing)
    return DEFENCES["none"]()


def recipe_of(config: Config) -> Recipe:
    return Recipe(1, RATE, PLAIN.batch, "sgd") if config.defence in ("central", "units") else PLAIN


def prepared(config: Config) -> Prepared:
    """People, judge and whatever else all positions share; kept for the next one."""
    return SHELF.get(config.data, config.seed)


def promise_of(config: Config, people: Prepared) -> Guarantee | LocalGuarantee | None:
    """What is promised, for which unit."""
    members = len(people.candidates) // 2
    units = members
    if config.defence == "units":
        units = people.classes * (1 if config.unit == "class" else config.k_sub)
    return defence_of(config, members).promise(people.task, recipe_of(config), units)


# ---- a position
@dataclass(frozen=True)
class Position:
    """What a position came to."""

    config: Config
    people: Prepared
    models: Models
    linear: Linear
    right: np.ndarray  # (M, test records) bool
    differences: np.ndarray  # (M, classes, d)
    scores: np.ndarray  # (M, k)


def run(config: Config) -> Stage[Result]:
    yield Progress(0, 1, "preparing")
    people = prepared(config)
    position = yield from part(played(config, people), 0.02, 0.9)
    undefended = yield from part(undefended_numbers(config, people), 0.9, 0.98)
    result = measured(position, undefended)
    yield Progress(1, 1, "measuring")
    return result


def played(config: Config, people: Prepared) -> Stage[Position]:
    how = defence_of(config, len(people.candidates) // 2), recipe_of(config)
    models = Models(people, *how, config.shadows, config.seed)
    first = yield from part(models.trained(range(2)), 0.0, 0.3)
    linear = linear_form(people, first)
    differences = yield from part(drawing.drawn(linear), 0.3, 0.35)
    yield Snapshot("pictures", 0, drawing.shown(people, differences[0]))
    right = answers_right(people, first)
    yield Snapshot("accuracy", 0, np.array(accuracy_of(right)))
    others = yield from part(models.trained(range(2, config.shadows)), 0.35, 0.9)
    more = linear_form(people, others)
    linear = linear.joined(more)
    differences = np.concatenate([differences, (yield from part(drawing.drawn(more), 0.9, 0.93))])
    right = np.concatenate([right, answers_right(people, others)])
    scores = likelihood_ratios(people, linear, models.inside)
    yield Snapshot("scores", 0, np.stack([scores.ravel(), models.inside.ravel()]).astype(np.float32))
    yield Progress(1, 1, "attacking")
    return Position(config, people, models, linear, right, differences, scores)


def answers_right(people: Prepared, models: list) -> np.ndarray:
    """(M, test records) bool: what the models answer, with whatever noise they answer with."""
    import torch

    x = torch.from_numpy(people.test.x).float()
    with torch.no_grad():
        return np.stack([model(x).argmax(1).numpy() == people.test.y for model in models])


def accuracy_of(right: np.ndarray) -> Estimate:
    """Mean over models; the interval is over test records."""
    return mean_estimate(right.mean(0))


def likelihood_ratios(people: Prepared, linear: Linear, inside: np.ndarray) -> np.ndarray:
    """(M, k): each model the target in its turn."""
    import torch

    x = torch.from_numpy(people.candidates.x).float()
    if people.task.centre is not None:
        x = x - torch.from_numpy(people.task.centre)
    logits = x.flatten(1) @ linear.weight.mT + linear.bias[:, None]  # (M, k, classes)
    odds = logit_confidences_of_logits(logits.double().numpy(), people.candidates.y)
    return Family(inside, logits={0: odds}).scores_in_turn()


def undefended_numbers(config: Config, people: Prepared) -> Stage[tuple[float, float]]:
    """Accuracy and AUC without a defence, made once; φ is relative to them."""
    plain = Config(data=config.data, shadows=config.shadows, seed=config.seed)

    def make() -> Stage[tuple[float, float]]:
        position = yield from played(plain, people)
        auc = auc_interval(position.scores.ravel(), position.models.inside.ravel())
        return accuracy_of(position.right).value, auc.value

    once = people.once.setdefault(("undefended", config.shadows), Once(make))
    counter = iter(range(10**9))

    def few(event):
        return event if isinstance(event, Progress) and next(counter) % 10 == 0 else None

    return (yield from mapped(once.result(), few))


# ---- what came out
def measured(position: Position, undefended: tuple[float, float]) -> Result:
    people, inside = position.people, position.models.inside
    scores, member = position.scores.ravel().astype(np.float32), inside.ravel()
    names = drawing.verdicts(people, position.differences)
    pictures = {"pictures": drawing.shown(people, position.differences[0])}
    if people.pictured:
        pictures["blurred"] = drawing.shown(people, drawing.blurred(people, position.differences[0]))
    hits = {name: own[0] == np.arange(people.classes) for name, own in names.items()}
    rows = measured_rows(position, names, undefended)
    fpr, tpr = roc_points(scores, member)
    arrays = {
        **pictures,
        "truth": people.shown(people.truth),
        **{f"recognised_{name}": own for name, own in hits.items()},
        "scores": scores,
        "member": member,
        "wrong": np.tile(people.wrong, len(inside)),
        "fpr": fpr,
        "tpr": tpr,
    }
    return Result({"chance": 1 / people.classes}, arrays, Rows(tuple(rows), NAMES))


def roc_points(scores: np.ndarray, member: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ROC at few enough points to draw, on a log scale of false alarms; it never rounds up."""
    false, true, _ = roc(scores, member)
    wanted = np.geomspace(0.001, 1, 200)
    return wanted.astype(np.float32), true[np.searchsorted(false, wanted + 1e-12, "right") - 1].astype(np.float32)


def measured_rows(position: Position, names: dict[str, np.ndarray], undefended: tuple[float, float]) -> list[Row]:
    config, people = position.config, position.people
    scores, member = position.scores.ravel(), position.models.inside.ravel()
    accuracy, auc, tpr1 = accuracy_of(position.right), auc_interval(scores, member), tpr_at_fpr(scores, member, 0.01)

    def row(measure: str, found: Estimate, attack: str = "", protocol: str = "") -> Row:
        return Row(measure, float(found.value), config.defence, attack, protocol, float(found.low), float(found.high))

    rows = [row("accuracy", accuracy), row("auc", auc, "lira", "turns"), row("tpr1", tpr1, "lira", "turns")]
    rows += [row("recognised", drawing.recognised(own), "original", name) for name, own in names.items()]
    worth = phi(undefended[0], accuracy.value, undefended[1], auc.value, people.classes)
    rows += [] if worth is None else [Row("phi", worth, config.defence, "lira")]
    rows += [Row(f"aop_{lam}", float(aop(accuracy.value, auc.value, lam)), config.defence, "lira") for lam in LAMBDAS]
    return rows + promise_rows(config, people)


def promise_rows(config: Config, people: Prepared) -> list[Row]:
    promised = promise_of(config, people)
    if promised is None:
        return []
    if isinstance(promised, LocalGuarantee):
        return [Row("epsilon_record", float(promised.epsilon), config.defence)]
    dp = defence_of(config, len(people.candidates) // 2).dp_sgd(recipe_of(config), len(people.candidates) // 2)
    values = {"epsilon_tight": promised.epsilon, "delta": promised.delta, "sigma": dp.sigma, "q": dp.q}
    return [Row(measure, float(value), config.defence) for measure, value in values.items()]
