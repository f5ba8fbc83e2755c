"""The first thing a reader of lesson 7 sees: a prescription, four numbers, and a guess at a gene."""

import numpy as np

from dpmia_lab.experiments import prescriptions
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import field
from dpmia_lab.widgets.kit.parts import button, on_change, panel, row, text, with_classes
from dpmia_lab.widgets.kit.tables import Cell, Html, table_html

DOSES = tuple(range(4, 91, 2))  # mg a week


class DoseHook:
    """The dose is the patient's own at first; moving it moves what an attacker believes, at once.

    The first patient is the one of whom the dose tells most; the others come as they are.
    """

    def __init__(self) -> None:
        self.clinic = prescriptions.clinic()
        self.place, self.yours, self.theirs, self.asked = prescriptions.most_telling(self.clinic), 0, 0, 0
        self.guess: int | None = None
        doses = [(f"{dose} mg", dose) for dose in DOSES]
        self.dose = field(light.SelectionSlider(options=doses, description="weekly dose"), "dose")
        self.person, self.beliefs = text("", "dp-patient"), text("", "dp-beliefs")
        self.buttons = [
            button(f"{label}", lambda value=value: self.take(value), "dp-gene")
            for value, label in enumerate(self.clinic.labels)
        ]
        self.again = button("Another patient", self.next, "dp-small")
        self.answer = text("", "dp-hook-answer")
        words = text(
            "<h2>What does your dose say about your genes?</h2><p>Warfarin thins the blood; how much of it somebody "
            "needs depends on a gene, VKORC1. A clinic publishes a model that predicts the dose from age, height, "
            "weight, ancestry, other medicines and genes. This patient's genes are nobody's business. Their "
            "prescription lies on the table. <b>Which VKORC1 do they have?</b></p>"
        )
        choices = with_classes(row(*self.buttons), "dp-gene-choices")
        self.view = panel(
            "dp-dose", [self.dose], [words, self.person, choices, self.beliefs, self.answer], run=[self.again]
        )
        on_change(self.dose, lambda _: self.show())
        self.meet()

    # ---- a patient
    def meet(self) -> None:
        self.guess = None
        own = min(DOSES, key=lambda dose: abs(dose - self.clinic.dose[self.place]))
        self.answer.value = ""
        for one in self.buttons:
            one.remove_class("chosen")
        self.dose.value = own
        self.show()

    def next(self) -> None:
        self.place = (self.place + 1) % len(self.clinic.dose)
        self.meet()

    def take(self, value: int) -> None:
        """The reader's guess; the first one for each patient counts."""
        if self.guess is None:
            self.asked += 1
            truth = int(self.clinic.truth[self.place])
            self.yours += value == truth
            self.theirs += int(self.clinic.belief(self.place, self.clinic.dose[self.place]).argmax()) == truth
            self.guess = value
        for place, one in enumerate(self.buttons):
            one.add_class("chosen") if place == value else one.remove_class("chosen")
        self.show()

    # ---- what is shown
    def show(self) -> None:
        clinic, place = self.clinic, self.place
        self.person.value = f"<p>{clinic.described(place)}, <b>{self.dose.value} mg a week</b>.</p>"
        alone, helped = clinic.belief(place, None), clinic.belief(place, self.dose.value)
        self.beliefs.value = beliefs_html(clinic.labels, alone, helped if self.guess is not None else None)
        if self.guess is None:
            return
        truth = int(clinic.truth[place])
        own = abs(self.dose.value - clinic.dose[place]) <= 1
        moved = "" if own else " Their own dose is another: you are moving the slider."
        self.answer.value = (
            f'<div class="dp-note" role="status">In truth: <b>{clinic.labels[truth]}</b>. You guessed '
            f"{self.yours} of {self.asked} right, an attacker with the model and the dose {self.theirs}; the commonest "
            f"value alone is right for about {clinic.commonest:.0%} of patients.{moved}</div>"
        )


def beliefs_html(labels: tuple[str, ...], alone: np.ndarray, helped: np.ndarray | None) -> str:
    """Each value's chance, from the other attributes only and, once the reader has guessed, with dose and model."""
    told = ["?"] * len(labels) if helped is None else [f"{chance:.0%}" for chance in helped]
    shown = np.zeros(len(labels)) if helped is None else helped
    rows = [
        (label, f"{without:.0%}", Cell(bar(chance), "dp-bar-cell"), words)
        for label, without, chance, words in zip(labels, alone, shown, told, strict=True)
    ]
    made = table_html(("VKORC1", "without the dose", "with dose and model", ""), rows)
    first = "<small>What an attacker believes. Guess first, then the bars fill.</small>"
    return made + (first if helped is None else "")


def bar(share: float) -> Html:
    return Html(f'<span class="dp-belief"><i style="width: {share:.1%}"></i></span>')
