"""What lesson 1 found: the shipped comparison of attacks against what papers A and E say."""

from collections.abc import Callable

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.inversion_comparison import CONTENDERS, attacks_on, rows_of
from dpmia_lab.experiments.inversion_measures import by_class
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.options import number_text
from dpmia_lab.reference import shipped
from dpmia_lab.rows import Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.inversion.words import MEASURES, PRINTED
from dpmia_lab.widgets.kit.claims import Claim, Verdict, clearly_higher, verdict
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.tables import Html, table_html, with_small, with_spread
from dpmia_lab.words.said import local, said

SUBJECTS = {
    "faces": "40 generated people, softmax regression",
    "att_faces": "AT&T faces, softmax regression",
    "digits": "MNIST digits, convolutional network",
}
COMPARED = ("original", "published", "enhanced")  # the last: the enhanced attack with this lab's settings
PIXELS = 56 * 46  # of a generated face
OWE_NOTHING = ("noise", "blank", "other_class")  # to the attacked model or to the right class


def reference(which: str) -> tuple[Result, int]:
    """What ships with the lab for that set, and over how many seeds."""
    record = shipped("inversion_comparison")[which]
    arrays = {name: np.array(values) for name, values in record["per_class"].items()}
    return Result(record["results"], arrays, rows_of(record["results"])), record["config"]["repeats"]


def recognised(rows: Rows, attack: str) -> str:
    return with_spread(rows.row("recognised_share", attack=attack), "{:.0%}")


def recognised_by_ssim(rows: Rows, attack: str) -> str:
    return with_spread(rows.row("recognised_ssim_share", attack=attack), "{:.0%}")


def distance(rows: Rows, attack: str) -> str:
    return with_spread(rows.row("distance_mean", attack=attack), "{:.1f}")


def lambda_words() -> tuple[str, str, str]:
    """λ as published for faces; what it is as the weight of a sum if it was meant for a mean; the lab's own."""
    published, ours = (attacks_on("faces")[who].lam for who in ("published", "enhanced"))
    return number_text(published), number_text(published / PIXELS), number_text(ours)


# ---- on the lesson's page
def findings() -> widgets.VBox:
    """What the reference says, in words; a test holds the words to the numbers."""
    faces, digits, real = (reference(which)[0].rows for which in ("faces", "digits", "att_faces"))
    paper = shipped("published")["att_faces"]
    published, of_a_mean, ours = lambda_words()
    sentences = [
        said(
            "<b>On digits the published table improves and the leak does not.</b> The distance falls as paper A "
            "reports, from {before} to {after} with its settings. But a black picture is at {blank}, closer than "
            "either, and the judge names {original} of the <i>original</i> attack's drawings against {enhanced} of the "
            "enhanced one's; by nearest SSIM it is {original_ssim} against {enhanced_ssim}.",
            before=distance(digits, "original"),
            after=distance(digits, "published"),
            blank=distance(digits, "blank"),
            original=recognised(digits, "original"),
            enhanced=recognised(digits, "published"),
            original_ssim=recognised_by_ssim(digits, "original"),
            enhanced_ssim=recognised_by_ssim(digits, "published"),
        ),
        said(
            "<b>On faces the order depends on the measure.</b> The judge recognises {enhanced} of the enhanced "
            "attack's drawings (this lab's settings) and {original} of the original's, within each other's spread; by "
            "distance the original attack is closer ({near} against {far}).",
            enhanced=recognised(faces, "enhanced"),
            original=recognised(faces, "original"),
            near=distance(faces, "original"),
            far=distance(faces, "enhanced"),
        ),
        said(
            "<b>The published λ = {published} does not work here:</b> {share} recognised. Read as the weight of a sum "
            "over pixels, it outweighs the model and many pictures stay grey. Were it a mean over the {pixels:,} "
            "pixels, it would be {of_a_mean} on the slider above, near the {ours} that does work. The paper does not "
            "say which.",
            published=local(published),
            share=recognised(faces, "published"),
            pixels=PIXELS,
            of_a_mean=local(of_a_mean),
            ours=local(ours),
        ),
        said(
            "<b>On AT&T's real faces</b> the judge recognises {judge} of the original attack's drawings; paper E "
            "reports {paper:.0%}. By nearest SSIM it is {ssim} here and {paper_ssim:.1%} there.",
            judge=recognised(real, "original"),
            paper=paper["recognised_by_evaluation_model"],
            ssim=recognised_by_ssim(real, "original"),
            paper_ssim=paper["recognised_by_ssim"],
        ),
    ]
    items = "".join(f"<li>{sentence}</li>" for sentence in sentences)
    title, below = said("What came out"), said("Five seeds, mean ± standard deviation.")
    found = text(f"<h3>{title}</h3><ul class='dp-findings'>{items}</ul><small>{below}</small>")
    return card(found, name="dp-findings-card")


# ---- beside the other lessons' findings
def results_html() -> Html:
    """Who is recognised, by data set and attack."""
    found = {words: reference(which) for which, words in SUBJECTS.items()}
    lines = [[words, *(recognised(result.rows, who) for who in CONTENDERS)] for words, (result, _) in found.items()]
    seeds = " or ".join(sorted({str(repeats) for _, repeats in found.values()}))
    caption = Html(f"{seeds} seeds, mean ± standard deviation; <code>make reference</code> computes it again.")
    head = with_small("recognised by an independent judge", "higher: worse leak")
    return table_html([head, *CONTENDERS.values()], lines, caption)


