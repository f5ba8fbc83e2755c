"""A cell of the reader's own: any defence at any strength, on these data or their own; it lands on the charts."""

from collections.abc import Callable
from dataclasses import replace
from html import escape
from pathlib import Path
from types import SimpleNamespace

import ipywidgets as widgets

from dpmia_lab.data.population import load_population
from dpmia_lab.experiments import comparing
from dpmia_lab.experiments.comparing_answers import Harm, leak_of
from dpmia_lab.experiments.comparing_config import Config
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.experiments.comparing_sentences import value_text
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.comparing.controls import STRENGTH, kind_of_data, new_controls, others_of_defences, reasons
from dpmia_lab.widgets.comparing.data import OWN, Board, OwnCell, cell_of, defence_words
from dpmia_lab.widgets.comparing.view import PLOTS, CellView
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import button, column, download_html, text
from dpmia_lab.widgets.kit.pictures import data_uri
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import table_html, with_small
from dpmia_lab.widgets.kit.upload import OwnFile, TakesOwnFile

SETS = {"purchases_like": "shopping carts", "faces": "faces", "warfarin_like": "patients and their dose"}
PRESET_WORDS = {"carts": "carts, RelaxLoss", "faces": "faces, MID", "patients": "patients, DP-SGD"}
FIRST = {  # the defence that each set opens with
    "carts": {"defence": "relaxloss", "alpha": 0.8},
    "faces": {"defence": "mid", "mid_lam": 0.03},
    "patients": {"defence": "central", "epsilon": 4.0, "clip": 1.0},
}
Report = Callable[..., str]  # a grid and the names of its own cells → a page
REPORT_FILE = "dpmia_lab_report.html"


def presets() -> dict[str, Config]:
    return {name: replace(config, **FIRST[name]) for name, config in comparing.PRESETS.items() if name in FIRST}


def quick_experiment() -> SimpleNamespace:
    return SimpleNamespace(Config=Config, PRESETS=presets(), SMALL=comparing.SMALL, run=comparing.run)


class ComparingPanel(TakesOwnFile, ExperimentPanel):
    """Its runs land on the board. ``report``: what makes the report of all that is on it; None: no button."""

    plots = PLOTS
    place = "dp-comparing"

    def __init__(
        self, board: Board, report: Report | None = None, query: str | None = None, store: Store | None = None
    ) -> None:
        self.board, self.report = board, report
        self.own = OwnFile((".npz",), found_words, self.say)
        self.reported = text("", "dp-report-place")
        words = Words("Train and attack", PRESET_WORDS, summary, compared_html)
        sets = [(words_of, name) for name, words_of in SETS.items()]
        experiment = quick_experiment()
        super().__init__("comparing", experiment, CellView(), new_controls, reasons(), words, query, store, sets)

    def main(self) -> list[widgets.Widget]:
        return [self.controls.group("data", "defence", *STRENGTH.values(), "strength"), self.own.view]

    def more(self) -> list[widgets.Widget]:
        return [
            text("<h4>The defence</h4>"),
            self.controls.group(*others_of_defences()),
            text("<h4>The records and the model</h4>"),
            self.controls.group("classes", "people", "records", "model", "width", "epochs", "rate", "private_rate"),
            text("<h4>The attackers</h4>"),
            self.controls.group("shadows", "canaries", "seed"),
        ]

    def footer(self) -> list[widgets.Widget]:
        made = button("Make a report", self.make_report, "dp-report-button") if self.report else text("")
        about = text(
            "<h4>A report</h4><p class='dp-soft'>Everything on this page about these data, your cells among it, as one "
            "file for somebody who was not here.</p>"
            if self.report
            else ""
        )
        return [*super().footer(), column(about, made, self.reported, classes=("dp-section",))]

    # ---- own cells on the board
    def finished(self, config: Config, result: Result, seconds: float, about: str) -> None:
        super().finished(config, result, seconds, about)
        self.tell_board()

    def chosen(self) -> None:
        super().chosen()
        self.tell_board()

    def tell_board(self) -> None:
        self.board.set_own([own_cell(run) for run in self.table.runs])

    # ---- the report
    def make_report(self) -> None:
        grid = self.board.grid()
        if grid is None or not grid.columns:
            self.reported.value = "<p class='dp-soft'>There is nothing to report yet.</p>"
            return
        page = self.report(grid, own_cells=[cell.name for cell in self.board.cells()])
        link = download_html("Download the report (HTML)", REPORT_FILE, data_uri(page.encode(), "text/html"))
        self.reported.value = (
            f'<p role="status">{link} <small>{len(page.encode()) / 1e6:.1f} MB, needs no network</small></p>'
        )


def own_cell(run: Run) -> OwnCell:
    return cell_of(f"{OWN}{run.number}", kind_of_data(run.config), run.config, run.result.rows)


def found_words(path: Path) -> str:
    """What is in a visitor's own file."""
    found = load_population(str(path))
    shape = " × ".join(map(str, found.shape))
    return (
        f"{len(found.y):,} records of {found.classes} classes, {found.kind} ({shape}). About 2n of them are "
        "candidates; others are held aside."
    )


# ---- runs in words
def data_words(config: Config) -> str:
    return SETS.get(config.data) or escape(Path(config.data).name)


def told(run: Run, harm: Harm) -> str:
    """A harm of the run by its worst attack."""
    cell = own_cell(run)
    leak = leak_of(cell.on(Grid("own", (run.config.seed,), {}, {})), cell.name, harm)
    return "–" if leak is None else value_text(harm.measure, leak.measured.mean)


def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, right = run.config, run.result.rows.value("accuracy", protocol="test")
    return (
        f"{data_words(c)}, {escape(defence_words(c))}, n = {c.records:,}, {c.shadows} models, seed {c.seed}: "
        f"<span class='dp-protected'>{right:.0%} right</span>, <span class='dp-exposed'>at 1 % false alarms "
        f"{told(run, Harm('tpr1'))} of members caught, {told(run, Harm('tpr1', 'canaries'))} of canaries</span>"
    )


def compared_html(runs: list[Run]) -> str:
    """A line of numbers a run."""
    if not runs:
        return ""
    harms = {
        "AUC": Harm("auc"),
        with_small("caught", "everybody"): Harm("tpr1"),
        with_small("caught", "canaries"): Harm("tpr1", "canaries"),
        with_small("caught", "most at risk"): Harm("tpr1", "at risk"),
        "recognised": Harm("recognised"),
        with_small("secrets", "beyond imputation"): Harm("attack_over_imputation"),
    }
    rows = [
        (
            f"run {run.number}: {data_words(run.config)}, {defence_words(run.config)}",
            f"{run.result.rows.value('accuracy', protocol='test'):.0%}",
            *(told(run, harm) for harm in harms.values()),
        )
        for run in runs
    ]
    return table_html(("run", "right", *harms), rows)
