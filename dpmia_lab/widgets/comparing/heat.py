"""Defences × attacks at one accuracy: a table whose cells say how much each attack gets, and why some are empty."""

from html import escape

import numpy as np

from dpmia_lab.experiments.comparing_answers import WHO, Harm, attacks_against, chance_of, harms_of
from dpmia_lab.experiments.comparing_columns import CONTROLS
from dpmia_lab.experiments.comparing_fits import fits
from dpmia_lab.experiments.comparing_grid import Grid, Measured
from dpmia_lab.experiments.comparing_matched import Line, Match, accuracies, lines_of, match, matched
from dpmia_lab.experiments.comparing_sentences import WHO_WORDS, chance_words, value_text, with_interval
from dpmia_lab.widgets.comparing.data import LATER, OWN, Board
from dpmia_lab.widgets.comparing.front import offer_in
from dpmia_lab.widgets.comparing.words import HARMS, attack_name
from dpmia_lab.widgets.kit.controls import choice, field, scale
from dpmia_lab.widgets.kit.parts import on_change, panel, text
from dpmia_lab.widgets.kit.tables import Cell, Html, Row, table_html

STEP = 0.02  # between two places of the slider
MEASURED = ("tpr1", "recognised", "recognised_answers", "attack_over_imputation")
SHORTER = {  # with places where a word may be broken
    "likelihood ratio": "ratio", "threshold on the ": "", "maximum a posteriori": "MAP", "inversion": "drawn",
    "public pictures": "public", "confidence": "confi\u00addence", "alignment": "align\u00adment",
    "calibrating attacker": "cali\u00adbrating", "through the mean code": "mean code",
    "answers averaged": "ave\u00adraged",
}  # fmt: skip
USUAL = 0.85  # of the undefended accuracy: where the slider stands at first


class HeatPanel:
    """``cells()`` are what tasks look at."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.setting = False
        self.of = ""  # the data that the slider was made for
        self.menu = board.menu()
        self.measure = field(choice("harm", [("…", "tpr1")]), "heat-harm")
        self.who = field(choice("among", [("everybody", "everybody")]), "heat-who")
        self.accuracy = field(scale("all of them right for", (0.5,)), "heat-accuracy")
        self.words, self.table = text("", "dp-heat-words"), text("", "dp-heat-table")
        for control in (self.measure, self.who, self.accuracy):
            on_change(control, lambda _: None if self.setting else self.show())
        board.listeners.append(self.show)
        self.view = panel(
            "dp-comparing-heat",
            controls=[self.accuracy, self.measure, self.who, self.menu],
            picture=[self.words, self.table],
        )
        self.show()

    def harm(self) -> Harm:
        return Harm(self.measure.value, self.who.value)

    def offer(self, grid: Grid) -> None:
        self.setting = True
        harms = [harm for harm in harms_of(grid) if harm.measure in MEASURED]
        offer_in(self.measure, [(HARMS[m], m) for m in dict.fromkeys(harm.measure for harm in harms)])
        offer_in(self.who, [(WHO_WORDS[who], who) for who in WHO if Harm(self.measure.value, who) in harms])
        if self.of != self.board.data:
            self.of = self.board.data
            low, high = accuracies(grid)
            places = np.arange(np.ceil(low / STEP), np.floor(high / STEP) + 1) * STEP
            options = [(f"{place:.0%}", round(float(place), 4)) for place in places]
            self.accuracy.options = options
            usual = USUAL * high
            self.accuracy.value = min((value for _, value in options), key=lambda value: abs(value - usual))
        self.setting = False

    def show(self) -> None:
        grid = self.board.shipped()
        if grid is None:
            self.words.value, self.table.value = f"<p class='dp-soft'>{LATER}</p>", ""
            return
        self.offer(grid)
        rows = heat_rows(grid, self.harm(), self.accuracy.value)
        self.words.value = heat_words(grid, self.harm(), self.accuracy.value, rows)
        self.table.value = heat_html(grid, self.harm(), rows)


# ---- rows
HeatRow = tuple[Line, Match, dict[str, Measured]]  # a defence, its place, what each attack gets there


def heat_rows(grid: Grid, harm: Harm, accuracy: float) -> list[HeatRow]:
    """The two controls first, then by the worst that happens to each; those that cannot be so accurate last."""
    found = []
    for line in lines_of(grid):
        if not line.columns[0].startswith(OWN):
            place = match(grid, line, accuracy)
            found.append((line, place, at_place(grid, harm, place)))
    return sorted(found, key=lambda row: (bool(row[1].reason), worst_of(row[2])))


def at_place(grid: Grid, harm: Harm, place: Match) -> dict[str, Measured]:
    """By attack; of several protocols (kinds of canaries) the worst."""
    found: dict[str, Measured] = {}
    for attack, protocol in attacks_against(grid, harm):
        one = matched(grid, place, harm.measure, attack, protocol)
        if one is not None and np.isfinite(one.mean):
            found[attack] = max(one, found.get(attack, one), key=lambda measured: measured.mean)
    return found


def worst_of(found: dict[str, Measured]) -> float:
    return max((one.mean for one in found.values()), default=np.inf)


# ---- in words
def heat_words(grid: Grid, harm: Harm, accuracy: float, rows: list[HeatRow]) -> str:
    there = [row for row in rows if not row[1].reason]
    if not there:
        return f"<p>No defence here is right for {accuracy:.0%}.</p>"
    controls = [row for row in there if family_of(grid, row) in CONTROLS]
    said = (
        f"<p>At <b>{accuracy:.0%} right</b> {len(there)} of {len(rows)} defences can be had. Least leaks "
        f"<b>{there[0][0].words}</b>: {value_text(harm.measure, worst_of(there[0][2]))} by its worst attack"
    )
    if controls:
        control = min(controls, key=lambda row: worst_of(row[2]))
        better = [row for row in there if family_of(grid, row) not in (*CONTROLS, "none")
                  and clearly_below(row, control)]  # fmt: skip
        said += (
            f". Clearly below the better of the two controls ({control[0].words}, "
            f"{value_text(harm.measure, worst_of(control[2]))}) {'are' if len(better) != 1 else 'is'} {len(better)}"
        )
    return f"{said}. <span class='dp-soft'>{chance_words(grid, harm.measure).capitalize()}.</span></p>"


def family_of(grid: Grid, row: HeatRow) -> str:
    return grid.columns[row[0].columns[0]].family


def clearly_below(row: HeatRow, control: HeatRow) -> bool:
    """Whether the interval of its worst attack ends below where that of the control's begins."""
    one, other = (max(found.values(), key=lambda m: m.mean, default=None) for _, _, found in (row, control))
    return None not in (one, other) and None not in (one.high, other.low) and one.high < other.low


