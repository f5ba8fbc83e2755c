"""What the shipped reference of lesson 3 says, in tables and in words made from its numbers."""

import math

import ipywidgets as widgets

from dpmia_lab.experiments.hiding import Config
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.privacy.accounting import rounded_up
from dpmia_lab.privacy.tradeoff import highest_belief
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.widgets.hiding.curves_data import UNIT, reference_points, signed
from dpmia_lab.widgets.hiding.words import CLEAR, model_words, promise, said
from dpmia_lab.widgets.kit.parts import card, text

SUBJECT = {
    "faces": "Generated faces",
    "digits": "MNIST digits",
    "digits-cnn": "MNIST digits, convolutional network",
}
LATER = "<p class='dp-soft'>The reference has not been computed yet (<code>make reference</code>).</p>"
# column: (title, what is good, names of the two values shown, format)
COLUMNS = [
    ("recognised by the judge", "higher: worse leak", "recognised_mean", "{:.0%}"),
    ("correlation", "higher: worse leak", "similarity_mean", "{:.2f}"),
    ("distance", "lower: closer", "distance_mean", "{:.1f}"),
]


def numbers_of(preset: str) -> tuple[dict, Config] | None:
    """The reference of a preset, and its settings; None while it has not been computed."""
    record = shipped_or_nothing("hiding").get(preset)
    return (record["results"], Config(**record["config"])) if record else None


def hides_words(n: dict, one: str, other: str, repeats: int) -> str:
    """Whether the first of two correlations is clearly lower, clearly higher, or neither."""
    error = math.sqrt((n.get(f"{one}_sd", 0.0) ** 2 + n.get(f"{other}_sd", 0.0) ** 2) / repeats)
    apart = n[one] - n[other]
    if abs(apart) <= max(CLEAR, 2 * error):
        return "about as well as"
    return "better than" if apart < 0 else "worse than"


def belief_words(epsilon: float) -> str:
    """How sure an attacker may become who was torn 50 : 50."""
    sure = highest_belief(0.5, epsilon)
    return "practically 100 %" if sure > 0.99995 else f"{sure:.2%}" if sure > 0.99 else f"{sure:.0%}"


# ---- what came out
def findings() -> widgets.VBox:
    """Reference against paper: both data sets at equal accuracy, then what ε and k_sub go with."""
    parts = [matched_html(preset) for preset in SUBJECT if numbers_of(preset)]
    sentences = [ranks_finding(data) for data in UNIT if {"record", "unit"} <= set(reference_points(data))]
    sentences += [subclasses_finding()] if "k_sub" in reference_points("digits") else []
    items = "".join(f"<li>{sentence}</li>" for sentence in sentences)
    parts += [f"<h4>What ε and k_sub go with</h4><ul class='dp-findings'>{items}</ul>"] if items else []
    return card(text("".join(parts) or LATER), name="dp-findings-card")


def matched_html(preset: str) -> str:
    n, config = numbers_of(preset)
    unit = model_words(config)["unit"]
    paper, stronger = (
        hides_words(n, f"similarity_mean_unit_{who}", f"similarity_mean_record_{who}", config.repeats)
        for who in ("paper", "stronger")
    )
    found = f"{paper} record-level against both attackers"
    if paper != stronger:
        found = f"{paper} record-level against the enhanced attack, {stronger} it against the stronger one"
    return (
        f"<h4>{SUBJECT[preset]}: {unit} hides {found}</h4>"
        f"<p>Both at the wanted accuracy of {config.accuracy:.0%}. {promise_sentence(n, config)}</p>"
        f"{reference_table(n, config)}"
    )


def promise_sentence(n: dict, config: Config) -> str:
    """What was promised for these pictures."""
    record, unit = promise(n, config, "record"), promise(n, config, "unit")
    leaked = said(n, "recognised_mean_record_stronger", "{:.0%}")
    strong = f"Strong as it is, it says nothing of the class: {leaked} of the classes are recognised."
    weak = "Neither is much of a promise."
    return (
        f"What differs is the promise: {record.words()}, so an attacker torn 50 : 50 between two records may become "
        f"{belief_words(record.epsilon)} sure; and {unit.words()}: {belief_words(unit.epsilon)} between two "
        f"{config.unit}es. {strong if record.epsilon <= 1 else weak}"
    )


