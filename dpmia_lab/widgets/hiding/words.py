"""Lesson 3 in words and tables: each model's promise and what leaked, whether accuracy was matched, who hid more."""

import math
from html import escape

import numpy as np

from dpmia_lab.experiments.hiding import Config
from dpmia_lab.experiments.matching import FACTOR, LEAST_SIGMA, MOST_SIGMA, TOLERANCE
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.options import number_text
from dpmia_lab.privacy.accounting import Guarantee, rounded_up, short
from dpmia_lab.reference import shipped
from dpmia_lab.store import Result

PRIVATE = ("record", "unit", "equal")
FACES = ("faces", "att_faces")
# measure: (words, what is good, format)
MEASURES = {
    "recognised": ("recognised by the judge", "higher: worse leak", "{:.0%}"),
    "similarity": ("correlation", "higher: worse leak", "{:.2f}"),
    "distance": ("Euclidean distance", "lower: closer", "{:.2f}"),
    "ssim_distance": ("1 − SSIM", "lower: closer", "{:.3f}"),
}
CLEAR = 0.05  # a smaller difference of correlations no eye would see


def model_words(config: Config) -> dict[str, str]:
    """Each model as the reader meets it."""
    return {
        "vanilla": "no defence",
        "record": "record-level",
        "unit": f"{config.unit}-level",
        "equal": "record-level, same noise",
    }


def published_name(data: str) -> str:
    """Where the paper's figures for such data are kept."""
    return "hiding_faces" if data.split(":")[0] in FACES else "hiding_digits"


def promise(numbers: dict, config: Config, model: str) -> Guarantee | None:
    """The tightest ε there is, with all that gives it a meaning; of several seeds the mean."""
    unit = config.unit if model == "unit" else "record"
    for name, accountant in (("epsilon_tight", "tight"), ("epsilon", "moments")):
        if f"{name}_{model}" in numbers:
            how = unit, config.neighbours, delta_of(numbers, model), accountant
            return Guarantee(numbers[f"{name}_{model}"], *how)
    return None


def delta_of(numbers: dict, model: str) -> float:
    return float(f"{numbers[f'delta_{model}']:.6g}")


def promise_words(numbers: dict, config: Config, model: str) -> str:
    if model == "vanilla":
        return "no promise (ε = ∞)"
    made = promise(numbers, config, model)
    return made.words() if made else "no accountant gives an ε here"


# ---- was accuracy matched?
def matched_html(numbers: dict, config: Config) -> str:
    """Whether what follows compares models of equal use, and if not why."""
    words = model_words(config)
    sentences = [unmatched_words(numbers, config, m, words[m]) for m in ("unit", "record")]
    missing = " ".join(sentence for sentence in sentences if sentence)
    if missing:
        return f'<div class="dp-error" role="status"><b>Not at equal accuracy.</b> {missing}</div>'
    return (
        f'<div class="dp-note" role="status"><b>Equal accuracy: a fair comparison.</b> Wanted {config.accuracy:.0%}; '
        f"record-level has {numbers['accuracy_record']:.0%} (σ = {numbers['sigma_record']:.3g}), {words['unit']} "
        f"{numbers['accuracy_unit']:.0%} (σ = {numbers['sigma_unit']:.3g}), without defence "
        f"{numbers['accuracy_vanilla']:.0%}.</div>"
    )


def unmatched_words(numbers: dict, config: Config, model: str, words: str) -> str:
    if numbers[f"matched_{model}"] == 1:
        return ""
    accuracy, sigma = numbers[f"accuracy_{model}"], numbers[f"sigma_{model}"]
    best = f"the nearest that was found is {accuracy:.0%} at σ = {sigma:.3g}"
    seeds = f" in {1 - numbers[f'matched_{model}']:.0%} of the seeds" if config.repeats > 1 else ""
    if accuracy < config.accuracy and sigma < LEAST_SIGMA * FACTOR:
        why = "noise is not what holds it back: clipping or too few steps do, so try a larger T, η or S"
    elif accuracy > config.accuracy and sigma > MOST_SIGMA / FACTOR:
        why = f"even so much noise does not bring it down, and no σ above {MOST_SIGMA:g} is tried: try fewer steps"
    else:
        why = f"seven tries of σ did not come within {TOLERANCE:.0%}: accuracy may jump there, or depend on the seed"
    return f"The {words} model misses the wanted {config.accuracy:.0%}{seeds}: {best}; {why}."


