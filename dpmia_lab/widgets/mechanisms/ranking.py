"""Mechanisms ranked by AOP, which a slider re-ranks at once; beside them the table of paper D, ranked by the same λ."""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.experiments.mechanism_sweep import Sweep, epsilon_text
from dpmia_lab.experiments.mechanisms import point_of, setting_words
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.reference import shipped
from dpmia_lab.widgets.kit.controls import field, scale
from dpmia_lab.widgets.kit.parts import card, column, on_change, text
from dpmia_lab.widgets.kit.tables import Cell, Html, Row, table_html, with_small
from dpmia_lab.widgets.mechanisms.panel import MechanismsPanel
from dpmia_lab.widgets.mechanisms.words import attack_words, data_words

LAMBDAS = (1, 2, 5, 10, 20, 50)
DEFENCES = {
    "baseline": "no defence",
    "reg": "regularised",
    "dp_eps0.5": "central, ε = 0.5 as printed",
    "dp_eps1": "central, ε = 1 as printed",
    "dp_eps2": "central, ε = 2 as printed",
    "dp_eps4": "central, ε = 4 as printed",
    "dap_t": "DAP, training data",
    "dap_v": "DAP, validation data",
}
TOLERANCE = {1: 0.001, 50: 0.021}  # how far the printed means may lead from the printed AOP


@dataclass(frozen=True)
class Entry:
    """A line of a ranking."""

    words: str
    mechanism: str  # decides the colour of its bar
    accuracy: float
    auc: float
    score: float  # AOP
    own: bool = False
    printed: float = np.nan


class RankingPanel:
    """Follows the main panel: the same data, attack and outsiders, its reference and the reader's sweeps."""

    def __init__(self, main: MechanismsPanel) -> None:
        self.main = main
        self.lam = field(scale("λ, how much privacy weighs", LAMBDAS), "lambda")
        self.words, self.ours, self.published = text(""), text("", "dp-ranking-ours"), text("", "dp-ranking-published")
        on_change(self.lam, lambda _: self.draw())
        main.results.listeners.append(self.draw)
        tables = column(self.ours, self.published, classes=("dp-rankings",))
        self.view = card(column(self.lam, classes=("dp-lambda-place",)), self.words, tables, name="dp-ranking")
        self.draw()

    def entries(self) -> list[Entry]:
        """Of the reference and of the reader's newest sweep, best first."""
        view = self.main.results
        sweeps = [*([(view.reference, False)] if view.reference else []), *((own, True) for own in view.own()[:1])]
        found = [entry for sweep, own in sweeps for entry in sweep_entries(sweep, *view.played, self.lam.value, own)]
        return sorted(found, key=lambda entry: -entry.score)

    def draw(self) -> None:
        lam, view = self.lam.value, self.main.results
        ours, published = self.entries(), published_entries(lam)
        self.words.value = winners_html(lam, ours, published)
        shown = f"{data_words(view.config)}; {attack_words(*view.played)}"
        about = f"{shown}; ε for a record as in the charts above. Marked ●: your sweep."
        empty = "<p class='dp-soft'>No points yet: run a sweep above, or compute the reference.</p>"
        self.ours.value = ranking_html("This lab", about, ours) if ours else f"<h4>This lab</h4>{empty}"
        self.published.value = ranking_html("Paper D, mean over eight picture sets", published_words(lam), published)


# ---- this lab
def sweep_entries(sweep: Sweep, attack: str, protocol: str, lam: float, own: bool) -> list[Entry]:
    found = []
    for row in sweep.rows.where(measure="auc", attack=attack, protocol=protocol):
        words, accuracy = setting_words(row.defence), sweep.value("test_accuracy", row.defence)
        if row.defence != "none":
            words += f" (ε = {epsilon_text(sweep.value('epsilon', row.defence))})"
        mechanism, _ = point_of(row.defence)
        found.append(Entry(words, mechanism, accuracy, row.value, float(aop(accuracy, row.value, lam)), own))
    return found


# ---- paper D
def published_entries(lam: int) -> list[Entry]:
    """AOP of every data set from the printed accuracy and AUC, then the mean; best first."""
    paper = shipped("published")["dap"]
    accuracy, auc = (np.array(list(paper[name].values())) for name in ("accuracy", "auc"))  # (sets, defences)
    scores, printed = aop(accuracy, auc, lam).mean(0), paper["aop"][str(lam)]
    entries = [
        Entry(DEFENCES[name], colour_of(name), *means, score, printed=row)
        for name, *means, score, row in zip(
            paper["defences"], accuracy.mean(0), auc.mean(0), scores, printed, strict=True
        )
    ]
    return sorted(entries, key=lambda entry: -entry.score)


def colour_of(defence: str) -> str:
    return "central" if defence.startswith("dp_") else "other" if defence.startswith("dap") else "none"


def farthest(entries: list[Entry]) -> float:
    """From the printed AOP."""
    return max(abs(entry.score - entry.printed) for entry in entries)


def published_words(lam: int) -> str:
    return (
        f"Recomputed from its printed accuracy and AUC. At λ = {lam} our mean is at most "
        f"{farthest(published_entries(lam)):.3f} from the AOP it prints (it averaged AOP over runs, we start from "
        f"means: {TOLERANCE[1]:g} is expected at λ = 1, up to {TOLERANCE[50]:g} at λ = 50). Its ε are for a record; "
        f"neighbours and δ are not printed. Regularised means dropout, augmentation and weight decay."
    )


# ---- tables
def ranking_html(title: str, about: str, entries: list[Entry]) -> str:
    """A bar a line, as long as its AOP."""
    most = max(entry.score for entry in entries) or 1.0
    printed = any(np.isfinite(entry.printed) for entry in entries)
    heads = ["rank", with_small("AOP", "higher: better"), *(["printed"] if printed else []), "accuracy", "AUC"]
    rows = [entry_row(rank, entry, most, printed) for rank, entry in enumerate(entries, 1)]
    return f"<h4>{title}</h4>{table_html(heads, rows, about, 'dp-ranks')}"


def entry_row(rank: int, entry: Entry, most: float, printed: bool) -> Row:
    bar = f'<div class="dp-rank-bar"><i style="width:{100 * entry.score / most:.1f}%"></i></div>'
    cells = [
        Html(f"{rank}. {'● ' if entry.own else ''}{entry.words}{bar}"),
        Html(f"<b>{entry.score:.3f}</b>"),
        *([Cell(f"{entry.printed:.3f}", "dp-reference")] if printed else []),
        f"{entry.accuracy:.2f}",
        f"{entry.auc:.3f}",
    ]
    return Row(cells, f"dp-rank-{entry.mechanism}")


def winners_html(lam: int, ours: list[Entry], published: list[Entry]) -> str:
    first = f"here <b>{ours[0].words}</b> comes first, " if ours else ""
    penalty = (2 * 0.6) ** lam
    return (
        f"<p>At <b>λ = {lam}</b> {first}in paper D <b>{published[0].words}</b>. A model whose attacker reaches AUC 0.6 "
        f"has its accuracy divided by {penalty:,.3g}; one whose attacker only guesses keeps it whole.</p>"
    )
