"""One person, several pictures: what ε for a record is worth to somebody who has more than one."""

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import spending
from dpmia_lab.experiments.spending import RECORDS, Setting
from dpmia_lab.stages import Event, Stage
from dpmia_lab.widgets.epsilon.controls import person_controls
from dpmia_lab.widgets.epsilon.words import person_html
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import Controls
from dpmia_lab.widgets.kit.parts import error_html, panel, text
from dpmia_lab.widgets.kit.stage_run import StageRun

PLOTS = "dpmia_lab.plots.privacy"
CHART_DELAY = 5.0  # seconds before matplotlib is loaded: the page comes first


class PersonPanel:
    """``setting`` and ``epsilons`` (for each of RECORDS, NaN where not computed yet) are what is shown, together."""

    def __init__(self) -> None:
        self.setting, self.epsilons = Setting(), spending.opening()[1]
        self.asked = self.setting  # what the last run was begun for
        self.problem = text("", "dp-person-problem")
        self.chart = ChartPlace(
            self.drawn, PLOTS, "dp-person-chart", "dp-under-numbers", delay=CHART_DELAY, below=self.numbers
        )
        self.work = StageRun(self.begin, self.show, self.happened, loading="", problem=self.problem)
        self.controls = Controls(Setting, person_controls(), {}, self.changed)
        self.view = panel(
            "dp-person-panel",
            controls=[self.controls.group("records", "sigma", "q", "steps")],
            more=[self.controls.group("count", "delta", "neighbours")],
            run=[self.problem],
            picture=[self.chart.view, width_for(self.chart)],
        )
        self.controls.set(self.setting)

    def changed(self) -> None:
        self.problem.value = ""
        try:
            setting = self.controls.config()
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        if setting.how() != self.asked.how():
            self.work.restart()
            return
        self.asked = setting  # only k has moved, along a curve that is known or on its way
        if setting.how() == self.setting.how():
            self.show(self.epsilons)

    def begin(self) -> Stage[np.ndarray]:
        self.asked = self.controls.config()
        return spending.persons(self.asked)

    def happened(self, events: list[Event]) -> None:
        self.show(events[-1].array)

    def show(self, epsilons: np.ndarray) -> None:
        """The numbers and the curve: from the same array, in one piece."""
        self.setting, self.epsilons = self.asked, epsilons
        if self.chart.ready:
            self.chart.redraw()
        else:
            self.chart.view.value = self.numbers()

    def numbers(self) -> str:
        return f'<div class="dp-person-numbers">{person_html(self.setting, self.epsilons)}</div>'

    def drawn(self, width: int) -> Chart:
        from dpmia_lab.plots.privacy import person_chart

        return person_chart(RECORDS, self.epsilons, RECORDS.index(self.setting.records), width)
