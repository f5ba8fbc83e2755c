"""The sections of a report, each from the grid and what is known besides, as HTML."""

from collections.abc import Collection, Mapping
from html import escape

from dpmia_lab.experiments.comparing_answers import Harm, chance_of, harms_of, leak_of
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.options import text_of
from dpmia_lab.widgets.report import charts, tables
from dpmia_lab.widgets.report.about import About
from dpmia_lab.widgets.report.drawings import drawings_html
from dpmia_lab.widgets.report.findings import (
    answered,
    findings,
    main_harm,
    question_of,
    question_words,
    standing,
    words_of,
)
from dpmia_lab.widgets.report.meanings import MEANINGS, WHOM, capital, number_text, several, short_words, with_interval

STANDING = (
    ("not yet broken", "Merely not yet broken", "No attack that was tried does better than guessing; another may."),
    ("broken", "Broken", "Some attack that was tried does better than guessing."),
    ("open", "Open", "One seed does not say whether it is better than guessing."),
)
FEW = 4  # settings that are named one by one
EVERYBODY = ("turns", "alike", "")
GROUPS = {
    "everybody, ordinary records": EVERYBODY,
    "canaries with a wrong label": ("mislabelled",),
    "canaries unlike any record": ("atypical",),
    "the 5 % of ordinary records most at risk": ("worst",),
}


def paragraph(*sentences: str) -> str:
    return f"<p>{escape(' '.join(sentences))}</p>"


def summary(grid: Grid, about: About) -> str:
    harm = main_harm(grid)
    if harm is None:
        return paragraph("Nothing was measured.")
    told = findings(grid)
    made = "".join(f"<li><strong>{escape(one.title)}</strong> {escape(one.sentence)}</li>" for one in told)
    return trial(about) + tested(grid, about) + f'<ol class="findings">{made}</ol>' + promised_summary(grid, harm)


def trial(about: About) -> str:
    words = "A trial run: tiny models, few attackers. Its numbers show that the report can be made, and no more."
    return f'<p class="trial">{words}</p>' if about.small else ""


def tested(grid: Grid, about: About) -> str:
    attackers = {attack for measure in MEANINGS for attack, _ in grid.attacks(measure)} - {"", "nothing"}
    each = f"{about.models} models a setting, each on {about.trained_on:,} records; " if about.models else ""
    return paragraph(
        f"{capital(about.model) or 'A model'} was trained on {about.source or grid.data} without a defence and with "
        f"{several(len(grid.families()) - 1, 'defence')}, at {several(len(grid.columns) - 1, 'strength')} in all, "
        "and attacked "
        f"by {several(len(attackers), 'attack')} that fit these data: the same records, splits and effort for all "
        f"({each}{several(len(grid.seeds), 'seed')}). Of every setting the attack that is worst for it counts."
    )


def promised_summary(grid: Grid, harm: Harm) -> str:
    found = standing(grid, harm)
    boxes = [
        ("protected", "promised", "Promised", "A bound is proved, whoever attacks, today or later."),
        ("reference", "not yet broken", "Merely not yet broken", STANDING[0][2]),
        ("exposed", "broken", "Broken", STANDING[1][2]),
        ("reference", "open", "Open", STANDING[2][2]),
    ]
    made = [
        f'<div class="box {kind}"><h3>{title}</h3><p><b>{several(len(found[key]), "setting")}.</b> {words}</p></div>'
        for kind, key, title, words in boxes
        if found[key] or key != "open"
    ]
    return f'<div class="boxes">{"".join(made)}</div>'


def use(grid: Grid, about: About) -> str:
    question = question_of(grid, about)
    if question is None:
        return ""
    return (
        f"<blockquote>{escape(question_words(question))}</blockquote>"
        f'<p class="answer">{escape(answered(grid, question))}</p>'
        + (tables.question_table(grid, about) if len(grid.seeds) > 1 else "")
    )


def defences(grid: Grid, about: About, own_cells: Collection[str]) -> str:
    harm = main_harm(grid)
    if harm is None:
        return ""
    made = charts.front_html(grid, harm, question_of(grid, about), own_cells) + tables.defences_table(
        grid, harm, own_cells
    )
    for other in harms_of(grid):
        if other.who == "everybody" and other.measure in ("recognised", "attack_over_imputation") and other != harm:
            made += f"<h3>{escape(MEANINGS[other.measure].name.capitalize())}</h3>" + tables.defences_table(
                grid, other, own_cells
            )
    return made


