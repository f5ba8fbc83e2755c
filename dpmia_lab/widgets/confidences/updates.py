"""Update leaks: what a network learned anew, read off how its answers about other pictures changed."""

from dpmia_lab.store import Result
from dpmia_lab.widgets.confidences.panel import ConfidencesPanel
from dpmia_lab.widgets.confidences.rows import rows_html
from dpmia_lab.widgets.confidences.view import AT_ONCE
from dpmia_lab.widgets.confidences.words import defence_words, percent, row_head
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.parts import number_html, number_row, on_change, panel, text

KINDS = {"renamed": "a new face, a taken name", "test": "a known face, its own name"}


class UpdatesPanel:
    """Follows the main panel: what stands there was updated, one picture at a time, and attacked."""

    def __init__(self, main: ConfidencesPanel) -> None:
        self.main = main
        self.kind = field(choice("the update is on", [(w, k) for k, w in KINDS.items()]), "update-kind")
        self.words, self.rows, self.numbers = text("", "dp-update-words"), text("", "dp-face-rows"), text("")
        self.view = panel("dp-update-leaks", [self.kind, text(MEANS)], [self.words, self.rows, self.numbers])
        on_change(self.kind, lambda _: self.show())
        main.results.listeners.append(self.show)
        self.show()

    def show(self) -> None:
        result, config = self.main.results.result, self.main.results.config
        if result is None or not result.rows.has("label_named", protocol=self.kind.value):
            self.words.value = "<p class='dp-soft'>This run attacked no updates: set “shadow updates” above 0.</p>"
            self.rows.value = self.numbers.value = ""
            return
        self.words.value = (
            f"<p>The network that stands in the panel above ({defence_words(config)}) took one more step of training "
            f"on one picture. The attacker asked about {config.probes} public pictures before and after.</p>"
        )
        ends = "" if self.kind.value == "test" else "_renamed"
        heads, attacks = heads_of(result, self.kind.value), ("truth", f"update{ends}", f"update_label{ends}")
        pictures = [result.arrays[name][:AT_ONCE] if name in result.arrays else None for name in attacks]
        names = [str(name) for name in result.arrays["names"][:AT_ONCE]]
        self.rows.value = rows_html(list(zip(heads, attacks, pictures, strict=True)), names)
        self.numbers.value = numbers_html(result, self.kind.value)


MEANS = (
    "<small>The attacker repeats the same kind of update on pictures of its own (<i>shadow updates</i>) and learns "
    "what each does to the answers. If somebody new is enrolled under a name that is taken, the name tells nothing of "
    "the face.</small>"
)


def heads_of(result: Result, kind: str) -> list[str]:
    from_change, from_label = (
        percent(result.rows.value("recognised", attack=name, protocol=kind)) for name in ("update", "update_label")
    )
    return [
        row_head("Truth", "", "the picture it was updated on", ""),
        row_head("From the change", f"{from_change} recognised", "of its answers about the probes"),
        row_head("Label alone", f"{from_label} recognised", "a decoder told only the update's name", "dp-reference"),
    ]


def numbers_html(result: Result, kind: str) -> str:
    named = result.rows.row("label_named", attack="update", protocol=kind)
    change, label = (result.rows.value("recognised", attack=name, protocol=kind) for name in ("update", "update_label"))
    chance = result.numbers["chance"]
    return number_row(
        number_html(percent(named.value), "of updates: the name is found",
                    f"from the change of answers ({named.low:.0%} to {named.high:.0%}); by chance {chance:.1%}. "
                    "Lower is safer.", "exposed"),
        number_html(f"{100 * (change - label):+.0f} points", "the change beyond the label",
                    "recognised from the change, less what the name alone would give. Above 0: the picture itself "
                    "leaks.", "exposed"),
    )  # fmt: skip
