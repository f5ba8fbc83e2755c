"""What paper A says about hiding a class, against the shipped reference; and what the lab measures besides.

Each check returns a verdict; sentences that the page shows too stand in functions of their own.
"""

from collections.abc import Callable
from dataclasses import dataclass

from dpmia_lab.experiments import hiding
from dpmia_lab.experiments.hiding import Config
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.rows import Row, Rows
from dpmia_lab.widgets.hiding.curves_data import UNITS, Points, published_points, reference_points
from dpmia_lab.widgets.hiding.curves_words import rank_words, signed
from dpmia_lab.widgets.hiding.limits import premises_of
from dpmia_lab.widgets.hiding.published import shipped_models
from dpmia_lab.widgets.hiding.words import PAIR, hides_words, model_words, published, said
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, Verdict, clearly_higher, verdict

DIGITS = "All 60,000 digits"
SUBJECT = {
    "faces": "Generated faces",
    "digits": "MNIST digits",
    "digits-cnn": "MNIST digits, convolutional network",
}


@dataclass(frozen=True)
class Kept:
    """The reference of a preset."""

    subject: str
    rows: Rows
    config: Config

    @property
    def unit(self) -> str:
        """What the (sub)class-level model is called."""
        return model_words(self.config)["unit"]

    def accuracy(self, model: str) -> str:
        return said(self.rows.row("accuracy", defence=model), "{:.1%}")

    def correlation(self, model: str, attacker: str) -> Row:
        return self.rows.row("similarity_mean", defence=model, attack=attacker)

    def correlations(self, one: str, other: str, attacker: str) -> str:
        return " against ".join(said(self.correlation(model, attacker), "{:.2f}") for model in (one, other))

    def hides(self, one: str, other: str, attacker: str) -> str:
        """How the first model hides, compared with the second."""
        correlations = (self.correlation(model, attacker) for model in (one, other))
        return hides_words(*correlations, self.config.repeats)


def kept_results() -> dict[str, Kept]:
    """By preset, those that have been computed."""
    records = shipped_or_nothing("hiding")
    return {
        preset: Kept(subject, hiding.rows_of(records[preset]["results"]), Config(**records[preset]["config"]))
        for preset, subject in SUBJECT.items()
        if preset in records
    }


def of_each_result(check: Callable[[Kept], Verdict]) -> dict[str, Verdict]:
    return {kept.subject: check(kept) for kept in kept_results().values()}


# ---- at the paper's own operating points
def as_published() -> dict[str, Verdict]:
    """By the attack it may have used, and by one it did not try: a claim that a model cannot be inverted needs both."""
    models = shipped_models()
    if not models:
        return {}
    record, unit = models["record"], models["subclass"]
    seeds = unit.config.repeats
    strokes, snow = (one.rows.row("correlation_mean", attack="original") for one in (record, unit))
    right = " and ".join(said(one.rows.row("accuracy"), "{:.1%}") for one in (record, unit))
    reproduced = (
        f"at {right} accuracy the original attack's drawings correlate {said(strokes, '{:.2f}')} with the digits' mean "
        f"pictures for the record-level model (σ = {record.config.sigma:g}) and {said(snow, '{:.2f}')} for the "
        f"subclass-level one (σ = {unit.config.sigma:g}); {seeds} seeds"
    )
    alone = models["only-noise"]
    undone = (
        f"an attacker with a prior of public digits has {unit.recognised('prior')} recognised from the subclass-level "
        f"model and {record.recognised('prior')} from the record-level one ({alone.recognised('prior')} from noise "
        f"alone)"
    )
    hidden = unit.rows.row("recognised_share", attack="prior"), alone.rows.row("recognised_share", attack="prior")
    inverted = clearly_higher(*hidden, seeds)
    return {
        f"{DIGITS}, original attack": verdict(clearly_higher(strokes, snow, seeds), reproduced),
        f"{DIGITS}, attacker with a prior": verdict(None if inverted is None else not inverted, undone),
    }


