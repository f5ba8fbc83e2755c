"""Paper D's table, claim by claim, against the lab's own (``fooling_table``): computed, not written.

The paper prints means over eight picture sets, without a spread; ours are of one data set over several seeds. A
difference of ours is clear where Student's 95 % interval (Welch's form, as columns spread differently) leaves out 0.
AUC and AOP are by the paper's own attackers, unless a likelihood ratio is named.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from dpmia_lab.experiments.fooling import LAMBDAS, PAPER
from dpmia_lab.experiments.fooling_table import COLUMNS, PUBLISHED, rows_of
from dpmia_lab.experiments.paper_claims import Finding, PaperClaim
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.reference import shipped
from dpmia_lab.rows import Row

DP, DAP = ("dp_0.5", "dp_1", "dp_2", "dp_4"), ("dap_t", "dap_v")
GROUPS = {"the baseline": ("none",), "DP-SGD": DP, "DAP": DAP}
ALIKE = 0.02  # AUCs that differ by no more are called alike
PRINTED_TO = 0.03  # how near the paper's AOP must come that is recomputed from its rounded means
VERDICTS = {True: "agrees", False: "does not agree", None: "cannot be said"}


@dataclass(frozen=True)
class Ours:
    """The lab's table of one data set."""

    rows: Mapping[tuple[str, str, str, str], Row]  # by measure, column, attack, protocol
    seeds: int

    def accuracy(self, column: str) -> Row:
        return self.rows["accuracy", column, "", "turns"]

    def paper_auc(self, column: str) -> Row:
        """Of the best of the paper's attackers."""
        return max((self.alike(column, attack) for attack in PAPER), key=lambda row: row.value)

    def alike(self, column: str, attack: str) -> Row:
        """AUC against the one target."""
        return self.rows["auc", column, attack, "alike"]

    def aop(self, column: str, lam: int) -> Row:
        return self.rows[f"aop_{lam}", column, "paper", ""]


def ours_of(table: Mapping) -> Ours:
    return Ours({row.key: row for row in rows_of(table["results"])}, table["config"]["repeats"])


# ---- what is clear
def apart(one: Row, other: Row, seeds: int) -> tuple[float, float]:
    """The difference, and half of its 95 % interval: Student's t with Welch's degrees of freedom."""
    from scipy.special import stdtrit

    a, b = one.spread**2 / seeds, other.spread**2 / seeds
    freedom = (seeds - 1) * (a + b) ** 2 / (a**2 + b**2) if a + b else 1.0
    return one.value - other.value, float(stdtrit(freedom, 0.975) * np.sqrt(a + b))


def clearly_above(one: Row, other: Row, seeds: int, margin: float = 0.0) -> bool | None:
    """Whether the one is above the other by more than the margin; None where the interval has the margin in it."""
    difference, half = apart(one, other, seeds)
    return difference > margin if abs(difference - margin) > half else None


def clearly_alike(one: Row, other: Row, seeds: int) -> bool | None:
    """Whether they are within ``ALIKE`` of each other."""
    beyond = [clearly_above(*pair, seeds, ALIKE) for pair in ((one, other), (other, one))]
    return False if True in beyond else None if None in beyond else True


def all_of(parts: Sequence[bool | None]) -> bool | None:
    """One that clearly fails decides; else one that cannot be said does."""
    return False if False in parts else None if None in parts else True


# ---- accuracy
def costs_accuracy(ours: Ours) -> Finding:
    none = ours.accuracy("none")
    holds = [clearly_above(none, ours.accuracy(name), ours.seeds) for name in DAP]
    return Finding(all_of(holds), f"accuracy {told(ours.accuracy, ('none', *DAP))}")


def more_accurate_than_dp(ours: Ours) -> Finding:
    best = highest(ours.accuracy, DP)
    holds = [clearly_above(ours.accuracy(name), ours.accuracy(best), ours.seeds) for name in DAP]
    return Finding(all_of(holds), f"accuracy {told(ours.accuracy, (*DAP, best))}, the best of DP-SGD")


# ---- what the paper's attackers find
def hides_more_than_regularisation(ours: Ours) -> Finding:
    holds = [clearly_above(ours.paper_auc("reg"), ours.paper_auc(name), ours.seeds) for name in DAP]
    return Finding(all_of(holds), f"AUC {told(ours.paper_auc, ('reg', *DAP))}")


def hides_as_well_as_dp(ours: Ours) -> Finding:
    """Against that of DP-SGD which leaks most."""
    worst = highest(ours.paper_auc, DP)
    above = [clearly_above(ours.paper_auc(name), ours.paper_auc(worst), ours.seeds, ALIKE) for name in DAP]
    holds = [None if one is None else not one for one in above]
    return Finding(all_of(holds), f"AUC {told(ours.paper_auc, (*DAP, worst))}, the highest of DP-SGD")


def regularisation_hides_nothing(ours: Ours) -> Finding:
    alike = clearly_alike(ours.paper_auc("none"), ours.paper_auc("reg"), ours.seeds)
    return Finding(alike, f"AUC {told(ours.paper_auc, ('none', 'reg'))}")


# ---- AOP
def aop_orders(ours: Ours) -> Finding:
    """Baseline, the best DP-SGD and the better DAP: at every λ in the paper's order?"""
    found, holds = [], []
    for lam in LAMBDAS:
        order = list(printed_groups(lam))
        rows = [ours.aop(highest(lambda name, lam=lam: ours.aop(name, lam), GROUPS[group]), lam) for group in order]
        holds.append(all_of([clearly_above(one, other, ours.seeds) for one, other in combinations(rows, 2)]))
        values = ", ".join(f"{group} {with_spread(row)}" for group, row in zip(order, rows, strict=True))
        found.append(f"λ = {lam}, {VERDICTS[holds[-1]]}: {values}")
    return Finding(all_of(holds), "; ".join(found))


