"""What the sweeps of lesson 5 come to: accuracy against attack, read at equal leak; below, charts over ε, numbers."""

from collections.abc import Callable
from html import escape

import numpy as np

from dpmia_lab.experiments.equal_leak import contest
from dpmia_lab.experiments.mechanism_sweep import Sweep, sweep_so_far
from dpmia_lab.experiments.mechanisms import Config
from dpmia_lab.stages import Event, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.controls import choice, field, swapped
from dpmia_lab.widgets.kit.parts import column, fold, on_change, show_if, text
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.mechanisms.controls import new_slider
from dpmia_lab.widgets.mechanisms.data import own_sweep, preset_of, references, same_data
from dpmia_lab.widgets.mechanisms.words import (
    ATTACK_WORDS,
    PROTOCOL_WORDS,
    attack_words,
    axis_words,
    data_words,
    epsilon_html,
    level_html,
    no_level_html,
    no_phi_html,
    numbers_html,
    sizes_html,
)

PLOTS = "dpmia_lab.plots.tradeoffs"
CHART_DELAY = 0.5  # seconds: the page comes first, then what it opens with
REST = 0.1  # seconds between two drawings of the chart that follows a slider
STEPS = 21  # of that slider, over the AUC values that both mechanisms reach
ONE_PROTOCOL = "Skewed Purchases are tested from another distribution, so there outsiders may be of two kinds."


class MechanismsView:
    """``runs()`` are the reader's, newest first; ``listeners`` hear whenever what is shown has changed."""

    def __init__(self, runs: Callable[[], list[Run]]) -> None:
        self.runs = runs
        self.config: Config | None = None  # whose data are shown
        self.drawn_for: Config | None = None
        self.can_compare = False  # both mechanisms at equal leak
        self.running: Config | None = None
        self.live: Sweep | None = None  # its points; those of a stopped run stay until the next
        self.listeners: list[Callable[[], None]] = []
        self.attack = field(choice("attack", swapped(ATTACK_WORDS)), "attack")
        self.protocol = field(choice("who are the outsiders?", swapped(PROTOCOL_WORDS)), "protocol")
        self.why_one = text(f"<p class='dp-soft'>{ONE_PROTOCOL}</p>", "dp-reason")
        self.level = field(new_slider("equal leak: the attack's AUC", STEPS), "level")
        sources = [("of the reference", "reference"), ("of your newest sweep", "own")]
        self.roc_of = field(choice("ROC curves", sources), "roc-of")
        self.roc_axes = field(choice("their axes", [("linear", False), ("logarithmic", True)]), "roc-axes")
        for control in (self.attack, self.protocol):
            on_change(control, lambda _: self.draw())
        for control in (self.roc_of, self.roc_axes):
            on_change(control, lambda _: self.rocs.redraw())
        on_change(self.level, lambda _: self.read_level())
        self.scatter = ChartPlace(self.drawn_tradeoff, PLOTS, "dp-scatter", delay=CHART_DELAY, rest=REST)
        self.over = ChartPlace(self.drawn_over_epsilon, PLOTS, "dp-over", delay=CHART_DELAY)
        self.rocs = ChartPlace(self.drawn_rocs, PLOTS, "dp-rocs", delay=CHART_DELAY)
        self.charts = [self.scatter, self.over, self.rocs]
        self.title, self.sizes, self.at_level = text(""), text("", "dp-sizes"), text("", "dp-at-level")
        self.promises, self.tables = text(""), text("", "dp-tables")
        self.picture = column(self.title, self.sizes, self.scatter.view, self.at_level)
        self.details = column(
            column(text("<h4>Over ε: accuracy, attack and φ</h4>"), self.over.view, self.promises,
                   classes=("dp-section",)),
            fold("For experts: ROC curves", self.roc_of, self.roc_axes, self.rocs.view),
            fold("For experts: all numbers", self.tables),
        )  # fmt: skip

    # ---- what there is
    def expect(self, config: Config) -> None:
        """The settings the panel stands at: the reference and the runs of their data are shown."""
        self.config = config
        if self.drawn_for is None or not same_data(self.drawn_for, config):
            self.roc_of.value = "reference" if self.reference else "own"
            self.draw()

    @property
    def reference(self) -> Sweep | None:
        return references().get(preset_of(self.config))

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
        own, self.drawn_for = self.own(), self.config
        self.mark_protocol()
        self.title.value = f"<h3>{escape(data_words(self.config))}: what each strength keeps, and leaks</h3>"
        self.sizes.value = sizes_html(self.reference, own, self.played)
        self.mark_level()
        sweeps = [*([self.reference] if self.reference else []), *own]
        without = "".join(no_phi_html(sweep, *self.played) for sweep in sweeps[:2])
        self.promises.value = f"{without}<small class='dp-soft'>{epsilon_html(self.known())}</small>"
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
        show_if(both, self.protocol)
        show_if(not both, self.why_one)

    # ---- at equal leak
    def mark_level(self) -> None:
        """The slider goes over what both mechanisms reach, of the sweep that is read; else it is not there."""
        attack, protocol = self.played
        reached = contest(self.known(), protocol, attack).levels if self.known() else np.array([])
        self.can_compare = len(reached) > 0
        show_if(self.can_compare, self.level)
        if self.can_compare:
            options = [(f"{auc:.3f}", float(auc)) for auc in np.linspace(reached[0], reached[-1], STEPS)]
            if options != list(self.level.options):
                self.level.options, self.level.index = options, STEPS // 2
        self.at_level.value = self.level_words()

    def read_level(self) -> None:
        """The slider moved: nothing but the line in the chart and what is read there follows."""
        self.at_level.value = self.level_words()
        self.scatter.soon.ask()

    def level_words(self) -> str:
        sweeps = [*([self.reference] if self.reference else []), *self.own()[:1]]
        if not self.can_compare:
            return no_level_html(sweeps, *self.played)
        return level_html(sweeps, self.level.value, *self.played)

    def drawn(self) -> list:
        """The reference, then the reader's sweeps, as charts want them."""
        from dpmia_lab.plots.mechanisms import Drawn

        kept = [Drawn(self.reference)] if self.reference else []
        keys = {f"your {run.key}": run.key for run in self.runs()}  # a sweep that still runs cannot be opened
        return kept + [Drawn(one, True, age, keys.get(one.words, "")) for age, one in enumerate(self.own())]

    def drawn_over_epsilon(self, width: int) -> Chart:
        from dpmia_lab.plots.mechanisms import over_epsilon_chart

        return over_epsilon_chart(self.drawn(), *self.played, axis_words(self.known()), width)

    def drawn_tradeoff(self, width: int) -> Chart:
        from dpmia_lab.plots.tradeoffs import tradeoff_chart

        level = self.level.value if self.can_compare else None
        return tradeoff_chart(self.drawn(), *self.played, attack_words(*self.played), width, level)

    def drawn_rocs(self, width: int) -> Chart:
        from dpmia_lab.plots.tradeoffs import roc_chart

        own = self.roc_of.value == "own"
        whose = next((one for one in self.drawn() if one.own == own and one.sweep.curves), None)
        return roc_chart(whose, *self.played, self.roc_axes.value, width)
