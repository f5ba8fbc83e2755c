"""Original against enhanced attack: the papers' figures, this lab's reference, and the reader's own run."""

import asyncio
import time
from html import escape

import ipywidgets as widgets
import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import inversion_comparison as comparison
from dpmia_lab.experiments.reference import shipped
from dpmia_lab.stages import Event, Progress, Snapshot, Stage
from dpmia_lab.store import Result
from dpmia_lab.widgets.controls import choice, scale
from dpmia_lab.widgets.parts import (
    RunBar,
    column,
    error_html,
    guarded,
    on_change,
    page_poster,
    panel,
    text,
    with_classes,
)
from dpmia_lab.widgets.pictures import data_uri, picture_html
from dpmia_lab.widgets.runner import Runner

CHART_DELAY = 2.0  # seconds
CONTENDERS = {
    "original": "original attack",
    "published": "enhanced, settings as published",
    "enhanced": "enhanced, this lab's settings",
    "ours": "this lab's prior (ℓ1 + TV), then a blur",
}
MEASURES = {
    "recognised_share": ("recognised by the judge", "higher: worse leak", "{:.0%}"),
    "recognised_ssim_share": ("recognised by nearest SSIM", "higher: worse leak", "{:.0%}"),
    "distance_mean": ("Euclidean distance", "lower: worse leak", "{:.2f}"),
    "ssim_distance_mean": ("1 − SSIM", "lower: worse leak", "{:.3f}"),
    "similarity_mean": ("correlation", "higher: worse leak", "{:.2f}"),
    "confidence_mean": ("model's confidence", "what the attack climbs", "{:.2f}"),
}
BASELINES = {
    "noise": "random noise",
    "blank": "a black picture",
    "other_class": "someone else's picture",
    "class_mean": "the class's mean picture",
}
SETS = {
    "faces": "generated faces, softmax regression",
    "digits": "MNIST digits, convolutional network",
    "att_faces": "AT&T faces, softmax regression",
}


class ComparisonPanel:
    def __init__(self) -> None:
        self.runner = Runner(page_poster())
        self.page_width = 1120
        self.shown: tuple[dict, str] | None = None
        self.which = with_classes(choice("set", "data and model", [(w, n) for n, w in SETS.items()]), "dp-field")
        self.repeats = with_classes(scale("repeats", "seeds, for the spread", (1, 2, 3, 5)), "dp-field")
        self.seed = with_classes(widgets.IntText(description="first seed"), "dp-field")
        self.bar = RunBar("Run it yourself", self.run, self.runner.stop)
        self.problem, self.pictures = text(""), text("", "dp-faces")
        self.chart, self.table, self.published = text("", "dp-chart"), text(""), text("")
        on_change(self.which, lambda _: self.show_reference())
        self.width = with_classes(widgets.Text(), "dp-width", "dp-hidden")
        on_change(self.width, self.resized)
        intro = text(
            "<p class='dp-soft'>First you see what the lab measured over five seeds (<code>make reference</code> "
            "computes it again). Your own run takes its place.</p>"
        )
        results = [
            self.chart,
            self.pictures,
            column(self.table, classes=("dp-section",)),
            column(self.published, classes=("dp-section",)),
            self.width,
        ]
        self.view = panel(
            [intro, self.which, self.repeats, self.seed, self.bar, self.problem], results, "dp-comparison"
        )
        self.show_reference()
        asyncio.get_event_loop().call_later(CHART_DELAY, guarded(self.draw_chart))

    # ---- what ships with the lab
    def show_reference(self) -> None:
        record = shipped("inversion_comparison")[self.which.value]
        repeats = record["config"]["repeats"]
        self.pictures.value = ""
        self.show(record["results"], record["per_class"], f"this lab's reference, {repeats} seeds, mean ± s.d.")

    def show(self, numbers: dict, per_class: dict, source: str) -> None:
        first, self.shown = self.shown is None, (numbers, source)
        self.table.value = table_html(numbers, source)
        self.published.value = published_html(self.which.value, numbers, per_class)
        if not first:  # the first chart waits until the page is up: matplotlib takes a second to load
            self.draw_chart()

    def draw_chart(self) -> None:
        from dpmia_lab.plots import comparison_chart

        page = self.page_width
        width = min(page - 48, 1120) - 346 if page > 800 else max(page - 60, 280)
        chart = comparison_chart(self.shown[0], width)
        self.chart.value = (
            f'<img class="dp-chart" src="{data_uri(chart.png())}" alt="{escape(chart.alt)}">'
            f"<small class='dp-soft'>Dots: {self.shown[1]}. Grey lines: what noise (dotted), a black picture (dashed) "
            f"and someone else's picture (dash-dotted) score.</small>"
        )

    def resized(self, width: str) -> None:
        if width.isdigit() and int(width) != self.page_width:
            self.page_width = int(width)
            self.draw_chart()

    # ---- the reader's own run
    def run(self) -> None:
        self.problem.value = ""
        try:
            base = comparison.PRESETS[self.which.value]
            config = comparison.replace(base, repeats=self.repeats.value, seed=self.seed.value)
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        self.drawn: dict[str, np.ndarray] = {}
        self.bar.started()
        start = time.monotonic()
        self.runner.start(
            lambda: self.stage(config),
            self.happened,
            lambda result, problem: self.ended(result, problem, config, time.monotonic() - start),
        )

    def stage(self, config: comparison.Config) -> Stage[Result]:
        yield Progress(0, 1, "loading PyTorch")
        return (yield from comparison.run(config))

    def happened(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Progress):
                self.bar.show(event)
            elif isinstance(event, Snapshot) and event.name in ("truth", *CONTENDERS):
                self.drawn[event.name] = event.array[:8]
        self.pictures.value = strips_html(self.drawn)

    def ended(self, result: Result | None, problem: str | None, config: comparison.Config, seconds: float) -> None:
        self.bar.idle("stopped" if result is None and problem is None else "")
        self.problem.value = error_html(problem or "")
        if result is None:
            return
        self.bar.idle(f"{seconds:.0f} s")
        per_class = {name: list(values) for name, values in result.arrays.items() if values.ndim == 1}
        spread = "mean ± s.d." if config.repeats > 1 else "one seed only: no spread"
        self.show(result.numbers, per_class, f"your run, {config.repeats} seeds from {config.seed}, {spread}")


