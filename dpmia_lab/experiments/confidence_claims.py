"""Paper B's claims about networks, each checked against a curve's arrays (points, seeds): computed, not written.

Differences are taken seed by seed, where both defences met the same people, and count as clear where Student's 95 %
interval leaves out 0: of three seeds that is beyond 4.3 standard errors. Defences are compared where they cost as much
accuracy (``confidence_curves.MATCHED``).
"""

from collections.abc import Callable, Mapping

import numpy as np

from dpmia_lab.experiments.confidence_curves import MATCHED, at_matched_accuracy, defence_points
from dpmia_lab.experiments.paper_claims import Finding, PaperClaim

ALIKE = 0.05  # shares that differ by no more are called alike
Points = Mapping[str, np.ndarray]  # a measure by its plain name, (points, seeds)


def clearly_above(one: np.ndarray, other: np.ndarray) -> bool | None:
    """Whether one (seeds,) is above the other; None where Student's 95 % interval of the difference has 0 in it."""
    from scipy.special import stdtrit

    apart = one - other
    if len(apart) < 2:
        return None
    half = stdtrit(len(apart) - 1, 0.975) * apart.std(ddof=1) / np.sqrt(len(apart))
    return bool(apart.mean() > 0) if abs(apart.mean()) > half else None


def percent(values: np.ndarray) -> str:
    return f"{np.mean(values):.0%} ± {np.std(values, ddof=1):.0%}" if len(values) > 1 else f"{np.mean(values):.0%}"


# ---- MID against DP-SGD, at equal accuracy
def leaks_less_than_dp(name: str, words: str) -> Callable[[Points], Finding | None]:
    def check(points: Points) -> Finding | None:
        if name not in points:
            return None
        mid, dp = (at_matched_accuracy(points, defence, name) for defence in ("mid", "dp_sgd"))
        if not np.isfinite([mid, dp]).all():
            return None
        said = f"{MATCHED:.0%} below the undefended network's accuracy, {words}: {percent(mid)} under MID"
        return Finding(clearly_above(dp, mid), f"{said}, {percent(dp)} under DP-SGD")

    return check


def calibrated_better_than_dp(points: Points) -> Finding | None:
    mid, dp = (at_matched_accuracy(points, defence, "ece") for defence in ("mid", "dp_sgd"))
    if not np.isfinite([mid, dp]).all():
        return None
    said = f"Expected calibration error at equal accuracy: {mid.mean():.2f} under MID, {dp.mean():.2f} under DP-SGD"
    return Finding(clearly_above(dp, mid), said)


# ---- the others
def told_changes_do_not_help(points: Points) -> Finding:
    """Rounding and noise: ineffective if no strength that was tried takes away half of what alignment finds.

    The attacker may go by the label alone, where what is told besides leads his decoder astray.
    """
    leak = np.maximum(points["recognised_alignment"], points["recognised_alignment_label"])
    places = np.concatenate([defence_points(points, defence) for defence in ("rounding", "uniform_noise")])
    least = places[leak[places].mean(1).argmin()]
    said = (
        f"Alignment, from the vector or from the label alone, recognises {percent(leak[0])} without a defence and at "
        f"least {percent(leak[least])} under these"
    )
    return Finding(clearly_above(leak[least], leak[0] / 2), said)


def training_is_no_different(points: Points) -> Finding:
    test, train = points["recognised_alignment"], points["recognised_alignment_train"]
    gap = (train - test).mean(0)  # over points, seed by seed
    own, new = percent(train.mean(0)), percent(test.mean(0))
    said = (
        f"Alignment, mean over all defences: {own} of pictures trained on, {new} of new ones (within {ALIKE:.0%} "
        "counts as alike)"
    )
    return Finding(bool(abs(gap.mean()) <= ALIKE), said)


def accuracy_brings_leak(points: Points) -> Finding:
    from dpmia_lab.metrics.reconstruction import rank_correlation

    trained = np.concatenate([[0], *(defence_points(points, name) for name in ("mid", "dp_sgd", "early_stopping"))])
    pairs = zip(points["test_accuracy"][trained].T, points["recognised_alignment"][trained].T, strict=True)
    together = np.array([rank_correlation(accuracy, leak) for accuracy, leak in pairs])  # (seeds,)
    said = (
        f"Rank correlation of accuracy with what alignment recognises, over {len(trained)} settings: "
        f"{together.mean():.2f}, from {together.min():.2f} to {together.max():.2f} over seeds"
    )
    return Finding(clearly_above(together, np.zeros_like(together)), said)


