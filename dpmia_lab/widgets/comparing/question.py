"""The question of lesson 10: so much harm I accept, so much accuracy I need; what can I use?"""

from collections.abc import Callable
from html import escape

import ipywidgets as widgets

from dpmia_lab.experiments.comparing_answers import (
    Answer,
    Bargain,
    Harm,
    Limit,
    Option,
    Question,
    answer_to,
    bargains,
    chance_of,
    harms_of,
)
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.experiments.comparing_risk import column_risk, promise_words, promises
from dpmia_lab.experiments.comparing_sentences import WHO_WORDS, answer_words, question_words
from dpmia_lab.widgets.comparing.data import LATER, Board
from dpmia_lab.widgets.comparing.front import CHART_DELAY, PLOTS, REST, dot_of, offer_in
from dpmia_lab.widgets.comparing.words import HARMS, attack_name, axis_words, cell_text
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.opening import is_loaded, load_in_background
from dpmia_lab.widgets.kit.parts import column, on_change, panel, show_if, text
from dpmia_lab.widgets.kit.tables import Cell, Html, Row, table_html, with_small

ACCEPTED = {  # what the sliders offer, by harm
    "tpr1": (0.015, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 1.0),
    "recognised": (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0),
    "attack_over_imputation": (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 1.0),
}
LABELS = {
    "tpr1": "caught at 1 %, at most",
    "recognised": "people recognised, at most",
    "attack_over_imputation": "beyond imputation, at most",
}
NEEDED = tuple(round(0.05 * step, 2) for step in range(2, 20))
MOST_ROWS = 6
RISKS = "dp_accounting.pld.privacy_loss_distribution"  # takes a second to load; promises in words need it


def text_of(measure: str, most: float) -> str:
    if most == 1.0:
        return "any"
    return f"{100 * most:g} points" if measure == "attack_over_imputation" else f"{100 * most:g}%"