# ---- who hid more?
def difference(result: Result, attacker: str) -> tuple[float, float]:
    """Record-level minus (sub)class-level correlation, class by class: the mean, and its standard error."""
    arrays = result.arrays
    by_class = arrays[f"similarity_record_{attacker}"] - arrays[f"similarity_unit_{attacker}"]
    return float(by_class.mean()), float(by_class.std(ddof=1) / math.sqrt(len(by_class)))


def verdict(result: Result, attacker: str = "stronger") -> int:
    """0: record-level hides clearly better; 1: (sub)class-level does; 2: about alike."""
    mean, error = difference(result, attacker)
    if abs(mean) <= max(CLEAR, 2 * error):
        return 2
    return 0 if mean < 0 else 1


def verdict_words(result: Result, config: Config, attacker: str = "stronger") -> str:
    """The sentence behind the verdict, with its numbers."""
    words, n = model_words(config), result.numbers
    mean, error = difference(result, attacker)
    found = [
        "<b>The record-level model hides more.</b>",
        f"<b>The {words['unit']} model hides more.</b>",
        "<b>They hide about alike.</b>",
    ][verdict(result, attacker)]
    recognised, alike = f"recognised_mean_{{}}_{attacker}", f"similarity_mean_{{}}_{attacker}"
    seen = ", ".join(
        f"{words[m]}: {n[recognised.format(m)]:.0%} recognised and correlation {n[alike.format(m)]:.2f}"
        for m in ("record", "unit")
    )
    return (
        f"{found} {seen}, noise: {n['recognised_mean_noise']:.0%} and {n['similarity_mean_noise']:.2f}. The "
        f"correlations differ by {abs(mean):.2f} ± {error:.2f} (standard error over classes); less than {CLEAR:g}, or "
        f"than two standard errors, counts as alike."
    )


