"""All defences ranked by AOP as λ moves, with early stopping at the same accuracy always among them."""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.experiments.fooling import LAMBDAS
from dpmia_lab.experiments.fooling_table import COLUMNS
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.privacy.accounting import short
from dpmia_lab.widgets.fooling.data import presets
from dpmia_lab.widgets.fooling.panel import FoolingPanel
from dpmia_lab.widgets.fooling.table import DATA, Table, give_or_take, mean_and_half, notes, table, told_apart
from dpmia_lab.widgets.fooling.words import accuracy_of, defence_words, paper_of, percent, ratio_of
from dpmia_lab.widgets.kit.controls import choice, field, scale, swapped
from dpmia_lab.widgets.kit.parts import on_change, panel, text
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import Cell, Html, Row, table_html, with_small

ATTACKERS = {"ratio": "likelihood ratios that adapt", "paper": "the best of paper D's own"}
MATCHED = "dap_t"  # whom the entry of early stopping is as accurate as
Interval = tuple[float, float]  # a value, and half of its 95 % interval over seeds (NaN: one seed)


@dataclass(frozen=True)
class Entry:
    """A line of the ranking at one λ."""

    words: str
    kind: str  # dap, stopping, promise or other: the colour of its bar
    score: float  # AOP
    accuracy: float
    auc: Interval
    caught: float | None = None  # members at 1 % false alarms
    gain: Interval | None = None  # AUC below that of early stopping at this accuracy
    phi: float | None = None  # by likelihood ratios
    own: bool = False


# ---- where entries come from
def table_entries(found: Table, attacker: str, lam: int) -> list[Entry]:
    """Every column of the table, and early stopping where it is as accurate as DAP_t."""
    made = [column_entry(found, name, attacker, lam) for name in found.columns]
    return [*made, matched_entry(found, lam)] if attacker == "ratio" else made


def column_entry(found: Table, name: str, attacker: str, lam: int) -> Entry:
    words = COLUMNS[name].words + (" †" if told_apart(found, name) else "")
    rows, phi, gain = found.columns[name], found.row(name, "phi"), found.row(name, "matched_gain")
    of = {
        "words": words,
        "kind": kind_of(name),
        "accuracy": accuracy_of(rows, name),
        "phi": None if phi is None else phi.value,
    }
    if attacker == "paper":
        leak = paper_of(rows, name)
        score = found.row(name, f"aop_{lam}", attack="paper").value
        return Entry(score=score, auc=(leak.value, found.half(leak)), **of)
    return Entry(
        score=found.row(name, f"aop_{lam}", attack="best").value,
        auc=mean_and_half(found.by_seed(name, "auc")),
        caught=ratio_of(rows, name, measure="tpr1").value,
        gain=None if gain is None else (gain.value, found.half(gain)),
        **of,
    )


def matched_entry(found: Table, lam: int) -> Entry:
    accuracy, auc = (found.by_seed(MATCHED, measure) for measure in ("accuracy", "matched_auc"))
    words = f"early stopping, as accurate as {COLUMNS[MATCHED].words}"
    return Entry(words, "stopping", float(aop(accuracy, auc, lam).mean()), accuracy.mean(), mean_and_half(auc))


def run_entry(run: Run, attacker: str, lam: int) -> Entry:
    """What one run of the reader's says of its defence."""
    rows, name = run.result.rows, run.config.defence
    leak = ratio_of(rows, name) if attacker == "ratio" else paper_of(rows, name)
    gain, phi = run.result.numbers.get("matched_gain"), rows.where(measure="phi", defence=name).rows
    of_ratio = {}
    if attacker == "ratio":
        of_ratio["caught"] = ratio_of(rows, name, measure="tpr1").value
        of_ratio["gain"] = None if gain is None or name == "none" else (gain, np.nan)
    accuracy = accuracy_of(rows, name)
    return Entry(
        defence_words(run.config), kind_of(name), float(aop(accuracy, leak.value, lam)), accuracy,
        (leak.value, np.nan), phi=phi[0].value if phi else None, own=True, **of_ratio,
    )  # fmt: skip


def kind_of(defence: str) -> str:
    if defence.startswith(("dp_", "central")):
        return "promise"
    return "dap" if defence.startswith("dap") else "stopping" if defence == "stopping" else "other"


