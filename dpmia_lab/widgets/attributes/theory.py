"""For experts: what differential privacy bounds about a secret: of the population next to nothing, of you a lot."""

from dpmia_lab.options import number_text
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.privacy.population import advantage_bound, epsilon_for_advantage, most_with_person
from dpmia_lab.widgets.kit.controls import field, scale
from dpmia_lab.widgets.kit.parts import number_html, number_row, on_change, panel, text

PEOPLE = (1, 2, 5, 10, 50, 100, 500, 1000, 1725, 10_000, 1_000_000)
EPSILONS = (1e-6, 1e-5, 1e-4, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)
DELTAS = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
WITHOUT = (0.1, 0.2, 0.34, 0.37, 0.5, 0.58, 0.62, 0.69, 0.8, 0.9)
HARDLY = 0.999  # an advantage from which on a bound says nothing


class TheoryPanel:
    """Pure arithmetic: everything follows the sliders at once."""

    def __init__(self) -> None:
        self.people = field(scale("n, people trained on", PEOPLE), "theory-people")
        self.epsilon = field(scale("ε for a record", EPSILONS), "theory-epsilon")
        self.delta = field(scale("δ, slack of the promise", DELTAS), "theory-delta")
        self.without = field(scale("guessed right without you", WITHOUT), "theory-without")
        self.people.value, self.epsilon.value, self.delta.value, self.without.value = 1725, 1.0, 1e-5, 0.58
        self.numbers, self.words = text("", "dp-theory-numbers"), text("")
        self.view = panel(
            "dp-theory", [self.people, self.epsilon, self.delta, self.without], [self.numbers, self.words]
        )
        for control in (self.people, self.epsilon, self.delta, self.without):
            on_change(control, lambda _: self.show())
        self.show()

    def show(self) -> None:
        n, epsilon, delta, without = (c.value for c in (self.people, self.epsilon, self.delta, self.without))
        anybody = advantage_bound(n, epsilon, delta)
        you = float(most_with_person(without, epsilon, delta)[0])
        needed = epsilon_for_advantage(n, 0.1)
        self.numbers.value = number_row(
            number_html(f"{anybody:.3f}", "advantage on anybody, at most (paper B's theorems)",
                        "1 says nothing at all; 0 that nothing is learnt. " + told(anybody), "exposed"),
            number_html(f"{you:.1%}", "guessed right about you, at most",
                        f"with your record in it, if without it you are guessed right {without:.0%} of the time, by "
                        "any attack. Lower is safer.", "protected"),
            number_html(f"{needed:.2g}", "ε at which the theorems promise 0.1",
                        f"for n = {n:,} and δ = 0: 2·atanh(0.1)/n. It shrinks as n grows."),
        )  # fmt: skip
        self.words.value = (
            f"<p>ε = {number_text(epsilon)} for a record (add or remove one; δ = {number_text(delta)}), whatever the "
            f"accountant. To bound what is learnt about the <i>population</i>, all n records must be hidden at once: "
            f"nε = {epsilon_text(n * epsilon)}. To bound what is learnt about <i>you because you took "
            f"part</i>, one record is enough.</p>"
        )


def told(advantage: float) -> str:
    return "Here it says nothing." if advantage > HARDLY else "Here it says something."
