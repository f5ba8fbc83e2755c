"""Paper B's claims on networks, each checked against the curves that ship with the lab (three seeds)."""

from collections.abc import Callable

import numpy as np

from dpmia_lab.experiments.confidence_curves import MATCHED, at_matched_accuracy, defence_points
from dpmia_lab.rows import Row
from dpmia_lab.widgets.confidences.curves import DATA, SEEDS, Points, full_name, leak_of, reference, spread_of
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, NOT_CLAIMED, UNDECIDED, Verdict, clearly_higher, verdict

Check = Callable[[], dict[str, Verdict]]
NEAR = 0.05  # points of recognition that count as none


def everywhere(check: Callable[[Points], Verdict | None]) -> Check:
    """The verdict on every data set that has been computed and can tell."""

    def checked() -> dict[str, Verdict]:
        found = {DATA[name]: check(points) for name in DATA if (points := reference(name)) is not None}
        return {name: one for name, one in found.items() if one is not None}

    return checked


def row_at(points: Points, place: int, name: str) -> Row:
    """Of the point at that place; 0 is without a defence."""
    return row_of(leak_of(points, name)[place], name)


def row_of(values: np.ndarray, name: str, defence: str = "") -> Row:
    """Mean and spread over seeds."""
    return Row(name, float(values.mean()), defence, spread=float(spread_of(values)))


def at_cost(points: Points, defence: str, name: str) -> Row | None:
    """Where a defence costs ``MATCHED`` of accuracy, seed by seed; None where one of them never does."""
    values = at_matched_accuracy(points, defence, name)
    return row_of(values, name, defence) if np.isfinite(values).all() else None


def percents(row: Row) -> str:
    return f"{row.value:.0%} ± {row.spread:.0%}"


# ---- MID against differential privacy at equal accuracy
def against_dp(attack: str) -> Check:
    def check(points: Points) -> Verdict | None:
        name = full_name("recognised", attack)
        if name not in points:
            return None
        mid, dp = at_cost(points, "mid", name), at_cost(points, "dp_sgd", name)
        if mid is None or dp is None:
            return Verdict(UNDECIDED, f"One of the two never costs {MATCHED:.0%} of accuracy at the strengths tried")
        said = (
            f"Where each costs {MATCHED:.0%} of accuracy, {percents(mid)} are recognised under MID, {percents(dp)} "
            f"under DP-SGD (± over {SEEDS} seeds)"
        )
        return verdict(clearly_higher(dp, mid, SEEDS), said)

    return everywhere(check)


def better_calibrated(points: Points) -> Verdict | None:
    mid, dp = at_cost(points, "mid", "ece"), at_cost(points, "dp_sgd", "ece")
    if mid is None or dp is None:
        return Verdict(UNDECIDED, f"One of the two never costs {MATCHED:.0%} of accuracy at the strengths tried")
    plain = row_at(points, 0, "ece")
    said = (
        f"Where each costs {MATCHED:.0%} of accuracy, ECE is {mid.value:.2f} ± {mid.spread:.2f} under MID, "
        f"{dp.value:.2f} ± {dp.spread:.2f} under DP-SGD; {plain.value:.2f} without a defence"
    )
    return verdict(clearly_higher(dp, mid, SEEDS), said)


# ---- whom it concerns
def training_people_are_closer(points: Points) -> Verdict | None:
    """Fig. 5 c: what GMI draws is nearer to training pictures than to test pictures."""
    test, train = (row_at(points, 0, f"{measure}_gmi") for measure in ("feature_distance", "feature_distance_training"))
    said = (
        f"Without a defence GMI's faces lie {train.value:.1f} ± {train.spread:.1f} from training pictures and "
        f"{test.value:.1f} ± {test.spread:.1f} from test pictures in the judge's features (lower is closer)"
    )
    return verdict(clearly_higher(test, train, SEEDS), said)


def alignment_is_distributional(points: Points) -> Verdict | None:
    test, train = (row_at(points, 0, f"recognised_alignment{end}") for end in ("", "_train"))
    said = f"Alignment without a defence: {percents(train)} of pictures trained on, {percents(test)} of new ones"
    return Verdict(AGREES if abs(train.value - test.value) <= NEAR else DIFFERS, said)


# ---- cheap defences
def rounding_and_noise_fail(points: Points) -> Verdict | None:
    plain, told, kept = row_at(points, 0, "recognised_alignment"), [], []
    words = {"rounding": "rounding", "uniform_noise": "uniform noise"}
    for defence, word in words.items():
        strongest = int(defence_points(points, defence)[-1])
        best = max((row_at(points, strongest, f"recognised_{attack}") for attack in
                    ("alignment", "alignment_averaged", "gmi", "gmi_adapted")), key=lambda row: row.value)  # fmt: skip
        told.append(f"{percents(best)} with {word} of {points['strength'][strongest]:g}")
        kept.append(plain.value - best.value <= NEAR)
    said = f"By the best attacker on each: {' and '.join(told)}; alignment without a defence {percents(plain)}"
    return verdict(all(kept), said)


# ---- what paper B did not measure
def more_answers_undo_mid(points: Points) -> Verdict:
    last = int(defence_points(points, "mid")[-1])
    names = ("alignment", "alignment_averaged", "alignment_mean")
    once, many, mean = (row_at(points, last, f"recognised_{name}") for name in names)
    plain = row_at(points, 0, "recognised_alignment")
    said = (
        f"At λ = {points['strength'][last]:g} one answer gives {percents(once)}, twenty answers {percents(many)}, the "
        f"mean code {percents(mean)}; without a defence {percents(plain)}"
    )
    return Verdict(NOT_CLAIMED, said)


def the_label_tells_most(points: Points) -> Verdict:
    label, public, same = (row_at(points, 0, f"recognised_{name}") if f"recognised_{name}" in points else None
                           for name in ("alignment_label", "alignment", "alignment_same"))  # fmt: skip
    others = same is not None and np.isfinite(same.value)
    end = f", {percents(same)} with other pictures of the same people" if others else ""
    said = (
        f"Without a defence a decoder told only the label has {percents(label)} recognised; told all confidences "
        f"{percents(public)} with public pictures{end}"
    )
    return Verdict(NOT_CLAIMED, said)


def smoothing_turns_both_ways(points: Points) -> Verdict | None:
    places = defence_points(points, "label_smoothing")
    if len(places) < 2:
        return None
    told = [
        f"α = {points['strength'][place]:+g}: accuracy {points['test_accuracy'][place].mean():.0%}, alignment "
        f"{points['recognised_alignment'][place].mean():.0%}, GMI {points['recognised_gmi'][place].mean():.0%}"
        for place in (0, *places)
        if np.isfinite(points["strength"][place])
    ]
    plain = f"none: {points['recognised_alignment'][0].mean():.0%}, {points['recognised_gmi'][0].mean():.0%}"
    return Verdict(NOT_CLAIMED, "; ".join([*told, plain]))
