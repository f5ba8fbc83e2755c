"""Paper B's claims on networks, each checked against the curves that ship with the lab, on every set of pictures."""

from collections.abc import Callable

import numpy as np

from dpmia_lab.experiments.confidence_claims import Points, clearly_above, percent
from dpmia_lab.experiments.confidence_curves import defence_points
from dpmia_lab.experiments.paper_claims import Finding, PaperClaim
from dpmia_lab.widgets.confidences.curves import DATA, reference
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, NOT_MEASURED, Claim, Verdict, verdict


def claim_of(claim: PaperClaim) -> Claim:
    return Claim(claim.title, "B", claim.said or NOT_MEASURED, everywhere(claim.check, claimed=bool(claim.said)))


def everywhere(check: Callable[[Points], Finding | None], claimed: bool) -> Callable[[], dict[str, Verdict]]:
    """The verdict on every set of pictures that has been computed and can tell."""

    def checked() -> dict[str, Verdict]:
        found = {DATA[name]: check(points) for name in DATA if (points := reference(name)) is not None}
        return {name: verdict_of(one, claimed) for name, one in found.items() if one is not None}

    return checked


def verdict_of(found: Finding, claimed: bool) -> Verdict:
    return verdict(found.agrees, found.sentence) if claimed else Verdict(NOT_CLAIMED, found.sentence)


# ---- a few more
def training_people_are_closer(points: Points) -> Finding | None:
    """Fig. 5 c: what GMI draws is nearer to training pictures than to test pictures."""
    test, train = (points[f"{measure}_gmi"][0] for measure in ("feature_distance", "feature_distance_training"))
    said = (
        f"Without a defence GMI's faces lie {train.mean():.1f} from training pictures and {test.mean():.1f} from test "
        "pictures in the judge's features (lower is closer)"
    )
    return Finding(clearly_above(test, train), said)


def smoothing_turns_both_ways(points: Points) -> Finding | None:
    places = [int(place) for place in defence_points(points, "label_smoothing")]
    if len(places) < 2:
        return None
    told = []
    for place in (*places, 0):
        strength = points["strength"][place]
        name = f"α = {strength:+g}" if np.isfinite(strength) else "without a defence"
        accuracy, alignment, gmi = (
            percent(points[measure][place])
            for measure in ("test_accuracy", "recognised_alignment", "recognised_gmi_adapted")
        )
        told.append(f"{name}: accuracy {accuracy}, alignment {alignment}, adapted GMI {gmi}")
    return Finding(None, "; ".join(told))


def noise_averages_out(points: Points) -> Finding | None:
    places = defence_points(points, "uniform_noise")
    if not len(places):
        return None
    last = int(places[-1])
    once, many, label = (percent(points[f"recognised_alignment{end}"][last]) for end in ("", "_averaged", "_label"))
    said = (
        f"With noise of up to {points['strength'][last]:g} on each confidence alignment recognises {once} from one "
        f"answer, {many} from twenty, {label} from the label alone"
    )
    return Finding(None, said)


MORE = (
    PaperClaim("GMI draws training pictures better than test pictures",
               "training data lose more privacy to GMI than test data (Fig. 5 c)", training_people_are_closer),
    PaperClaim("Noise on confidences, asked twenty times", "", noise_averages_out),
    PaperClaim("Label smoothing, positive and negative", "", smoothing_turns_both_ways),
)  # fmt: skip