def reference_table(n: dict, config: Config) -> str:
    """A row a model; each measure for the enhanced attack, then for the stronger one."""
    rows = [model_line(n, config, model, words) for model, words in model_words(config).items()]
    for name in ("noise", "blank"):
        cells = "".join(f"<td>{said(n, f'{m}_{name}', form)}</td>" for _, _, m, form in COLUMNS)
        rows.append(f'<tr class="reference"><td>{BASELINES[name]}</td><td></td><td></td><td></td>{cells}</tr>')
    head = "".join(f"<th>{title}<br><small>{good}</small></th>" for title, good, _, _ in COLUMNS)
    return (
        f'<div class="dp-scroll"><table><caption>Mean ± standard deviation over {config.repeats} seeds; each measure '
        f"for the enhanced → the stronger attack.</caption><thead><tr><th>model</th><th>test accuracy</th>"
        f"<th>noise a step</th><th>ε for its unit</th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def model_line(n: dict, config: Config, model: str, words: str) -> str:
    made = None if model == "vanilla" else promise(n, config, model)
    cells = [
        said(n, f"accuracy_{model}", "{:.1%}"),
        said(n, f"noise_{model}", "{:.4f}") if made else "0",
        f"{rounded_up(made.epsilon)} ({made.unit})" if made else "∞",
    ]
    for _, _, measure, form in COLUMNS:
        values = [form.format(n[f"{measure}_{model}_{who}"]) for who in ("paper", "stronger")]
        cells.append(" → ".join(values))
    return f"<tr><td>{words}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def ranks_finding(data: str) -> str:
    points, unit = reference_points(data), UNIT[data]
    ranks = {m: points[m].ranks.get("rank_correlation_distance_paper", math.nan) for m in ("record", "unit")}
    alike = {m: points[m].ranks.get("rank_correlation_similarity_stronger", math.nan) for m in ("record", "unit")}
    wrong = " With less noise the drawings gain contrast and lie farther from any photograph: a leak looks like safety."
    reason = wrong if min(ranks.values()) > 0 else ""
    return (
        f"<b>{SUBJECT[data]}.</b> The paper reports that ε goes with the distance for a {unit} (the smaller ε, the "
        f"farther: rank correlation near −1) and not for a record (near 0). Here it is {signed(ranks['unit'])} for "
        f"a {unit} and {signed(ranks['record'])} for a record.{reason} With the correlation that the stronger attacker "
        f"reaches, where +1 means that ε tells the leak, it is {signed(alike['unit'])} and {signed(alike['record'])}."
    )


def subclasses_finding() -> str:
    values = reference_points("digits")["k_sub"].values
    first, last = int(values["k_sub"].argmin()), int(values["k_sub"].argmax())

    def from_to(name: str, form: str) -> str:
        return f"from {form.format(values[name][first])} to {form.format(values[name][last])}"

    return (
        f"<b>More subclasses, σ and q fixed.</b> From k_sub = {values['k_sub'][first]:g} to "
        f"{values['k_sub'][last]:g} the accuracy goes {from_to('accuracy', '{:.0%}')} and the stronger attacker's "
        f"correlation {from_to('similarity_stronger', '{:.2f}')}. The paper reports that both rise: more use, less "
        f"protection."
    )


# ---- two controls the paper lacks
def equal_noise_control() -> widgets.VBox:
    lines = [equal_noise_line(preset) for preset in SUBJECT if numbers_of(preset)]
    return card(text("".join(f"<p>{line}</p>" for line in lines) or LATER), name="dp-control-equal")


def equal_noise_line(preset: str) -> str:
    n, config = numbers_of(preset)
    unit = model_words(config)["unit"]
    one, other = "similarity_mean_equal_stronger", "similarity_mean_unit_stronger"
    return (
        f"<b>{SUBJECT[preset]}.</b> With the noise of the {unit} model ({said(n, 'noise_equal', '{:.4f}')} a step), "
        f"record-level training hides <b>{hides_words(n, one, other, config.repeats)}</b> {unit}: the stronger "
        f"attacker reaches correlation {said(n, one, '{:.2f}')} against {said(n, other, '{:.2f}')}, at accuracy "
        f"{said(n, 'accuracy_equal', '{:.1%}')} against {said(n, 'accuracy_unit', '{:.1%}')}."
    )


def stronger_attacker_control() -> widgets.VBox:
    lines = [stronger_line(preset) for preset in SUBJECT if numbers_of(preset)]
    return card(text("".join(f"<p>{line}</p>" for line in lines) or LATER), name="dp-control-stronger")


def stronger_line(preset: str) -> str:
    n, config = numbers_of(preset)
    words = model_words(config)
    both = ", and ".join(
        f"from {n[f'recognised_mean_{m}_paper']:.0%} to {said(n, f'recognised_mean_{m}_stronger', '{:.0%}')} for "
        f"{words[m]}"
        for m in ("record", "unit")
    )
    near = {m: n[f"distance_mean_{m}"] for m in ("vanilla_paper", "record_paper", "unit_paper", "noise", "blank")}
    return (
        f"<b>{SUBJECT[preset]}.</b> The share of classes recognised goes {both}. The distance alone could not tell: it "
        f"is {near['vanilla_paper']:.1f} without any defence, {near['record_paper']:.1f} and "
        f"{near['unit_paper']:.1f} with the two, {near['noise']:.1f} for noise, {near['blank']:.1f} for black."
    )
