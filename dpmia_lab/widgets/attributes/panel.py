"""The main panel of lesson 7: a model of a table, a defence, and everybody who guesses the secret."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import ipywidgets as widgets

from dpmia_lab.data.table_files import table_from_upload
from dpmia_lab.defences.tables import TABLE_DEFENCES
from dpmia_lab.experiments import attributes
from dpmia_lab.experiments.attributes import Config, Prepared
from dpmia_lab.stages import Stage
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.attributes.controls import PRESET_WORDS, REASONS, SETS, STRENGTHS, new_controls
from dpmia_lab.widgets.attributes.view import PLOTS, AttributesView
from dpmia_lab.widgets.attributes.words import compared_html, summary
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import text
from dpmia_lab.widgets.kit.upload import OWN, OwnFile, TakesOwnFile

QUICK = 40  # splits that take two seconds at most
SMALL_FILE = 300_000  # bytes, a few thousand people
USUAL = {"numbers": {"rounding": 5.0, "noise": 5.0}, "confidences": {"rounding": 0.2, "noise": 0.2}}
SUITS = {"warfarin_like": "regression", "survey_like": "tree", "steak": "tree", "marriage": "tree"}


def quick_experiment() -> SimpleNamespace:
    """The experiment, which keeps people, imputation and the plain model while only the defence moves.

    The patients begin with MID at λ = 0, which is no defence yet: λ is then the dial that stands there.
    """
    presets = attributes.PRESETS | {"patients": replace(attributes.PRESETS["patients"], defence="mid", lam=0.0)}
    kept: list[Prepared] = []

    def run(config: Config) -> Stage[Result]:
        if not (kept and kept[0].fits(config)):
            kept[:] = [Prepared(config)]
        return (yield from attributes.run(config, kept[0]))

    return SimpleNamespace(Config=Config, PRESETS=presets, SMALL=attributes.SMALL, run=run)


class AttributesPanel(TakesOwnFile, ExperimentPanel):
    plots = PLOTS
    place = "dp-attributes"

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        self.own = OwnFile((".csv", ".npz"), found_words, self.say)
        self.before = ("", "")  # table and model
        words = Words("Train and attack", PRESET_WORDS, summary, compared_html)
        super().__init__(
            "attributes", quick_experiment(), AttributesView(), new_controls, REASONS, words, query, store, SETS
        )

    def main(self) -> list[widgets.Widget]:
        return [self.controls.group("model", "defence", *STRENGTHS)]

    def more(self) -> list[widgets.Widget]:
        return [
            text("<h4>The people</h4>"),
            self.controls.group("data"),
            self.own.view,
            self.controls.group("outcome", "sensitive", "bounds", "people", "splits", "known"),
            text("<h4>The model</h4>"),
            self.controls.group("criterion", "leaf", "depth", "width", "epochs", "rate", "batch"),
            text("<h4>The defence</h4>"),
            self.controls.group("sigma_mid", "stop", "delta", "joint", "dp_depth", "dp_score", "clip", "seed"),
        ]

    # ---- settings
    def config(self, **values) -> Config:
        if values["data"] != OWN:
            values |= {"outcome": "", "sensitive": "", "bounds": ""}
        return super().config(**values)

    def is_quick(self, config: Config) -> bool:
        if self.is_upload(config) and not (config.outcome and config.sensitive and is_small(config.data)):
            return False
        return config.model != "mlp" and config.splits <= QUICK and config.people <= 4000

    def changed(self) -> None:
        """A table brings a model that suits it, a model drops a defence that does not fit."""
        made = self.controls.made
        data, model, defence = (made[name].value for name in ("data", "model", "defence"))
        before, self.before = self.before, (data, model)
        if before[0] != data and before[0] and SUITS.get(data, model) != model:
            self.controls.move({"model": SUITS[data]})
            return
        if before != (data, model) and model not in TABLE_DEFENCES[defence].models:
            self.controls.move({"defence": "none"})
            return
        if before[1] not in ("", model) and "regression" in (before[1], model):
            self.controls.move(USUAL["numbers" if model == "regression" else "confidences"])
            return
        super().changed()

    def set(self, config: Config) -> None:
        self.before = ("", "")
        if self.results.result is None or config.model != getattr(self.results.config, "model", ""):
            self.results.measure.value = "attack_accuracy" if config.model == "regression" else "attack_auc"
        super().set(config)


def is_small(file: str) -> bool:
    return Path(file).stat().st_size <= SMALL_FILE


def found_words(path: Path) -> str:
    """What is in a visitor's own table."""
    table = table_from_upload(path.name, path.read_bytes())
    told = " ".join(table.guesses)
    return f"{len(table):,} people. {told} Name the column that is predicted and the one that is secret."


