"""φ of one strength, and all ranked by AOP, as sliders move; below, the table of paper D, ranked by the same λ."""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.experiments.mechanism_sweep import Sweep
from dpmia_lab.experiments.mechanisms import point_of, setting_words
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.privacy.local import FEATURES_ONLY
from dpmia_lab.reference import shipped
from dpmia_lab.rows import Row as Measured
from dpmia_lab.widgets.kit.controls import choice, field, scale, swapped
from dpmia_lab.widgets.kit.parts import on_change, panel, show_if, text
from dpmia_lab.widgets.kit.tables import Cell, Html, Row, table_html, with_small
from dpmia_lab.widgets.mechanisms.controls import new_slider
from dpmia_lab.widgets.mechanisms.panel import MechanismsPanel
from dpmia_lab.widgets.mechanisms.words import attack_words, data_words
from dpmia_lab.widgets.mechanisms.worth import worth_html

LAMBDAS = (1, 2, 5, 10, 20, 50)
LOOKED_AT = {"local": "local noise", "central": "central noise"}
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
    error: float = np.nan  # standard error of the score


class RankingPanel:
    """Follows the main panel: the same data, attack and outsiders, its reference and the reader's sweeps.

    One strength is looked at closely; all are ranked.
    """

    def __init__(self, main: MechanismsPanel) -> None:
        self.main = main
        self.mechanism = field(choice("look at", swapped(LOOKED_AT)), "mechanism")
        self.strength = field(new_slider("its strength", 5), "strength")
        self.looked_at = ""  # a point of the sweep that is known
        self.lam = field(scale("λ, the weight of privacy", LAMBDAS), "lambda")
        self.worth, self.words = text("", "dp-worth-place"), text("", "dp-winners")
        self.ours, self.published = text("", "dp-ranking-ours"), text("", "dp-ranking-published")
        on_change(self.mechanism, lambda _: self.offer())
        on_change(self.strength, self.look_at)
        on_change(self.lam, lambda _: self.draw())
        main.results.listeners.append(self.offer)
        controls = [self.mechanism, self.strength, self.lam]
        self.view = panel("dp-ranking", controls, [self.worth, self.words, self.ours], [self.published])
        self.offer()

    def offer(self) -> None:
        """The strengths of the sweep that is known, weakest noise first; the one looked at stays if it is there."""
        sweep = self.main.results.known()
        found = by_noise(sweep, self.mechanism.value) if sweep else []
        looked_at = self.looked_at if self.looked_at in found else next(iter(found), "")
        show_if(len(found) >= 2, self.strength)
        options = [(strength_words(sweep, one), one) for one in found]
        if len(found) > 1 and options != list(self.strength.options):
            self.strength.options = options
            self.strength.value = looked_at
        self.look_at(looked_at)

    def look_at(self, defence: str) -> None:
        self.looked_at = defence
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
        self.worth.value = worth_html(view.known(), self.looked_at, *view.played) if self.looked_at else ""
        self.words.value = winners_html(lam, ours, published)
        shown = f"{data_words(view.config)}; {attack_words(*view.played)}"
        about = (
            f"{shown}; ± two standard errors. ε for a record as in the charts above (local: {FEATURES_ONLY}). "
            f"Marked ●: your sweep."
        )
        empty = "<p class='dp-soft'>No points yet: run a sweep above, or compute the reference.</p>"
        self.ours.value = ranking_html("This lab", about, ours) if ours else f"<h3>This lab</h3>{empty}"
        self.published.value = ranking_html("Paper D, mean over eight picture sets", published_words(lam), published)


def by_noise(sweep: Sweep, mechanism: str) -> list[str]:
    """Its strengths, by falling ε."""
    return sorted(sweep.of(mechanism), key=lambda one: -sweep.value("epsilon", one))


def strength_words(sweep: Sweep, defence: str) -> str:
    return f"ε = {epsilon_text(sweep.value('epsilon', defence))}"


# ---- this lab
def sweep_entries(sweep: Sweep, attack: str, protocol: str, lam: float, own: bool) -> list[Entry]:
    found = []
    for row in sweep.rows.where(measure="auc", attack=attack, protocol=protocol):
        words, accuracy = setting_words(row.defence), sweep.value("test_accuracy", row.defence)
        if row.defence != "none":
            words += f" (ε = {epsilon_text(sweep.value('epsilon', row.defence))})"
        mechanism, _ = point_of(row.defence)
        score = float(aop(accuracy, row.value, lam))
        error = score * relative_error(sweep, row, accuracy, lam)
        found.append(Entry(words, mechanism, accuracy, row.value, score, own, error=error))
    return found


def relative_error(sweep: Sweep, auc: Measured, accuracy: float, lam: float) -> float:
    """Of AOP, from the standard errors of accuracy and AUC: λ multiplies the latter's, as a power does."""
    of_accuracy = sweep.error("test_accuracy", auc.defence) / max(accuracy, 1e-9)
    of_auc = sweep.error("auc", auc.defence, auc.attack, auc.protocol) / max(auc.value, 0.5)
    return float(np.hypot(of_accuracy, lam * of_auc))


def tied_with_first(entries: list[Entry]) -> int:
    """How many others have a score within two standard errors of the best."""
    first, others = entries[0], entries[1:]
    return sum(first.score - one.score <= 2 * np.hypot(first.error, one.error) for one in others)


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
    heads = ["rank", "", with_small("AOP", "higher: better"), *(["printed"] if printed else []), "accuracy", "AUC"]
    rows = [entry_row(rank, entry, most, printed) for rank, entry in enumerate(entries, 1)]
    return f"<h3>{title}</h3>{table_html(heads, rows, about, 'dp-ranks')}"


def entry_row(rank: int, entry: Entry, most: float, printed: bool) -> Row:
    bar = f'<div class="dp-rank-bar"><i style="width:{100 * entry.score / most:.1f}%"></i></div>'
    cells = [
        f"{rank}. {'● ' if entry.own else ''}{entry.words}",
        Html(bar),
        Html(f"<b>{entry.score:.3f}</b>{error_text(entry)}"),
        *([Cell(f"{entry.printed:.3f}", "dp-reference")] if printed else []),
        f"{entry.accuracy:.2f}",
        f"{entry.auc:.3f}",
    ]
    return Row(cells, f"dp-rank-{entry.mechanism}")


def error_text(entry: Entry) -> str:
    return f" ± {2 * entry.error:.3f}" if np.isfinite(entry.error) else ""


def first_words(ours: list[Entry]) -> str:
    """Who comes first here, and how many of the others only chance keeps behind."""
    if not ours:
        return ""
    tied = tied_with_first(ours)
    chance = f" (but chance alone keeps {tied} of the others behind it)" if tied else " (beyond chance)"
    return f"here <b>{ours[0].words}</b> comes first{chance}, "


def winners_html(lam: int, ours: list[Entry], published: list[Entry]) -> str:
    first = first_words(ours)
    penalty = (2 * 0.6) ** lam
    return (
        f"<p>At <b>λ = {lam}</b> {first}in paper D <b>{published[0].words}</b>. A model whose attacker reaches AUC 0.6 "
        f"has its accuracy divided by {penalty:,.3g}; one whose attacker only guesses keeps it whole.</p>"
    )
