"""What lesson 3 does not promise: the paper's own premises with their numbers, and how few classes can be hidden."""

import ipywidgets as widgets

from dpmia_lab.experiments.hiding import PRESETS
from dpmia_lab.privacy import accounting, paper
from dpmia_lab.reference import shipped
from dpmia_lab.widgets.hiding.findings import belief_words
from dpmia_lab.widgets.kit.parts import card, text


def paper_premises() -> widgets.VBox:
    """The paper's printed (sub)class-level settings: what its theorem needs, and the T each ε would take."""
    rows = "".join(premise_rows(shipped("published")[name]["unit"]) for name in ("hiding_digits", "hiding_faces"))
    head = "<th>ε printed</th><th>q; must be below 1/(16σ)</th><th>premises of the theorem broken</th>"
    head += "<th>T by its theorem</th><th>T by its moments</th><th>T, sound accountant</th>"
    return card(
        text(
            f"<h3>The paper's settings against its own theorem</h3><div class='dp-scroll'><table><caption>Replace one; "
            f"δ as printed. T: how many steps give the printed ε at the printed σ and q. One training has one T; no "
            f"column has the same number in all rows of a data set.</caption><thead><tr><th>model</th>{head}</tr>"
            f"</thead><tbody>{rows}</tbody></table></div>"
        ),
        name="dp-premises",
    )


def premise_rows(unit: dict) -> str:
    rows = []
    for sigma, epsilon in zip(unit["sigma"], unit["epsilon"], strict=True):
        q, delta = unit["q"], unit["delta"]
        steps = paper.closed_form_steps(epsilon, sigma, q, delta, "replace-one")
        conditions = paper.closed_form(sigma, q, round(steps), delta, "replace-one").conditions
        broken = sum(not condition.met for condition in conditions)
        how = epsilon, sigma, q, delta, "replace-one"
        others = [accounting.steps_for(accountant, *how) for accountant in ("paper-moments", "moments")]
        rows.append(
            f"<tr><td>{unit['name']}-level, σ = {sigma:g}</td><td>{epsilon:g}</td>"
            f"<td>{q:g}; {1 / (16 * sigma):.3f}</td><td>{broken} of {len(conditions)}</td>"
            f"<td>{steps:.0f}</td><td>{others[0]}</td><td>{others[1]}</td></tr>"
        )
    return "".join(rows)


def nobody_drawn(units: int, q: float) -> float:
    """(1 − q)^K: the chance that a step sees no unit at all, and is nothing but noise."""
    return (1 - q) ** units


def small_print() -> widgets.VBox:
    q, people = PRESETS["faces"].q, PRESETS["faces"].people
    return card(
        text(
            f"<h3>How few classes can be hidden?</h3><p>With 10 classes and q = 0.2, {nobody_drawn(10, 0.2):.0%} of "
            f"all steps draw no class and are nothing but noise; with {people} people and q = {q:g} it is "
            f"{nobody_drawn(people, q):.0e}. And δ, the chance that the promise fails outright, must be far below 1/K: "
            f"with 10 classes δ = 0.01 allows, on average, a tenth of a class to be given away.</p>"
            f"<p>An ε in the tens or hundreds promises nothing. Torn 50 : 50 between two classes, the best attacker "
            f"may become {belief_words(1)} sure at ε = 1, "
            f"{belief_words(4)} at ε = 4, {belief_words(8)} at ε = 8.</p>"
        ),
        name="dp-small-print",
    )