def t_then_v(ours: Ours) -> Finding:
    holds = []
    for lam in LAMBDAS:
        first, then = sorted(DAP, key=lambda name, lam=lam: -printed_aop(lam)[name])
        holds.append(clearly_above(ours.aop(first, lam), ours.aop(then, lam), ours.seeds))
    return Finding(all_of(holds), both_daps(lambda name, lam: ours.aop(name, lam).value))


# ---- what only this lab asks
def adapting_helps(ours: Ours) -> Finding:
    own, none = (ours.alike("dap_t", attack) for attack in ("lira_fixed", "lira_unadapted"))
    answer = {True: "yes", False: "no", None: "it cannot be said"}[clearly_above(own, none, ours.seeds)]
    return Finding(None, (
        f"{answer}: against one DAP_t model the likelihood ratio has AUC {with_spread(own)} with shadow models of the "
        f"same defence, {with_spread(none)} with undefended ones"
    ))  # fmt: skip


# ---- the paper's own table
@cache
def paper_table() -> dict:
    return shipped("published")["dap"]


def printed_means(measure: str) -> dict[str, float]:
    """Of ``accuracy`` or ``auc``: means over the paper's data sets, by the lab's names of the columns."""
    means = np.array(list(paper_table()[measure].values())).mean(0)
    return dict(zip(PUBLISHED.values(), means.tolist(), strict=True))


def recomputed_aop() -> dict[int, float]:
    """For each λ, how far at most the paper's AOP row lies from what its printed ACC and AUC give."""
    paper = paper_table()
    accuracy, auc = (np.array(list(paper[name].values())) for name in ("accuracy", "auc"))  # (data sets, columns)
    return {lam: float(np.abs(aop(accuracy, auc, lam).mean(0) - paper["aop"][str(lam)]).max()) for lam in LAMBDAS}


def adds_up() -> Finding:
    """Of the paper alone, whatever the lab measures."""
    off = recomputed_aop()
    found = "; ".join(f"λ = {lam}: {value:.3f}" for lam, value in off.items())
    sentence = f"recomputed from its printed means it differs at most by, at {found}"
    return Finding(max(off.values()) < PRINTED_TO, sentence)


def printed_aop(lam: int) -> dict[str, float]:
    return dict(zip(PUBLISHED.values(), paper_table()["aop"][str(lam)], strict=True))


def printed_groups(lam: int) -> dict[str, float]:
    """The best of each group, the highest AOP first."""
    best = {group: max(printed_aop(lam)[name] for name in names) for group, names in GROUPS.items()}
    return dict(sorted(best.items(), key=lambda item: -item[1]))


# ---- words
def highest(of, names: Sequence[str]) -> str:
    return max(names, key=lambda name: of(name).value)


def listed(values: Mapping[str, float], names: Sequence[str]) -> str:
    return ", ".join(f"{values[name]:.3f} ({COLUMNS[name].words})" for name in names)


def told(of, names: Sequence[str]) -> str:
    return ", ".join(f"{with_spread(of(name))} ({COLUMNS[name].words})" for name in names)


def with_spread(row: Row) -> str:
    """± is the standard deviation over seeds."""
    return f"{row.value:.3f} ± {row.spread:.3f}"


def both_daps(value: Callable[[str, int], float]) -> str:
    values = "; ".join(f"λ = {lam}: {value('dap_t', lam):.3f} and {value('dap_v', lam):.3f}" for lam in LAMBDAS)
    return f"DAP_t and DAP_v, {values}"


# ---- the list
def paper_claims() -> tuple[PaperClaim, ...]:
    """What paper D's table says, then what only this lab asks of its own."""
    accuracy, auc = printed_means("accuracy"), printed_means("auc")
    best, worst = max(DP, key=accuracy.get), max(DP, key=auc.get)
    orders = "; ".join(
        f"λ = {lam}: " + ", ".join(f"{group} {value:.3f}" for group, value in printed_groups(lam).items())
        for lam in LAMBDAS
    )
    return (
        PaperClaim("DAP costs accuracy", f"accuracy {listed(accuracy, ('none', *DAP))}", costs_accuracy),
        PaperClaim("DAP stays nearer the baseline's accuracy than DP-SGD at ε ≤ 4",
                   f"accuracy {listed(accuracy, (*DAP, best))}, the best of DP-SGD", more_accurate_than_dp),
        PaperClaim("DAP's AUC is nearer ½ than regularisation's", f"AUC {listed(auc, ('reg', *DAP))}",
                   hides_more_than_regularisation),
        PaperClaim(f"DAP's AUC is no more than {ALIKE:g} above DP-SGD's at ε ≤ 4",
                   f"AUC {listed(auc, (*DAP, worst))}, the highest of DP-SGD", hides_as_well_as_dp),
        PaperClaim(f"Regularisation leaves the AUC where it was, to {ALIKE:g}", f"AUC {listed(auc, ('none', 'reg'))}",
                   regularisation_hides_nothing),
        PaperClaim("AOP's order of the baseline, DP-SGD and DAP", orders, aop_orders),
        PaperClaim("DAP_t has the higher AOP up to λ = 5, DAP_v from 10 on",
                   both_daps(lambda name, lam: printed_aop(lam)[name]), t_then_v),
        PaperClaim("Do shadow models with the defence see more?", "", adapting_helps),
    )  # fmt: skip
