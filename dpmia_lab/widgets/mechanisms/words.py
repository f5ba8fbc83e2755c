"""Lesson 5 in words: what each ε is for, who keeps more accuracy at equal leak, and a sweep as a table."""

from collections.abc import Sequence

from dpmia_lab.experiments.mechanism_sweep import Sweep, epsilon_text
from dpmia_lab.experiments.mechanisms import Config, point_of, setting_words
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import table_html, with_small, with_spread
from dpmia_lab.widgets.mechanisms.data import CLEAR, NARROW, Contest, contest, own_sweep, preset_of

DATA_WORDS = {
    "skewed-10": "Skewed Purchases, 10 classes",
    "skewed-50": "Skewed Purchases, 50 classes",
    "purchases": "purchases-like carts, 20 styles",
    "faces": "generated faces, retrained last layers",
    "graphs": "collaboration graphs",
}
ATTACK_WORDS = {"white_box": "white box (Nasr)", "black_box": "black box (Shokri)"}
PROTOCOL_WORDS = {
    "alike": "outsiders like the members",
    "shifted": "paper C's outsiders, of another distribution",
}
PARTS = {"faces": "any m pixel values", "collaboration": "one edge"}  # what ε_i is for; else one bit


def data_words(config: Config) -> str:
    return DATA_WORDS.get(preset_of(config), config.data)


def attack_words(attack: str, protocol: str) -> str:
    """Such as "white box (Nasr), outsiders like the members"."""
    return f"{ATTACK_WORDS[attack]}, {PROTOCOL_WORDS[protocol]}"


def part_of(config: Config) -> str:
    return PARTS.get(config.data, "one bit")


def times_words(sweep: Sweep | None) -> str:
    """How a record's local ε follows from ε_i, as far as there is a point to tell."""
    local = sweep.of("local") if sweep else []
    if not local:
        return "added over all"
    _, strength = point_of(local[0])
    return f"{sweep.value('epsilon', local[0]) / strength:,.6g} × ε_i"


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


# ---- the reader's runs
def summary(run: Run) -> str:
    """What was swept and what came out, in a line that tells two runs apart."""
    c, result = run.config, run.result
    auc = result.rows.value("auc", attack="white_box", protocol="alike")
    return (
        f"{data_words(c)}, {sizes(c)}; z = {c.zs}; ε_i = {c.epsilons}; seed {c.seed}: without a defence "
        f"<span class='dp-protected'>{result.numbers['test_accuracy']:.0%} right</span>, "
        f"<span class='dp-exposed'>AUC {auc:.2f} (white box)</span>"
    )


def compared_html(runs: list[Run]) -> str:
    """Who keeps more accuracy in each run."""
    lines = [f"<li>Run {run.number}: {contest_words(contest(own_sweep(run)))} (white box).</li>" for run in runs]
    return f"<ul class='dp-findings'>{''.join(lines)}</ul>" if lines else ""


# ---- all numbers
def numbers_html(sweep: Sweep, protocol: str) -> str:
    """A row a point: everything the charts show, in numbers."""
    heads = ["setting", "ε for a record", with_small("test accuracy", "higher: more useful")]
    heads += [with_small(f"AUC, {words}", "lower: safer") for words in ATTACK_WORDS.values()]
    heads += [with_small(f"φ, {words}", "higher: better") for words in ATTACK_WORDS.values()]
    of_attacks = [(measure, attack, protocol) for measure in ("auc", "phi") for attack in ATTACK_WORDS]
    rows = [
        (
            setting_words(defence),
            "∞" if defence == "none" else epsilon_text(sweep.value("epsilon", defence)),
            value_text(sweep, defence, "test_accuracy"),
            *(value_text(sweep, defence, *one) for one in of_attacks),
        )
        for defence in sweep.defences
    ]
    spread = "± one standard deviation over seeds. " if sweep.config.repeats > 1 else ""
    caption = (
        f"{spread}φ is cut off at 2, which it also is where accuracy did not fall at all: look at the AUC then. "
        f"Undefined: without a defence there is nothing to protect (AUC at most 0.5) or to lose (accuracy at most "
        f"chance)."
    )
    table = table_html(heads, rows, caption)
    return f"<details><summary>{sweep.words}: all numbers</summary>{table}</details>"


def value_text(sweep: Sweep, defence: str, measure: str, attack: str = "", protocol: str = "") -> str:
    if measure == "phi" and defence == "none":
        return "–"
    row = sweep.row(measure, defence, attack, protocol)
    return "undefined" if row is None else with_spread(row, "{:.3f}")
