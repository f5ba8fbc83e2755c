"""What a defence costs for what it gives: φ of paper C, AOP of paper D."""

import numpy as np

from dpmia_lab.checks import between, whole

MOST = 2.0  # φ is cut off here


def phi(acc_original: float, acc: float, auc_original: float, auc: float, classes: int) -> float | None:
    """The share of the attack's advantage that was removed, over that of accuracy that was lost (C, section 3.4).

    φ = min(2, max(0, (AUC_orig − AUC)(ACC_orig − 1/C)) / max(0, (ACC_orig − ACC)(AUC_orig − ½))), accuracies those of
    test records. Above 1 privacy gained outweighs accuracy lost. None where it is undefined: the undefended model shows
    nothing to protect (AUC_orig ≤ ½) or nothing to lose (ACC_orig ≤ 1/C). 2, as the paper bounds it, where accuracy did
    not fall, *also if the attack gained nothing or improved*: φ is silent there, so show both numbers beside it.
    """
    given = {"acc_original": acc_original, "acc": acc, "auc_original": auc_original, "auc": auc}
    between(0, 1, **{name: float(value) for name, value in given.items()})
    whole(2, 10**9, classes=int(classes))
    to_lose, to_protect = acc_original - 1 / classes, auc_original - 0.5
    if to_lose <= 0 or to_protect <= 0:
        return None
    if acc >= acc_original:
        return MOST
    return float(min(MOST, max(0.0, auc_original - auc) * to_lose / ((acc_original - acc) * to_protect)))


def aop(acc, auc, lam: float):
    """Accuracy over privacy, ACC / (2·max(AUC, ½))^λ (paper D): accuracy itself where the attack only guesses.

    Numbers or arrays; λ ≥ 0 says how much privacy weighs.
    """
    return acc / (2 * np.maximum(auc, 0.5)) ** lam
