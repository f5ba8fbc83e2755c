"""What the shipped reference of lesson 3 says, in tables and in words made from its numbers."""

from functools import partial

import ipywidgets as widgets

from dpmia_lab.experiments.as_published import ATTACKERS
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, epsilon_text
from dpmia_lab.widgets.hiding import claims, limits
from dpmia_lab.widgets.hiding.claims import SUBJECT, Kept, compared_words, kept_results, of_each_result, of_each_sweep
from dpmia_lab.widgets.hiding.curves_data import UNITS, Points, reference_points
from dpmia_lab.widgets.hiding.published import MODELS, shipped_models
from dpmia_lab.widgets.hiding.words import FACES, PAIR, belief_words, capital, model_words, promise, said
from dpmia_lab.widgets.kit.claims import Claim
from dpmia_lab.widgets.kit.parts import card, column, fold, text
from dpmia_lab.widgets.kit.tables import Row, table_html, with_small
from dpmia_lab.widgets.kit.words import MODEL_WORDS

LATER = "<p class='dp-soft'>The reference has not been computed yet (<code>make reference</code>).</p>"
# measure: (title, what is good, format)
COLUMNS = {
    "recognised_mean": ("recognised by the judge", "higher: worse leak", "{:.0%}"),
    "similarity_mean": ("correlation", "higher: worse leak", "{:.2f}"),
    "distance_mean": ("distance", "lower: closer", "{:.1f}"),
}
RANKS_SAID = (
    "ε goes with the distance for a {unit} (the smaller ε, the farther: rank correlation near −1) and not for a record "
    "(near 0)"
)
CLAIMS = [
    Claim(
        "At equal accuracy, hiding a (sub)class",
        "A",
        "record-level models can still be inverted, and (sub)class-level models of the same accuracy cannot",
        claims.as_published,
    ),
    Claim(
        "Where the snow comes from",
        "A",
        "no such control: if hiding a subclass protected in a way of its own, it should beat a record-level model with "
        "the same noise in its weights",
        claims.same_noise,
    ),
    Claim(
        "Everything but the unit shared",
        "A",
        "no such control: of its record-level models neither q nor T is printed",
        partial(of_each_result, claims.equal_noise),
    ),
    Claim(
        "A stronger attacker",
        "A",
        "no such control: its attacker does not blur what it drew from a noisy model",
        partial(of_each_result, claims.stronger_attacker),
    ),
    Claim(
        "Accuracy follows ε",
        "A",
        "the larger ε, the higher the accuracy, for a record and for a (sub)class",
        partial(of_each_sweep, claims.accuracy_follows),
    ),
    Claim(
        "The drawing follows ε",
        "A",
        RANKS_SAID.format(unit="(sub)class"),
        partial(of_each_sweep, claims.distance_follows),
    ),
    Claim(
        "More subclasses, σ and q fixed",
        "A",
        "accuracy rises with their number and robustness falls",
        claims.more_subclasses,
    ),
    Claim(
        "The printed ε",
        "A",
        "its theorem gives the ε printed for its (sub)class-level models",
        claims.printed_epsilons,
    ),
]


def findings() -> widgets.VBox:
    """The lab's own data, every set at equal accuracy, then what ε and k_sub go with."""
    parts = [matched_html(kept) for kept in kept_results().values()]
    items = [ranks_item(data, swept) for data, swept in claims.swept_pairs().items()]
    subclasses = reference_points("digits").get("k_sub")
    if subclasses is not None:
        found = capital(claims.subclass_sentence(subclasses))
        reported = "The paper reports that both rise: more use, less protection."
        items.append(f"<b>More subclasses, σ and q fixed.</b> {found}. {reported}")
    if items:
        listed = "".join(f"<li>{item}</li>" for item in items)
        parts.append(f"<h3>What ε and k_sub go with</h3><ul class='dp-findings'>{listed}</ul>")
    return card(text("".join(parts) or LATER), name="dp-findings-card")


def ranks_item(data: str, swept: dict[str, Points]) -> str:
    reported, found = RANKS_SAID.format(unit=UNITS[data]["unit"]), capital(claims.rank_sentence(data, swept))
    return f"<b>{SUBJECT[data]}.</b> The paper reports that {reported}. {found}."


def for_experts() -> widgets.VBox:
    """What only some readers want: the shared-settings tables, how few can be hidden, the paper's theorem."""
    return column(
        fold("For experts: the lab's own data, everything but the unit shared", findings()),
        fold("For experts: how few classes can be hidden", limits.small_print()),
        fold("For experts: the paper's settings against its own theorem", limits.paper_premises()),
        classes=("dp", "dp-for-experts"),
    )


# ---- each data set at equal accuracy
def matched_html(kept: Kept) -> str:
    return (
        f"<h3>{kept.subject}: {compared_words(kept)}</h3><p>Both at the wanted accuracy of "
        f"{kept.config.accuracy:.0%}. {promise_sentence(kept)}</p>{reference_table(kept)}"
    )


