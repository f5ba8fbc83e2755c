"""The comparison in tables and words: this lab's figures, the papers' beside them, and what came out."""

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.inversion_comparison import CONTENDERS
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.reference import shipped
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.pictures import picture_html

MEASURES = {
    "recognised_share": ("recognised by the judge", "higher: worse leak", "{:.0%}"),
    "recognised_ssim_share": ("recognised by nearest SSIM", "higher: worse leak", "{:.0%}"),
    "distance_mean": ("Euclidean distance", "lower: worse leak", "{:.2f}"),
    "ssim_distance_mean": ("1 − SSIM", "lower: worse leak", "{:.3f}"),
    "similarity_mean": ("correlation", "higher: worse leak", "{:.2f}"),
    "confidence_mean": ("model's confidence", "what the attack climbs", "{:.2f}"),
}


def strips_html(drawn: dict[str, np.ndarray]) -> str:
    lines = []
    for name, words in {"truth": "training pictures", **CONTENDERS}.items():
        if name in drawn:
            images = "".join(picture_html(x, f"{words}, class {i + 1}") for i, x in enumerate(drawn[name]))
            lines.append(f"<h4>{words}</h4><div class='dp-strip'>{images}</div>")
    return "".join(lines)


def table_html(numbers: dict, source: str) -> str:
    """Every measure of every contender, and of pictures that owe nothing to the attack."""
    head = "".join(f"<th>{words}<br><small>{good}</small></th>" for words, good, _ in MEASURES.values())
    rows = []
    for who, words in {**CONTENDERS, **BASELINES}.items():
        cells = []
        for measure, (_, _, form) in MEASURES.items():
            value, spread = numbers[f"{measure}_{who}"], numbers.get(f"{measure}_{who}_sd")
            cells.append(form.format(value) + (f" ± {form.format(spread)}" if spread is not None else ""))
        kind = ' class="reference"' if who in BASELINES else ""
        rows.append(f"<tr{kind}><td>{words}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return (
        f'<h4>On every measure</h4><div class="dp-scroll"><table><caption>{source}; accuracy of the attacked model '
        f"on new pictures {numbers['test_accuracy']:.0%}, of the judge {numbers['judge_accuracy']:.0%}</caption>"
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def published_html(which: str, numbers: dict, per_class: dict) -> str:
    """The papers' figures, labelled as such, above the same figures of this lab."""
    paper = shipped("published")[which]
    if which == "att_faces":
        return (
            f"<h4>Beside the published figure</h4><p>Paper E reports {paper['recognised_by_evaluation_model']:.0%} of "
            f"AT&T's people recognised by its evaluation model, {paper['recognised_by_ssim']:.1%} by SSIM, for the "
            f"original attack. Here: {numbers['recognised_share_original']:.0%} and "
            f"{numbers['recognised_ssim_share_original']:.0%} for the original attack, "
            f"{numbers['recognised_share_enhanced']:.0%} and {numbers['recognised_ssim_share_enhanced']:.0%} for the "
            f"enhanced one.</p><small class='dp-reference'>{paper['source']}</small>"
        )
    measure = "distance" if which == "digits" else "ssim_distance"
    form = "{:.2f}" if which == "digits" else "{:.3f}"
    columns = len(paper["original"])
    lines = [("paper A, original", paper["original"], True), ("paper A, enhanced", paper["enhanced"], True)]
    who = {
        "original": "here, original",
        "published": "here, enhanced as published",
        "enhanced": "here, enhanced, our settings",
        "blank": "a black picture",
        "other_class": "another class",
    }
    lines += [(words, per_class[f"{measure}_{name}"][:columns], False) for name, words in who.items()]
    head = "".join(f"<th>{i if which == 'digits' else f'person {i + 1}'}</th>" for i in range(columns))
    body = "".join(
        f"<tr{' class=reference' if grey else ''}><td>{words}</td>"
        + "".join(f"<td>{form.format(v)}</td>" for v in values)
        + f"<td><b>{form.format(np.mean(values))}</b></td></tr>"
        for words, values, grey in lines
    )
    other = "" if which == "digits" else " Other people, other pictures: compare the direction, not the numbers."
    return (
        f'<h4>Class by class, as the paper prints it</h4><div class="dp-scroll"><table><caption>{paper["source"]}.'
        f"{other}</caption><thead><tr><th></th>{head}<th>mean</th></tr></thead><tbody>{body}</tbody></table></div>"
    )


def findings() -> widgets.VBox:
    """What the reference says, in words; a test holds the words to the numbers."""
    record = {name: one["results"] for name, one in shipped("inversion_comparison").items()}
    faces, digits, real = record["faces"], record["digits"], record["att_faces"]
    paper = shipped("published")["att_faces"]

    def percent(numbers: dict, name: str) -> str:
        return f"{numbers[name]:.0%} ± {numbers[f'{name}_sd']:.0%}"

    def plain(numbers: dict, name: str) -> str:
        return f"{numbers[name]:.1f} ± {numbers[f'{name}_sd']:.1f}"

    sentences = [
        f"<b>On digits the published table improves and the leak does not.</b> The distance falls as paper A reports, "
        f"from {plain(digits, 'distance_mean_original')} to {plain(digits, 'distance_mean_published')} with its "
        f"settings. But a black picture is at {plain(digits, 'distance_mean_blank')}, closer than either, and the "
        f"judge names {percent(digits, 'recognised_share_original')} of the <i>original</i> attack's drawings against "
        f"{percent(digits, 'recognised_share_published')} of the enhanced one's; by nearest SSIM it is "
        f"{percent(digits, 'recognised_ssim_share_original')} against "
        f"{percent(digits, 'recognised_ssim_share_published')}.",
        f"<b>On faces the order depends on the measure.</b> The judge recognises "
        f"{percent(faces, 'recognised_share_enhanced')} of the enhanced attack's drawings (this lab's settings) and "
        f"{percent(faces, 'recognised_share_original')} of the original's, within each other's spread; by distance the "
        f"original attack is closer ({plain(faces, 'distance_mean_original')} against "
        f"{plain(faces, 'distance_mean_enhanced')}).",
        f"<b>The published λ = 0.001 does not work here:</b> {percent(faces, 'recognised_share_published')} "
        f"recognised. Read as the weight of a sum over pixels, it outweighs the model and many pictures stay "
        f"grey. Were it a mean over the {56 * 46:,} pixels, it would be 4e-7 on the slider above, near the "
        f"1e-6 that does work. The paper does not say which.",
        f"<b>On AT&T's real faces</b> the judge recognises {percent(real, 'recognised_share_original')} of the "
        f"original attack's drawings; paper E reports {paper['recognised_by_evaluation_model']:.0%}. By nearest "
        f"SSIM it is {percent(real, 'recognised_ssim_share_original')} here and "
        f"{paper['recognised_by_ssim']:.1%} there.",
    ]
    items = "".join(f"<li>{sentence}</li>" for sentence in sentences)
    return card(
        text(
            f"<h3>What came out</h3><ul class='dp-findings'>{items}</ul><small>Five seeds, mean ± standard "
            f"deviation.</small>"
        ),
        name="dp-findings-card",
    )
