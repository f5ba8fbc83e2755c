"""Trees under MID: the tree is drawn, the sensitive question marked, and λ moves it."""

from dataclasses import replace

from dpmia_lab.experiments import attributes
from dpmia_lab.experiments.attributes import Config
from dpmia_lab.experiments.tree_arrays import Node, tree_of
from dpmia_lab.reference.shipped_runs import shipped_run
from dpmia_lab.stages import Stage
from dpmia_lab.store import Result
from dpmia_lab.widgets.attributes.panel import quick_experiment
from dpmia_lab.widgets.attributes.view import AttributesView
from dpmia_lab.widgets.kit.charts import width_for
from dpmia_lab.widgets.kit.controls import choice, field, scale
from dpmia_lab.widgets.kit.parts import on_change, panel, show_if, text
from dpmia_lab.widgets.kit.stage_run import StageRun

DATA = [("a survey (generated)", "survey"), ("the steak survey (real)", "steak")]
KINDS = [
    ("MID, as printed in paper B", "printed"),
    ("MID that may stop asking", "stopping"),
    ("priority: asked first", "first"),
    ("priority: never asked", "never"),
    ("no defence", "none"),
]


class TreePanel:
    """``result`` is what is shown: the tree that ships with the lab at first, then the reader's own."""

    def __init__(self) -> None:
        self.run = quick_experiment().run
        self.result: Result | None = None
        self.results = AttributesView("attack_auc")
        self.data = field(choice("people", DATA), "tree-data")
        self.kind = field(choice("defence", KINDS), "tree-kind")
        self.lam = field(scale("λ, weight of MID", (0.0, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)), "tree-lam")
        self.problem, self.asked = text(""), text("", "dp-tree-words")
        self.work = StageRun(self.begin, self.show, loading="", problem=self.problem)
        self.results.picture.children = [self.asked, *self.results.picture.children[1:]]
        self.view = panel(
            "dp-trees",
            controls=[self.data, self.kind, self.lam],
            run=[self.problem],
            picture=[self.results.picture],
            details=[self.results.details, width_for(*self.results.charts)],
        )
        for control in (self.data, self.kind, self.lam):
            on_change(control, lambda _: self.changed())
        opening = attributes.PRESETS[self.data.value]  # λ = 0 is no defence: the tree that ships without one
        if (shipped := shipped_run("attributes", opening)) is not None:
            self.show((opening, shipped[0]))

    def config(self) -> Config:
        base, kind = attributes.PRESETS[self.data.value], self.kind.value
        if kind in ("printed", "stopping"):
            return replace(base, defence="mid", lam=self.lam.value, stop=kind == "stopping")
        if kind == "none":
            return base
        return replace(base, defence="priority", priority=0 if kind == "first" else -1)

    def changed(self) -> None:
        self.problem.value = ""
        show_if(self.kind.value in ("printed", "stopping"), self.lam)
        self.work.restart()

    def begin(self) -> Stage[tuple[Config, Result]]:
        return self.stage(self.config())

    def stage(self, config: Config) -> Stage[tuple[Config, Result]]:
        result = yield from self.run(config)
        return config, result

    def show(self, made: tuple[Config, Result]) -> None:
        config, self.result = made
        self.results.config = config
        self.results.show(self.result)
        self.asked.value = asked_html(config, self.result, tree_of(self.result.arrays))


def asked_html(config: Config, result: Result, root: Node) -> str:
    """How the tree came out, in a sentence; of all splits where there is a number for them."""
    n = result.numbers
    levels = f"a tree of {root.size()} nodes" if root.size() > 1 else "no tree at all: one answer for everybody"
    return (
        f"<p>The first of {config.splits} splits grew {levels}. It puts the <b class='dp-exposed'>sensitive "
        f"question</b> to <b>{root.asked_secret():.0%}</b> of people. It is right about "
        f"<b class='dp-protected'>{n['test_accuracy']:.0%}</b> of new people (always the commonest answer: "
        f"{n['chance']:.0%}), and paper B's attack has an AUROC of <b class='dp-exposed'>{n['attack_auc_map']:.2f}</b> "
        f"on new people, <b class='dp-exposed'>{n['attack_auc_map_train']:.2f}</b> on those trained on (0.5 is "
        f"nothing learnt; means over the splits).</p>"
    )
