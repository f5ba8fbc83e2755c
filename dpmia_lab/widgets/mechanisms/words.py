"""Lesson 5 in words: what each ε is for, who keeps more accuracy at equal leak, and a sweep as a table."""

from collections.abc import Sequence

import numpy as np

from dpmia_lab.experiments.mechanisms import MECHANISMS, Config
from dpmia_lab.privacy.accounting import rounded_up
from dpmia_lab.widgets.mechanisms.data import CLEAR, NARROW, Contest, Sweep

DATA_WORDS = {
    "skewed-10": "Skewed Purchases, 10 classes",
    "skewed-50": "Skewed Purchases, 50 classes",
    "purchases": "purchases-like carts, 20 styles",
    "faces": "generated faces, retrained last layers",
    "graphs": "collaboration graphs",
}
ATTACK_WORDS = {"white_box": "white box (Nasr)", "black_box": "black box (Shokri)"}
PROTOCOL_WORDS = {
    "": "outsiders like the members",
    "_shifted": "paper C's outsiders, of another distribution",
}
PARTS = {"faces": "any m pixel values", "collaboration": "one edge"}  # what ε_i is for; else one bit
MECHANISM_WORDS = {"none": "no defence", "central": "central (noise on gradients)", "local": "local (noise on data)"}


def attack_words(attack: str) -> str:
    """Such as "white box (Nasr), outsiders like the members"."""
    ending = "_shifted" if attack.endswith("_shifted") else ""
    return f"{ATTACK_WORDS[attack.removesuffix('_shifted')]}, {PROTOCOL_WORDS[ending]}"


def epsilon_text(value: float) -> str:
    """Rounded up to three digits, but never 1.8e3 for 1800."""
    return rounded_up(float(value), max(3, len(f"{value:.0f}")))


def part_of(config: Config) -> str:
    return PARTS.get(config.data, "one bit")


def times_words(sweep: Sweep | None) -> str:
    """How a record's local ε follows from ε_i; "" where there is no point to tell."""
    if sweep is None or not len(sweep.at("epsilon", "local")):
        return "added over all"
    return f"{sweep.at('epsilon', 'local')[0] / sweep.at('parameter', 'local')[0]:,.6g} × ε_i"


def axis_words(sweep: Sweep | None) -> dict[str, str]:
    """What the ε at each mechanism's axis is for."""
    part = part_of(sweep.config) if sweep else "one bit"
    return {
        "central": "ε for a record: add or remove one,\nδ = 1/n, tight accountant (log scale)",
        "local": f"ε for a record: {times_words(sweep)} of {part};\nreplace one, δ = 0, pure local (log scale)",
    }


def epsilon_html(sweep: Sweep | None) -> str:
    """The same as a sentence below the charts."""
    part = part_of(sweep.config) if sweep else "one bit"
    return (
        f"<b>Two different promises.</b> Central: ε for a record, add or remove one, δ = 1/n, tight accountant: about "
        f"<i>the model</i>, if the collector keeps the data safe. Local: ε_i for {part}, ε for a record = "
        f"{times_words(sweep)}; replace one, δ = 0, pure: about <i>the data</i>, whoever collects them. The numbers on "
        f"the two axes cannot be compared; AUC and accuracy can."
    )


def sizes_html(reference: Sweep | None, own: Sequence[Sweep]) -> str:
    """Who was trained on how much: points of different n do not lie on one curve."""
    said = []
    if reference is not None:
        said.append(f"Lines: this lab's reference, {sizes(reference.config)}, bars one standard deviation.")
    else:
        said.append("The reference for these data has not been computed yet (<code>make reference</code>).")
    if own:
        said.append(f"Edged in black: your sweep, {sizes(own[0].config)}; older ones fade.")
    smaller = reference is not None and own and own[0].config.records < reference.config.records
    if smaller:
        said.append("Yours has fewer records, so its models overfit more and leak more: do not expect it on the lines.")
    return f"<small class='dp-soft'>{' '.join(said)}</small>"


def sizes(config: Config) -> str:
    seeds = f"{config.repeats} seeds" if config.repeats > 1 else "1 seed"
    return f"about {config.records:,} records, {config.epochs} epochs, {seeds}"


# ---- who is better?
def contest_words(found: Contest) -> str:
    """The sentence behind a verdict, with its numbers."""
    if found.verdict == "neither":
        return f"both reach no range of AUC wider than {NARROW:g}, so they cannot be compared at equal leak"
    who = {
        "alike": "they keep about equal accuracy",
        "local": "<b>local</b> noise keeps more accuracy",
        "central": "<b>central</b> noise keeps more accuracy",
    }[found.verdict]
    always = ", never less" if found.strict else ""
    return (
        f"at equal AUC {who}{always}: local minus central is {signed(found.mean)} on average over the "
        f"{len(found.levels)} AUC values from {found.levels[0]:.3f} to {found.levels[-1]:.3f} that both reach (less "
        f"than {CLEAR:g} counts as alike)"
    )


def signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")


def setting_words(mechanism: str, parameter: float) -> str:
    return {"none": "no defence", "central": f"central, z = {parameter:g}", "local": f"local, ε_i = {parameter:g}"}[
        mechanism
    ]


# ---- all numbers
def value_text(value: float, form: str = "{:.3f}") -> str:
    return "undefined" if np.isnan(value) else form.format(value)


def table_html(sweep: Sweep, ending: str) -> str:
    """A row a point: everything the charts show, in numbers."""
    columns = [("test_accuracy", "test accuracy<br><small>higher: more useful</small>")]
    columns += [(f"auc_{box}{ending}", f"AUC, {w}<br><small>lower: safer</small>") for box, w in ATTACK_WORDS.items()]
    columns += [(f"phi_{box}{ending}", f"φ, {w}<br><small>higher: better</small>") for box, w in ATTACK_WORDS.items()]
    head = "".join(f"<th>{words}</th>" for _, words in columns)
    body = "".join(
        row_html(sweep, place, [name for name, _ in columns]) for place in range(len(sweep.values["epsilon"]))
    )
    spread = "± one standard deviation over seeds. " if sweep.config.repeats > 1 else ""
    return (
        f'<details><summary>{sweep.words}: all numbers</summary><div class="dp-scroll"><table><caption>{spread}φ is '
        f"cut off at 2, which it also is where accuracy did not fall at all: look at the AUC then. Undefined: without "
        f"a defence there is nothing to protect (AUC at most 0.5) or to lose (accuracy at most chance).</caption>"
        f"<thead><tr><th>setting</th><th>ε for a record</th>{head}</tr></thead><tbody>{body}</tbody>"
        f"</table></div></details>"
    )


def row_html(sweep: Sweep, place: int, names: list[str]) -> str:
    values = sweep.values
    mechanism = MECHANISMS[int(values["mechanism"][place])]
    epsilon = "∞" if mechanism == "none" else epsilon_text(values["epsilon"][place])
    cells = "".join(f"<td>{cell_text(values, name, place, mechanism)}</td>" for name in names)
    return f"<tr><td>{setting_words(mechanism, values['parameter'][place])}</td><td>{epsilon}</td>{cells}</tr>"


def cell_text(values: dict[str, np.ndarray], name: str, place: int, mechanism: str) -> str:
    if name not in values or (mechanism == "none" and name.startswith("phi")):
        return "–"
    spread = values.get(f"{name}_sd", np.full(place + 1, np.nan))[place]
    return value_text(values[name][place]) + ("" if np.isnan(spread) else f" ± {spread:.3f}")
