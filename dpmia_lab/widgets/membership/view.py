"""What a run of lesson 4 shows: accuracy and leak rising together, each attack's ROC as it comes, then the numbers."""

from collections.abc import Callable

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.membership import CURVES, Config, scores_of
from dpmia_lab.game.attacks import MEMBERSHIP
from dpmia_lab.game.play import scores_name
from dpmia_lab.stages import Event, Progress, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.parts import column, fold, show_if, text
from dpmia_lab.widgets.membership import words

PLOTS = "dpmia_lab.plots.membership"
REST = 0.3  # seconds between drawings while it runs
VERDICT = 0.5  # the black box's score is a probability; above it, it says "member"


class MembershipView:
    """``config`` is what the panel runs or shows; ``followers`` hear of every result that is shown."""

    def __init__(self) -> None:
        self.config: Config | None = None
        self.result: Result | None = None
        self.followers: list[Callable[[Result], None]] = []
        self.begin()
        self.words = text(f"<p>{words.WAITING}</p>", "dp-live")
        self.run_chart = ChartPlace(self.drawn_learning, PLOTS, "dp-run-chart", rest=REST)
        self.roc = ChartPlace(self.drawn_roc, PLOTS, "dp-roc", rest=REST, keep="dpmia_lab_roc.png")
        self.protocols = ChartPlace(
            self.drawn_protocols, PLOTS, "dp-fades", "dp-protocols",
            below=lambda: words.protocols_html(self.result.rows),
        )  # fmt: skip
        self.verdicts = ChartPlace(
            self.drawn_verdicts, PLOTS, "dp-fades", "dp-verdicts", below=lambda: f"<small>{words.VERDICT_WORDS}</small>"
        )
        self.charts = [self.run_chart, self.roc, self.protocols, self.verdicts]
        self.numbers, self.promise = text("", "dp-fades", "dp-results-numbers"), text("", "dp-fades", "dp-promise")
        self.table = text("", "dp-fades", "dp-attack-table")
        self.about_promise = section("What was promised, and what an attack proves", self.promise)
        self.about_protocols = section("Who are the outsiders?", self.protocols.view)
        self.details = column(
            text(f"<details><summary>How to read these curves</summary><small>{words.ROC_WORDS}</small></details>"),
            self.roc.exports,
            section("What it came to", self.numbers),
            self.about_promise,
            self.about_protocols,
            fold("For experts: every attack in numbers, with its audit", self.table, name="dp-all-attacks"),
            fold("For experts: whom does the black box call a member?", self.verdicts.view),
        )
        self.picture = column(self.words, self.run_chart.view, self.roc.view)

    # ---- while the run goes on
    def begin(self) -> None:
        self.result = None
        self.seen: list[tuple[float, ...]] = []  # epoch, accuracy on training and on new records, AUC
        self.member: np.ndarray | None = None
        self.scores: dict[str, np.ndarray] = {}

    def started(self, config: Config) -> None:
        self.config = config

    def happened(self, event: Event) -> None:
        if isinstance(event, Progress):
            self.live(event) if "auc" in event.values else self.attacking(event)
        elif event.name == "member":
            self.member, self.scores = event.array, {}
        else:
            self.scored(event)

    def live(self, event: Progress) -> None:
        now = tuple(event.values[name] for name in CURVES)
        if self.result is not None or (self.seen and now[0] < self.seen[-1][0]):
            self.begin()
        if self.seen and now == self.seen[-1]:
            return
        self.seen.append(now)
        epoch, train, test, leak = now
        self.words.value = (
            f"<p>Epoch {epoch:.0f} of {self.config.epochs}: right on <b>{train:.0%}</b> of the training records and on "
            f"<span class='dp-protected'>{test:.0%}</span> of new ones. A plain threshold tells them apart with "
            f"<span class='dp-exposed'>AUC {leak:.2f}</span> (0.5 is guessing).</p>"
        )
        self.run_chart.soon.ask()

    def attacking(self, event: Progress) -> None:
        if self.scores and self.result is None:
            made = len(self.scores)
            self.words.value = f"<p>{event.label.capitalize()}. {made} of the curves are there; the others follow.</p>"

    def scored(self, event: Snapshot) -> None:
        """Only against outsiders like the members; the other protocol is shown at the end."""
        attack = next((attack for attack in MEMBERSHIP if scores_name(attack) == event.name), None)
        if attack is not None:
            self.scores[attack] = event.array
            self.roc.soon.ask()

    def drawn_learning(self, width: int) -> Chart | None:
        if not self.seen:
            return None
        from dpmia_lab.plots.membership import learning_chart

        chance = None if self.result is None else self.result.numbers["chance"]
        return learning_chart(*map(list, zip(*self.seen, strict=True)), self.config.epochs, chance, width)

    def drawn_roc(self, width: int) -> Chart | None:
        if not self.scores:
            return None
        from dpmia_lab.plots.roc import Allowed, roc_chart

        arrays = {} if self.result is None else self.result.arrays
        allowed = Allowed(arrays["promise_fpr"], 1 - arrays["promise_fnr"]) if "promise_fpr" in arrays else None
        return roc_chart(self.scores, self.member, allowed, width)

    # ---- when it is done
    def show(self, result: Result) -> None:
        self.begin()
        self.result, arrays = result, result.arrays
        self.seen = list(zip(*(arrays[f"curve_{name}"] for name in CURVES), strict=True))
        self.member, self.scores = arrays["member"], scores_of(arrays)
        self.words.value = f"<p>{words.headline(self.config, result)}</p>"
        self.numbers.value = words.summary_html(self.config, result)
        self.promise.value = words.promise_html(result)
        self.table.value = words.attacks_html(result)
        show_if(words.is_promised(result.numbers), self.about_promise)
        show_if("member_shifted" in arrays, self.about_protocols)
        for chart in self.charts:
            chart.redraw()
        for follower in self.followers:
            follower(result)

    def drawn_protocols(self, width: int) -> Chart | None:
        if self.result is None or "member_shifted" not in self.result.arrays:
            return None
        from dpmia_lab.plots.roc import protocols_chart

        arrays = self.result.arrays
        return protocols_chart(self.scores, self.member, scores_of(arrays, "shifted"), arrays["member_shifted"], width)

    def drawn_verdicts(self, width: int) -> Chart | str | None:
        if self.result is None:
            return None
        if "black_box" not in self.scores:
            return "<p>This run made no black box attack: it needs shadow models.</p>"
        from dpmia_lab.plots.membership import verdicts_chart

        return verdicts_chart(self.result.arrays["decisive"], self.scores["black_box"] > VERDICT, width)


def section(title: str, *children: widgets.Widget) -> widgets.VBox:
    return column(text(f"<h3>{title}</h3>"), *children, classes=("dp-section",))
