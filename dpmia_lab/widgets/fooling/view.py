"""What a run of lesson 9 shows: epochs as they end, each attacker's verdict, the canaries."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dpmia_lab.experiments.fooling import CURVE, PAPER, Config
from dpmia_lab.game.play import scores_name
from dpmia_lab.metrics.membership import auc
from dpmia_lab.stages import Event, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.fooling import words
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.parts import column, fold, on_change, text

PLOTS = "dpmia_lab.plots.fooling"
CHART_DELAY, REST = 1.0, 0.4  # seconds: after opening; between two drawings while it runs
MEASURES = {"auc": "AUC", "tpr1": "caught at 1 % false alarms"}
EVERY = (
    "<h3>Every attacker on this model</h3><p>Blue is the attacker that DAP learns to fool, grey are those that know "
    "nothing of the defence, orange those with shadow models. The last bar is the best likelihood ratio with every "
    "model as the target in its turn. The black line is the 95 % interval.</p>"
)
NOTHING_YET = np.zeros((0, len(CURVE)))


class FoolingView:
    """Shows a run while it happens and when it is done; ``config`` is that of the run shown.

    ``lam``: the λ that the chart of AOP follows, also without a new run. ``listeners`` hear of every result.
    """

    def __init__(self) -> None:
        self.config: Config | None = None
        self.running: Config | None = None
        self.result: Result | None = None
        self.lam = 2.0
        self.curve = NOTHING_YET
        self.member: np.ndarray | None = None
        self.live: dict[str, float] = {}
        self.listeners: list[Callable[[], None]] = []
        self.course = ChartPlace(
            self.drawn_course, PLOTS, "dp-run-chart", "dp-course", delay=CHART_DELAY, rest=REST,
            keep="dpmia_lab_epochs.png",
        )  # fmt: skip
        self.picked = text("", "dp-picked-epoch")
        self.numbers = text("", "dp-results-numbers", "dp-fades")
        self.measure = field(choice("measure", [(w, m) for m, w in MEASURES.items()]), "measure")
        self.attackers = ChartPlace(self.drawn_attackers, PLOTS, "dp-attackers-chart", keep="dpmia_lab_attackers.png")
        self.canaries, self.about, self.table = text("", "dp-canary-place"), text(""), text("")
        self.charts = [self.course, self.attackers]
        on_change(self.measure, lambda _: self.attackers.redraw())
        self.picture = column(self.course.view, self.picked, self.numbers)
        self.details = column(
            column(text(EVERY), self.attackers.view, self.attackers.exports,
                   fold("Another measure", self.measure, name="dp-measures"), classes=("dp-section",)),
            column(text("<h3>And those who are unlike all others?</h3>"), self.canaries, classes=("dp-section",)),
            fold("For experts: every attacker and protocol; those held aside", self.about, self.table),
        )  # fmt: skip

    # ---- while the run goes on
    def started(self, config: Config) -> None:
        """What is shown stays until there is more."""
        self.running = config

    def happened(self, event: Event) -> None:
        if not isinstance(event, Snapshot):
            return
        if event.name == "curve":
            self.result, self.config = None, self.running
            self.picked.value = ""  # told of what was shown before
            self.curve = event.array
            self.live = {"accuracy": self.column_of("test_accuracy")[-1]}
            told = self.column_of("auc")[-1]
            if self.config.defence == "dap" and np.isfinite(told):
                self.live["fooled"] = told
            self.course.soon.ask()
        elif event.name == "member":
            self.member = event.array
        elif self.member is not None:
            self.verdict(event)
        self.numbers.value = words.running_html(*(self.live.get(name) for name in ("accuracy", "fooled", "ratio")))

    def verdict(self, event: Snapshot) -> None:
        """Some attacker is done with the target."""
        if event.name == scores_name("own_d"):
            self.live["fooled"] = auc(event.array, self.member)
        elif event.name.startswith(scores_name("lira")) and not event.name.endswith("unadapted"):
            self.live["ratio"] = max(self.live.get("ratio", 0.0), auc(event.array, self.member))

    # ---- when it is done
    def show(self, result: Result) -> None:
        self.result, self.member = result, None
        columns = [np.asarray(result.arrays[f"curve_{name}"], dtype=float) for name in CURVE]
        self.curve = np.stack(columns, axis=1)
        self.numbers.value = words.headline_html(self.config, result)
        table = words.canary_table(self.config, result)
        self.canaries.value = words.canary_words(self.config, result) + table
        self.about.value = words.about_html(self.config, result)
        self.table.value = words.attacks_table(self.config, result)
        self.show_picked()
        for chart in self.charts:
            chart.redraw()
        for listener in self.listeners:
            listener()

    def set_lam(self, lam: float) -> None:
        if lam != self.lam:
            self.lam = lam
            self.show_picked()
            self.course.redraw()

    def show_picked(self) -> None:
        if self.result is not None:
            self.picked.value = f"<p>{words.picked_words(self.config, self.result, self.lam, self.by_name())}</p>"

    # ---- charts
    def column_of(self, name: str) -> np.ndarray:
        return self.curve[:, CURVE.index(name)]

    def by_name(self) -> dict[str, np.ndarray]:
        return {name: self.column_of(name) for name in CURVE}

    def drawn_course(self, width: int) -> Chart | None:
        if self.config is None:
            return None
        from dpmia_lab.plots.fooling import Course, course_chart

        curve = self.by_name()
        more: dict[str, Any] = {}
        if self.result is not None:
            arrays, n = self.result.arrays, self.result.numbers
            looks = arrays["look_epoch"], arrays["look_auc"]
            if not len(looks[0]):  # the defence tells of no epoch: the end alone
                leak = words.ratio_of(self.result.rows, self.config.defence).value
                looks = np.array([self.config.epochs]), np.array([leak])
            more = {"looks": looks, "kept": n["kept_epoch"], "chance": n["chance"]}
            if self.config.defence != "none":
                more["stopping"] = arrays["stopping_epoch"], arrays["stopping_auc"]
        watched = "D itself" if self.config.defence == "dap" else "threshold"
        score, picked = words.scores_at(curve, self.lam), words.picked_epoch(curve, self.lam)
        return course_chart(Course(curve, self.config.epochs, self.lam, score, picked, watched=watched, **more), width)

    def drawn_attackers(self, width: int) -> Chart | None:
        if self.result is None:
            return None
        from dpmia_lab.plots.fooling import Attacked, attacks_chart

        measure, rows, defence = self.measure.value, self.result.rows, self.config.defence
        bars = [
            Attacked(words.SHORT[row.attack], kind_of(row.attack), row.value, row.low, row.high)
            for row in rows.where(measure=measure, defence=defence, protocol="alike")
        ]
        ratio = words.ratio_of(rows, defence, measure=measure)
        bars.append(Attacked("ratio, models in turn", "strong", ratio.value, ratio.low, ratio.high))
        guessing = words.GUESSING if measure == "auc" else 0.01
        return attacks_chart(bars, MEASURES[measure], guessing, width)


def kind_of(attack: str) -> str:
    return "fooled" if attack == "own_d" else "paper" if attack in (*PAPER, "label_only") else "strong"
