"""The accounting playground: ε, σ and T follow from one another while a slider moves; tighter once it rests."""

import math
from collections.abc import Callable

import ipywidgets as widgets
import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import spending
from dpmia_lab.experiments.spending import FOLLOWS, Setting, Tight
from dpmia_lab.widgets.epsilon.controls import PLAYGROUND_REASONS, playground_controls
from dpmia_lab.widgets.epsilon.words import answers_html, conditions_html, headline_html, shown
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import Controls
from dpmia_lab.widgets.kit.later import Settled
from dpmia_lab.widgets.kit.opening import load_in_background
from dpmia_lab.widgets.kit.parts import button, column, error_html, panel, text
from dpmia_lab.widgets.kit.stage_run import StageRun

PLOTS = "dpmia_lab.plots.privacy"
REST, QUIET, CHART_DELAY = 0.1, 0.35, 4.0  # seconds: between drawings, until let go, before matplotlib is loaded
DRAFT_DPI = 100  # while a slider moves
WRONGLY_ACCUSED = 0.01  # the rate the words are about


class AccountingPanel:
    """``now`` is the solved setting, ``tight`` what was computed for it since (None until then).

    ``train(setting)`` is called by the button; ``listeners`` hear of every solved setting.
    """

    def __init__(self, train: Callable[[Setting], None]) -> None:
        self.now: Setting | None = None
        self.tight: Tight | None = None
        self.draft = True  # until the slider rests
        self.listeners: list[Callable[[Setting], None]] = []
        self.problem, self.headline = text("", "dp-playground-problem"), text("", "dp-headline")
        self.chart = ChartPlace(self.drawn, PLOTS, "dp-playground-chart", delay=CHART_DELAY, rest=REST)
        self.answers, self.conditions = text("", "dp-answers"), text("", "dp-conditions")
        quietly = {"loading": "", "problem": self.problem}
        self.first = StageRun(lambda: spending.tight_epsilon_first(self.now), self.show_first, **quietly)
        self.all = StageRun(lambda: spending.tight_answers(self.now, self.tight), self.show_all, **quietly)
        self.settled = Settled(self.account_tightly, QUIET)
        self.controls = Controls(Setting, playground_controls(), PLAYGROUND_REASONS, self.changed)
        self.train = button("Train with these", lambda: self.hand_over(train), "dp-primary", "dp-hand-over")
        self.handed = text("", "dp-status")
        self.view = self.layout()
        self.controls.set(Setting())
        load_in_background(PLOTS, CHART_DELAY, self.account_tightly)  # the page comes first, and then the chart

    def layout(self) -> widgets.VBox:
        names = ("follows", "sigma", "q", "steps", "epsilon", "count", "delta", "neighbours", "unit")
        left = [self.controls.group(*names), self.problem, self.train, self.handed]
        details = column(self.answers, self.conditions, classes=("dp-section",))
        return panel(left, [self.headline, self.chart.view, details, width_for(self.chart)], "dp-playground")

    # ---- at once
    def changed(self) -> None:
        self.problem.value = self.handed.value = ""
        self.first.stop()  # what they would say is about the settings that were
        self.all.stop()
        self.tight, self.draft = None, True
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
        self.chart.soon.ask()
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

    # ---- when the slider rests
    def account_tightly(self) -> None:
        """In a thread, since the tight accountant takes a tenth of a second or more, and longer the first time."""
        if self.now is not None and self.chart.ready:
            self.first.start()

    def show_first(self, tight: Tight) -> None:
        self.tight = tight
        self.show_headline()
        self.chart.redraw()
        self.all.start()

    def show_all(self, tight: Tight) -> None:
        self.tight, self.draft = tight, False
        self.show_headline()
        self.answers.value = answers_html(self.now, tight.answers)
        self.answers.remove_class("dp-waits")
        self.chart.redraw()

    def drawn(self, width: int) -> Chart | None:
        if self.now is None:
            return None
        from dpmia_lab.plots.privacy import accounting_chart

        curves = self.tight.curves if self.tight else {"moments": self.curve}
        epsilon = self.tight.epsilon if self.tight else self.now.epsilon
        chart = accounting_chart(curves, self.now.steps, epsilon, WRONGLY_ACCUSED, width)
        if self.draft:
            chart.figure.set_dpi(DRAFT_DPI)
        return chart

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
