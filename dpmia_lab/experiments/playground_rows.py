"""What a position came to, in numbers and arrays."""

import numpy as np

from dpmia_lab.experiments import playground_drawing as drawing
from dpmia_lab.experiments.playground_config import Config, defence_of, promise_of, recipe_of, units_of
from dpmia_lab.experiments.playground_people import Prepared
from dpmia_lab.experiments.playground_position import Position
from dpmia_lab.metrics.intervals import Estimate
from dpmia_lab.metrics.membership import auc_interval, roc, tpr_at_fpr
from dpmia_lab.metrics.tradeoffs import aop, phi
from dpmia_lab.privacy.local import LocalGuarantee
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.store import Result

LAMBDAS = (1, 2, 5, 10, 20, 50)  # of AOP, as in paper D
NAMES = PlainNames(("measure", "end", "attack", "protocol"), frozenset({"lira", "turns", "original", "filter"}))


def measured(position: Position, undefended: tuple[float, float]) -> Result:
    people, inside = position.people, position.inside
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
    scores, member = position.scores.ravel(), position.inside.ravel()
    accuracy, auc, tpr1 = position.accuracy, auc_interval(scores, member), tpr_at_fpr(scores, member, 0.01)

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
    dp = defence_of(config, people).dp_sgd(recipe_of(config), units_of(config, people))
    values = {"epsilon": promised.epsilon, "delta": promised.delta, "sigma": dp.sigma, "q": dp.q}
    return [Row(measure, float(value), config.defence) for measure, value in values.items()]
