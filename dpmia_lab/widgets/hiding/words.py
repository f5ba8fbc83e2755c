"""Lesson 3 in words and tables: each model's promise and what leaked, whether accuracy was matched, who hid more."""

import math
from html import escape

from dpmia_lab.experiments.hiding import ATTACKERS, STRONGER, Config, called
from dpmia_lab.experiments.matching import FACTOR, LEAST_SIGMA, MOST_SIGMA, TOLERANCE
from dpmia_lab.game.drawing import BASELINES, PRIOR_NULLS
from dpmia_lab.options import number_text
from dpmia_lab.privacy.accounting import Guarantee, epsilon_text, short
from dpmia_lab.privacy.tradeoff import highest_belief
from dpmia_lab.reference import shipped
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import Html, table_html, with_small
from dpmia_lab.widgets.kit.tables import Row as TableRow

PAIR = ("record", "unit")  # the models that are compared
FACES = ("faces", "att_faces")
ATTACKER_WORDS = {
    "paper": "enhanced attack (this lab's settings)",
    "stronger": f"stronger attacker ({STRONGER['smooth']})",
}
# measure of a row: (words, what is good, format)
MEASURES = {
    "recognised_mean": ("recognised by the judge", "higher: worse leak", "{:.0%}"),
    "similarity_mean": ("correlation", "higher: worse leak", "{:.2f}"),
    "distance_mean": ("Euclidean distance", "lower: closer", "{:.2f}"),
    "ssim_distance_mean": ("1 − SSIM", "lower: closer", "{:.3f}"),
}
TOLD = ("recognised_mean", "similarity_mean")  # what the first table tells; the others are for experts
CLEAR = 0.05  # a smaller difference of correlations no eye would see


def model_words(config: Config) -> dict[str, str]:
    """Each model as the reader meets it."""
    return {
        "vanilla": "no defence",
        "record": "record-level",
        "unit": f"{config.unit}-level",
        "equal": "record-level, same noise",
    }


def attacker_words(config: Config) -> dict[str, str]:
    """Each attacker as the reader meets it."""
    return ATTACKER_WORDS | {"stronger": f"stronger attacker ({STRONGER[config.stronger]})"}


def nothing_words(config: Config) -> dict[str, str]:
    """Pictures that owe nothing to any model."""
    return BASELINES | (PRIOR_NULLS if config.knows_public else {})


def published(data: str) -> dict:
    """The paper's figures for such data."""
    return shipped("published")["hiding_faces" if data.split(":")[0] in FACES else "hiding_digits"]


def said(row: Row, form: str) -> str:
    """The number, and its standard deviation over seeds where there are several."""
    return form.format(row.value) + (f" ± {form.format(row.spread)}" if row.spread is not None else "")


# ---- what was promised
def promise(rows: Rows, config: Config, model: str) -> Guarantee | None:
    """The tightest ε there is, with all that gives it a meaning; of several seeds the mean."""
    for measure, accountant in (("epsilon_tight", "tight"), ("epsilon", "moments")):
        if rows.has(measure, defence=model):
            unit = config.unit if model == "unit" else "record"
            delta = float(f"{rows.value('delta', defence=model):.6g}")
            return Guarantee(rows.value(measure, defence=model), unit, config.neighbours, delta, accountant)
    return None


def promise_words(rows: Rows, config: Config, model: str) -> str:
    if model == "vanilla":
        return "no promise (ε = ∞)"
    made = promise(rows, config, model)
    return made.words() if made else "no accountant gives an ε here"


def belief_words(epsilon: float) -> str:
    """How sure an attacker may become who was torn 50 : 50."""
    sure = highest_belief(0.5, epsilon)
    return "practically 100 %" if sure > 0.99995 else f"{sure:.2%}" if sure > 0.99 else f"{sure:.0%}"


# ---- was accuracy matched?
def is_matched(rows: Rows) -> bool:
    return all(rows.value("matched", defence=model) == 1 for model in PAIR)


def matched_html(rows: Rows, config: Config) -> str:
    """Whether what follows compares models of equal use, and if not why."""
    words = model_words(config)
    if not is_matched(rows):
        missing = filter(None, (unmatched_words(rows, config, model) for model in ("unit", "record")))
        return f'<div class="dp-error" role="status"><b>Not at equal accuracy.</b> {" ".join(missing)}</div>'
    accuracy = {row.defence: f"{row.value:.0%}" for row in rows.where(measure="accuracy")}
    sigma = {row.defence: f"(σ = {row.value:.3g})" for row in rows.where(measure="sigma")}
    noise = {row.defence: f"{row.value:.4f}" for row in rows.where(measure="noise")}
    return (
        f'<div class="dp-note" role="status"><b>Equal accuracy.</b> Wanted {config.accuracy:.0%}: record-level '
        f"{accuracy['record']} {sigma['record']}, {words['unit']} {accuracy['unit']} {sigma['unit']}; no defence "
        f"{accuracy['vanilla']}. With q, T, S and η shared, that means about equal noise a step: {noise['record']} and "
        f"{noise['unit']}.</div>"
    )