def promises(grid: Grid) -> str:
    harm = main_harm(grid)
    if harm is None:
        return ""
    found = standing(grid, harm)
    made = [paragraph(
        "A promise is proved: it bounds every attack, those that nobody has thought of among them. Whatever else "
        "looks safe here "
        "is safe from the attacks that were tried."
    )]  # fmt: skip
    made += [tables.promises_table(grid, found["promised"], harm)] if found["promised"] else []
    made += [] if found["promised"] else [paragraph("Nothing that was tried promises anything of worth.")]
    chance = number_text(harm.measure, chance_of(grid, harm.measure))
    for key, title, means in STANDING:
        items = [f"{words_of(grid, name)}: {leak_short(grid, name, harm)}" for name in found[key]]
        about = f"{capital(MEANINGS[harm.measure].name)} by the attack that is worst for each; guessing: {chance}."
        made += [f"<h3>{title}</h3>", paragraph(means, about), tables.listed(items)] if items else []
    return "".join(made)


def leak_short(grid: Grid, column: str, harm: Harm) -> str:
    leak = leak_of(grid, column, harm)
    return f"{with_interval(harm.measure, leak.measured)}, {short_words(leak.attack)}"


def at_risk(grid: Grid, about: About) -> str:
    if not about.at_risk:
        return paragraph("The risk of single records was not told: that needs the cells of a grid on data of your own.")
    return paragraph(
        "Averages say little of the few. A record that is unlike all others, or whose label is odd, may be told "
        "with certainty "
        "where most are safe. If these rows are of people, look at them before you publish anything."
    ) + tables.risk_table(about, grid)


def drawings(grid: Grid, about: About) -> str:
    if not about.drawn:
        return ""
    chance = number_text("recognised", chance_of(grid, "recognised"))
    return paragraph(
        "Pictures that attackers drew from the model's weights alone, one a class, beside the average of that "
        "class. An "
        f"independent judge names them; it names {chance} of pictures right that owe nothing to the model. If "
        "classes are "
        "people, a recognised drawing shows a face."
    ) + drawings_html(about.drawn)


def attacks(grid: Grid, about: About) -> str:
    made = charts.attacks_html(grid, "none", "tpr1") if "none" in grid.columns else ""
    for measure in ("tpr1", "auc"):
        made += tables.attack_tables(
            grid, about, measure, GROUPS if measure == "tpr1" else dict([next(iter(GROUPS.items()))])
        )
    for measure in ("recognised", "attack_accuracy", "attack_over_imputation"):
        every = tuple(dict.fromkeys(protocol for _, protocol in grid.attacks(measure)))
        made += tables.attack_table(grid, about, measure, "everybody", every) if every else ""
    return made


def numbers(grid: Grid, about: About) -> str:
    whom = {name: words for name, words in WHOM.items() if any(name == key[3] for key in grid.values)}
    return (
        tables.meanings_table(grid, about.classes) + tables.attackers_table(grid)
        + (tables.pairs_table(whom, "Who is asked about.") if whom else "")
    )  # fmt: skip


def gaps(grid: Grid, about: About) -> str:
    items = [f"{'; '.join(words)}: {reason}" for reason, words in grouped(about.refused).items()]
    for reason, places in grouped(about.reasons).items():
        attacks = ", ".join(dict.fromkeys(short_words(place.partition("|")[2]) for place in places))
        names = dict.fromkeys(place.partition("|")[0] for place in places)
        on = "; ".join(words_of(grid, name) for name in names) if len(names) <= FEW else f"{len(names)} settings"
        items.append(f"{attacks} on {on}: {reason}")
    items += [
        "Attackers with more than this report's effort: more shadow models, larger priors, public data like yours.",
        "Several questions about a model over time, and several models from the same records.",
        "Records that the model was never asked about, and what a group of records says together, unless the unit "
        "is a group.",
        "Whatever else a system leaks beside the model: logs, intermediate files, those who run it.",
    ]
    return tables.listed(items)


def grouped(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    """By the reason: what it holds for."""
    found: dict[str, list[str]] = {}
    for what, reason in reasons.items():
        found.setdefault(reason, []).append(what)
    return found


def settings(grid: Grid, about: About) -> str:
    pairs = {"Data": about.source or grid.data, "Model": about.model, "Seeds": ", ".join(map(str, grid.seeds))}
    pairs |= {"Classes": ", ".join(about.class_names)} if about.class_names else {}
    pairs |= {"Date": about.date, "Machine": about.device, "Time": f"{about.seconds:.0f} s" if about.seconds else ""}
    pairs |= {f"Version of {name}": version for name, version in about.versions.items()}
    made = tables.pairs_table(
        {name: value for name, value in pairs.items() if value}, "What was run, when and on what."
    )
    if about.settings:
        made += tables.settings_table(about)
    strengths = {
        column.words: ", ".join(f"{k} = {text_of(v)}" for k, v in column.changes.items())
        for column in grid.columns.values()
    }
    return made + tables.pairs_table(strengths, "What each defence changes about them.")


def again(about: About) -> str:
    if not about.command:
        return ""
    return (
        paragraph(
            "The same command on the same file gives the same numbers; cells that were computed are kept and not "
            "computed again."
        )
        + f"<pre>{escape(about.command)}</pre>"
    )
