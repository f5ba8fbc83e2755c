"""Sentences of lesson 7: what a run came to, who guesses what, and what the numbers mean."""

from html import escape
from pathlib import Path

from dpmia_lab.experiments.attributes import Config, defence_of
from dpmia_lab.store import Result
from dpmia_lab.widgets.attributes.controls import MODEL_WORDS
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import Html, table_html, with_small

MEASURES = {"attack_accuracy": "right guesses", "attack_auc": "AUROC", "attack_f1": "F1"}
SHORT = {  # names at the bars
    "prior": "the commonest value",
    "imputation": "imputation",
    "imputation_outcome": "imputation + outcome",
    "map": "paper B's attack (MAP)",
    "map_counts": "MAP with counts",
    "csmia": "by confidence (CSMIA)",
    "calibrated": "calibrating attacker",
    "imputation_map": "imputation × model",
    "map_answer": "sees the model's answer",
}
WHO = {
    "prior": "says the commonest value of everybody; needs no model",
    "imputation": "looks at the other attributes only, by what public people show; needs no model",
    "imputation_outcome": "the same with the true outcome; needs no model",
    "map": "asks the model what it would say for each value, and takes the one that fits the true outcome best, "
    "weighed by how common each is",
    "map_counts": "the same, knowing also how many training people reached each leaf",
    "csmia": "takes the value for which the model is right and surest",
    "calibrated": "first looks at a few public people to see how the model's answers relate to the truth, then does "
    "as paper B's attack",
    "imputation_map": "weighs the model's answer by imputation instead of by how common each value is",
    "map_answer": "has not the true outcome but what the model said about the person, and asks it again",
}
PUBLIC_BOUNDS = (
    " Its noise rests on bounds that are known without the data: {bounds}. Bounds read off the table would tell of "
    "the people in it."
)
OF_PATIENTS = "120 to 210 cm, 30 to 180 kg, 2 to 120 mg a week"


def value(result: Result, name: str) -> float:
    return result.numbers[name]


def percent_or_two(measure: str, number: float) -> str:
    return f"{number:.2f}" if measure == "attack_auc" else f"{number:.0%}"


def is_regression(result: Result) -> bool:
    return "test_off" in result.numbers


def strongest(result: Result, measure: str = "attack_accuracy") -> str:
    """The attack on the model that guesses best, the true outcome given; the model's own answer is another matter."""
    names = [name for name in SHORT if f"{measure}_{name}" in result.numbers]
    asking = [name for name in names if name not in ("prior", "imputation", "imputation_outcome", "map_answer")]
    return max(asking, key=lambda name: result.numbers[f"{measure}_{name}"])


# ---- beside the picture
def headline_html(config: Config, result: Result, measure: str, unit: str) -> str:
    """Three numbers: what the model is worth, what paper B's attack gets, what the calibrating one gets."""
    n = result.numbers
    used = (
        number_html(
            f"{n['test_off']:.1f} {unit}", "off, on average",
            f"of new people; {n['test_off_plain']:.1f} without a defence. Lower is more useful.", "protected",
        )
        if is_regression(result)
        else number_html(
            f"{n['test_accuracy']:.0%}", "outcomes predicted right",
            f"of new people; {n['test_accuracy_plain']:.0%} without a defence, {n['chance']:.0%} by always saying the "
            "commonest. Higher is more useful.", "protected",
        )
    )  # fmt: skip
    known = percent_or_two(measure, n[f"{measure}_imputation_outcome"])
    naive = number_html(
        percent_or_two(measure, n[f"{measure}_map"]), f"{MEASURES[measure]}, paper B's attack",
        f"on new people. Without any model: {known} from attributes and outcome. Lower is safer.", "exposed",
    )  # fmt: skip
    again = number_html(
        percent_or_two(measure, n[f"{measure}_calibrated"]), f"{MEASURES[measure]}, calibrating",
        f"the same attack by somebody who has seen {config.known} public people first. Lower is safer.", "exposed",
    )  # fmt: skip
    return number_row(used, naive, again)


def defence_words(config: Config) -> str:
    return defence_of(config).words()


def promise_html(config: Config, result: Result) -> str:
    """What is promised to the people in the table, if anything is."""
    promise = defence_of(config).promise(int(result.numbers["people_trained"]))
    if promise is None:
        return "<small class='dp-soft'>Nothing is promised: only attacks were tried.</small>"
    bounds = OF_PATIENTS if config.data == "warfarin_like" else config.bounds
    told = PUBLIC_BOUNDS.format(bounds=escape(bounds)) if bounds else ""
    return f"<small>{escape(promise.words())}.{told}</small>"


# ---- below
def attacks_table(result: Result) -> Html:
    """Every attacker on every measure, of new people and of those trained on."""
    n = result.numbers

    def cell(measure: str, name: str) -> Html:
        form = "{:.3f}" if measure == "attack_auc" else "{:.1%}"
        spread = n.get(f"{measure}_{name}_sd", 0.0)
        train = form.format(n[f"{measure}_{name}_train"])
        return with_small(f"{form.format(n[f'{measure}_{name}'])} ± {form.format(spread)}", f"{train} of trained on")

    names = [name for name in SHORT if f"attack_accuracy_{name}" in n]
    rows = [
        (
            with_small(SHORT[name], WHO[name]), *(cell(measure, name) for measure in MEASURES),
            f"{100 * n[f'attack_over_prior_{name}']:+.1f}", f"{100 * n[f'attack_over_imputation_{name}']:+.1f}",
        )
        for name in names
    ]  # fmt: skip
    heads = ("attacker", *MEASURES.values(), with_small("points above", "the commonest value"),
             with_small("points above", "imputation + outcome"))  # fmt: skip
    caption = (
        "Mean ± standard deviation over splits, of new people; below it, of people the model was trained on. Higher "
        "is a worse leak. AUROC: 0.5 is nothing learnt."
    )
    return table_html(heads, rows, caption, "dp-attackers")


def about_html(result: Result) -> str:
    n = result.numbers
    return (
        f"<p>{n['people_trained']:,.0f} people train each model, {n['people_public']:,.0f} are public (imputation and "
        f"calibration learn from them), {n['people_tested']:,.0f} are new; the secret has "
        f"{n['sensitive_values']:.0f} values.</p>"
    )


# ---- runs
def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, n = run.config, run.result.numbers
    useful = f"off by {n['test_off']:.2f}" if is_regression(run.result) else f"{n['test_accuracy']:.0%} right"
    best = strongest(run.result)
    return (
        f"{MODEL_WORDS[c.model]} on {escape(Path(c.data).name)}, {escape(defence_words(c))}, {c.splits} splits, seed "
        f"{c.seed}: <span class='dp-protected'>{useful}</span>, <span class='dp-exposed'>secrets guessed right: "
        f"{n['attack_accuracy_map']:.1%} (paper B's attack), {n[f'attack_accuracy_{best}']:.1%} ({SHORT[best]})</span>"
    )


def compared_html(runs: list[Run]) -> str:
    """A line of numbers a run."""
    if not runs:
        return ""
    heads = ("run", "off, or right", "paper B's attack", "calibrating", "imputation + outcome")
    rows = []
    for run in runs:
        n = run.result.numbers
        useful = f"{n['test_off']:.2f}" if is_regression(run.result) else f"{n['test_accuracy']:.1%}"
        guessed = (f"{n[f'attack_accuracy_{name}']:.1%}" for name in ("map", "calibrated", "imputation_outcome"))
        rows.append((f"run {run.number}: {defence_words(run.config)}", useful, *guessed))
    return table_html(heads, rows)
