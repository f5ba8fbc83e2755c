"""The accounting playground: ε, σ and T follow from one another while a slider moves."""

from collections.abc import Callable

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import spending
from dpmia_lab.experiments.spending import FOLLOWS, Answer, Comparison, Setting
from dpmia_lab.widgets.epsilon.controls import PLAYGROUND_REASONS, playground_controls
from dpmia_lab.widgets.epsilon.words import WRONGLY_ACCUSED, answers_html, conditions_html, headline_html
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import Controls
from dpmia_lab.widgets.kit.later import Settled
from dpmia_lab.widgets.kit.opening import load_in_background
from dpmia_lab.widgets.kit.parts import button, column, error_html, fold, panel, text
from dpmia_lab.widgets.kit.stage_run import StageRun

PLOTS = "dpmia_lab.plots.privacy"
TRAINING = "Train,-and-watch-the-budget"  # the heading of the panel that trains
QUIET, CHART_DELAY = 0.35, 1.0  # seconds: until a slider counts as let go, before matplotlib is loaded


class AccountingPanel:
    """``answer`` is what is shown, all of it: the numbers, the dot and the curves, which reach the page in one piece.

    Where ε follows, the tight accountant keeps up with the slider. σ and T it must search for: there the moments
    accountant answers while the slider moves, and the tight one once it rests.
    ``train(setting)`` is called by the button; ``listeners`` hear of every answer.
    """

    def __init__(self, train: Callable[[Setting], None]) -> None:
        self.asked: Setting | None = None  # what the controls stand at; None where they contradict each other
        self.answer: Answer | None = None
        self.compared: Comparison | None = None
        self.listeners: list[Callable[[Answer], None]] = []
        self.problem = text("", "dp-playground-problem")
        self.followed, self.verdict = text("", "dp-followed"), column(classes=("dp-verdict",))
        self.chart = ChartPlace(
            self.drawn, PLOTS, "dp-playground-chart", "dp-under-numbers", delay=CHART_DELAY, below=self.numbers
        )
        self.answers, self.conditions = text("", "dp-answers"), text("", "dp-conditions")
        self.lines = ChartPlace(self.drawn_lines, PLOTS, "dp-lines-chart")
        quietly = {"loading": "", "problem": self.problem}
        self.tight = StageRun(lambda: spending.tight_answer(self.asked), self.show, **quietly)
        self.compare = StageRun(lambda: spending.comparison(self.answer), self.show_comparison, **quietly)
        self.settled = Settled(self.account_tightly, QUIET)
        self.controls = Controls(Setting, playground_controls(), PLAYGROUND_REASONS, self.changed)
        self.train = button("Train with these", lambda: self.hand_over(train), "dp-primary", "dp-hand-over")
        self.view = self.layout()
        self.controls.set(Setting())
        load_in_background(PLOTS, CHART_DELAY, self.loaded)  # the page comes first, and then the chart

    def layout(self) -> widgets.VBox:
        experts = fold("For experts: every accountant, and paper A's formula", self.answers, self.lines.view,
                       self.conditions, name="dp-experts")  # fmt: skip
        return panel(
            "dp-playground",
            controls=[self.controls.group("follows", "sigma", "q", "steps", "epsilon"), self.followed],
            more=[self.controls.group("count", "delta", "neighbours", "unit")],
            run=[self.train, self.problem, self.verdict],
            picture=[self.chart.view],
            details=[experts, width_for(self.chart, self.lines)],
        )

    def answers_prediction(self, outcome: widgets.Widget) -> None:
        """The answer to the reader's prediction stands beside the result too."""
        self.verdict.children = [outcome]

    # ---- while a slider moves
    def changed(self) -> None:
        self.problem.value = ""
        try:
            self.asked = self.controls.config()
            if self.answer is None and self.asked == Setting():
                self.show(spending.opening()[0])
                return
            if self.asked.follows == "epsilon" and self.chart.ready:
                self.tight.restart()
                return
            self.tight.stop()  # what it would say is about the settings that were
            self.show(spending.instant_answer(self.asked))
            self.settled.ask()
        except Mistake as mistake:
            self.tight.stop()
            self.asked = None
            self.problem.value = error_html(str(mistake))
            self.show(None)

    def loaded(self) -> None:
        """What had to wait for the libraries."""
        if self.answer is not None and self.answer.accountant == "tight":
            self.compare.restart()
        else:
            self.account_tightly()

    def account_tightly(self) -> None:
        """In a thread, since the tight accountant takes a tenth of a second or more, and longer the first time."""
        if self.asked is not None and self.chart.ready:
            self.tight.start()

    def show(self, answer: Answer | None) -> None:
        self.answer = answer
        if self.chart.ready:
            self.chart.redraw()
        else:
            self.chart.view.value = self.numbers()
        if answer is None:
            return
        self.followed.value = f"<p>{FOLLOWS[answer.setting.follows]} follows from the others.</p>"
        self.conditions.value = conditions_html(answer.setting, spending.formula(answer.setting))
        if answer.accountant == "tight" and self.chart.ready:
            self.compare.restart()
        for listener in self.listeners:
            listener(answer)

    def show_comparison(self, found: Comparison) -> None:
        self.compared = found
        self.answers.value = answers_html(found.tight.setting, found.answers)
        self.lines.redraw()

    def numbers(self) -> str:
        return f'<div class="dp-headline">{headline_html(self.answer)}</div>'

    def drawn(self, width: int) -> Chart | str:
        """The chart, to which the numbers are added; without an answer they stand alone."""
        if self.answer is None:
            return self.numbers()
        from dpmia_lab.plots.privacy import accounting_chart

        now = self.answer
        return accounting_chart({now.accountant: now.curve}, now.setting.steps, now.epsilon, WRONGLY_ACCUSED, width)

    def drawn_lines(self, width: int) -> Chart | None:
        """Every accountant's curve over T."""
        if self.compared is None:
            return None
        from dpmia_lab.plots.privacy import accounting_chart

        now = self.compared.tight
        return accounting_chart(self.compared.curves, now.setting.steps, now.epsilon, WRONGLY_ACCUSED, width)

    # ---- to the training below
    def hand_over(self, train: Callable[[Setting], None]) -> None:
        """What the controls stand at; where ε follows its answer may still be on the way."""
        if self.asked is not None:
            try:
                train(self.asked if self.asked.follows == "epsilon" else self.answer.setting)
                link = f'<a href="#{TRAINING}">see below</a>'
                self.problem.value = f'<p role="status">It trains with these now; {link}.</p>'
            except Mistake as mistake:
                self.problem.value = error_html(str(mistake))