def heat_html(grid: Grid, harm: Harm, rows: list[HeatRow]) -> Html:
    attacks = list(dict.fromkeys(attack for attack, _ in attacks_against(grid, harm)))
    heads = ("defence", *(head_html(attack) for attack in attacks))
    made = [heat_row(grid, harm, row, attacks) for row in rows]
    caption = Html(
        f"{HARMS[harm.measure]}, {WHO_WORDS[harm.who]}, in per cent, every defence at that accuracy: "
        f"mean over {len(grid.seeds)} seeds ± half of the 95 % interval. Darker: more. "
        '<span class="dp-hatched">Hatched</span>: not to be had, or the attack does not fit (point at it for why).'
    )
    return table_html(heads, made, caption, "dp-heat")


def head_html(attack: str) -> Html:
    """So short that many stand side by side; in full for who points at it."""
    name = attack_name(attack)
    short = name
    for long, word in SHORTER.items():
        short = short.replace(long, word)
    return Html(f'<span title="{escape(name)}">{escape(short)}</span>')


def heat_row(grid: Grid, harm: Harm, row: HeatRow, attacks: list[str]) -> Row:
    line, place, found = row
    kind = "control" if family_of(grid, row) in CONTROLS else ""
    if place.reason:
        return Row([line.words, Cell(place.reason, "dp-hatched dp-why", len(attacks))], kind)
    strength = strength_words([grid.columns[name].words.removeprefix(line.words).strip(" ,") for name in place.columns])
    head = Html(f"{escape(line.words)} <small>{escape(strength if len(line.columns) > 1 else '')}</small>")
    return Row([head, *(heat_cell(grid, harm, place, attack, found.get(attack)) for attack in attacks)], kind)


def strength_words(ends: list[str]) -> str:
    """Where along its strengths: "ε = 2" and "ε = 4" are "ε = 2 to 4", "after 5 epochs" and … "after 5 to 8 epochs"."""
    if len(ends) == 1:
        return ends[0]
    one, other = (end.split() for end in ends)
    before = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    after = next((i for i, (a, b) in enumerate(zip(one[::-1], other[::-1], strict=False)) if a != b), 0)
    middle = " ".join(one[before : len(one) - after])
    return " ".join(
        [*one[:before], f"{middle} to {' '.join(other[before : len(other) - after])}", *one[len(one) - after :]]
    )


def heat_cell(grid: Grid, harm: Harm, place: Match, attack: str, found: Measured | None) -> Cell:
    """In per cent, with half of the interval; in full for who points at it."""
    if found is None:
        why = fits(grid.columns[place.columns[0]], attack, grid.data) or "not tried here"
        return Cell(Html(f'<span title="{escape(why)}">–</span>'), "dp-hatched")
    digits = 1 if harm.measure == "attack_over_imputation" else 0
    half = "" if found.low is None else f" <small>±{100 * (found.high - found.mean):.{digits}f}</small>"
    told = Html(
        f'<span title="{escape(with_interval(harm.measure, found))}">{100 * found.mean:.{digits}f}{half}</span>'
    )
    return Cell(told, f"dp-heat-{shade(grid, harm, found)}")


def shade(grid: Grid, harm: Harm, found: Measured) -> int:
    """0 at what guessing gets, 9 where everybody is harmed; by the root, so that small shares can be told apart."""
    low = chance_of(grid, harm.measure)
    share = (found.mean - low) / (0.3 if harm.measure == "attack_over_imputation" else 1 - low)
    return int(np.clip(round(9 * np.sqrt(max(share, 0))), 0, 9))