def outputs_concentrate(points: Points) -> Finding:
    places = defence_points(points, "mid")
    between, within = (points[name][places] for name in ("outputs_spread", "answer_spread"))
    holds = [clearly_above(between[0], between[-1]), clearly_above(within[-1], within[0])]
    strengths = points["strength"][places]
    said = (
        f"From λ = {strengths[0]:g} to {strengths[-1]:g} the spread of answers over pictures goes from "
        f"{between[0].mean():.2f} to {between[-1].mean():.2f}, that over draws about one picture from "
        f"{within[0].mean():.2f} to {within[-1].mean():.2f}"
    )
    return Finding(None if None in holds else all(holds), said)


# ---- what the paper did not measure
def asking_often_undoes_mid(points: Points) -> Finding | None:
    names = [f"recognised_alignment{ending}" for ending in ("", "_averaged", "_mean")]
    found = [at_matched_accuracy(points, "mid", name) for name in names]
    if not np.isfinite(found).all():
        return None
    one, averaged, mean = map(percent, found)
    said = (
        f"{MATCHED:.0%} below the undefended network's accuracy alignment recognises {one} from one answer under MID, "
        f"{averaged} from answers averaged, {mean} through the mean; {percent(points[names[0]][0])} without a defence"
    )
    return Finding(None, said)


def gmi_does_not_notice_mid(points: Points) -> Finding | None:
    found = [at_matched_accuracy(points, "mid", name) for name in ("recognised_gmi", "recognised_gmi_adapted")]
    if not np.isfinite(found).all():
        return None
    plain = [points[name][0] for name in ("recognised_gmi", "recognised_gmi_adapted")]
    said = (
        f"GMI as published recognises {percent(plain[0])} without a defence and {percent(found[0])} under MID at equal "
        f"accuracy; adapted {percent(plain[1])} and {percent(found[1])}"
    )
    return Finding(None, said)


def label_tells_most(points: Points) -> Finding:
    whole, label = points["recognised_alignment"][0], points["recognised_alignment_label"][0]
    vector, alone = percent(whole), percent(label)
    said = f"Without a defence alignment recognises {vector} from the whole vector, {alone} from the label alone"
    return Finding(None, said)


CLAIMS = (
    PaperClaim("MID against DP: alignment", "MID leaks less than DP at equal accuracy (Fig. 2 c)",
               leaks_less_than_dp("recognised_alignment", "recognised by alignment")),
    PaperClaim("MID against DP: update leaks", "MID leaks less than DP at equal accuracy (Fig. 2 d)",
               leaks_less_than_dp("label_named_update", "labels of updates named")),
    PaperClaim("MID against DP: GMI", "MID leaks far less than DP at equal accuracy (Fig. 4 b)",
               leaks_less_than_dp("recognised_gmi", "recognised by GMI as published")),
    PaperClaim("MID against DP: calibration", "MID is mostly better calibrated than DP (Fig. 3)",
               calibrated_better_than_dp),
    PaperClaim("Rounding and noise on confidences", "neither protects, whatever the precision or magnitude",
               told_changes_do_not_help),
    PaperClaim("Training and test people", "attacks do about as well on both", training_is_no_different),
    PaperClaim("Use and leak", "the better a model predicts, the more it leaks", accuracy_brings_leak),
    PaperClaim("What MID does to outputs", "they concentrate, and one input's output varies more (Fig. 1)",
               outputs_concentrate),
    PaperClaim("An attacker who asks often", "", asking_often_undoes_mid),
    PaperClaim("GMI with a prior of public pictures", "", gmi_does_not_notice_mid),
    PaperClaim("What the vector adds to the label", "", label_tells_most),
)  # fmt: skip


def checked(points: Points) -> dict[str, tuple[PaperClaim, Finding]]:
    """Every claim that the curve can tell about, by its title."""
    found = {claim.title: (claim, claim.check(points)) for claim in CLAIMS}
    return {title: pair for title, pair in found.items() if pair[1] is not None}
