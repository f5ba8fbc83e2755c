"""What the sweeps of lesson 5 come to: charts over ε, accuracy against attack, ROC curves, and all numbers."""

from collections.abc import Callable
from html import escape

from dpmia_lab.experiments.mechanism_sweep import Sweep, sweep_so_far
from dpmia_lab.experiments.mechanisms import Config
from dpmia_lab.stages import Event, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.controls import choice, field, swapped
from dpmia_lab.widgets.kit.parts import column, on_change, text
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.mechanisms.data import own_sweep, preset_of, references, same_data
from dpmia_lab.widgets.mechanisms.words import (
    ATTACK_WORDS,
    PROTOCOL_WORDS,
    attack_words,
    axis_words,
    data_words,
    epsilon_html,
    numbers_html,
    sizes_html,
)

PLOTS = "dpmia_lab.plots.tradeoffs"
CHART_DELAY = 3.0  # seconds: the page comes first
ONE_PROTOCOL = "These records are tested as they were trained, so there is only one kind of outsider."


class MechanismsView:
    """``runs()`` are the reader's, newest first; ``listeners`` hear whenever what is shown has changed."""

    def __init__(self, runs: Callable[[], list[Run]]) -> None:
        self.runs = runs
        self.config: Config | None = None  # whose data are shown
        self.reference: Sweep | None = None
        self.running: Config | None = None
        self.live: Sweep | None = None  # its points; those of a stopped run stay until the next
        self.listeners: list[Callable[[], None]] = []
        self.attack = field(choice("attack", swapped(ATTACK_WORDS)), "attack")
        self.protocol = field(choice("who are the outsiders?", swapped(PROTOCOL_WORDS)), "protocol")
        self.why_one = text("", "dp-reason")
        sources = [("of the reference", "reference"), ("of your newest sweep", "own")]
        self.roc_of = field(choice("ROC curves", sources), "roc-of")
        self.roc_axes = field(choice("their axes", [("linear", False), ("logarithmic", True)]), "roc-axes")
        for control in (self.attack, self.protocol):
            on_change(control, lambda _: self.draw())
        for control in (self.roc_of, self.roc_axes):
            on_change(control, lambda _: self.rocs.redraw())
        self.over = ChartPlace(self.drawn_over_epsilon, PLOTS, "dp-chart", "dp-over", delay=CHART_DELAY)
        self.scatter = ChartPlace(self.drawn_tradeoff, PLOTS, "dp-chart", "dp-scatter", delay=CHART_DELAY)
        self.rocs = ChartPlace(self.drawn_rocs, PLOTS, "dp-chart", "dp-rocs", delay=CHART_DELAY)
        self.charts = [self.over, self.scatter, self.rocs]
        self.title, self.sizes, self.promises, self.tables = text(""), text(""), text(""), text("", "dp-tables")
        self.shown = column(self.attack, self.protocol, self.why_one, self.roc_of, self.roc_axes)
        self.view = column(
            self.title, self.sizes, self.over.view, self.promises,
            column(text("<h4>What it costs: accuracy against AUC</h4>"), self.scatter.view, classes=("dp-section",)),
            column(text("<h4>ROC curves, one for each ε</h4>"), self.rocs.view, classes=("dp-section",)),
            self.tables,
        )  # fmt: skip

    # ---- what there is
    def expect(self, config: Config) -> None:
        """The settings the panel stands at: the reference and the runs of their data are shown."""
        before, self.config = self.config, config
        if before is None or not same_data(before, config):
            self.reference = references().get(preset_of(config))
            self.roc_of.value = "reference" if self.reference else "own"
            self.draw()

    def own(self) -> list[Sweep]:
        """The reader's sweeps of the data shown, newest first."""
        finished = [own_sweep(run) for run in self.runs()]
        return [s for s in [self.live, *finished] if s is not None and same_data(s.config, self.config)]

    def known(self) -> Sweep | None:
        """The sweep that tells what an ε of these data is for."""
        return self.reference or next(iter(self.own()), None)

    @property
    def played(self) -> tuple[str, str]:
        """The attack and the protocol that are shown."""
        return self.attack.value, self.protocol.value

    # ---- while it runs, and after
    def started(self, config: Config) -> None:
        self.running, self.live = config, None

    def happened(self, event: Event) -> None:
        if isinstance(event, Snapshot) and event.name == "rows":
            self.live = sweep_so_far(event.array, self.running, "your sweep so far")
            self.draw()

    def show(self, result: Result) -> None:
        self.draw()

    # ---- drawing
    def draw(self) -> None:
        own = self.own()
        self.mark_protocol()
        self.title.value = f"<h4>{escape(data_words(self.config))}: accuracy, attack and φ over ε</h4>"
        self.sizes.value = sizes_html(self.reference, own)
        self.promises.value = f"<small class='dp-soft'>{epsilon_html(self.known())}</small>"
        sweeps = [*([self.reference] if self.reference else []), *own]
        self.tables.value = "".join(numbers_html(sweep, self.protocol.value) for sweep in sweeps[:3])
        for chart in self.charts:
            chart.redraw()
        for listener in self.listeners:
            listener()

    def mark_protocol(self) -> None:
        """Only Skewed Purchases are tested from another distribution."""
        both = self.config.data == "skewed_purchases"
        if not both:
            self.protocol.value = "alike"  # draws again if it was another
        self.protocol.disabled = not both
        self.why_one.value = "" if both else ONE_PROTOCOL
        self.why_one.layout.display = "none" if both else ""

    def drawn(self) -> list:
        """The reference, then the reader's sweeps, as charts want them."""
        from dpmia_lab.plots.mechanisms import Drawn

        kept = [Drawn(self.reference)] if self.reference else []
        return kept + [Drawn(one, own=True, age=age) for age, one in enumerate(self.own())]

    def drawn_over_epsilon(self, width: int) -> Chart:
        from dpmia_lab.plots.mechanisms import over_epsilon_chart

        return over_epsilon_chart(self.drawn(), *self.played, axis_words(self.known()), width)

    def drawn_tradeoff(self, width: int) -> Chart:
        from dpmia_lab.plots.tradeoffs import tradeoff_chart

        return tradeoff_chart(self.drawn(), *self.played, attack_words(*self.played), width)

    def drawn_rocs(self, width: int) -> Chart:
        from dpmia_lab.plots.tradeoffs import roc_chart

        own = self.roc_of.value == "own"
        whose = next((one for one in self.drawn() if one.own == own and one.sweep.curves), None)
        return roc_chart(whose, *self.played, self.roc_axes.value, width)