# ---- tables
def table_html(result: Result, config: Config, attacker: str, attacker_words: str) -> str:
    """A row a model, then pictures that owe nothing to any attack."""
    n, words = result.numbers, model_words(config)
    head = "".join(
        f"<th>{title}<br><small>{good}</small></th>"
        for title, good in [
            ("test accuracy", "higher: more useful"),
            ("σ", "per unit"),
            ("noise a step", "σS/(qK)"),
            *((title, good) for title, good, _ in MEASURES.values()),
        ]
    )
    rows = [model_row(n, config, m, words[m], attacker) for m in words]
    for name, what in BASELINES.items():
        cells = "".join(f"<td>{said(n, f'{m}_mean_{name}', form)}</td>" for m, (_, _, form) in MEASURES.items())
        rows.append(f'<tr class="reference"><td>{what}</td><td></td><td></td><td></td>{cells}</tr>')
    return (
        f'<div class="dp-scroll"><table class="dp-models"><caption>Attacker: {attacker_words}. Means over '
        f"{len(result.arrays['names'])} classes{seeds_words(config)}. The judge, a network trained on other pictures, "
        f"names {n['judge_accuracy']:.0%} of real ones; guessing gives {n['chance']:.1%}. It may name what no eye "
        f"would: look at the pictures. Grey: pictures that owe nothing to the attack.</caption>"
        f"<thead><tr><th>model and its promise</th>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def model_row(n: dict, config: Config, model: str, words: str, attacker: str) -> str:
    same = model == "equal" and n["sigma_equal"] == n["sigma_record"]
    note = "<br><small>the very model above: its search ended at its first try</small>" if same else ""
    sigma = said(n, f"sigma_{model}", "{:.3g}") if model in PRIVATE else "0"
    noise = said(n, f"noise_{model}", "{:.4f}") if model in PRIVATE else "0"
    cells = [said(n, f"accuracy_{model}", "{:.0%}"), sigma, noise]
    cells += [said(n, f"{m}_mean_{model}_{attacker}", form) for m, (_, _, form) in MEASURES.items()]
    return (
        f'<tr class="dp-model-{model}"><td><b>{escape(words)}</b><br><small>{promise_words(n, config, model)}</small>'
        f"{note}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    )


def said(numbers: dict, name: str, form: str) -> str:
    """The number, and its standard deviation over seeds where there are several."""
    spread = numbers.get(f"{name}_sd")
    return form.format(numbers[name]) + (f" ± {form.format(spread)}" if spread is not None else "")


def seeds_words(config: Config) -> str:
    return f" and {config.repeats} seeds (± standard deviation over seeds)" if config.repeats > 1 else ", one seed"


def published_html(numbers: dict, config: Config) -> str:
    """The paper's pairs of models at equal accuracy, in grey, and this run's pair below."""
    paper = shipped("published")[published_name(config.data)]
    unit = paper["unit"]["name"]
    rows = [
        f'<tr class="reference"><td>paper A</td><td>{accuracy:.1%}</td><td>{s1:g}</td><td>{e1:g}</td>'
        f"<td>{s2:g}</td><td>{e2:g}</td></tr>"
        for accuracy, s1, e1, s2, e2 in zip(
            paper["record"]["accuracy"],
            paper["record"]["sigma"],
            paper["record"]["epsilon"],
            paper["unit"]["sigma"],
            paper["unit"]["epsilon"],
            strict=True,
        )
    ]
    ours = [promise(numbers, config, model) for model in ("record", "unit")]
    epsilons = [rounded_up(made.epsilon) if made else "–" for made in ours]
    rows.append(
        f"<tr><td>this run</td><td>{numbers['accuracy_unit']:.1%}</td><td>{numbers['sigma_record']:.3g}</td>"
        f"<td>{epsilons[0]}</td><td>{numbers['sigma_unit']:.3g}</td><td>{epsilons[1]}</td></tr>"
    )
    return (
        f'<div class="dp-scroll"><table><caption>{paper["source"]} (without defence '
        f"{paper['vanilla_accuracy']:.1%}). Its ε as printed: record-level for δ = {short(paper['record']['delta'])}, "
        f"{unit}-level for δ = {short(paper['unit']['delta'])}. Other data, q and T: compare directions, not "
        f"numbers.</caption><thead><tr><th></th><th>test accuracy</th><th>record-level σ</th><th>ε for a record</th>"
        f"<th>{unit}-level σ</th><th>ε for a {unit if config.unit == unit else f'{unit} (here: {config.unit})'}</th>"
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def summary_words(numbers: dict, config: Config) -> str:
    """One line that tells two runs apart."""
    how = [f"{config.model} on {escape(config.data)}"]
    how += [f"{config.people} people"] if config.data.split(":")[0] in FACES else []
    how.append(f"{config.unit}-level" + (f", k_sub {config.k_sub}" if config.unit == "subclass" else ""))
    how.append(f"q = {number_text(config.q)}, T = {config.steps}, S = {number_text(config.clip)}")
    promises = [promise(numbers, config, model) for model in ("record", "unit")]
    epsilons = [f"ε {rounded_up(made.epsilon)} for a {made.unit}" for made in promises if made]
    return (
        f"{', '.join(how)}, seed {config.seed}: accuracy {numbers['accuracy_record']:.0%} / "
        f"{numbers['accuracy_unit']:.0%}; {', '.join(epsilons)}; recognised by the stronger attacker "
        f'<span class="dp-exposed">{numbers["recognised_mean_record_stronger"]:.0%} / '
        f"{numbers['recognised_mean_unit_stronger']:.0%}</span>"
    )


def stretched_pictures(x: np.ndarray) -> np.ndarray:
    """Each picture from black to white, so that a faint one can be seen; a flat one stays as it is."""
    low, high = x.min(axis=(1, 2, 3), keepdims=True), x.max(axis=(1, 2, 3), keepdims=True)
    return np.where(high - low > 1e-6, (x - low) / np.maximum(high - low, 1e-6), x)
