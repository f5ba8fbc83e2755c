"""Paper B's claims on tables, each checked against the curves that ship with the lab (100 splits)."""

from collections.abc import Mapping

import numpy as np

from dpmia_lab.experiments.attribute_curves import defence_points
from dpmia_lab.experiments.attributes import PRESETS
from dpmia_lab.reference.shipped_runs import shipped_record
from dpmia_lab.rows import Row
from dpmia_lab.widgets.attributes.curves import reference
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, NOT_CLAIMED, Verdict, clearly_higher, verdict

DATA_WORDS = {"patients": "generated patients", "survey": "generated survey", "steak": "steak survey"}
Points = Mapping[str, np.ndarray]
DEARER = 1.1  # at a tenth more error than without a defence
SPLITS = 100


def leak(
    points: Points, place: int, attack: str, measure: str = "attack_accuracy", group: str = ""
) -> Row:
    """Of the point at that place; 0 is without a defence."""
    name = f"{measure}_{attack}" + (f"_{group}" if group else "")
    return Row(measure, float(points[name][place]), attack=attack, spread=float(points[f"{name}_sd"][place]))


def at_cost(points: Points, defence: str, attack: str) -> Row:
    """The leak of a regression's defence where the squared error is a tenth above the plain one's.

    Read on the line between the two strengths next to it.
    """
    places = [0, *defence_points(points, defence)]
    errors, rows = points["test_error"][places], [leak(points, place, attack) for place in places]
    wanted, order = DEARER * errors[0], np.argsort(errors)
    value = np.interp(wanted, errors[order], np.array([row.value for row in rows])[order])
    spread = np.interp(wanted, errors[order], np.array([row.spread for row in rows])[order])
    return Row("attack_accuracy", float(value), defence, attack, spread=float(spread))


# ---- regression
def mid_beats_adassp() -> dict[str, Verdict]:
    points = reference("patients")
    if points is None:
        return {}
    mid, dp = at_cost(points, "mid", "map"), at_cost(points, "adassp", "map")
    said = (
        f"At a tenth more squared error, paper B's attack guesses {mid.value:.1%} under MID and {dp.value:.1%} under "
        f"AdaSSP (ε for a record, noise set jointly); ± {mid.spread:.1%} and {dp.spread:.1%} over {SPLITS} splits"
    )
    return {DATA_WORDS["patients"]: verdict(clearly_higher(dp, mid, SPLITS), said)}


def calibration_undoes_mid() -> dict[str, Verdict]:
    points = reference("patients")
    if points is None:
        return {}
    places = defence_points(points, "mid")
    strengths = points["strength"][places]
    naive = [leak(points, place, "map").value for place in places]
    again = [leak(points, place, "calibrated").value for place in places]
    plain = leak(points, 0, "calibrated").value
    said = (
        f"From λ = {strengths[0]:g} to {strengths[-1]:g} paper B's attack falls from {naive[0]:.1%} to "
        f"{naive[-1]:.1%}; who first looks at 100 public people guesses {min(again):.1%} to {max(again):.1%}, and "
        f"{plain:.1%} without any defence"
    )
    return {DATA_WORDS["patients"]: Verdict(NOT_CLAIMED, said)}


def imputation_needs_no_model() -> dict[str, Verdict]:
    found = {}
    for name, measure in (("patients", "attack_accuracy"), ("survey", "attack_auc"), ("steak", "attack_auc")):
        points = reference(name)
        if points is None:
            continue
        form = "{:.1%}" if measure == "attack_accuracy" else "{:.2f}"
        model, both = leak(points, 0, "map", measure).value, leak(points, 0, "imputation_map", measure).value
        known = leak(points, 0, "imputation_outcome", measure).value
        said = (
            f"Without a defence paper B's attack reaches {form.format(model)}; who never saw the model and knows the "
            f"other attributes and the outcome {form.format(known)}; imputation together with the model "
            f"{form.format(both)}"
        )
        found[DATA_WORDS[name]] = Verdict(NOT_CLAIMED, said)
    return found


def leak_is_distributional() -> dict[str, Verdict]:
    """Paper B: attacks on training and test people do about alike, so the leak is about the distribution."""
    found = {}
    for name, measure in (("patients", "attack_accuracy"), ("survey", "attack_auc"), ("steak", "attack_auc")):
        points = reference(name)
        if points is None:
            continue
        test, train = (leak(points, 0, "map", measure, group) for group in ("", "train"))
        gap, margin = train.value - test.value, 2 * np.hypot(test.spread, train.spread) / np.sqrt(SPLITS)
        form = "{:.1%}" if measure == "attack_accuracy" else "{:.2f}"
        said = f"Trained on {form.format(train.value)}, new {form.format(test.value)}"
        found[DATA_WORDS[name]] = Verdict(AGREES if gap <= max(margin, 0.02) else DIFFERS, said)
    return found


# ---- trees
def printed_mid_lowers_the_leak() -> dict[str, Verdict]:
    found = {}
    for name in ("survey", "steak"):
        points = reference(name)
        if points is None:
            continue
        last = int(defence_points(points, "mid")[-1])
        before, after = (leak(points, place, "map", "attack_f1", "train") for place in (0, last))
        said = (
            f"F1 of paper B's attack on people trained on: {before.value:.2f} without a defence, {after.value:.2f} at "
            f"λ = {points['strength'][last]:g} as printed"
        )
        found[DATA_WORDS[name]] = verdict(clearly_higher(before, after, SPLITS), said)
    return found


def steak_has_no_signal() -> dict[str, Verdict]:
    points = reference("steak")
    if points is None:
        return {}
    accuracy, dropped = points["test_accuracy"][0], points["test_accuracy"][defence_points(points, "drop")[0]]
    auc = leak(points, 0, "map", "attack_auc")
    commonest = shipped_record("attributes", PRESETS["steak"])["results"]["chance"]
    said = (
        f"On new people the tree is right {accuracy:.0%} of the time ({dropped:.0%} without the sensitive column; "
        f"the commonest answer for everybody would be {commonest:.0%}), and the attack's AUROC is {auc.value:.2f} "
        f"± {auc.spread:.2f}"
    )
    return {DATA_WORDS["steak"]: Verdict(NOT_CLAIMED, said)}