def unmatched_words(rows: Rows, config: Config, model: str) -> str:
    """How near the model came to the wanted accuracy, and why no nearer; nothing if it is there."""
    matched, accuracy, sigma = (rows.value(measure, defence=model) for measure in ("matched", "accuracy", "sigma"))
    if matched == 1:
        return ""
    best = f"the nearest that was found is {accuracy:.0%} at σ = {sigma:.3g}"
    seeds = f" in {1 - matched:.0%} of the seeds" if config.repeats > 1 else ""
    if accuracy < config.accuracy and sigma < LEAST_SIGMA * FACTOR:
        why = "noise is not what holds it back: clipping or too few steps do, so try a larger T, η or S"
    elif accuracy > config.accuracy and sigma > MOST_SIGMA / FACTOR:
        why = f"even so much noise does not bring it down, and no σ above {MOST_SIGMA:g} is tried: try fewer steps"
    else:
        why = f"seven tries of σ did not come within {TOLERANCE:.0%}: accuracy may jump there, or depend on the seed"
    words = model_words(config)[model]
    return f"The {words} model misses the wanted {config.accuracy:.0%}{seeds}: {best}; {why}."


# ---- who hid more?
def difference(result: Result, attacker: str) -> tuple[float, float]:
    """Record-level minus (sub)class-level correlation, class by class: the mean, and its standard error."""
    record, unit = (result.arrays[called("similarity", model, attacker)] for model in PAIR)
    by_class = record - unit
    return float(by_class.mean()), float(by_class.std(ddof=1) / math.sqrt(len(by_class)))


def who_hid_more(result: Result, attacker: str = "stronger") -> int:
    """0: record-level hides clearly better; 1: (sub)class-level does; 2: about alike."""
    mean, error = difference(result, attacker)
    if abs(mean) <= max(CLEAR, 2 * error):
        return 2
    return 0 if mean < 0 else 1


def who_hid_more_words(result: Result, config: Config, attacker: str = "stronger") -> str:
    """The sentence behind it: whose attack, what it found, with its numbers and its chance level."""
    words, rows, by = model_words(config), result.rows, attacker_words(config)[attacker]
    mean, error = difference(result, attacker)
    found = [
        "<b>the record-level model hides more.</b>",
        f"<b>the {words['unit']} model hides more.</b>",
        "<b>they hide about alike.</b>",
    ][who_hid_more(result, attacker)]

    def seen(defence: str, attack: str) -> list[str]:
        measures = {"recognised_mean": "{:.0%}", "similarity_mean": "{:.2f}"}
        return [form.format(rows.value(m, defence=defence, attack=attack)) for m, form in measures.items()]

    models = ", ".join("{} {} recognised, correlation {}".format(words[m], *seen(m, attacker)) for m in PAIR)
    return (
        f"By the {by}, {found} {capital(models)} (noise: {', '.join(seen('', 'noise'))}; higher: "
        f"worse leak). The correlations differ by {abs(mean):.2f} ± {error:.2f} (standard error over classes); below "
        f"{CLEAR:g}, or two standard errors, they count as alike."
    )


def capital(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]


def hides_words(one: Row, other: Row, repeats: int) -> str:
    """Of two correlations over seeds: whether the first is clearly lower, clearly higher, or neither."""
    error = math.sqrt(((one.spread or 0.0) ** 2 + (other.spread or 0.0) ** 2) / repeats)
    apart = one.value - other.value
    if abs(apart) <= max(CLEAR, 2 * error):
        return "about as well as"
    return "better than" if apart < 0 else "worse than"


# ---- tables
def models_html(result: Result, config: Config) -> str:
    """A row a model: its promise, its use, its noise, and what both attackers got."""
    heads = [("test accuracy", "higher: more useful"), ("noise a step", "σS/(qK)")]
    heads += [(MEASURES[measure][0], "enhanced → stronger; higher: worse leak") for measure in TOLD]
    seeds = f"{config.repeats} seeds (± standard deviation)" if config.repeats > 1 else "one seed"
    n = result.numbers
    caption = (
        f"Means over {len(result.arrays['names'])} classes, {seeds}. The judge, a network that saw other pictures, "
        f"names {n['judge_accuracy']:.0%} of real ones; guessing gives {n['chance']:.1%}."
    )
    lines = [model_row(result.rows, config, model) for model in model_words(config)]
    for name in ("noise", *(PRIOR_NULLS if config.knows_public else ())):
        told = [MEASURES[measure][2].format(result.rows.value(measure, attack=name)) for measure in TOLD]
        lines.append(TableRow((nothing_words(config)[name], "", "", *told), "reference"))
    return table_html(["model and its promise", *(with_small(*head) for head in heads)], lines, caption, "dp-models")