class RankingPanel:
    """The shipped table, and the reader's own runs on the same kind of data."""

    def __init__(self, main: FoolingPanel) -> None:
        self.main = main
        self.lam = field(scale("λ, weight of privacy in AOP", LAMBDAS), "rank-lambda")
        self.attack = field(choice("attacker", swapped(ATTACKERS)), "rank-attack")
        self.data = field(choice("data", swapped(DATA)), "rank-data")
        self.words, self.table = text("", "dp-ranking-words"), text("", "dp-ranking-table")
        self.lam.value = 2
        for control in (self.lam, self.attack, self.data):
            on_change(control, lambda _: self.draw())
        main.listeners.append(lambda _: self.draw())
        self.view = panel("dp-fool-ranking", [self.lam, self.attack, self.data], [self.words, self.table])
        self.draw()

    def entries(self, found: Table) -> list[Entry]:
        """Best first."""
        attacker, lam, data = self.attack.value, self.lam.value, presets()[self.data.value].data
        made = table_entries(found, attacker, lam)
        made += [run_entry(run, attacker, lam) for run in self.main.table.runs if run.config.data == data]
        return sorted(made, key=lambda entry: -entry.score)

    def draw(self) -> None:
        found = table(self.data.value)
        if found is None:
            self.words.value = "<p class='dp-soft'>Nothing has been computed for these data yet.</p>"
            self.table.value = ""
            return
        entries, attacker, lam = self.entries(found), self.attack.value, self.lam.value
        self.words.value = ranking_words(found, self.data.value, entries, attacker, lam)
        self.table.value = ranking_html(entries, attacker, notes(found))


# ---- in words
def ranking_words(found: Table, data: str, entries: list[Entry], attacker: str, lam: int) -> str:
    """Who comes first, where DAP_t and early stopping stand, and whether these two can be told apart."""
    said = (
        f"<p>At <b>λ = {lam}</b>, by {ATTACKERS[attacker]}, <b>{entries[0].words}</b> comes first of {len(entries)}, "
        f"{COLUMNS[MATCHED].words} {place_of(entries, COLUMNS[MATCHED].words)}"
    )
    if attacker == "ratio":
        said += f" and early stopping at its accuracy {place_of(entries, matched_entry(found, lam).words)}"
        said += f". {apart_words(found, lam)}"
    else:
        said += f" and early stopping {place_of(entries, COLUMNS['stopping'].words)}."
    own = " ● are your runs: one seed each, with settings of their own." if any(one.own for one in entries) else ""
    return (
        f"{said} An attacker at AUC 0.6 divides accuracy by {short(1.2**lam, 3)}, one at 0.9 by {short(1.8**lam, 3)}. "
        f"<span class='dp-soft'>{found.words(data)}: means, ± Student's 95 % interval over seeds.{own}</span></p>"
    )


def apart_words(found: Table, lam: int) -> str:
    """DAP_t against early stopping at its accuracy, seed by seed."""
    accuracy, auc, matched = (found.by_seed(MATCHED, name) for name in ("accuracy", "auc", "matched_auc"))
    apart, half = mean_and_half(aop(accuracy, auc, lam) - aop(accuracy, matched, lam))
    if abs(apart) <= half:
        return "Seed by seed these two cannot be told apart."
    return f"Seed by seed {COLUMNS[MATCHED].words} is {'better' if apart > 0 else 'worse'} than that."


def place_of(entries: list[Entry], words: str) -> str:
    place = next(place for place, entry in enumerate(entries, 1) if entry.words == words)
    end = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th") if place not in (11, 12, 13) else "th"
    return f"{place}{end}"


def ranking_html(entries: list[Entry], attacker: str, below: str) -> Html:
    most = max(entry.score for entry in entries) or 1.0
    ratio = attacker == "ratio"
    heads = ["defence", "", with_small("AOP", "high: good"), with_small("right", "high: useful"),
             with_small("AUC", "guessing: 0.5")]  # fmt: skip
    if ratio:
        heads += [with_small("caught", "at 1 %"), with_small("gain", "AUC, over early stopping")]
        heads.append(with_small("φ", "over 1: pays"))
    rows = [entry_row(rank, entry, most, ratio) for rank, entry in enumerate(entries, 1)]
    of_gain = (
        "<b>Caught</b>: members at 1 % false alarms, lower is safer. <b>Gain</b>: how much lower the AUC is than that "
        "of an undefended model stopped when it was as accurate; above 0 the defence is worth more than stopping, – "
        "where none was as accurate. "
        if ratio
        else ""
    )
    return Html(f"{table_html(heads, rows, '', 'dp-fool-ranks')}<p class='dp-soft dp-rank-notes'>{of_gain}{below}</p>")


def entry_row(rank: int, entry: Entry, most: float, ratio: bool) -> Row:
    bar = Html(f'<div class="dp-aop-bar"><i style="width:{100 * entry.score / most:.1f}%"></i></div>')
    cells = [
        f"{rank}. {'● ' if entry.own else ''}{entry.words}",
        Cell(bar, "dp-bar-cell"),
        Html(f"<b>{score_text(entry.score)}</b>"),
        percent(entry.accuracy),
        give_or_take(*entry.auc),
    ]
    if ratio:
        cells.append("–" if entry.caught is None else percent(entry.caught))
        cells.append("–" if entry.gain is None else gain_text(*entry.gain))
        cells.append("–" if entry.phi is None else f"{entry.phi:.2f}")
    return Row(cells, entry.kind)


def score_text(score: float) -> str:
    return f"{score:.3f}" if score >= 0.001 else f"{score:.0e}".replace("e-0", "e-").replace("-", "−")


def gain_text(gain: float, half: float) -> str:
    return f"{gain:+.3f}".replace("-", "−") + (f" ± {half:.3f}" if np.isfinite(half) else "")
