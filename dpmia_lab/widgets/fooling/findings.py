"""What paper D claims, and what the shipped table says, over several seeds: computed, not written."""

from collections.abc import Callable
from math import hypot

import ipywidgets as widgets

from dpmia_lab.experiments.fooling_table import COLUMNS
from dpmia_lab.rows import Row
from dpmia_lab.widgets.fooling.published import claims, published_html
from dpmia_lab.widgets.fooling.table import ACCOUNTED, DATA, Table, give_or_take, notes, table, told_apart
from dpmia_lab.widgets.fooling.words import accuracy_of, paper_of, percent, ratio_of
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, NOT_MEASURED, Claim, Verdict, folded_claims, verdict
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.tables import table_html, with_small

USEFUL = 0.8  # of the undefended accuracy: what a defence must keep to be named
Check = Callable[[Table], Verdict | None]


def everywhere(check: Check) -> Callable[[], dict[str, Verdict]]:
    """On every table that has been computed and can tell."""

    def checked() -> dict[str, Verdict]:
        found = {one.words(name): check(one) for name in DATA if (one := table(name)) is not None}
        return {name: one for name, one in found.items() if one is not None}

    return checked


def around(found: Table, row: Row) -> str:
    return give_or_take(row.value, found.half(row), "{:.2f}")


def right(found: Table, column: str) -> str:
    return percent(accuracy_of(found.columns[column], column))


def clearly_above(found: Table, one: Row, other: Row) -> bool:
    return one.value - other.value > hypot(found.half(one), found.half(other))


# ---- checks
def lowers_auc(found: Table) -> Verdict:
    """Paper D: its attackers do far worse against DAP than against the baseline."""
    with_dap, without = (paper_of(found.columns[name], name) for name in ("dap_t", "none"))
    said = (
        f"the best of its attackers has AUC {around(found, with_dap)} with DAP_t and {around(found, without)} without "
        f"a defence, at {right(found, 'dap_t')} and {right(found, 'none')} right"
    )
    lower, higher = clearly_above(found, without, with_dap), clearly_above(found, with_dap, without)
    return verdict(True if lower else False if higher else None, said)


def against_stopping(found: Table) -> Verdict | None:
    row = found.row("dap_t", "matched_gain")
    if row is None:
        return None
    half = found.half(row)
    told = "which cannot be told from 0" if abs(row.value) <= half else "so it does" if row.value > 0 else "so it hurts"
    gain = give_or_take(abs(row.value), half)
    return Verdict(NOT_CLAIMED, (
        f"by likelihood ratios with shadow models of its own defence DAP_t's AUC is {gain} "
        f"{'lower' if row.value > 0 else 'higher'} than that of an undefended model stopped when it was as accurate, "
        f"{told}"
    ))  # fmt: skip


def who_beats_stopping(found: Table) -> Verdict:
    """Of those that stay useful, by how much; not of one that has made members of others."""
    least, sure, never = USEFUL * accuracy_of(found.columns["none"], "none"), [], []
    for name, rows in found.columns.items():
        if name in ("none", "stopping") or accuracy_of(rows, name) < least or told_apart(found, name):
            continue
        row = found.row(name, "matched_gain")
        if row is None:
            never.append(COLUMNS[name].words)
        elif row.value > found.half(row):
            sure.append((row.value, f"{COLUMNS[name].words} ({give_or_take(row.value, found.half(row))})"))
    ranked = "; ".join(words for _, words in sorted(sure, reverse=True)) or "nobody"
    said = (
        f"of those that keep {percent(USEFUL)} of the undefended accuracy, clearly below early stopping's AUC are "
        f"{ranked}"
    )
    more = f". No undefended model was as accurate as {' and '.join(never)}, so these are not compared" if never else ""
    return Verdict(NOT_CLAIMED, said + more)


def what_d_misses(found: Table) -> Verdict | None:
    rows, own = found.columns["dap_t"], found.row("dap_t", "auc", attack="own_d", protocol="alike")
    ratio, caught = ratio_of(rows, "dap_t"), ratio_of(rows, "dap_t", measure="tpr1")
    if own is None or ratio is None:
        return None
    return Verdict(NOT_CLAIMED, (
        f"under DAP_t D itself has AUC {around(found, own)}, the best of its attackers "
        f"{around(found, paper_of(rows, 'dap_t'))}, likelihood ratios {around(found, ratio)}, with "
        f"{percent(caught.value)} of members caught at 1 % false alarms, where guessing catches 1 %"
    ))  # fmt: skip


