"""Paper D's table against the lab's: verdicts on made-up tables, intervals against SciPy's, and what ships."""

import numpy as np
import pytest
from scipy import stats

from dpmia_lab.experiments import fooling_claims
from dpmia_lab.experiments.fooling import LAMBDAS, PAPER
from dpmia_lab.experiments.fooling_claims import adds_up, all_of, apart, clearly_above, clearly_alike, ours_of
from dpmia_lab.experiments.fooling_table import NAMES, PUBLISHED
from dpmia_lab.reference import shipped
from dpmia_lab.rows import Row, Rows

SEEDS = 5


def made_table(accuracy, leak, worth, spread=0.0005, stronger=0.1):
    """As ``fooling_table.json`` has it: accuracy, AUC and AOP(λ) by column; ratios find ``stronger`` more than D."""
    rows = []
    for name in accuracy:
        rows.append(Row("accuracy", accuracy[name], name, protocol="turns", spread=spread))
        for attack in (*PAPER, "own_d", "lira_unadapted"):
            rows.append(Row("auc", leak[name], name, attack, "alike", spread=spread))
        rows.append(Row("auc", leak[name] + stronger, name, "lira_fixed", "alike", spread=spread))
        rows += [Row(f"aop_{lam}", worth[lam][name], name, "paper", spread=spread) for lam in LAMBDAS]
    return {"results": Rows(tuple(rows), NAMES).plain(), "config": {"repeats": SEEDS}}


def as_printed():
    """Accuracy, AUC and AOP of paper D itself, by the lab's names."""
    paper = shipped("published")["dap"]
    worth = {lam: dict(zip(PUBLISHED.values(), paper["aop"][str(lam)], strict=True)) for lam in LAMBDAS}
    return fooling_claims.printed_means("accuracy"), fooling_claims.printed_means("auc"), worth


def mirrored(values):
    """What was high is low."""
    return {name: 1 - value for name, value in values.items()}


def verdicts(table):
    found = {claim: claim.check(ours_of(table)) for claim in fooling_claims.paper_claims()}
    from_paper = {one.agrees for claim, one in found.items() if claim.said}
    return from_paper, [one.sentence.split(":")[0] for claim, one in found.items() if not claim.said]


def test_a_table_like_the_papers_agrees_in_every_claim():
    assert verdicts(made_table(*as_printed())) == ({True}, ["yes"])


def test_a_table_that_says_the_opposite_agrees_in_none():
    accuracy, leak, worth = as_printed()
    # where the paper's are alike, ours are not: regularisation hides much, DAP less than DP-SGD
    leak = mirrored(leak) | {"none": 0.9, "dap_t": 0.6, "dap_v": 0.6}
    worth = {lam: mirrored(own) for lam, own in worth.items()}
    assert verdicts(made_table(mirrored(accuracy), leak, worth, stronger=-0.1)) == ({False}, ["no"])


def test_where_seeds_spread_widely_nothing_can_be_said():
    assert verdicts(made_table(*as_printed(), spread=3.0)) == ({None}, ["it cannot be said"])


# ---- intervals
def row(values):
    return Row("auc", float(np.mean(values)), spread=float(np.std(values, ddof=1)))


def test_intervals_are_welchs():
    rng = np.random.default_rng(0)
    one, other = rng.normal(0.7, 0.01, 5), rng.normal(0.6, 0.05, 5)
    difference, half = apart(row(one), row(other), 5)
    expected = stats.ttest_ind(one, other, equal_var=False).confidence_interval(0.95)
    assert (difference - half, difference + half) == pytest.approx((expected.low, expected.high))
    assert apart(row([0.5] * 5), row([0.4] * 5), 5) == pytest.approx((0.1, 0.0))


def test_what_is_clear_by_hand():
    """Spreads of .01 over five seeds: half an interval of .0146."""
    high, near, low = (Row("auc", value, spread=0.01) for value in (0.65, 0.64, 0.60))
    assert [clearly_above(*pair, 5) for pair in ((high, low), (low, high), (high, near))] == [True, False, None]
    assert [clearly_above(high, low, 5, margin) for margin in (0.02, 0.05, 0.08)] == [True, None, False]
    assert [clearly_alike(*pair, 5) for pair in ((high, low), (high, high), (high, near))] == [False, True, None]
    assert [all_of(parts) for parts in ([True, None, False], [True, None], [True])] == [False, None, True]


# ---- the paper, and what ships
def test_the_papers_aop_follows_from_its_own_columns():
    off = fooling_claims.recomputed_aop()
    assert [round(off[lam], 3) for lam in LAMBDAS] == sorted(round(value, 3) for value in off.values())
    assert round(off[1], 3) == 0.001 and round(off[50], 3) == 0.021
    assert adds_up().agrees


@pytest.mark.parametrize("data", ["carts", "digits"])
def test_the_shipped_tables_are_judged_claim_by_claim(data):
    ours = ours_of(shipped("fooling_table")[data])
    found = {claim.title: claim.check(ours) for claim in fooling_claims.paper_claims()}
    assert len(found) == 8 and all(one.sentence and not one.sentence.endswith(".") for one in found.values())
    assert found["DAP costs accuracy"].agrees


def test_the_papers_numbers_stand_beside_ours_and_every_claim_is_listed():
    from dpmia_lab.widgets.fooling.published import claims, table_beside
    from dpmia_lab.widgets.kit.claims import checked

    tables, table = shipped("fooling_table"), table_beside()
    assert table.count("<tr") == 1 + (2 + len(LAMBDAS)) * (1 + len(tables))
    for number in ("0.677", "0.539", "0.611", "0.456"):  # printed: two accuracies, an AUC, an AOP
        assert f"<td>{number}</td>" in table
    found = checked(claims())
    assert len(found) == 1 + 8 * len(tables) and {one.paper for one in found} == {"D"}
    assert {one.finding for one in found} == {"agrees", "does not agree", "cannot be said", ""}
