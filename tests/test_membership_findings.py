"""What lesson 4 found is computed: its table holds the shipped numbers, its verdicts follow from them."""

from dataclasses import replace

import pytest

from dpmia_lab.commands import reference
from dpmia_lab.game.attacks import MEMBERSHIP
from dpmia_lab.reference import shipped
from dpmia_lab.rows import Row, Rows
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, NOT_CLAIMED, UNDECIDED, checked
from dpmia_lab.widgets.membership import findings

SHIPPED = shipped("membership")
NUMBERS = SHIPPED["purchases"]["results"]


def rows_with(**aucs: float) -> Rows:
    """Rows of these attacks, all with the same spread."""
    rows = [Row(measure, auc, "none", attack, "alike", spread=0.01) for attack, auc in aucs.items()
            for measure in ("auc", "tpr1")]  # fmt: skip
    return Rows(tuple(rows))


def sweep_with(gaps: list[float], aucs: list[float]) -> Rows:
    rows = []
    for place, (gap, auc) in enumerate(zip(gaps, aucs, strict=True)):
        of = {"defence": f"central {place}"}
        rows += [Row("train_accuracy", 0.5 + gap, **of), Row("test_accuracy", 0.5, **of)]
        rows.append(Row("auc", auc, **of, attack="black_box", protocol="alike", spread=0.01))
    return Rows(tuple(rows))


def test_the_table_holds_every_attack_and_the_shipped_numbers():
    table = findings.results_html()
    assert table.count("<tr") == len(SHIPPED) * (len(MEMBERSHIP) + 2) and findings.SEEDS == reference.SEEDS
    for attack in MEMBERSHIP.values():
        assert attack.words in table
    assert f"{NUMBERS['auc_loss']:.3f} ± {NUMBERS['auc_sd_loss']:.3f}" in table
    assert f"<b>{NUMBERS['tpr1_lira']:.1%} ± {NUMBERS['tpr1_sd_lira']:.1%}</b>" in table
    assert f"on {NUMBERS['test_accuracy']:.0%} ± {NUMBERS['test_accuracy_sd']:.0%} of new ones" in table
    for count in (8, 32, 4, 16):
        assert table.count(f">{count} shadow models") == 3


def test_what_the_page_says_about_the_digits_is_what_was_measured():
    """A threshold near guessing on average and where few may be accused; a ratio that names one in ten there."""
    digits = SHIPPED["digits"]["results"]
    assert round(digits["auc_loss"], 1) == 0.6 and digits["tpr1_loss"] < 0.02
    assert digits["tpr1_lira_fixed"] > 0.1 and digits["tpr1_rmia"] > 0.1


def test_no_shipped_attack_ties():
    for record in SHIPPED.values():
        assert all(record["results"][f"tied_{attack}"] < 0.01 for attack in MEMBERSHIP)


def test_without_a_reference_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(findings, "shipped_or_nothing", lambda _: {})
    assert "not been computed yet" in findings.results_html() and checked(findings.CLAIMS) == []


def test_every_claim_is_checked_on_the_shipped_results():
    found = {(one.title, one.data): one for one in checked(findings.CLAIMS)}
    assert {title for title, _ in found} == {claim.title for claim in findings.CLAIMS}
    carts = "shopping carts (made up), C = 20"
    white = found["The white box beats the black box", carts]
    assert f"{NUMBERS['auc_white_box']:.3f} ± {NUMBERS['auc_sd_white_box']:.3f}" in white.sentence
    assert found["An average hides the worst case", carts].finding == NOT_CLAIMED
    assert f"catches {NUMBERS['tpr1_loss']:.1%}" in found["An average hides the worst case", carts].sentence
    assert len([one for title, one in found if title == "The leak follows the gap"]) == len(shipped("mechanisms"))


@pytest.mark.parametrize(("white", "finding"), [(0.9, AGREES), (0.805, UNDECIDED), (0.7, DIFFERS)])
def test_the_white_box_must_be_clearly_better(white, finding):
    assert findings.boxes(rows_with(white_box=white, black_box=0.8)).finding == finding


@pytest.mark.parametrize(("auc", "finding"), [(0.6, AGREES), (0.505, UNDECIDED), (0.4, DIFFERS)])
def test_confidence_must_tell_clearly(auc, finding):
    assert findings.surer(rows_with(confidence=auc)).finding == finding


@pytest.mark.parametrize(
    ("aucs", "finding"),
    [([0.5, 0.6, 0.7, 0.8, 0.9, 1.0], AGREES), ([0.6, 0.5, 0.7, 0.5, 0.7, 0.6], UNDECIDED),
     ([1.0, 0.9, 0.8, 0.7, 0.6, 0.5], DIFFERS)],
)  # fmt: skip
def test_the_leak_must_follow_the_gap(aucs, finding):
    config = findings.references()[0].config
    found = findings.gap_verdict(sweep_with([0.0, 0.1, 0.2, 0.3, 0.4, 0.45], aucs), config)
    assert found.finding == finding and "at the widest gap, 45 points" in found.sentence
    skewed = replace(config, data="skewed_purchases")
    assert "to another distribution" in findings.gap_verdict(sweep_with([0.0, 0.1], [0.5, 0.6]), skewed).sentence