class QuestionPanel:
    """``answer()`` is what tasks look at."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.setting = False
        self.watchers: list[Callable[[], None]] = []  # hear of whatever is shown
        self.menu = board.menu()
        self.who = field(choice("members who count", [("everybody", "everybody")]), "asked-who")
        self.limits = {measure: field(limit_slider(measure), f"most-{measure}") for measure in ACCEPTED}
        self.right = field(needed_slider(), "needed")
        self.sentence, self.evidence = text("", "dp-answer"), text("", "dp-evidence")
        self.promised = text("", "dp-promised")
        self.chart = ChartPlace(
            self.drawn, PLOTS, "dp-asked-chart", delay=CHART_DELAY, rest=REST, keep="dpmia_lab_answer.png"
        )
        for control in (self.who, self.right, *self.limits.values()):
            on_change(control, lambda _: None if self.setting else self.show())
        board.listeners.append(self.show)
        self.view = panel(
            "dp-comparing-question",
            controls=[*self.limits.values(), self.right, self.who, self.menu],
            picture=[self.sentence, self.chart.view],
            details=[self.chart.exports, self.evidence, column(self.promised, classes=("dp-section",)),
                     width_for(self.chart)],
        )  # fmt: skip
        load_in_background(RISKS, 4.0, self.show_promised)
        self.show()

    # ---- what is asked
    def offer(self, grid: Grid) -> None:
        """Sliders of the harms that were measured on these data."""
        self.setting = True
        harms = harms_of(grid)
        offer_in(self.who, [(WHO_WORDS[harm.who], harm.who) for harm in harms if harm.measure == "tpr1"])
        for measure, slider in self.limits.items():
            there = any(harm.measure == measure for harm in harms)
            show_if(there, slider)
        self.setting = False

    def question(self, grid: Grid) -> Question:
        measures = {harm.measure for harm in harms_of(grid)}
        asked = [Limit(Harm(measure, self.who.value if measure == "tpr1" else "everybody"), slider.value)
                 for measure, slider in self.limits.items() if measure in measures]  # fmt: skip
        return Question(tuple(asked), self.right.value)

    def answer(self) -> Answer | None:
        grid = self.board.grid()
        return None if grid is None else answer_to(grid, self.question(grid))

    # ---- showing
    def show(self) -> None:
        grid = self.board.grid()
        if grid is None:
            self.sentence.value, self.evidence.value = f"<p class='dp-soft'>{LATER}</p>", ""
        else:
            self.offer(grid)
            answer = answer_to(grid, self.question(grid))
            self.sentence.value = sentence_html(grid, answer)
            self.evidence.value = evidence_html(grid, answer)
        self.show_promised()
        self.chart.soon.ask()
        for watcher in self.watchers:
            watcher()

    def show_promised(self) -> None:
        grid, answer = self.board.grid(), self.answer()
        self.promised.value = "" if answer is None else promised_html(grid, answer, risks=is_loaded(RISKS))

    def drawn(self, width: int) -> Chart | str | None:
        from dpmia_lab.plots.comparing import Asked, front_chart

        grid = self.board.grid()
        if grid is None:
            return f"<p class='dp-soft'>{LATER}</p>"
        question = self.question(grid)
        limit = tightest(grid, question)
        kept = {option.column for option in answer_to(grid, question).kept}
        dots = [dot_of(grid, one, limit.harm, out=one.column not in kept) for one in bargains(grid, limit.harm)]
        asked = Asked(limit.most, question.right)
        return front_chart(dots, axis_words(limit.harm), chance_of(grid, limit.harm.measure), width, asked)


def limit_slider(measure: str) -> widgets.SelectionSlider:
    options = [(text_of(measure, most), most) for most in ACCEPTED[measure]]
    start = {"tpr1": 0.1, "recognised": 0.3, "attack_over_imputation": 0.02}[measure]
    return light.SelectionSlider(options=options, value=start, description=LABELS[measure])


def needed_slider() -> widgets.SelectionSlider:
    options = [(f"{share:.0%}", share) for share in NEEDED]
    return light.SelectionSlider(options=options, value=0.5, description="right, at least")


def tightest(grid: Grid, question: Question) -> Limit:
    """The limit that leaves fewest columns: the one to be drawn."""
    return min(question.limits, key=lambda limit: sum(within(one, limit) for one in bargains(grid, limit.harm)))


def within(one: Bargain, limit: Limit) -> bool:
    high = one.leak.measured.high
    return high is not None and high <= limit.most


# ---- in words
def sentence_html(grid: Grid, answer: Answer) -> str:
    kind = "dp-note" if answer.kept else "dp-error"
    return (
        f'<div class="{kind}" role="status"><p class="dp-soft">{escape(question_words(answer))}:</p>'
        f"<b>{escape(answer_words(grid, answer, attack_name))}</b></div>"
    )


def evidence_html(grid: Grid, answer: Answer) -> str:
    """A row for each that keeps to it, the most accurate first; or for what is closest."""
    options = list(answer.kept) or ([answer.closest] if answer.closest else [])
    if not options:
        return ""
    harms = [limit.harm for limit in answer.question.limits]
    heads = (
        "defence",
        with_small("right", "high: useful"),
        *(with_small(HARMS[harm.measure], WHO_WORDS[harm.who]) for harm in harms),
        "what stands behind it",
    )
    rows = [option_row(grid, option, harms) for option in options[:MOST_ROWS]]
    more = len(options) - MOST_ROWS
    what = "What keeps to it" if answer.kept else "What is closest"
    caption = f"{what}: means over {len(grid.seeds)} seeds, 95 % intervals below."
    caption += f" {more} more are less accurate." if more > 0 else ""
    return table_html(heads, rows, caption, "dp-evidence-table")


def option_row(grid: Grid, option: Option, harms: list[Harm]) -> Row:
    cells = []
    for harm, leak in zip(harms, option.leaks, strict=True):
        cell = cell_text(harm.measure, leak.measured if leak else None)
        cells.append(Html(f"{cell}<br><small>{escape(attack_name(leak.attack))}</small>") if leak else cell)
    kept = promises(grid, option.column)
    stands = Cell("a promise" if kept else "not yet broken", "dp-protected" if kept else "dp-exposed")
    return Row([grid.columns[option.column].words, cell_text("accuracy", option.accuracy), *cells, stands])


def promised_html(grid: Grid, answer: Answer, risks: bool) -> str:
    """What is promised to one person, of the first that promises anything, against what was merely not broken."""
    options = list(answer.kept) or ([answer.closest] if answer.closest else [])
    promised = next((one for one in options if promises(grid, one.column)), None)
    broken = next((one for one in options if not promises(grid, one.column)), None)
    said = "<h3>Promised, or merely not yet broken?</h3>"
    if promised is not None:
        said += (
            f"<p><b class='dp-protected'>Promised</b> by {escape(grid.columns[promised.column].words)}: "
            f"{escape(promise_words(grid, promised.column))}. {risk_words(grid, promised.column, risks)}</p>"
        )
    else:
        said += "<p><b class='dp-protected'>Promised</b>: nothing that is named above promises anything of use.</p>"
    if broken is not None:
        tried = {leak.attack for leak in broken.leaks if leak}
        worst = " and ".join(attack_name(attack) for attack in sorted(tried))
        void = promise_words(grid, broken.column)
        said += (
            f"<p><b class='dp-exposed'>Not yet broken</b>: {escape(grid.columns[broken.column].words)}"
            f"{f' ({escape(void)})' if void else ''}. The worst "
            f"of the attacks tried here was {escape(worst)}. A better one may come tomorrow, and nothing forbids it to "
            "succeed; what was published cannot be called back.</p>"
        )
    return said


def risk_words(grid: Grid, column: str, loaded: bool) -> str:
    """For one person; needs an accountant, which is loaded after the page."""
    if not loaded:
        return "<span class='dp-soft'>(what that means for one person follows)</span>"
    return escape(column_risk(grid, column).words())
