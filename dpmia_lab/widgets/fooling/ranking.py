"""All defences ranked by AOP as λ moves, with early stopping at the same accuracy always among them."""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.experiments.fooling import LAMBDAS
from dpmia_lab.experiments.fooling_table import COLUMNS, rows_of
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.reference.shipped_runs import shipped_run
from dpmia_lab.rows import Rows
from dpmia_lab.widgets.fooling.data import presets
from dpmia_lab.widgets.fooling.panel import FoolingPanel
from dpmia_lab.widgets.fooling.words import accuracy_of, defence_words, paper_of, percent, ratio_of
from dpmia_lab.widgets.kit.controls import choice, field, scale, swapped
from dpmia_lab.widgets.kit.parts import on_change, panel, text
from dpmia_lab.widgets.kit.tables import Html, Row, table_html, with_small

SEEDS = 5  # of the shipped table
DATA = {"carts": "shopping carts", "digits": "MNIST digits"}
ATTACKERS = {"ratio": "likelihood ratios that adapt", "paper": "the best of paper D's own"}
MATCHED = "dap_t"  # whom the entry of early stopping is as accurate as
PROMISE = ("dp_", "central")


@dataclass(frozen=True)
class Entry:
    """A line of the ranking."""

    words: str
    kind: str  # dap, stopping, promise or other: the colour of its bar
    accuracy: float
    auc: float
    caught: float | None = None  # members at 1 % false alarms
    phi: float | None = None
    matched: float | None = None  # AUC of early stopping at this accuracy
    error: float = np.nan  # standard error of the AUC over seeds
    own: bool = False

    def score(self, lam: float) -> float:
        return float(aop(self.accuracy, self.auc, lam))


# ---- where entries come from
def table_rows(data: str) -> Rows | None:
    """The shipped table's, over several seeds; None where it has not been computed."""
    record = shipped_or_nothing("fooling_table").get(data)
    return None if record is None else rows_of(record["results"])


def value(rows: Rows, measure: str, **of: str) -> float | None:
    found = rows.where(measure=measure, **of).rows
    return found[0].value if found else None


def leak_of(rows: Rows, defence: str, attacker: str):
    return ratio_of(rows, defence) if attacker == "ratio" else paper_of(rows, defence)


def table_entries(rows: Rows, attacker: str) -> list[Entry]:
    """Every column of the table, and early stopping where it is as accurate as DAP_t."""
    made = []
    for name, column in COLUMNS.items():
        if not rows.has("accuracy", defence=name):
            continue
        leak, caught = leak_of(rows, name, attacker), ratio_of(rows, name, measure="tpr1")
        made.append(Entry(
            column.words, kind_of(name), accuracy_of(rows, name), leak.value,
            caught.value if attacker == "ratio" else None, value(rows, "phi", defence=name),
            value(rows, "matched_auc", defence=name) if attacker == "ratio" else None,
            (leak.spread or np.nan) / np.sqrt(SEEDS),
        ))  # fmt: skip
    return made + matched_entry(made, COLUMNS[MATCHED].words)


def matched_entry(entries: list[Entry], words: str) -> list[Entry]:
    """Early stopping at the accuracy of the entry that is called so."""
    like = next((one for one in entries if one.words == words and one.matched is not None), None)
    if like is None:
        return []
    return [Entry(f"early stopping, as accurate as {words}", "stopping", like.accuracy, like.matched)]


def run_entries(config, result, attacker: str, own: bool) -> list[Entry]:
    """What one run says of its defence."""
    rows, name = result.rows, config.defence
    caught = ratio_of(rows, name, measure="tpr1") if attacker == "ratio" else None
    return [Entry(
        defence_words(config), kind_of(name), accuracy_of(rows, name), leak_of(rows, name, attacker).value,
        caught.value if caught else None, value(rows, "phi", defence=name),
        result.numbers.get("matched_auc") if attacker == "ratio" and name != "none" else None, own=own,
    )]  # fmt: skip


def shipped_entries(attacker: str) -> list[Entry]:
    """Of the runs that ship for carts, one seed each: while there is no table."""
    found = {name: shipped_run("fooling", config) for name, config in presets().items() if name.startswith("carts")}
    made = []
    for name, run in found.items():
        if run is not None:
            made += run_entries(presets()[name], run[0], attacker, own=False)
    return made + (matched_entry(made, made[0].words) if made else [])


def kind_of(defence: str) -> str:
    if defence.startswith(PROMISE):
        return "promise"
    return "dap" if defence.startswith("dap") else "stopping" if defence == "stopping" else "other"


