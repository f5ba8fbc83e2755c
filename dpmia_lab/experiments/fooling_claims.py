"""Paper D's table, claim by claim, against the lab's own (``fooling_table``): computed, not written.

The paper prints means over eight picture sets, without a spread; ours are of one data set over several seeds. A
difference of ours is clear where Student's 95 % interval (Welch's form, as columns spread differently) leaves out 0.
AUC and AOP are by the paper's own attackers, unless a likelihood ratio is named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from dpmia_lab.experiments.fooling import LAMBDAS, PAPER
from dpmia_lab.experiments.fooling_table import COLUMNS, PUBLISHED, rows_of
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.reference import shipped
from dpmia_lab.rows import Row

DP, DAP = ("dp_0.5", "dp_1", "dp_2", "dp_4"), ("dap_t", "dap_v")
GROUPS = {"the baseline": ("none",), "DP-SGD": DP, "DAP": DAP}
ALIKE = 0.02  # AUCs that differ by no more are called alike
PRINTED_TO = 0.03  # how near the paper's AOP must come that is recomputed from its rounded means
VERDICTS = {True: "agrees", False: "does not agree", None: "cannot be said"}
ANSWERS = {True: "yes", False: "no", None: "cannot be said"}  # to what the paper did not measure


@dataclass(frozen=True)
class Claim:
    title: str
    said: str  # what the paper's table says, without a full stop; "" where only this lab asks
    found: str  # what the lab's says, without a full stop
    agrees: bool | None  # with the paper; or, where only this lab asks, the answer. None: it cannot be said

    @property
    def verdict(self) -> str:
        return (VERDICTS if self.said else ANSWERS)[self.agrees]


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


def claims(table: Mapping) -> list[Claim]:
    """Of one data set of ``fooling_table.json``: what paper D's table says, then what only this lab asks."""
    ours = ours_of(table)
    return [
        costs_accuracy(ours),
        more_accurate_than_dp(ours),
        hides_more_than_regularisation(ours),
        hides_as_well_as_dp(ours),
        regularisation_hides_nothing(ours),
        aop_orders(ours),
        t_then_v(ours),
        adapting_helps(ours),
    ]


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
def costs_accuracy(ours: Ours) -> Claim:
    printed, none = printed_means("accuracy"), ours.accuracy("none")
    holds = [clearly_above(none, ours.accuracy(name), ours.seeds) for name in DAP]
    return Claim(
        "DAP costs accuracy",
        f"accuracy {listed(printed, ('none', *DAP))}",
        f"accuracy {told(ours.accuracy, ('none', *DAP))}",
        all_of(holds),
    )


def more_accurate_than_dp(ours: Ours) -> Claim:
    printed = printed_means("accuracy")
    best = highest(ours.accuracy, DP)
    return Claim(
        "DAP stays nearer the baseline's accuracy than DP-SGD at ε ≤ 4",
        f"accuracy {listed(printed, (*DAP, max(DP, key=printed.get)))}, the best of DP-SGD",
        f"accuracy {told(ours.accuracy, (*DAP, best))}, the best of DP-SGD",
        all_of([clearly_above(ours.accuracy(name), ours.accuracy(best), ours.seeds) for name in DAP]),
    )


# ---- what the paper's attackers find
def hides_more_than_regularisation(ours: Ours) -> Claim:
    return Claim(
        "DAP's AUC is nearer ½ than regularisation's",
        f"AUC {listed(printed_means('auc'), ('reg', *DAP))}",
        f"AUC {told(ours.paper_auc, ('reg', *DAP))}",
        all_of([clearly_above(ours.paper_auc("reg"), ours.paper_auc(name), ours.seeds) for name in DAP]),
    )