def same_noise() -> dict[str, Verdict]:
    """A record-level model whose weights hold as much noise as the subclass-level one's."""
    models = shipped_models()
    if not models:
        return {}
    unit, same = models["subclass"], models["same-noise"]
    rows = [one.rows.row("correlation_mean", attack="original") for one in (same, unit)]
    sentence = (
        f"with the noise that the subclass-level model has gathered in its weights (η√T·σS/(qK) = "
        f"{same.rows.value('accumulated'):.3f}), a record-level model of {said(same.rows.row('accuracy'), '{:.1%}')} "
        f"accuracy hides {hides_words(*rows, same.config.repeats)} it: the original attack reaches correlation "
        f"{' against '.join(said(row, '{:.2f}') for row in rows)}"
    )
    return {DIGITS: Verdict(NOT_CLAIMED, sentence)}


# ---- with everything but the unit shared
def compared_words(kept: Kept) -> str:
    """Whether (sub)class-level hides more, by attacker."""
    paper, stronger = (kept.hides("unit", "record", attacker) for attacker in hiding.ATTACKERS)
    if paper == stronger:
        return f"{kept.unit} hides {paper} record-level against both attackers"
    return (
        f"{kept.unit} hides {paper} record-level against the enhanced attack, {stronger} it against the stronger one"
    )


def equal_noise(kept: Kept) -> Verdict:
    """With q, T, S and η shared, equal accuracy leaves no room for unequal noise."""
    noise = " and ".join(said(kept.rows.row("noise", defence=model), "{:.4f}") for model in PAIR)
    sentence = (
        f"with q, T, S and η shared, equal accuracy ({kept.accuracy('record')} and {kept.accuracy('unit')}) comes with "
        f"about equal noise a step ({noise}), and {compared_words(kept)}: correlation "
        f"{kept.correlations('unit', 'record', 'paper')} with the enhanced attack, "
        f"{kept.correlations('unit', 'record', 'stronger')} with the stronger one"
    )
    return Verdict(NOT_CLAIMED, sentence)


def stronger_attacker(kept: Kept) -> Verdict:
    """What smoothness and a blur add to the enhanced attack."""
    rows, shares = kept.rows, []
    for model in PAIR:
        before, after = rows.where(measure="recognised_mean", defence=model)
        shares.append(f"from {before.value:.0%} to {said(after, '{:.0%}')} for {model_words(kept.config)[model]}")
    near = {row.defence: f"{row.value:.1f}" for row in rows.where(measure="distance_mean", attack="paper")}
    noise, blank = (f"{rows.value('distance_mean', attack=baseline):.1f}" for baseline in ("noise", "blank"))
    sentence = (
        f"the share of classes recognised goes {', and '.join(shares)}. The distance alone could not tell: it is "
        f"{near['vanilla']} without any defence, {near['record']} and {near['unit']} with the two, {noise} for noise, "
        f"{blank} for black"
    )
    return Verdict(NOT_CLAIMED, sentence)


# ---- what ε and k_sub go with
def swept_pairs() -> dict[str, dict[str, Points]]:
    """By data set, the sweeps of σ, where both models have been swept."""
    points = {data: reference_points(data) for data in UNITS}
    return {data: swept for data, swept in points.items() if set(PAIR) <= set(swept)}


def of_each_sweep(check: Callable[[str, dict[str, Points]], Verdict]) -> dict[str, Verdict]:
    return {SUBJECT[data]: check(data, swept) for data, swept in swept_pairs().items()}


def accuracy_follows(data: str, swept: dict[str, Points]) -> Verdict:
    said_of = []
    for model, unit in UNITS[data].items():
        points = sorted(
            zip(swept[model].epsilon(), swept[model].along("accuracy"), strict=True), key=lambda point: point[0].value
        )
        ours = [f"{said(right, '{:.1%}')} at {epsilon_text(spent.value)}" for spent, right in (points[0], points[-1])]
        printed = sorted(zip(*published_points(data)[model], strict=True))
        theirs = [f"{100 * right:g} % at {spent:g}" for spent, right in (printed[0], printed[-1])]
        said_of.append(
            f"for a {unit} from {' to '.join(ours)}, rank correlation {signed(swept[model].rank('accuracy'))} (the "
            f"paper's from {' to '.join(theirs)})"
        )
    sure = all(abs(swept[model].rank("accuracy")) > swept[model].chance for model in PAIR)
    rises = all(swept[model].rank("accuracy") > 0 for model in PAIR)
    return verdict(rises if sure else None, f"accuracy goes with ε {'; '.join(said_of)}")


