"""φ with all its edges, and AOP against paper D's own tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpmia_lab.checks import Mistake
from dpmia_lab.metrics.tradeoffs import aop, phi
from dpmia_lab.reference import shipped

share = st.floats(0, 1)


def test_phi_is_the_ratio_of_relative_changes():
    # a third of the advantage is gone (.8 → .7), half of the accuracy above chance (.9 → .5, chance .1)
    assert phi(0.9, 0.5, 0.8, 0.7, classes=10) == pytest.approx((1 / 3) / (1 / 2))
    assert phi(0.9, 0.8, 0.8, 0.5, classes=2) == pytest.approx(2)  # 1 / (1/4), cut off
    assert phi(0.9, 0.6, 0.8, 0.5, classes=2) == pytest.approx(1 / 0.75)
    assert phi(0.9, 0.1, 0.8, 0.5, classes=10) == pytest.approx(1)  # all of both
    assert phi(0.9, 0.2, 0.8, 0.4, classes=10) > phi(0.9, 0.2, 0.8, 0.5, classes=10)  # AUC below ½ as it is


def test_phi_is_nought_where_accuracy_was_paid_for_nothing():
    assert phi(0.9, 0.5, 0.8, 0.8, classes=10) == 0
    assert phi(0.9, 0.5, 0.8, 0.9, classes=10) == 0


def test_phi_is_two_where_accuracy_did_not_fall():
    for auc in (0.6, 0.8, 0.9):  # gained, nothing, lost: the paper's cap in all three
        assert phi(0.9, 0.9, 0.8, auc, classes=10) == phi(0.9, 0.95, 0.8, auc, classes=10) == 2


def test_phi_is_undefined_where_there_is_nothing_to_protect_or_to_lose():
    assert phi(0.9, 0.5, 0.5, 0.4, classes=10) is None
    assert phi(0.9, 0.95, 0.45, 0.4, classes=10) is None
    assert phi(0.1, 0.05, 0.8, 0.6, classes=10) is None
    assert phi(0.5, 0.6, 0.8, 0.6, classes=2) is None


@given(share, share, share, share, st.integers(2, 100))
def test_phi_is_the_formula_of_the_paper(acc_original, acc, auc_original, auc, classes):
    value = phi(acc_original, acc, auc_original, auc, classes)
    if auc_original <= 0.5 or acc_original <= 1 / classes:
        assert value is None
        return
    above = max(0.0, (auc_original - auc) * (acc_original - 1 / classes))
    below = max(0.0, (acc_original - acc) * (auc_original - 0.5))
    assert 0 <= value <= 2
    if below > 1e-9:
        assert value == pytest.approx(min(2, above / below))
    if acc >= acc_original:
        assert value == 2


def test_phi_refuses_what_is_not_a_share():
    with pytest.raises(Mistake, match="auc must be from 0 to 1; it is 70"):
        phi(0.9, 0.5, 0.8, 70, classes=10)
    with pytest.raises(Mistake, match="classes"):
        phi(0.9, 0.5, 0.8, 0.7, classes=1)


def test_aop_reproduces_paper_d():
    paper = shipped("published")["dap"]
    accuracy, auc = (np.array(list(paper[name].values())) for name in ("accuracy", "auc"))  # (data sets, defences)
    assert accuracy.shape == auc.shape == (8, len(paper["defences"]))
    assert list(paper["accuracy"]) == list(paper["auc"])
    tolerance = {"1": 0.0011, "50": 0.0211}
    for lam, printed in paper["aop"].items():
        assert aop(accuracy, auc, float(lam)).mean(0) == pytest.approx(printed, abs=tolerance.get(lam, 0.0211))


def test_aop_is_accuracy_where_the_attack_guesses_and_falls_where_it_does_not():
    assert aop(0.7, 0.5, 20) == aop(0.7, 0.3, 20) == aop(0.7, 0.9, 0) == 0.7
    assert aop(0.8, 0.75, 2) == pytest.approx(0.8 / 1.5**2)
    assert aop(1.0, 1.0, 3) == pytest.approx(1 / 8)