def model_row(rows: Rows, config: Config, model: str) -> TableRow:
    sigma = {row.defence: row.value for row in rows.where(measure="sigma")}
    same = model == "equal" and sigma["equal"] == sigma["record"]
    note = "<br><small>the very model above: its search ended at its first try</small>" if same else ""
    title = f"<b>{escape(model_words(config)[model])}</b>"
    promised = with_small(Html(title), promise_words(rows, config, model))
    noise = said(rows.row("noise", defence=model), "{:.4f}") if model in sigma else "0"
    cells = [said(rows.row("accuracy", defence=model), "{:.0%}"), noise]
    for measure in TOLD:
        found = [said(rows.row(measure, defence=model, attack=a), MEASURES[measure][2]) for a in ATTACKERS]
        cells.append(" → ".join(found))
    return TableRow((Html(promised + note), *cells), f"dp-model-{model}")


def measures_html(result: Result, config: Config) -> str:
    """Every measure of every model by each attacker, then pictures that owe nothing to any attack."""
    rows, words = result.rows, model_words(config)
    heads = ["model, attacker", *(with_small(title, good) for title, good, _ in MEASURES.values())]
    lines = [
        (f"{words[model]}, {attacker_said}", *leak_cells(rows, model, attacker))
        for model in words
        for attacker, attacker_said in attacker_words(config).items()
    ]
    nothing = nothing_words(config).items()
    lines += [TableRow((said_of, *leak_cells(rows, "", x)), "reference") for x, said_of in nothing]
    caption = (
        "Grey: pictures that owe nothing to the attack. By distance a model without defence may look safest: its "
        "drawings have contrast, and contrast is far from any photograph. Trust the correlation, and your eyes."
    )
    return table_html(heads, lines, caption)


def leak_cells(rows: Rows, model: str, attacker: str) -> list[str]:
    return [said(rows.row(m, defence=model, attack=attacker), form) for m, (_, _, form) in MEASURES.items()]


def published_html(rows: Rows, config: Config) -> str:
    """The paper's pairs of models at equal accuracy, in grey, and this run's pair below."""
    paper = published(config.data)
    record, unit = paper["record"], paper["unit"]
    name = unit["name"]
    columns = record["accuracy"], record["sigma"], record["epsilon"], unit["sigma"], unit["epsilon"]
    lines = [
        TableRow(("paper A", f"{accuracy:.1%}", *(f"{value:g}" for value in others)), "reference")
        for accuracy, *others in zip(*columns, strict=True)
    ]
    ours = ["this run", f"{rows.value('accuracy', defence='unit'):.1%}"]
    for model in PAIR:
        made = promise(rows, config, model)
        ours += [f"{rows.value('sigma', defence=model):.3g}", epsilon_text(made.epsilon) if made else "–"]
    caption = (
        f"{paper['source']} (without defence {paper['vanilla_accuracy']:.1%}). Its ε as printed: record-level for δ = "
        f"{short(record['delta'])}, {name}-level for δ = {short(unit['delta'])}. Other data, q and T: compare "
        f"directions, not numbers."
    )
    hidden = name if config.unit == name else f"{name} (here: {config.unit})"
    heads = ("", "test accuracy", "record-level σ", "ε for a record", f"{name}-level σ", f"ε for a {hidden}")
    return table_html(heads, [*lines, ours], caption)


def summary(run: Run) -> str:
    """One line that tells two runs apart."""
    config, rows = run.config, run.result.rows
    how = [f"{config.model} on {escape(config.data)}"]
    how += [f"{config.people} people"] if config.data.split(":")[0] in FACES else []
    how.append(f"{config.unit}-level" + (f", k_sub {config.k_sub}" if config.unit == "subclass" else ""))
    how.append(f"q = {number_text(config.q)}, T = {config.steps}, S = {number_text(config.clip)}")
    promises = [promise(rows, config, model) for model in PAIR]
    epsilons = [f"ε {epsilon_text(made.epsilon)} for a {made.unit}" for made in promises if made]
    accuracies = [f"{rows.value('accuracy', defence=model):.0%}" for model in PAIR]
    leaks = [f"{rows.value('recognised_mean', defence=model, attack='stronger'):.0%}" for model in PAIR]
    return (
        f"{', '.join(how)}, seed {config.seed}: accuracy {' / '.join(accuracies)}; {', '.join(epsilons)}; recognised "
        f'by the {attacker_words(config)["stronger"]} <span class="dp-exposed">{" / ".join(leaks)}</span>'
    )