def worst_cases(found: Table) -> Verdict | None:
    told = []
    for name in ("dap_t", "relaxloss", "hamp", "dp_little", "dp_8"):
        if name not in found.columns:
            continue
        rows = [ratio_of(found.columns[name], name, kind, "tpr1") for kind in ("turns", "mislabelled", "atypical")]
        if None not in rows:
            shares = " → ".join(percent(row.value) for row in rows)
            promise = f" {ACCOUNTED}:" if name == "dp_8" else ""
            told.append(f"{COLUMNS[name].words}{promise} {shares}")
    if not told:
        return None
    said = "caught at 1 % false alarms by likelihood ratios, everybody → mislabelled → atypical canaries: "
    return Verdict(NOT_CLAIMED, said + "; ".join(told))


CLAIMS = [
    Claim("DAP lowers the AUC of its attackers", "D",
          "the AUC falls from .61 to .51 on average over eight picture sets, accuracy from .68 to .54",
          everywhere(lowers_auc)),
    *claims(),
    Claim("Who sees more than D?", "D", NOT_MEASURED, everywhere(what_d_misses)),
    Claim("Does DAP beat early stopping at equal accuracy?", "D", NOT_MEASURED, everywhere(against_stopping)),
    Claim("Which useful defence does?", "D", NOT_MEASURED, everywhere(who_beats_stopping)),
    Claim("From everybody to the worst case", "D", NOT_MEASURED, everywhere(worst_cases)),
]  # fmt: skip


# ---- the numbers
def results_html() -> str:
    """Every column of every table: accuracy, who sees how much, members caught, AOP."""
    found = {name: one for name in DATA if (one := table(name)) is not None}
    if not found:
        return "<p class='dp-soft'>The reference has not been computed yet (<code>make reference</code>).</p>"
    heads = (
        "defence", "right", with_small("AUC", "D itself"), with_small("AUC", "paper D's best"),
        with_small("AUC", "likelihood ratios"), with_small("caught", "at 1 %"), with_small("caught", "at 0.1 %"),
        with_small("AOP(2)", "by ratios"), with_small("AOP(10)", "by ratios"),
    )  # fmt: skip
    tables = []
    for data, one in found.items():
        rows = [(COLUMNS[name].words, *column_cells(one, name)) for name in one.columns]
        caption = f"{one.words(data)}: mean ± Student's 95 % interval. Guessing: AUC 0.5, 1 % and 0.1 % caught."
        tables.append(table_html(heads, rows, caption) + f"<p class='dp-soft'>{notes(one)}</p>")
    return "".join(tables)


def column_cells(found: Table, name: str) -> list[str]:
    rows = found.columns[name]
    right = found.row(name, "accuracy", protocol="turns")
    leaks = [found.row(name, "auc", attack="own_d", protocol="alike"), paper_of(rows, name), ratio_of(rows, name)]
    caught = [ratio_of(rows, name, measure=measure) for measure in ("tpr1", "tpr01")]
    traded = [found.row(name, f"aop_{lam}", attack="best") for lam in (2, 10)]
    shares = [give_or_take(row.value, found.half(row), "{:.1%}") for row in (right, *caught)]
    return [
        shares[0], *(around(found, row) for row in leaks), *shares[1:],
        *(give_or_take(row.value, found.half(row)) for row in traded),
    ]  # fmt: skip


def findings() -> widgets.VBox:
    rule = (
        "<p class='dp-soft'>Of the paper's claims ± is a standard deviation over seeds; a difference counts where "
        "Student's 95 % interval leaves out 0.</p>"
    )
    tables = {
        "Paper D's table beside ours": published_html(),
        "The numbers of every defence": results_html(),
    }
    told = "".join(f"<details><summary><b>{title}</b></summary>{html}</details>" for title, html in tables.items())
    return card(text(f"<h3>Claim by claim</h3>{rule}{folded_claims(CLAIMS)}{told}"), name="dp-claims")