def promise_sentence(kept: Kept) -> str:
    """What was promised for these pictures."""
    record, unit = (promise(kept.rows, kept.config, model) for model in PAIR)
    leaked = said(kept.rows.row("recognised_mean", defence="record", attack="stronger"), "{:.0%}")
    strong = f"Strong as it is, it says nothing of the class: {leaked} of the classes are recognised."
    weak = "Neither is much of a promise."
    return (
        f"What differs is the promise: {record.words()}, so an attacker torn 50 : 50 between two records may become "
        f"{belief_words(record.epsilon)} sure; and {unit.words()}: {belief_words(unit.epsilon)} between two "
        f"{kept.config.unit}es. {strong if record.epsilon <= 1 else weak}"
    )


def reference_table(kept: Kept) -> str:
    """A row a model; each measure for the enhanced attack, then for the stronger one."""
    lines = [model_line(kept, model) for model in model_words(kept.config)]
    for baseline in ("noise", "blank"):
        cells = [said(kept.rows.row(m, attack=baseline), form) for m, (_, _, form) in COLUMNS.items()]
        lines.append(Row((BASELINES[baseline], "", "", "", *cells), "reference"))
    heads = ["model", "test accuracy", "noise a step", "ε for its unit"]
    heads += [with_small(title, good) for title, good, _ in COLUMNS.values()]
    caption = (
        f"Mean ± standard deviation over {kept.config.repeats} seeds; each measure for the enhanced → the stronger "
        f"attack."
    )
    return table_html(heads, lines, caption)


def model_line(kept: Kept, model: str) -> list[str]:
    rows, made = kept.rows, promise(kept.rows, kept.config, model)
    return [
        model_words(kept.config)[model],
        kept.accuracy(model),
        said(rows.row("noise", defence=model), "{:.4f}") if made else "0",
        f"{epsilon_text(made.epsilon)} ({made.unit})" if made else "∞",
        *(enhanced_to_stronger(kept, measure, model) for measure in COLUMNS),
    ]


def enhanced_to_stronger(kept: Kept, measure: str, model: str) -> str:
    form = COLUMNS[measure][2]
    return " → ".join(form.format(row.value) for row in kept.rows.where(measure=measure, defence=model))


# ---- all of it in one table, for the page of all lessons
def results_html() -> str:
    """The private models: at the paper's own operating points, then of every data set of the lab."""
    return as_published_html() + shared_html()


def as_published_html() -> str:
    models = shipped_models()
    if not models:
        return ""
    worse = "recognised; higher: worse leak"
    heads = ["all 60,000 digits", "test accuracy", with_small("accumulated noise", "η√T·σS/(qK)"), "promise"]
    heads += [with_small(words, worse) for words in ATTACKERS.values()]
    lines = []
    for name, model in models.items():
        rows, made = model.rows, model.promise()
        noise = f"{rows.value('accumulated'):.3f}" if rows.has("accumulated") else "–"
        shares = [said(rows.row("recognised_share", attack=attacker), "{:.0%}") for attacker in ATTACKERS]
        promised = made.words() if made else "none"
        lines.append((MODELS[name], said(rows.row("accuracy"), "{:.1%}"), noise, promised, *shares))
    seeds = models["subclass"].config.repeats
    caption = f"σ and q of paper A, T and η for about 92 % accuracy; mean ± standard deviation over {seeds} seeds."
    return table_html(heads, lines, caption)


def shared_html() -> str:
    """The lab's own data: what the models promise, and what two attackers draw from them."""
    lines = [line for kept in kept_results().values() for line in result_lines(kept)]
    if not lines:
        return LATER
    config = next(iter(kept_results().values())).config
    caption = (
        f"Mean ± standard deviation over {config.repeats} seeds. Both private models share q, T, S and η; σ is "
        f"searched until both have the same test accuracy. Correlation with, and recognition of, what an attacker "
        f"draws: the enhanced attack with this lab's settings, a stronger one (smooth, blurred). ε is for the unit, "
        f"{NEIGHBOURS[config.neighbours]}, δ below 1/units, {ACCOUNTANTS['tight'].words}."
    )
    worse = "higher: worse leak"
    heads = ("", "hides", with_small("ε", "lower: stronger promise"), with_small("accuracy", "higher: more useful"))
    heads += (with_small("correlation, enhanced attack", worse), with_small("stronger attack", worse))
    heads += (with_small("recognised, enhanced → stronger attack", worse),)
    return table_html(heads, lines, caption)


def result_lines(kept: Kept) -> list[list[str]]:
    rows, config = kept.rows, kept.config
    what = f"{config.people} generated people" if config.data in FACES else kept.subject.split(",")[0]
    finer = [f"{config.k_sub} subclasses a class"] if config.unit == "subclass" else []
    title = ", ".join([what, MODEL_WORDS[config.model], *finer, f"accuracy {config.accuracy:.0%}"])
    return [
        [
            title if model == "record" else "",
            model_words(config)[model],
            epsilon_text(promise(rows, config, model).epsilon),
            kept.accuracy(model),
            *(said(row, "{:.2f}") for row in rows.where(measure="similarity_mean", defence=model)),
            enhanced_to_stronger(kept, "recognised_mean", model),
        ]
        for model in ("record", "unit", "equal")
    ]
