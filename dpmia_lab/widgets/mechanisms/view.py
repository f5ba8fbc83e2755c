"""What the sweeps of lesson 5 come to: charts over ε, accuracy against attack, ROC curves, and all numbers."""

from collections.abc import Callable
from html import escape

import ipywidgets as widgets

from dpmia_lab.experiments.mechanisms import Config
from dpmia_lab.stages import Event, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.controls import choice
from dpmia_lab.widgets.kit.opening import load_in_background
from dpmia_lab.widgets.kit.parts import column, on_change, results_width, text, with_classes
from dpmia_lab.widgets.kit.pictures import chart_html
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.mechanisms.data import Sweep, own_sweep, preset_of, reference_sweep, same_data, sweep_so_far
from dpmia_lab.widgets.mechanisms.words import (
    ATTACK_WORDS,
    DATA_WORDS,
    PROTOCOL_WORDS,
    attack_words,
    axis_words,
    epsilon_html,
    sizes_html,
    table_html,
)

CHART_DELAY = 3.0  # seconds: the page comes first
ONE_PROTOCOL = "These records are tested as they were trained, so there is only one kind of outsider."


class MechanismsView:
    """``runs()`` are the reader's, newest first; ``listeners`` hear whenever what is shown has changed."""

    def __init__(self, runs: Callable[[], list[Run]]) -> None:
        self.runs, self.page, self.can_draw = runs, 1120, False
        self.config: Config | None = None  # whose data are shown
        self.reference: Sweep | None = None
        self.running: Config | None = None
        self.live: Sweep | None = None  # its points; those of a stopped run stay until the next
        self.listeners: list[Callable[[], None]] = []
        self.box = self._field(choice("attack", swapped(ATTACK_WORDS)), "attack")
        self.protocol = self._field(choice("who are the outsiders?", swapped(PROTOCOL_WORDS)), "protocol")
        self.why_one = text("", "dp-reason")
        sources = [("of the reference", "reference"), ("of your newest sweep", "own")]
        self.roc_of = self._field(choice("ROC curves", sources), "roc-of")
        self.roc_axes = self._field(choice("their axes", [("linear", False), ("logarithmic", True)]), "roc-axes")
        for control in (self.box, self.protocol):
            on_change(control, lambda _: self.draw())
        for control in (self.roc_of, self.roc_axes):
            on_change(control, lambda _: self.draw_rocs())
        self.over, self.scatter, self.rocs = (text("", "dp-chart", f"dp-{n}") for n in ("over", "scatter", "rocs"))
        self.title, self.sizes, self.promises, self.tables = text(""), text(""), text(""), text("", "dp-tables")
        self.shown = column(self.box, self.protocol, self.why_one, self.roc_of, self.roc_axes)
        self.view = column(
            self.title, self.sizes, self.over, self.promises,
            column(text("<h4>What it costs: accuracy against AUC</h4>"), self.scatter, classes=("dp-section",)),
            column(text("<h4>ROC curves, one for each ε</h4>"), self.rocs, classes=("dp-section",)),
            self.tables,
        )  # fmt: skip
        load_in_background("dpmia_lab.plots.tradeoffs", CHART_DELAY, self.draw_first)

    @staticmethod
    def _field(control: widgets.ValueWidget, name: str) -> widgets.ValueWidget:
        return with_classes(control, "dp-field", f"dp-{name}")

    # ---- what there is
    def expect(self, config: Config) -> None:
        """The settings the panel stands at: the reference and the runs of their data are shown."""
        before, self.config = self.config, config
        if before is None or not same_data(before, config):
            self.reference = reference_sweep(preset_of(config))
            self.roc_of.value = "reference" if self.reference else "own"
            self.draw()

    def own(self) -> list[Sweep]:
        """The reader's sweeps of the data shown, newest first."""
        finished = [own_sweep(run.config, run.result, f"your run {run.number}") for run in self.runs()]
        return [s for s in [self.live, *finished] if s is not None and same_data(s.config, self.config)]

    @property
    def attack(self) -> str:
        """As the experiment calls it."""
        return f"{self.box.value}{self.protocol.value}"

    # ---- while it runs, and after
    def started(self, config: Config) -> None:
        self.running, self.live = config, None

    def happened(self, event: Event) -> None:
        if isinstance(event, Snapshot) and event.name == "rows":
            self.live = sweep_so_far(self.running, event.array, "your sweep so far")
            self.draw()

    def show(self, result: Result) -> None:
        self.draw()

    def set_page_width(self, page: int) -> None:
        if page != self.page:
            self.page = page
            self.draw()

    # ---- drawing
    def draw_first(self) -> None:
        self.can_draw = True
        self.draw()

    def draw(self) -> None:
        if self.config is None:
            return
        own = self.own()
        self.mark_protocol()
        data = DATA_WORDS.get(preset_of(self.config), self.config.data)
        self.title.value = f"<h4>{escape(data)}: accuracy, attack and φ over ε</h4>"
        self.sizes.value = sizes_html(self.reference, own)
        known = self.reference or (own[0] if own else None)
        self.promises.value = f"<small class='dp-soft'>{epsilon_html(known)}</small>"
        sweeps = [*([self.reference] if self.reference else []), *own]
        self.tables.value = "".join(table_html(sweep, self.protocol.value) for sweep in sweeps[:3])
        if self.can_draw:
            self.draw_charts(known)
        for listener in self.listeners:
            listener()

    def mark_protocol(self) -> None:
        """Only Skewed Purchases are tested from another distribution."""
        both = self.config.data == "skewed_purchases"
        if not both and self.protocol.value:
            self.protocol.value = ""  # draws again
        self.protocol.disabled = not both
        self.why_one.value = "" if both else ONE_PROTOCOL
        self.why_one.layout.display = "none" if both else ""

    def drawn(self) -> list:
        """The reference, then the reader's sweeps, as charts want them."""
        from dpmia_lab.plots.mechanisms import Drawn

        kept = [Drawn(self.reference.values, "reference")] if self.reference else []
        return kept + [Drawn(one.values, one.words, own=True, age=age) for age, one in enumerate(self.own())]

    def draw_charts(self, known: Sweep | None) -> None:
        from dpmia_lab.plots.mechanisms import over_epsilon_chart
        from dpmia_lab.plots.tradeoffs import tradeoff_chart

        width, sweeps = results_width(self.page), self.drawn()
        over = over_epsilon_chart(sweeps, self.attack, axis_words(known), width)
        self.over.value = chart_html(over.png(), over.alt)
        scatter = tradeoff_chart(sweeps, self.attack, attack_words(self.attack), width)
        self.scatter.value = chart_html(scatter.png(), scatter.alt)
        self.draw_rocs()

    def draw_rocs(self) -> None:
        if not self.can_draw:
            return
        from dpmia_lab.plots.tradeoffs import roc_chart

        name, own = f"roc_{self.attack}", self.roc_of.value == "own"
        whose = next((one for one in self.drawn() if one.own == own and name in one.arrays), None)
        chart = roc_chart(whose, self.attack, self.roc_axes.value, results_width(self.page))
        self.rocs.value = chart_html(chart.png(), chart.alt)


def swapped(words: dict[str, str]) -> list[tuple[str, str]]:
    """As a choice wants it."""
    return [(said, name) for name, said in words.items()]