class RankingPanel:
    """The shipped table, or the runs that ship; and the reader's own runs on the same data."""

    def __init__(self, main: FoolingPanel) -> None:
        self.main = main
        self.lam = field(scale("λ, weight of privacy in AOP", LAMBDAS), "rank-lambda")
        self.attack = field(choice("attacker", swapped(ATTACKERS)), "rank-attack")
        self.data = field(choice("data", swapped(DATA)), "rank-data")
        self.words, self.table = text("", "dp-ranking-words"), text("", "dp-ranking-table")
        for control in (self.lam, self.attack, self.data):
            on_change(control, lambda _: self.draw())
        main.listeners.append(lambda _: self.draw())
        self.lam.value = 2
        self.view = panel("dp-fool-ranking", [self.lam, self.attack, self.data], [self.words, self.table])
        self.draw()

    def entries(self) -> list[Entry]:
        """Best first."""
        rows, attacker = table_rows(self.data.value), self.attack.value
        data = presets()[self.data.value].data
        found = table_entries(rows, attacker) if rows else shipped_entries(attacker) if data == "purchases_like" else []
        for run in self.main.table.runs:
            if run.config.data == data:
                found += run_entries(run.config, run.result, attacker, own=True)
        return sorted(found, key=lambda entry: -entry.score(self.lam.value))

    def draw(self) -> None:
        entries, lam = self.entries(), self.lam.value
        if not entries:
            self.words.value = "<p class='dp-soft'>Nothing has been computed for these data yet.</p>"
            self.table.value = ""
            return
        whole = table_rows(self.data.value) is not None
        self.words.value = ranking_words(entries, lam, self.attack.value, whole)
        self.table.value = ranking_html(entries, lam, self.attack.value)


def ranking_words(entries: list[Entry], lam: float, attacker: str, whole: bool) -> str:
    """Who comes first, and where early stopping and DAP stand."""
    source = (
        f"Means over {SEEDS} seeds; ± is two standard errors of the AUC."
        if whole
        else "From the runs that ship with this page, one seed each, and your own (●): the table over several seeds "
        "has not been computed yet."
    )
    places = {kind: next((n for n, one in enumerate(entries, 1) if one.kind == kind), None) for kind in KINDS}
    told = [f"{words} comes {ordinal(places[kind])}" for kind, words in KINDS.items() if places[kind]]
    return (
        f"<p>At <b>λ = {lam}</b>, by {ATTACKERS[attacker]}, <b>{entries[0].words}</b> comes first of {len(entries)}; "
        f"{', '.join(told)}. An attacker at AUC 0.6 divides accuracy by {1.2**lam:,.3g}, one at 0.9 by "
        f"{1.8**lam:,.3g}. <span class='dp-soft'>{source}</span></p>"
    )


KINDS = {"dap": "the best DAP", "stopping": "early stopping", "promise": "DP-SGD"}


def ordinal(place: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(place, f"{place}th")


def ranking_html(entries: list[Entry], lam: float, attacker: str) -> Html:
    most = max(entry.score(lam) for entry in entries) or 1.0
    heads = [
        "rank", "", with_small("AOP", "higher: better"), with_small("right", "higher: useful"),
        with_small("AUC", "guessing 0.5"),
    ]  # fmt: skip
    ratio = attacker == "ratio"
    heads += [with_small("caught", "at 1 %"), with_small("early stopping", "AUC, as accurate")] if ratio else []
    heads += [with_small("φ", "above 1: worth it")]
    rows = [entry_row(rank, entry, lam, most, ratio) for rank, entry in enumerate(entries, 1)]
    return table_html(heads, rows, "", "dp-fool-ranks")


def entry_row(rank: int, entry: Entry, lam: float, most: float, ratio: bool) -> Row:
    score = entry.score(lam)
    bar = f'<div class="dp-aop-bar"><i style="width:{100 * score / most:.1f}%"></i></div>'
    spread = f" ± {2 * entry.error:.3f}" if np.isfinite(entry.error) else ""
    cells = [
        f"{rank}. {'● ' if entry.own else ''}{entry.words}",
        Html(bar),
        Html(f"<b>{score:.3g}</b>"),
        percent(entry.accuracy),
        f"{entry.auc:.3f}{spread}",
    ]
    if ratio:
        cells += [shown(entry.caught, "{:.0%}"), shown(entry.matched, "{:.3f}")]
    return Row([*cells, shown(entry.phi, "{:.2f}")], entry.kind)


def shown(number: float | None, form: str) -> str:
    return "–" if number is None or not np.isfinite(number) else form.format(number)
