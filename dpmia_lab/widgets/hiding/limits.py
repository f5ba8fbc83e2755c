"""What lesson 3 does not promise: the paper's own premises with their numbers, and how few classes can be hidden."""

from dataclasses import dataclass

import ipywidgets as widgets

from dpmia_lab.experiments.hiding import PRESETS
from dpmia_lab.privacy import accounting, paper
from dpmia_lab.widgets.hiding.words import belief_words, published
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.tables import table_html


@dataclass(frozen=True)
class Premises:
    """A printed setting: what of the paper's theorem it breaks, and the T that would give its ε, by accountant."""

    sigma: float
    epsilon: float
    broken: int
    of: int
    steps: dict[str, int]


def premises_of(unit: dict) -> list[Premises]:
    """For each σ and ε that the paper prints for such a model."""
    found, q, delta = [], unit["q"], unit["delta"]
    for sigma, epsilon in zip(unit["sigma"], unit["epsilon"], strict=True):
        steps = {"theorem": round(paper.closed_form_steps(epsilon, sigma, q, delta, "replace-one"))}
        conditions = paper.closed_form(sigma, q, steps["theorem"], delta, "replace-one").conditions
        for accountant in ("paper-moments", "moments"):
            steps[accountant] = accounting.steps_for(accountant, epsilon, sigma, q, delta, "replace-one")
        broken = sum(not condition.met for condition in conditions)
        found.append(Premises(sigma, epsilon, broken, len(conditions), steps))
    return found


def paper_premises() -> widgets.VBox:
    """The paper's printed (sub)class-level settings: what its theorem needs, and the T each ε would take."""
    heads = ("model", "ε printed", "q; must be below 1/(16σ)", "premises of the theorem broken")
    heads += ("T by its theorem", "T by its moments", "T, sound accountant")
    caption = (
        "Replace one; δ as printed. T: how many steps give the printed ε at the printed σ and q. One training has one "
        "T; no column has the same number in all rows of a data set."
    )
    rows = [row for data in ("digits", "faces") for row in premise_rows(published(data)["unit"])]
    table = table_html(heads, rows, caption)
    return card(text(f"<h3>The paper's settings against its own theorem</h3>{table}"), name="dp-premises")


def premise_rows(unit: dict) -> list[tuple[str, ...]]:
    return [
        (
            f"{unit['name']}-level, σ = {p.sigma:g}",
            f"{p.epsilon:g}",
            f"{unit['q']:g}; {1 / (16 * p.sigma):.3f}",
            f"{p.broken} of {p.of}",
            *(str(steps) for steps in p.steps.values()),
        )
        for p in premises_of(unit)
    ]


def nobody_drawn(units: int, q: float) -> float:
    """(1 − q)^K: the chance that a step sees no unit at all, and is nothing but noise."""
    return (1 - q) ** units


def small_print() -> widgets.VBox:
    q, people = PRESETS["faces"].q, PRESETS["faces"].people
    return card(
        text(
            f"<h3>How few classes can be hidden?</h3><p>With 10 classes and q = 0.2, {nobody_drawn(10, 0.2):.0%} of "
            f"all steps draw no class and are nothing but noise; with {people} people and q = {q:g} it is "
            f"{nobody_drawn(people, q):.0e}. And δ must be far below 1/K: with 10 classes, δ = 0.01 leaves room for "
            f"giving a class away outright in one training of ten.</p>"
            f"<p>An ε in the tens or hundreds promises nothing. Torn 50 : 50 between two classes, the best attacker "
            f"may become {belief_words(1)} sure at ε = 1, "
            f"{belief_words(4)} at ε = 4, {belief_words(8)} at ε = 8.</p>"
        ),
        name="dp-small-print",
    )