def on_every_set(check: Callable[[str, Result, int], Verdict]) -> Callable[[], dict[str, Verdict]]:
    return lambda: {words: check(which, *reference(which)) for which, words in SUBJECTS.items()}


def closer(which: str, result: Result, seeds: int) -> Verdict:
    """By the measure that paper A prints for such data; AT&T's faces are not among its own."""
    measure, paper = f"{PRINTED[which]}_mean", shipped("published")[which]
    words, _, form = MEASURES[measure]
    original, published, ours = (result.rows.row(measure, attack=who) for who in COMPARED)
    values = by_class(result, PRINTED[which])
    fell = int((values["published"] < values["original"]).sum())
    theirs = "the paper has no figure for these"
    if "original" in paper:
        before, after = (form.format(np.mean(paper[who])) for who in ("original", "enhanced"))
        theirs = f"the paper prints {before} and {after}"
    return verdict(
        clearly_higher(original, published, seeds),
        f"mean {words} {with_spread(original, form)} for the original attack, {with_spread(published, form)} for the "
        f"enhanced one as published, smaller for {fell} of {len(values['original'])} classes, and "
        f"{with_spread(ours, form)} with this lab's settings; {theirs}",
    )


def better_likeness(which: str, result: Result, seeds: int) -> Verdict:
    """With that of its two settings which is recognised more often, to give the claim its best chance."""
    original, published, ours = (result.rows.row("recognised_share", attack=who) for who in COMPARED)
    shares, by_ssim = ([said(result.rows, who) for who in COMPARED] for said in (recognised, recognised_by_ssim))
    return verdict(
        clearly_higher(max(published, ours, key=lambda row: row.value), original, seeds),
        f"the judge recognises {shares[0]} of the original attack's drawings, {shares[1]} of the enhanced one's as "
        f"published and {shares[2]} with this lab's settings (the better of the two counts); by nearest SSIM it is "
        f"{by_ssim[0]}, {by_ssim[1]} and {by_ssim[2]}",
    )


def distance_tells(which: str, result: Result, seeds: int) -> Verdict:
    """It does not where a picture that owes nothing to the attack is closer than drawings that show more."""
    rows, measure = result.rows, f"{PRINTED[which]}_mean"
    words, _, form = MEASURES[measure]
    nothing = min(OWE_NOTHING, key=lambda who: rows.value(measure, attack=who))

    def misled(attack: str) -> bool:
        pairs = [(rows.row(one, attack=attack), rows.row(one, attack=nothing)) for one in (measure, "recognised_share")]
        return all(clearly_higher(drawn, blank, seeds) for drawn, blank in pairs)  # farther, and yet recognised

    def both(attack: str) -> str:
        return f"at {with_spread(rows.row(measure, attack=attack), form)} ({recognised(rows, attack)} recognised)"

    return verdict(
        not any(misled(attack) for attack in ("original", "published")),
        f"by {words}, {BASELINES[nothing]} is {both(nothing)}, the original attack's drawing {both('original')}, the "
        f"enhanced one's as published {both('published')}",
    )


def published_weight() -> dict[str, Verdict]:
    """Where it draws less than the lab's own settings, nobody can say whether that is how the paper meant it."""
    result, seeds = reference("faces")
    published, ours = (result.rows.row("recognised_share", attack=who) for who in ("published", "enhanced"))
    weight, of_a_mean, own = lambda_words()
    return {
        SUBJECTS["faces"]: verdict(
            None if clearly_higher(ours, published, seeds) else True,
            f"as the weight of a sum over pixels λ = {weight} leaves {recognised(result.rows, 'published')} "
            f"recognised, this lab's settings (λ = {own}) {recognised(result.rows, 'enhanced')}; as that of a mean it "
            f"would be {of_a_mean} of a sum, and the paper does not say which it is",
        )
    }


def as_in_paper_e(measure: str, printed: str) -> Callable[[], dict[str, Verdict]]:
    """Its figure is of one model: it agrees if no farther from our mean than two standard deviations."""

    def check() -> dict[str, Verdict]:
        row = reference("att_faces")[0].rows.row(measure, attack="original")
        theirs = shipped("published")["att_faces"][printed]
        near = abs(row.value - theirs) <= 2 * row.spread
        return {SUBJECTS["att_faces"]: verdict(near, f"{with_spread(row, '{:.0%}')} here, {theirs:.1%} in the paper")}

    return check


CLAIMS = [
    Claim(
        "The enhanced attack comes closer to a training picture than the original one",
        "A",
        "the distance to the nearest training picture is smaller for every digit (Euclidean) and every face (1 − SSIM)",
        on_every_set(closer),
    ),
    Claim(
        "The enhanced attack draws better likenesses than the original one",
        "A",
        "its pictures are more realistic and more like the training pictures (shown, not counted)",
        on_every_set(better_likeness),
    ),
    Claim(
        "The distance tells how well an attack succeeded",
        "A",
        "a smaller distance means a picture more like the training data, so a more successful attack",
        on_every_set(distance_tells),
    ),
    Claim("The published λ works on faces", "A", "faces are drawn with λ = 0.001", published_weight),
    Claim(
        "An independent network recognises what the original attack draws",
        "E",
        "its evaluation model recognises about 85 % of AT&T's people",
        as_in_paper_e("recognised_share", "recognised_by_evaluation_model"),
    ),
    Claim(
        "The most similar picture tells whom the original attack drew",
        "E",
        "by SSIM 77.5 % of AT&T's people are recognised",
        as_in_paper_e("recognised_ssim_share", "recognised_by_ssim"),
    ),
]
