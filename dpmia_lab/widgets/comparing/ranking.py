"""All defences ranked by AOP as λ moves, with φ and the tail that neither of them looks at."""

from dpmia_lab.experiments.comparing_answers import Harm, Ranked, attacks_against, leak_of, ranked
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.experiments.comparing_matched import lines_of
from dpmia_lab.experiments.comparing_sentences import value_text
from dpmia_lab.widgets.comparing.data import CLASSES, LATER, Board, kind_of
from dpmia_lab.widgets.comparing.front import WORST, offer_in
from dpmia_lab.widgets.comparing.words import attack_name
from dpmia_lab.widgets.kit.controls import choice, field, scale
from dpmia_lab.widgets.kit.parts import on_change, panel, text
from dpmia_lab.widgets.kit.tables import Cell, Html, Row, table_html, with_small

LAMBDAS = (0, 0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
MUCH = 0.5  # of canaries caught: as many are told in colour


class RankingPanel:
    """``entries()``, best first, is what tasks look at."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.setting = False
        self.menu = board.menu()
        self.lam = field(scale("λ, weight of privacy in AOP", LAMBDAS), "rank-lambda")
        self.attack = field(choice("the AUC is that of", [WORST]), "rank-attack")
        self.lam.value = 2
        self.words, self.table = text("", "dp-ranking-words"), text("", "dp-ranking-table")
        for control in (self.lam, self.attack):
            on_change(control, lambda _: None if self.setting else self.show())
        board.listeners.append(self.show)
        self.view = panel(
            "dp-comparing-ranking", controls=[self.lam, self.attack, self.menu], picture=[self.words, self.table]
        )
        self.show()

    def entries(self, grid: Grid) -> list[Ranked]:
        """Each defence at the strength that scores highest."""
        return best_entries(grid, self.lam.value, self.attack.value)

    def show(self) -> None:
        grid = self.board.grid()
        if grid is None:
            self.words.value, self.table.value = f"<p class='dp-soft'>{LATER}</p>", ""
            return
        self.setting = True
        attacks = dict.fromkeys(attack for attack, _ in attacks_against(grid, Harm("auc")))
        offer_in(self.attack, [WORST, *((attack_name(attack), attack) for attack in attacks)])
        self.setting = False
        entries = self.entries(grid)
        self.words.value = ranking_words(grid, entries, self.lam.value)
        self.table.value = ranking_html(grid, entries)


def best_entries(grid: Grid, lam: float, attack: str = "") -> list[Ranked]:
    """Each defence at the strength that scores highest, best first."""
    line_of = {name: line for line in lines_of(grid) for name in line.columns}
    best: dict = {}
    for one in ranked(grid, lam, CLASSES.get(grid.data, 2), attack=attack):
        best.setdefault(line_of[one.column], one)
    return list(best.values())


def canaries_caught(grid: Grid, column: str) -> float | None:
    leak = leak_of(grid, column, Harm("tpr1", "canaries"))
    return None if leak is None else leak.measured.mean


def ranking_words(grid: Grid, entries: list[Ranked], lam: float) -> str:
    """Who comes first, and what happens to canaries there."""
    if not entries:
        return "<p class='dp-soft'>Membership was not attacked on these data.</p>"
    first, rest = entries[0], entries[1:]
    caught = canaries_caught(grid, first.column)
    said = f"<p>At <b>λ = {lam:g}</b> <b>{grid.columns[first.column].words}</b> comes first of {len(entries)}"
    if caught is not None:
        safer = [one for one in rest if (canaries_caught(grid, one.column) or 1) < caught / 2]
        said += f"; of its canaries {value_text('tpr1', caught)} are caught"
        if safer:
            said += f". {len(safer)} that it beats let less than half as many be caught"
    return said + (
        f". An attacker at AUC 0.6 divides accuracy by {1.2**lam:.3g}, one at 0.9 by {1.8**lam:.3g}. "
        f"<span class='dp-soft'>Each defence at the strength that scores highest; means over {len(grid.seeds)} seeds."
        "</span></p>"
    )


def ranking_html(grid: Grid, entries: list[Ranked]) -> Html:
    most = max((one.aop.mean for one in entries), default=1.0) or 1.0
    heads = (
        "defence", "", with_small("AOP", "high: good"), with_small("φ", "over 1: pays"),
        with_small("right", "high: useful"), with_small("AUC", "guessing: 0.5"),
        with_small("caught", "at 1 %"), with_small("canaries", "caught at 1 %"),
    )  # fmt: skip
    return table_html(heads, [entry_row(grid, rank, one, most) for rank, one in enumerate(entries, 1)], "", "dp-ranks")


def entry_row(grid: Grid, rank: int, one: Ranked, most: float) -> Row:
    bar = Html(f'<div class="dp-aop-bar"><i style="width:{100 * one.aop.mean / most:.1f}%"></i></div>')
    kind, caught = kind_of(grid, one.column), canaries_caught(grid, one.column)
    return Row(
        [
            f"{rank}. {'★ ' if kind == 'own' else ''}{grid.columns[one.column].words}",
            Cell(bar, "dp-bar-cell"),
            Html(f"<b>{score_text(one.aop.mean)}</b>"),
            "–" if one.phi is None else f"{one.phi:.2f}",
            f"{one.accuracy.mean:.0%}",
            f"{one.auc.measured.mean:.2f}",
            "–" if one.tail is None else value_text("tpr1", one.tail.measured.mean),
            "–" if caught is None else Cell(f"{caught:.0%}", "dp-exposed" if caught >= MUCH else ""),
        ],
        kind,
    )


def score_text(score: float) -> str:
    return f"{score:.3f}" if score >= 0.001 else f"{score:.0e}".replace("e-0", "e-").replace("-", "−")
