"""The accounting playground: ε, σ and T follow from one another while a slider moves; tighter once it rests."""

import math
from collections.abc import Callable

import ipywidgets as widgets
import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import spending
from dpmia_lab.experiments.spending import FOLLOWS, Setting, Tight
from dpmia_lab.options import number_text
from dpmia_lab.privacy.accounting import NEIGHBOURS
from dpmia_lab.privacy.units import UNITS
from dpmia_lab.stages import Stage
from dpmia_lab.widgets.epsilon.words import answers_html, conditions_html, headline_html, shown
from dpmia_lab.widgets.kit.controls import Controls, Reason, choice, scale
from dpmia_lab.widgets.kit.later import Settled, Soon
from dpmia_lab.widgets.kit.opening import load_in_background
from dpmia_lab.widgets.kit.parts import button, column, error_html, page_poster, page_width, panel, results_width, text
from dpmia_lab.widgets.kit.pictures import chart_html
from dpmia_lab.widgets.kit.runner import Runner

EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 18.0, 20.0, 30.0, 50.0, 100.0)
SIGMAS = (
    0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0,
    10.0, 12.0, 16.0, 20.0, 30.0, 50.0,
)  # fmt: skip
RATES = (
    0.0005, 0.001, 0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25,
    0.33, 0.4, 0.5, 0.75, 1.0,
)  # fmt: skip
STEPS = (
    1, 2, 3, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 20_000,
    50_000, 100_000,
)  # fmt: skip
DELTAS = (0.01, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
REST, QUIET, CHART_DELAY = 0.1, 0.35, 4.0  # seconds: between drawings, until let go, before matplotlib is loaded
DRAFT_DPI = 100  # while a slider moves
WRONGLY_ACCUSED = 0.01  # the rate the words are about


def follows_reason(name: str) -> Reason:
    return lambda values: f"{FOLLOWS[name]} follows from the others." if values["follows"] == name else ""


def delta_scale() -> widgets.SelectionSlider:
    options = [("below 1/K", 0.0), *((number_text(value), value) for value in DELTAS)]
    return widgets.SelectionSlider(options=options, description="δ, chance it fails")


def new_controls() -> dict[str, widgets.ValueWidget]:
    return {
        "follows": choice("which one follows?", [(f"{word} from the others", name) for name, word in FOLLOWS.items()]),
        "epsilon": scale("ε, privacy that may be spent", EPSILONS),
        "sigma": scale("σ, noise a step", SIGMAS),
        "q": scale("q, chance to join a step", RATES),
        "steps": scale("T, steps", STEPS),
        "count": widgets.IntText(description="K, how many units there are"),
        "delta": delta_scale(),
        "neighbours": choice("neighbouring data sets", [(words, name) for name, words in NEIGHBOURS.items()]),
        "unit": choice("what is hidden", [(words, name) for name, words in UNITS.items()]),
    }


class AccountingPanel:
    """``now`` is the solved setting, ``tight`` what was computed for it since (None until then).

    ``train(setting)`` is called by the button; ``listeners`` hear of every solved setting.
    """

    def __init__(self, train: Callable[[Setting], None]) -> None:
        self.now: Setting | None = None
        self.tight: Tight | None = None
        self.listeners: list[Callable[[Setting], None]] = []
        self.runner, self.page, self.can_draw = Runner(page_poster()), 1120, False
        self.drawing, self.settled = Soon(self.draw_draft, REST), Settled(self.account_tightly, QUIET)
        self.problem, self.headline = text("", "dp-playground-problem"), text("", "dp-headline")
        self.chart = text("", "dp-playground-chart")
        self.answers, self.conditions = text("", "dp-answers"), text("", "dp-conditions")
        reasons = {name: follows_reason(name) for name in FOLLOWS}
        self.controls = Controls(Setting, new_controls(), reasons, self.changed)
        self.train = button("Train with these", lambda: self.hand_over(train), "dp-primary", "dp-hand-over")
        self.handed = text("", "dp-status")
        self.view = self.layout()
        self.controls.set(Setting())
        load_in_background("dpmia_lab.plots.privacy", CHART_DELAY, self.draw_first)

    def layout(self) -> widgets.VBox:
        names = ("follows", "sigma", "q", "steps", "epsilon", "count", "delta", "neighbours", "unit")
        left = [self.controls.group(*names), self.problem, self.train, self.handed]
        details = column(self.answers, self.conditions, classes=("dp-section",))
        return panel(left, [self.headline, self.chart, details, page_width(self.resized)], "dp-playground")

    # ---- at once
    def changed(self) -> None:
        self.problem.value = self.handed.value = ""
        self.tight = None
        self.answers.add_class("dp-waits")  # they are those of the last place where the slider rested
        try:
            self.now = spending.solved(self.controls.config())
        except Mistake as mistake:
            self.now = None
            self.problem.value = error_html(str(mistake))
            self.headline.value = headline_html(None, None, np.array([]))
            return
        self.show_what_follows()
        self.curve = spending.instant_curve(self.now)
        self.show_headline()
        self.conditions.value = conditions_html(self.now, spending.formula(self.now))
        self.drawing.ask()
        self.settled.ask()
        for listener in self.listeners:
            listener(self.now)

    def show_what_follows(self) -> None:
        """Its own slider goes to the nearest of its values, and says which one it really is."""
        follows = self.now.follows
        slider, value = self.controls.made[follows], getattr(self.now, follows)
        self.controls.setting = True
        slider.value = min((v for _, v in slider.options), key=lambda v: abs(math.log(v / max(value, 1e-9))))
        self.controls.setting = False
        self.controls.why[follows].value = f"{FOLLOWS[follows]} follows from the others: <b>{shown(self.now)}</b>."

    def show_headline(self) -> None:
        curve = self.tight.curves["tight"] if self.tight else self.curve
        self.headline.value = headline_html(self.now, self.tight, np.interp(WRONGLY_ACCUSED, curve.rates, curve.misses))

    def draw_draft(self) -> None:
        """With the instant curves only, and coarse, unless the tight ones have come meanwhile."""
        if self.tight is None:
            self.draw(DRAFT_DPI)

    # ---- when the slider rests
    def draw_first(self) -> None:
        self.can_draw = True
        self.draw()
        self.account_tightly()

    def account_tightly(self) -> None:
        """In a thread, since the tight accountant takes a tenth of a second or more, and longer the first time."""
        setting = self.now
        if setting is None or not self.can_draw:
            return
        self.runner.stop()
        self.account(setting, lambda: spending.tight_epsilon_first(setting), self.show_first)

    def account(self, setting: Setting, stage: Callable[[], Stage[Tight]], then: Callable[[], None]) -> None:
        """Let the thread work, and go on unless the setting has moved meanwhile."""

        def ended(tight: Tight | None, problem: str | None) -> None:
            if problem is not None:
                self.problem.value = error_html(problem)
            if tight is not None and setting is self.now:
                self.tight = tight
                self.show_headline()
                then()

        self.runner.start(stage, lambda events: None, ended)

    def show_first(self) -> None:
        setting, first = self.now, self.tight
        self.draw(DRAFT_DPI)
        self.account(setting, lambda: spending.tight_answers(setting, first), self.show_all)

    def show_all(self) -> None:
        self.answers.value = answers_html(self.now, self.tight.answers)
        self.answers.remove_class("dp-waits")
        self.draw()

    def draw(self, dpi: int | None = None) -> None:
        if self.now is None or not self.can_draw:
            return
        from dpmia_lab.plots.privacy import accounting_chart

        curves = self.tight.curves if self.tight else {"moments": self.curve}
        epsilon = self.tight.epsilon if self.tight else self.now.epsilon
        chart = accounting_chart(curves, self.now.steps, epsilon, WRONGLY_ACCUSED, results_width(self.page))
        if dpi is not None:
            chart.figure.set_dpi(dpi)
        self.chart.value = chart_html(chart.png(), chart.alt)

    def resized(self, page: int) -> None:
        if page != self.page:
            self.page = page
            self.draw()

    # ---- to the training below
    def hand_over(self, train: Callable[[Setting], None]) -> None:
        if self.now is None:
            return
        try:
            train(self.now)
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        self.handed.value = '<span role="status">Copied. Go on to the training below.</span>'
