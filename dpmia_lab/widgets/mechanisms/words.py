"""Lesson 5 in words: what each ε is for, who keeps more accuracy at equal leak, and a sweep as a table."""

from collections.abc import Sequence

from dpmia_lab.experiments.equal_leak import AucOverEpsilon, Contest, contest, contest_at
from dpmia_lab.experiments.mechanism_sweep import Sweep
from dpmia_lab.experiments.mechanisms import LEAST_LEAK, Config, point_of, setting_words
from dpmia_lab.privacy.accounting import epsilon_text, rounded_up
from dpmia_lab.privacy.local import FEATURES_ONLY
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import Cell, table_html, with_small, with_spread
from dpmia_lab.widgets.mechanisms.data import own_sweep, preset_of

DATA_WORDS = {
    "skewed-10": "Skewed Purchases, 10 classes",
    "skewed-50": "Skewed Purchases, 50 classes",
    "purchases": "purchases-like carts, 20 styles",
    "faces": "generated faces, retrained last layers",
    "graphs": "collaboration graphs",
}
PAPERS_ATTACKS = ("white_box", "black_box")
ATTACK_WORDS = {
    "white_box": "white box (Nasr)",
    "black_box": "black box (Shokri)",
    "lira_offline": "likelihood ratio (offline, not in paper C)",
}
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
        "local": f"ε for a record ({FEATURES_ONLY}):\n{times_words(sweep)} of {part}; replace one, δ = 0 (log scale)",
    }


def epsilon_html(sweep: Sweep | None) -> str:
    """The same as a sentence below the charts."""
    part = part_of(sweep.config) if sweep else "one bit"
    return (
        f"<b>Two different promises.</b> Central: ε for a record, add or remove one, δ = 1/n, tight accountant: about "
        f"<i>the model</i>, if the collector keeps the data safe. Local: ε_i for {part}, ε for a record = "
        f"{times_words(sweep)}; replace one, δ = 0, pure: about <i>the data</i>, whoever collects them. It covers "
        f"{FEATURES_ONLY}, so whoever collects the records reads each label as it is. The numbers on the two axes "
        f"cannot be compared; AUC and accuracy can."
    )


def sizes_html(reference: Sweep | None, own: Sequence[Sweep], played: tuple[str, str]) -> str:
    """Who was trained on how much: points of different n do not lie on one curve. ``played``: attack and protocol."""
    said = []
    if reference is not None:
        said.append(f"Shipped with the lab: the lines ({sizes(reference.config)}; bars: one standard deviation).")
        if reference.row("auc", "none", *played) is None:
            said.append("It was not attacked in this way, so it has no points here.")
    else:
        said.append("The reference for these data has not been computed yet (<code>make reference</code>).")
    if own:
        smaller = reference is not None and own[0].config.records < reference.config.records
        more = "; fewer records: it overfits more" if smaller else ""
        said.append(f"Edged in black: your sweep ({sizes(own[0].config)}{more}).")
    else:
        said.append("<b>Run a sweep</b> adds your own points.")
    return f"<div class='dp-shipped' role='status'>{' '.join(said)}</div>"


def sizes(config: Config) -> str:
    seeds = f"{config.repeats} seeds" if config.repeats > 1 else "1 seed"
    return f"about {config.records:,} records, {config.epochs} epochs, {seeds}"


# ---- how sure is it?
def interval_text(sweep: Sweep, defence: str, attack: str, protocol: str) -> str:
    """An AUC, two standard errors either way."""
    value, margin = (found("auc", defence, attack, protocol) for found in (sweep.value, sweep.error))
    return f"{value:.3f} ({value - 2 * margin:.3f} to {min(1, value + 2 * margin):.3f})"


def no_phi_html(sweep: Sweep, attack: str, protocol: str) -> str:
    """Why this sweep has no φ for that attack, with the rule; "" where it has."""
    if sweep.leaks(attack, protocol) or sweep.row("auc", "none", attack, protocol) is None:
        return ""
    errors = f"over {sweep.config.repeats} seeds" if sweep.config.repeats > 1 else "of the records asked about"
    return (
        f"<p class='dp-no-phi'><b>No φ for the {sweep.words}.</b> Without a defence the AUC is "
        f"{interval_text(sweep, 'none', attack, protocol)}, two standard errors ({errors}) either way. φ divides by "
        f"what is above 0.5; it is shown only where the lower end is at least {0.5 + LEAST_LEAK:g}, for else it would "
        f"be divided by chance.</p>"
    )


# ---- who is better?
WHO = {
    "alike": "both keep about as much accuracy",
    "unclear": "chance hides which of the two keeps more accuracy",
    "local": "<b>local</b> noise keeps more accuracy",
    "central": "<b>central</b> noise keeps more accuracy",
    "either": "now the one, now the other keeps more accuracy",
}


