"""Lesson 10's map: every defence at every strength, utility over leak, for one attack or the worst of all."""

from collections.abc import Callable

import ipywidgets as widgets

from dpmia_lab.experiments.comparing_answers import (
    WHO,
    Bargain,
    Harm,
    attacks_against,
    bargains,
    chance_of,
    harms_of,
)
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.experiments.comparing_sentences import WHO_WORDS, bargain_words
from dpmia_lab.widgets.comparing.data import LATER, Board, kind_of
from dpmia_lab.widgets.comparing.words import HARMS, attack_name, axis_words, card_html, front_html
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.parts import column, on_change, panel, text

PLOTS = "dpmia_lab.plots.comparing"
CHART_DELAY, REST = 1.0, 0.1  # seconds: the page comes first, and a slider goes on
WORST = ("the worst of all", "")


class FrontPanel:
    """``harm()`` and ``opened`` are what tasks look at."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.opened = ""
        self.setting = False
        self.watchers: list[Callable[[], None]] = []  # hear of whatever is shown
        self.menu = board.menu()
        self.measure = field(choice("harm", [("…", "tpr1")]), "harm")
        self.who = field(choice("among", [("everybody", "everybody")]), "who")
        self.attack = field(choice("attack", [WORST]), "attack")
        self.words, self.card = text("", "dp-front-words"), text("", "dp-defence-card")
        self.chart = ChartPlace(
            self.drawn, PLOTS, "dp-front-chart", delay=CHART_DELAY, rest=REST, keep="dpmia_lab_front.png",
            on_pick=self.open,
        )  # fmt: skip
        for control in (self.measure, self.who, self.attack):
            on_change(control, lambda _: None if self.setting else self.show())
        board.listeners.append(self.show)
        self.verdict = column(classes=("dp-verdict",))
        self.view = panel(
            "dp-comparing-front",
            controls=[self.menu, self.measure, self.who, self.attack],
            run=[self.verdict],
            picture=[self.words, self.chart.view],
            details=[self.chart.exports, column(self.card, classes=("dp-section",)), width_for(self.chart)],
        )
        self.show()

    def answers(self, outcome: widgets.Widget) -> None:
        self.verdict.children = [outcome]

    # ---- what is asked
    def harm(self) -> Harm:
        return Harm(self.measure.value, self.who.value, self.attack.value)

    def offer(self, grid: Grid) -> None:
        """Only what was measured on these data stands in the menus; a choice that is still there stays."""
        self.setting = True
        harms = harms_of(grid)
        offer_in(self.measure, [(HARMS[m], m) for m in dict.fromkeys(harm.measure for harm in harms)])
        offer_in(self.who, [(WHO_WORDS[who], who) for who in WHO if Harm(self.measure.value, who) in harms])
        attacks = dict.fromkeys(a for a, _ in attacks_against(grid, Harm(self.measure.value, self.who.value)))
        offer_in(self.attack, [WORST, *((attack_name(attack), attack) for attack in attacks)])
        self.setting = False

    # ---- showing
    def found(self, grid: Grid) -> list[Bargain]:
        return bargains(grid, self.harm())

    def show(self) -> None:
        grid = self.board.grid()
        if grid is None:
            self.words.value, self.card.value = f"<p class='dp-soft'>{LATER}</p>", ""
        else:
            self.offer(grid)
            found = self.found(grid)
            if self.opened not in grid.columns:
                self.opened = first_to_open(grid, found)
            self.words.value = front_html(grid, self.harm(), found)
            self.card.value = card_html(grid, self.opened, self.harm(), found) if self.opened else ""
        self.chart.soon.ask()
        for watcher in self.watchers:
            watcher()

    def open(self, key: str) -> None:
        self.opened = key
        self.show()

    def drawn(self, width: int) -> Chart | str | None:
        from dpmia_lab.plots.comparing import front_chart

        grid = self.board.grid()
        if grid is None:
            return f"<p class='dp-soft'>{LATER}</p>"
        harm = self.harm()
        dots = [dot_of(grid, one, harm) for one in self.found(grid)]
        return front_chart(dots, axis_words(harm), chance_of(grid, harm.measure), width, chosen=self.opened)


def offer_in(menu: widgets.Dropdown, options: list[tuple[str, str]]) -> None:
    if list(menu.options) != options and options:
        kept = menu.value if menu.value in [value for _, value in options] else options[0][1]
        menu.options = options
        menu.value = kept


def first_to_open(grid: Grid, found: list[Bargain]) -> str:
    """The most accurate on the front that is not the undefended model."""
    there = [one for one in found if one.front and one.column != "none"] or found
    return max(there, key=lambda one: one.accuracy.mean).column if there else ""


def dot_of(grid: Grid, one: Bargain, harm: Harm, out: bool = False):
    from dpmia_lab.plots.comparing import Dot

    leak, right, kind = one.leak.measured, one.accuracy, kind_of(grid, one.column)
    return Dot(
        one.column,
        grid.columns[one.column].words + (" (yours)" if kind == "own" else ""),
        bargain_words(grid, one, harm, attack_name),
        kind,
        leak.mean,
        right.mean,
        None if leak.low is None else (leak.low, leak.high),
        None if right.low is None else (right.low, right.high),
        one.front,
        out,
    )
