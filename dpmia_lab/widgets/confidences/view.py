"""What a run of lesson 8 shows: truth, alignment and GMI in rows, what the network is worth, who is recognised."""

from collections.abc import Callable

import numpy as np

from dpmia_lab.experiments.confidences import Config
from dpmia_lab.stages import Event, Progress, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.confidences import words
from dpmia_lab.widgets.confidences.rows import rows_html
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.parts import (
    button,
    column,
    download_html,
    fold,
    on_change,
    results_width,
    row,
    text,
    with_classes,
)
from dpmia_lab.widgets.kit.pictures import data_uri, sheet

PLOTS = "dpmia_lab.plots.confidences"
CHART_DELAY = 2.0
SMALL_CHART = 320  # pixels, on a wide page
AT_ONCE = 8  # people in a row
NOT_SHIPPED = (
    "<p class='dp-soft'>Pictures of real people do not ship with the lab: <b>Train and attack</b> draws them here.</p>"
)


class ConfidencesView:
    """Shows a run while it happens and when it is done; ``config`` is that of the run shown.

    ``turn``: what the attacker changes, a key of ``words.TURNS``. ``listeners`` hear of every result and every turn.
    """

    def __init__(self) -> None:
        self.config: Config | None = None
        self.result: Result | None = None
        self.pictures: dict[str, np.ndarray] = {}  # by attack, of the result or as far as the run has come
        self.first, self.turn = 0, "once"
        self.listeners: list[Callable[[], None]] = []
        self.turns = {name: button("", lambda name=name: self.take_turn(name), "dp-turn") for name in words.TURNS}
        self.rows = text("", "dp-fades", "dp-face-rows")
        self.which = text("", "dp-which")
        self.back = button("◀", lambda: self.page(-1), "dp-small", tooltip="Previous people")
        self.forth = button("▶", lambda: self.page(1), "dp-small", "dp-forth", tooltip="Next people")
        self.headline = text("", "dp-fades", "dp-network-numbers")
        self.reliability = ChartPlace(
            self.drawn_reliability, PLOTS, "dp-reliability", delay=CHART_DELAY, width_of=small_width
        )
        self.measure = field(choice("measure", [(w, m) for m, w in words.MEASURES.items()]), "measure")
        self.recognised = ChartPlace(
            self.drawn_recognised, PLOTS, "dp-recognised", keep="dpmia_lab_recognised.png", others=self.kept_pictures
        )
        self.answers = ChartPlace(self.drawn_answers, PLOTS, "dp-said")
        self.about, self.table = text(""), text("")
        self.charts = [self.reliability, self.recognised, self.answers]
        on_change(self.measure, lambda _: self.recognised.redraw())
        self.picture = column(
            with_classes(
                row(text("The attacker"), *self.turns.values(), row(self.back, self.which, self.forth)), "dp-turns"
            ),
            self.rows,
            with_classes(row(self.headline, self.reliability.view), "dp-worth"),
        )
        self.details = column(
            column(text("<h3>Who is recognised, and by whom?</h3>"), self.recognised.view, self.recognised.exports,
                   fold("Another measure", self.measure, name="dp-measures"), classes=("dp-section",)),
            column(text("<h3>The answers themselves</h3>"), self.answers.view, classes=("dp-section",)),
            fold("For experts: every attacker, every measure; what the code may tell", self.about, self.table),
        )  # fmt: skip
        self.name_turns()

    # ---- while the run goes on
    def started(self, config: Config) -> None:
        """What is shown stays until there is more."""
        self.running = config

    def happened(self, event: Event) -> None:
        if isinstance(event, Snapshot):
            self.drawn(event)
        elif isinstance(event, Progress) and self.result is None and event.label == "training the network":
            self.headline.value = words.training_html(event.values.get("test_accuracy"))

    def drawn(self, event: Snapshot) -> None:
        """Some row has come further."""
        if event.name == "truth":
            self.result, self.config, self.pictures = None, self.running, {}
            self.headline.value = words.training_html(None)
            self.name_turns()
        self.pictures[event.name] = event.array
        if event.name == "truth" or event.name in words.turned(self.turn, set(self.pictures)):
            self.draw_rows()

    # ---- when it is done
    def show(self, result: Result) -> None:
        self.result = result
        self.pictures = {name: x for name, x in result.arrays.items() if x.ndim == 4}
        self.headline.value = words.headline_html(result)
        self.about.value, self.table.value = words.about_html(self.config, result), words.attacks_table(result)
        self.name_turns()
        self.draw_rows()
        for chart in self.charts:
            chart.redraw()
        self.tell()

    def tell(self) -> None:
        for listener in self.listeners:
            listener()

    # ---- the turn, and which people
    def name_turns(self) -> None:
        answers = self.config.answers if self.config else 20
        for name, one in self.turns.items():
            one.description = words.TURNS[name].words.format(answers=answers)
            one.tooltip = f"The attacker {one.description}"
            (one.add_class if name == self.turn else one.remove_class)("chosen")

    def take_turn(self, name: str) -> None:
        self.turn = name
        self.name_turns()
        self.draw_rows()
        self.tell()

    def page(self, pages: int) -> None:
        self.first = max(0, self.first + pages * AT_ONCE)
        self.draw_rows()

    def draw_rows(self) -> None:
        if self.config is None:
            return
        if "truth" not in self.pictures:
            self.rows.value, self.which.value = self.heads_alone(), ""
            self.back.disabled = self.forth.disabled = True
            return
        count = len(self.pictures["truth"])
        self.first = min(self.first, (count - 1) // AT_ONCE * AT_ONCE)
        shown = slice(self.first, min(self.first + AT_ONCE, count))
        names = [str(name) for name in self.result.arrays["names"][shown]] if self.result else [""] * AT_ONCE
        attacks = ("truth", *words.turned(self.turn, set(self.pictures)))
        drawn = [self.pictures[name][shown] if name in self.pictures else None for name in attacks]
        self.rows.value = rows_html(list(zip(self.heads(), attacks, drawn, strict=True)), names)
        self.which.value = f"{self.first + 1}–{shown.stop} of {count}"
        self.back.disabled, self.forth.disabled = self.first == 0, shown.stop == count

    def heads(self) -> list[str]:
        alignment, gmi = words.turned(self.turn, set(self.pictures) or self.measured())
        return [
            words.truth_head(self.result, self.config),
            words.alignment_head(self.result, self.config, alignment, self.turn),
            words.gmi_head(self.result, self.config, gmi, self.turn),
        ]

    def heads_alone(self) -> str:
        """Where no pictures ship."""
        return f"{rows_html([(head, '', None) for head in self.heads()], [''] * AT_ONCE)}{NOT_SHIPPED}"

    def measured(self) -> set[str]:
        return set(self.result.rows.all("attack")) if self.result else set()

    # ---- charts, and files
    def drawn_reliability(self, width: int) -> Chart | None:
        if self.result is None:
            return None
        from dpmia_lab.plots.confidences import reliability_chart

        found = (self.result.arrays[f"reliability_{name}"] for name in ("count", "accuracy", "confidence"))
        return reliability_chart(*found, self.result.numbers["ece"], width)

    def drawn_recognised(self, width: int) -> Chart | None:
        if self.result is None:
            return None
        from dpmia_lab.plots.confidences import Bar, recognised_chart

        measure, rows = self.measure.value, self.result.rows
        bars = [
            Bar(words.SHORT[name], kind_of(name), one.value, one.low, one.high)
            for name in words.SHORT
            if rows.has(measure, attack=name, protocol="test")
            for one in [rows.row(measure, attack=name, protocol="test")]
        ]
        share = measure in words.SHARES
        return recognised_chart(
            bars, words.MEASURES[measure], width,
            share=share, closer_is_lower=measure.startswith("feature"),
            chance=self.result.numbers["chance"] if share else None,
        )  # fmt: skip

    def drawn_answers(self, width: int) -> Chart | None:
        if self.result is None:
            return None
        from dpmia_lab.plots.confidences import answers_chart

        arrays = self.result.arrays
        return answers_chart(arrays["answers"], int(arrays["labels"][0]), width)

    def kept_pictures(self) -> list[str]:
        if "truth" not in self.pictures:
            return []
        rows = [self.pictures[name] for name in ("truth", *words.turned(self.turn, set(self.pictures)))]
        return [download_html("all pictures (PNG)", "dpmia_lab_pictures.png", data_uri(sheet(rows)))]


def small_width(page: int) -> int:
    return SMALL_CHART if page > 800 else results_width(page)


def kind_of(attack: str) -> str:
    return "null" if attack in words.NULLS else "label" if attack == "alignment_label" else "attack"