def distance_follows(data: str, swept: dict[str, Points]) -> Verdict:
    """It agrees if the rank correlation is negative beyond chance for a (sub)class, and may be chance for a record.

    Where that of the (sub)class may itself be chance, nothing can be said.
    """
    record, unit = (swept[model].rank("distance", "paper") for model in PAIR)
    agrees = unit < 0 and abs(record) <= swept["record"].chance
    return verdict(agrees if abs(unit) > swept["unit"].chance else None, rank_sentence(data, swept))


def rank_sentence(data: str, swept: dict[str, Points]) -> str:
    distance = {model: swept[model].rank("distance", "paper") for model in PAIR}
    alike = {model: rank_words(swept[model], "similarity", "stronger") for model in PAIR}
    wrong = " With less noise the drawings gain contrast and lie farther from any photograph: a leak looks like safety."
    reason = wrong if all(distance[model] > swept[model].chance for model in PAIR) else ""
    return (
        f"here it is {rank_words(swept['unit'], 'distance', 'paper')} for a {UNITS[data]['unit']} and "
        f"{rank_words(swept['record'], 'distance', 'paper')} for a record (enhanced attack).{reason} With the "
        f"correlation that the stronger attacker reaches, where +1 means that ε tells the leak, it is {alike['unit']} "
        f"and {alike['record']}; over {swept['unit'].count} models each, less than ±{swept['unit'].chance:.2f} may be "
        f"chance"
    )


def more_subclasses() -> dict[str, Verdict]:
    """It agrees if accuracy and the stronger attacker's correlation both rise by far more than seeds differ."""
    swept = reference_points("digits").get("k_sub")
    if swept is None:
        return {}
    accuracy, alike = swept.along("accuracy"), swept.along("similarity", "stronger")
    rise = all(rows[-1].value - rows[0].value > 2 * (rows[0].spread + rows[-1].spread) for rows in (accuracy, alike))
    spreads = f"{max(row.spread for row in accuracy):.0%} and {max(row.spread for row in alike):.2f}"
    sentence = f"{subclass_sentence(swept)} (standard deviation over {swept.config['repeats']} seeds at most {spreads})"
    return {SUBJECT["digits"]: verdict(rise, sentence)}


def subclass_sentence(swept: Points) -> str:
    """From the fewest to the most subclasses, as they were swept."""
    counts, accuracy, alike = (
        [row.value for row in swept.along(*what)] for what in (("k_sub",), ("accuracy",), ("similarity", "stronger"))
    )
    return (
        f"from k_sub = {counts[0]:g} to {counts[-1]:g} the accuracy goes from {accuracy[0]:.0%} to {accuracy[-1]:.0%} "
        f"and the stronger attacker's correlation from {alike[0]:.2f} to {alike[-1]:.2f}"
    )


# ---- the ε it prints
def printed_epsilons() -> dict[str, Verdict]:
    """They agree with the theorem if all its premises hold."""
    found = {}
    for data in UNITS:
        unit = published(data)["unit"]
        settings = premises_of(unit)
        least, of = min(one.broken for one in settings), settings[0].of
        epsilons, steps = (
            ", ".join(f"{value:g}" for value in values)
            for values in ([one.epsilon for one in settings], [one.steps["theorem"] for one in settings])
        )
        sentence = (
            f"at least {least} of its {of} premises are broken in each of them, and by the theorem ε = {epsilons} take "
            f"{steps} steps, not one number of steps"
        )
        agrees = not any(one.broken for one in settings)
        found[f"The paper's {unit['name']}-level models"] = verdict(agrees, sentence)
    return found
