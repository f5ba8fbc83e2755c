"""The main panel of lesson 3: three ways of training at equal accuracy, under the same attacks."""

import ipywidgets as widgets

from dpmia_lab.experiments import hiding
from dpmia_lab.metrics.reconstruction import stretched_pictures
from dpmia_lab.store import Store
from dpmia_lab.widgets.hiding.controls import PRESET_WORDS, REASONS, new_controls
from dpmia_lab.widgets.hiding.pictures import row_html
from dpmia_lab.widgets.hiding.view import HidingView
from dpmia_lab.widgets.hiding.words import PAIR, model_words, summary
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import text
from dpmia_lab.widgets.kit.pictures import AT_ONCE
from dpmia_lab.widgets.kit.runs import Run


class HidingPanel(ExperimentPanel):
    place = "dp-hiding"

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        words = Words("Train and attack", PRESET_WORDS, summary, compared_html)
        super().__init__("hiding", hiding, HidingView(), new_controls, REASONS, words, query, store)

    def main(self) -> list[widgets.Widget]:
        return [self.controls.group("unit", "k_sub", "accuracy")]

    def more(self) -> list[widgets.Widget]:
        return [
            text("<h4>What is learned</h4>"),
            self.controls.group("data", "people", "model"),
            text("<h4>How both are trained</h4>"),
            self.controls.group("q", "steps", "clip", "rate", "neighbours"),
            text("<h4>How all are attacked</h4>"),
            self.controls.group("stronger"),
            text("<h4>Chance</h4>"),
            self.controls.group("repeats", "seed"),
        ]


def compared_html(runs: list[Run]) -> str:
    """The same people under the two private models, run by run, as the stronger attacker drew them."""
    lines = []
    for run in runs:
        lines.append(f"<h4>Run {run.number}: {summary(run)}</h4>")
        for model in PAIR:
            pictures = stretched_pictures(run.result.arrays[hiding.called("picture", model, "stronger")][:AT_ONCE])
            lines.append(row_html(f"run {run.number}, {model_words(run.config)[model]}", pictures))
    return "".join(lines)