def strips_html(drawn: dict[str, np.ndarray]) -> str:
    lines = []
    for name, words in {"truth": "training pictures", **CONTENDERS}.items():
        if name in drawn:
            images = "".join(picture_html(x, f"{words}, class {i + 1}") for i, x in enumerate(drawn[name]))
            lines.append(f"<h4>{words}</h4><div class='dp-strip'>{images}</div>")
    return "".join(lines)


def table_html(numbers: dict, source: str) -> str:
    """Every measure of every contender, and of pictures that owe nothing to the attack."""
    head = "".join(f"<th>{words}<br><small>{good}</small></th>" for words, good, _ in MEASURES.values())
    rows = []
    for who, words in {**CONTENDERS, **BASELINES}.items():
        cells = []
        for measure, (_, _, form) in MEASURES.items():
            value, spread = numbers[f"{measure}_{who}"], numbers.get(f"{measure}_{who}_sd")
            cells.append(form.format(value) + (f" ± {form.format(spread)}" if spread is not None else ""))
        kind = ' class="reference"' if who in BASELINES else ""
        rows.append(f"<tr{kind}><td>{words}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return (
        f'<h4>On every measure</h4><div class="dp-scroll"><table><caption>{source}; accuracy of the attacked model '
        f"on new pictures {numbers['test_accuracy']:.0%}, of the judge {numbers['judge_accuracy']:.0%}</caption>"
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def published_html(which: str, numbers: dict, per_class: dict) -> str:
    """The papers' figures, labelled as such, above the same figures of this lab."""
    paper = shipped("published")[which]
    if which == "att_faces":
        return (
            f"<h4>Beside the published figure</h4><p>Paper E reports {paper['recognised_by_evaluation_model']:.0%} of "
            f"AT&T's people recognised by its evaluation model, {paper['recognised_by_ssim']:.1%} by SSIM, for the "
            f"original attack. Here: {numbers['recognised_share_original']:.0%} and "
            f"{numbers['recognised_ssim_share_original']:.0%} for the original attack, "
            f"{numbers['recognised_share_enhanced']:.0%} and {numbers['recognised_ssim_share_enhanced']:.0%} for the "
            f"enhanced one.</p><small class='dp-reference'>{paper['source']}</small>"
        )
    measure = "distance" if which == "digits" else "ssim_distance"
    form = "{:.2f}" if which == "digits" else "{:.3f}"
    columns = len(paper["original"])
    lines = [("paper A, original", paper["original"], True), ("paper A, enhanced", paper["enhanced"], True)]
    who = {
        "original": "here, original",
        "published": "here, enhanced as published",
        "enhanced": "here, enhanced, our settings",
        "blank": "a black picture",
        "other_class": "another class",
    }
    lines += [(words, per_class[f"{measure}_{name}"][:columns], False) for name, words in who.items()]
    head = "".join(f"<th>{i if which == 'digits' else f'person {i + 1}'}</th>" for i in range(columns))
    body = "".join(
        f"<tr{' class=reference' if grey else ''}><td>{words}</td>"
        + "".join(f"<td>{form.format(v)}</td>" for v in values)
        + f"<td><b>{form.format(np.mean(values))}</b></td></tr>"
        for words, values, grey in lines
    )
    other = "" if which == "digits" else " Other people, other pictures: compare the direction, not the numbers."
    return (
        f'<h4>Class by class, as the paper prints it</h4><div class="dp-scroll"><table><caption>{paper["source"]}.'
        f"{other}</caption><thead><tr><th></th>{head}<th>mean</th></tr></thead><tbody>{body}</tbody></table></div>"
    )