def hides_as_well_as_dp(ours: Ours) -> Claim:
    """Against that of DP-SGD which leaks most."""
    printed, worst = printed_means("auc"), highest(ours.paper_auc, DP)
    above = [clearly_above(ours.paper_auc(name), ours.paper_auc(worst), ours.seeds, ALIKE) for name in DAP]
    return Claim(
        f"DAP's AUC is no more than {ALIKE:g} above DP-SGD's at ε ≤ 4",
        f"AUC {listed(printed, (*DAP, max(DP, key=printed.get)))}, the highest of DP-SGD",
        f"AUC {told(ours.paper_auc, (*DAP, worst))}, the highest of DP-SGD",
        all_of([None if one is None else not one for one in above]),
    )


def regularisation_hides_nothing(ours: Ours) -> Claim:
    return Claim(
        f"Regularisation leaves the AUC where it was, to {ALIKE:g}",
        f"AUC {listed(printed_means('auc'), ('none', 'reg'))}",
        f"AUC {told(ours.paper_auc, ('none', 'reg'))}",
        clearly_alike(ours.paper_auc("none"), ours.paper_auc("reg"), ours.seeds),
    )


# ---- AOP
def aop_orders(ours: Ours) -> Claim:
    """Baseline, the best DP-SGD and the better DAP: at every λ in the paper's order?"""
    said, found, holds = [], [], []
    for lam in LAMBDAS:
        printed = dict(zip(PUBLISHED.values(), paper_table()["aop"][str(lam)], strict=True))
        best = {group: max(names, key=printed.get) for group, names in GROUPS.items()}
        order = sorted(GROUPS, key=lambda group: -printed[best[group]])
        rows = [ours.aop(highest(lambda name, lam=lam: ours.aop(name, lam), GROUPS[group]), lam) for group in order]
        agrees = all_of([clearly_above(one, other, ours.seeds) for one, other in combinations(rows, 2)])
        said.append(f"λ = {lam}: " + ", ".join(f"{group} {printed[best[group]]:.3f}" for group in order))
        values = ", ".join(f"{group} {with_spread(row)}" for group, row in zip(order, rows, strict=True))
        found.append(f"λ = {lam}, {VERDICTS[agrees]}: {values}")
        holds.append(agrees)
    return Claim("AOP's order of the baseline, DP-SGD and DAP", "; ".join(said), "; ".join(found), all_of(holds))


def t_then_v(ours: Ours) -> Claim:
    """The paper's table crosses over between λ = 5 and 10."""
    printed = {lam: dict(zip(PUBLISHED.values(), paper_table()["aop"][str(lam)], strict=True)) for lam in LAMBDAS}
    order = {lam: sorted(DAP, key=lambda name: -printed[lam][name]) for lam in LAMBDAS}
    holds = [clearly_above(*(ours.aop(name, lam) for name in order[lam]), ours.seeds) for lam in LAMBDAS]

    def both(values) -> str:
        return "; ".join(f"λ = {lam}: {values('dap_t', lam):.3f} and {values('dap_v', lam):.3f}" for lam in LAMBDAS)

    return Claim(
        "DAP_t has the higher AOP up to λ = 5, DAP_v from 10 on",
        f"DAP_t and DAP_v, {both(lambda name, lam: printed[lam][name])}",
        f"DAP_t and DAP_v, {both(lambda name, lam: ours.aop(name, lam).value)}",
        all_of(holds),
    )


# ---- what only this lab asks
def adapting_helps(ours: Ours) -> Claim:
    own, none = (ours.alike("dap_t", attack) for attack in ("lira_fixed", "lira_unadapted"))
    found = (
        f"against one DAP_t model the likelihood ratio has AUC {with_spread(own)} with shadow models of the same "
        f"defence, {with_spread(none)} with undefended ones"
    )
    return Claim("Do shadow models with the defence see more?", "", found, clearly_above(own, none, ours.seeds))


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


def adds_up() -> Claim:
    """Of the paper alone, whatever the lab measures."""
    off = recomputed_aop()
    found = "; ".join(f"λ = {lam}: {value:.3f}" for lam, value in off.items())
    return Claim(
        "The paper's AOP follows from its own ACC and AUC",
        "AOP = ACC / (2·max(AUC, ½))^λ, averaged over eight picture sets",
        f"recomputed from its printed means it differs at most by, at {found}",
        max(off.values()) < PRINTED_TO,
    )


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