def contest_words(found: Contest) -> str:
    """The sentence behind a verdict, with its numbers."""
    if found.verdict == "neither":
        return f"{found.why}, so the two cannot be compared at equal leak"
    at = found.told
    return (
        f"at equal AUC {WHO[found.verdict]}: they differ beyond chance at {found.clear.sum()} of the "
        f"{len(found.levels)} AUC values from {found.levels[0]:.3f} to {found.levels[-1]:.3f} that both reach; at "
        f"{found.levels[at]:.3f} local noise keeps {found.local[at]:.1%} right, central noise {found.central[at]:.1%} "
        f"(difference {signed(100 * found.apart[at], 1)} ± {200 * found.errors[at]:.1f} points, two standard errors)"
    )


def brief_words(found: Contest) -> str:
    """The same for a narrow place."""
    if found.verdict == "neither":
        return found.why
    at = found.told
    return (
        f"{WHO[found.verdict]} (at AUC {found.levels[at]:.3f} local {found.local[at]:.1%}, central "
        f"{found.central[at]:.1%}, difference {signed(100 * found.apart[at], 1)} ± {200 * found.errors[at]:.1f})"
    )


def no_level_html(sweeps: Sequence[Sweep], attack: str, protocol: str) -> str:
    """Why nothing can be read at equal leak."""
    said = (f"{sweep.words}: {contest(sweep, protocol, attack).why}" for sweep in sweeps)
    return f"<p class='dp-soft'>Not comparable at equal leak; {'; '.join(said)}.</p>"


def level_html(sweeps: Sequence[Sweep], level: float, attack: str, protocol: str) -> str:
    """What both mechanisms keep at this AUC, and at which ε: of the reference, and of the reader's newest sweep."""
    rows = [level_row(sweep, level, attack, protocol) for sweep in sweeps]
    heads = (
        f"at AUC {level:.3f}",
        with_small("central", "right, new records"),
        with_small("local", "right, new records"),
        with_small("difference", "± two standard errors"),
    )
    about = (
        f"<small>Read on straight lines between the strengths tried. ε for a record: central, add or remove one, "
        f"δ = 1/n, tight accountant; local, replace one, δ = 0, {FEATURES_ONLY}.</small>"
    )
    return table_html(heads, rows, kind="dp-equal") + about if rows else ""


def level_row(sweep: Sweep, level: float, attack: str, protocol: str) -> list[str | Cell]:
    found = contest_at(sweep, level, protocol, attack)
    if not len(found.levels):
        return [sweep.words, Cell(found.why, columns=3)]
    kept = {"central": found.central[0], "local": found.local[0]}
    epsilons = {name: AucOverEpsilon(sweep, name, attack, protocol).crossing(level).epsilon for name in kept}
    cells = [with_small(f"{kept[name]:.1%}", f"ε about {rounded_up(epsilons[name], 2)}") for name in kept]
    sure = "" if found.clear[0] else "not beyond chance"
    margin = f"{signed(100 * found.apart[0], 1)} ± {200 * found.errors[0]:.1f} points"
    return [sweep.words, *cells, with_small(margin, sure or "beyond chance")]


def signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


# ---- the reader's runs
def summary(run: Run) -> str:
    """What was swept and what came out, in a line that tells two runs apart."""
    c, result = run.config, run.result
    auc = result.rows.value("auc", defence="none", attack="white_box", protocol="alike")
    return (
        f"{data_words(c)}, {sizes(c)}; z = {c.zs}; ε_i = {c.epsilons}; seed {c.seed}: without a defence "
        f"<span class='dp-protected'>{result.numbers['test_accuracy']:.0%} right</span>, "
        f"<span class='dp-exposed'>AUC {auc:.2f} (white box)</span>"
    )


def own_words(run: Run) -> str:
    """Who keeps more accuracy in one of the reader's runs."""
    return f"{contest_words(contest(own_sweep(run)))}{one_seed(run)}"


def one_seed(run: Run) -> str:
    return " (one seed: the luck of training comes on top)" if run.config.repeats == 1 else ""


def compared_html(runs: list[Run]) -> str:
    """Who keeps more accuracy in each run."""
    lines = [f"<li>Run {run.number}: {own_words(run)} (white box).</li>" for run in runs]
    return f"<ul class='dp-findings'>{''.join(lines)}</ul>" if lines else ""


# ---- all numbers
def numbers_html(sweep: Sweep, protocol: str) -> str:
    """A row a point: everything the charts show, in numbers."""
    heads = [
        "setting",
        with_small("ε for a record", f"local: {FEATURES_ONLY}"),
        with_small("test accuracy", "higher: more useful"),
    ]
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
        f"No φ: without a defence the AUC is not beyond doubt at least {0.5 + LEAST_LEAK:g} (two standard errors), so "
        f"that φ would be divided by chance; or there is no accuracy above chance to lose."
    )
    table = table_html(heads, rows, caption)
    return f"<details><summary>{sweep.words}: all numbers</summary>{table}</details>"


def value_text(sweep: Sweep, defence: str, measure: str, attack: str = "", protocol: str = "") -> str:
    if measure == "phi" and defence == "none":
        return "–"
    row = sweep.row(measure, defence, attack, protocol)
    return missing_text(measure) if row is None else with_spread(row, "{:.3f}")


def missing_text(measure: str) -> str:
    return "no φ" if measure == "phi" else "not tried"
