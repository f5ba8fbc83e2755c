"""What a run of lesson 7 shows: the answers or the tree, who guesses the secret how often, and what it cost."""

import numpy as np

from dpmia_lab.experiments.attributes import Config
from dpmia_lab.experiments.tree_arrays import Node, tree_of
from dpmia_lab.stages import Event
from dpmia_lab.store import Result
from dpmia_lab.widgets.attributes import words
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.parts import column, fold, on_change, text

PLOTS = "dpmia_lab.plots.attributes"
DEEP = 3  # levels of a tree below its root that are drawn
UNITS = {"warfarin_like": "mg a week"}


class AttributesView:
    """``config`` is what the panel runs or shows. Nothing is blanked when a run begins: the sliders are live."""

    def __init__(self, measure: str = "attack_accuracy") -> None:
        self.config: Config | None = None
        self.result: Result | None = None
        self.measure = field(choice("measure of a guess", [(w, m) for m, w in words.MEASURES.items()]), "measure")
        self.measure.value = measure
        on_change(self.measure, lambda _: self.refresh())
        self.headline = text("", "dp-attribute-numbers")
        self.answers = ChartPlace(self.drawn_answers, PLOTS, "dp-answers-chart")
        self.guesses = ChartPlace(self.drawn_guesses, PLOTS, "dp-guesses-chart", keep="dpmia_lab_guesses.png")
        self.promise, self.table, self.about = text("", "dp-promised"), text(""), text("")
        self.charts = [self.answers, self.guesses]
        self.picture = column(self.headline, self.answers.view, self.guesses.view)
        self.details = column(
            self.guesses.exports, text("<h3>What is promised, and who guesses how</h3>"), self.promise, self.measure,
            fold("For experts: every attacker, every measure, new and trained-on people", self.table, self.about),
        )  # fmt: skip

    def started(self, config: Config) -> None:
        self.config = config

    def happened(self, event: Event) -> None:
        """Runs are quick: what they show, they show at the end."""

    def show(self, result: Result) -> None:
        self.result = result
        self.refresh()

    def refresh(self) -> None:
        if self.result is None:
            return
        self.headline.value = words.headline_html(self.config, self.result, self.measure.value, self.unit)
        self.promise.value = words.promise_html(self.config, self.result)
        self.table.value, self.about.value = words.attacks_table(self.result), words.about_html(self.result)
        for chart in self.charts:
            chart.redraw()

    @property
    def unit(self) -> str:
        return UNITS.get(self.config.data, "")

    # ---- charts
    def drawn_answers(self, width: int) -> Chart | str | None:
        if self.result is None:
            return None
        from dpmia_lab.plots import attributes as plots

        arrays = self.result.arrays
        if "tree_feature" in arrays:
            return drawn_tree(tree_of(arrays), width)
        shown = (arrays["shown_plain"], arrays["shown_answer"], arrays["shown_outcome"])
        if words.is_regression(self.result):
            return plots.answers_chart(*shown, self.unit or "the outcome", width)
        labels = [str(place + 1) for place in range(arrays["shown_answer"].shape[1])]
        return plots.shares_chart(*shown, labels, width)

    def drawn_guesses(self, width: int) -> Chart | None:
        if self.result is None:
            return None
        from dpmia_lab.plots.attributes import guesses_chart

        return guesses_chart(self.guessed(), self.measure.value, self.nothing_known(), width)

    def nothing_known(self) -> float:
        return 0.5 if self.measure.value == "attack_auc" else self.result.numbers[f"{self.measure.value}_prior"]

    def guessed(self) -> list:
        from dpmia_lab.plots.attributes import Guess

        n, measure = self.result.numbers, self.measure.value
        return [
            Guess(
                name=words.SHORT[name],
                asks=name not in ("prior", "imputation", "imputation_outcome"),
                value=n[f"{measure}_{name}"],
                spread=n.get(f"{measure}_{name}_sd", 0.0),
                before=n.get(f"{measure}_{name}_plain", n[f"{measure}_{name}"]),
            )
            for name in words.SHORT
            if f"{measure}_{name}" in n
        ]


# ---- the tree
def drawn_tree(root: Node, width: int) -> Chart:
    from dpmia_lab.plots.attributes import tree_chart

    asked = root.asked_secret()
    told = f"The first split's tree, {root.size()} nodes, of which {DEEP} levels below the root are drawn; it begins "
    told += f"by asking {root.feature}. " if root.feature else "and ends by asking nothing. "
    told += f"The sensitive question is put to {asked:.0%} of people."
    return tree_chart(branch_of(root, DEEP), width, told)


def branch_of(node: Node, levels: int):
    """As it is drawn: ``levels`` deep, what lies below is told in words."""
    from dpmia_lab.plots.attributes import Branch

    people = float(np.maximum(node.counts, 0).sum())
    hidden = node.size() - 1 if levels == 0 else 0
    title = f"{node.feature}?" if node.feature else node.prediction
    said = f"{people:.0f} people; most are “{node.prediction}”"
    said += "; the sensitive question" if node.sensitive else ""
    said += f"; {hidden} nodes more below" if hidden else ""
    children = tuple(branch_of(child, levels - 1) for child in node.children) if levels else ()
    return Branch(title, node.answer, node.sensitive, people, said, children)
