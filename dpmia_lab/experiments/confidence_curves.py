"""Use against leak: every defence of a network at several strengths, every attack, several seeds (paper B, Figs 2-5).

Pictures and judge are made once a seed. A point is a defence at a strength, called "mid 0.03" or "none". Defences are
also compared where they cost as much: each leak is read on the line between a defence's points at an accuracy of
``MATCHED`` below the undefended network's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from dpmia_lab.checks import Mistake, did_you_mean, whole
from dpmia_lab.defences.networks import NETWORK_DEFENCES
from dpmia_lab.experiments import confidences
from dpmia_lab.experiments.confidences import Prepared
from dpmia_lab.metrics.recognition import mean_estimate
from dpmia_lab.options import option
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.stages import Stage, part
from dpmia_lab.store import Result

TITLE = "Turn a network's confidences back into pictures: accuracy against leak, all defences and strengths"
NAMES = PlainNames(("measure", "defence", "attack", "protocol", "end"), frozenset({"test"}))
STRENGTH = {  # the field that says how strong a defence is; the others have no strength
    "mid": "lam",
    "dp_sgd": "sigma",
    "early_stopping": "kept",
    "dropout": "dropout",
    "label_smoothing": "smoothing",
    "rounding": "rounding",
    "uniform_noise": "noise",
}
POINTS = tuple(NETWORK_DEFENCES)  # their places are the numbers in the array ``defence``
STRENGTHS = (
    "none; mid 0.01 0.03 0.06 0.1; dp_sgd 0.05 0.1 0.3; early_stopping 0.3 0.1; dropout 0.8; "
    "label_smoothing 0.3 -0.05; rounding 0.5; uniform_noise 0.2; label_only"
)
OF_NETWORK = ("test_accuracy", "train_accuracy", "ece", "outputs_spread", "answer_spread")
OF_PICTURES = ("recognised", "recognised_ssim", "correlation", "label_named")
OF_FEATURES = ("feature_distance", "feature_distance_training")
MATCHED = 0.1  # below the undefended network's accuracy


@dataclass(frozen=True)
class Config(confidences.Config):
    strengths: str = option(STRENGTHS, 'points, such as "none; mid 0.01 0.1; label_only"')
    repeats: int = option(3, "how many seeds, from the given one upwards")

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(1, 100, repeats=self.repeats)
        whole(0, 2**31 - self.repeats, seed=self.seed)
        if self.points()[0][0] != "none":
            raise Mistake(f"strengths must begin with none, which others are compared with; it is {self.strengths!r}.")

    def points(self) -> list[tuple[str, float]]:
        """Defence and strength; NaN for what has none."""
        return [point for piece in self.strengths.split(";") for point in points_of(piece)]


def points_of(text: str) -> list[tuple[str, float]]:
    name, *strengths = text.split() or [""]
    if name not in POINTS:
        known = did_you_mean(name, POINTS)
        raise Mistake(f"strengths must name a defence first, as in mid 0.01 0.1; one begins with {name!r}{known}.")
    try:
        values = [float(strength) for strength in strengths]
    except ValueError:
        raise Mistake(f"strengths must be numbers after the defence's name; one is {text.strip()!r}.") from None
    if bool(values) != (name in STRENGTH):
        rule = "at least one strength after" if name in STRENGTH else "no strength after"
        raise Mistake(f"strengths must have {rule} {name}; one is {text.strip()!r}.")
    return [(name, value) for value in values] or [(name, np.nan)]


DIGIT_STRENGTHS = (
    "none; mid 0.03 0.06 0.1 0.2; dp_sgd 0.2 0.5 1; early_stopping 0.5 0.2; dropout 0.8; "
    "label_smoothing 0.3 -0.05; rounding 0.5; uniform_noise 0.2; label_only"
)
ATT_STRENGTHS = (
    "none; mid 0.03 0.1 0.2 0.3; dp_sgd 0.1 0.5 1; early_stopping 0.05 0.02; dropout 0.8; "
    "label_smoothing 0.3 -0.05; rounding 0.5; uniform_noise 0.2; label_only"
)
QUICK = {"decoder_steps": 150, "gmi_steps": 60, "restarts": 2, "updates": 0}
SMALL = Config(
    data="digits", model="softmax", decoder_steps=20, gmi_steps=5, restarts=1, updates=0, repeats=2,
    strengths="none; mid 0.1",
)  # fmt: skip
PRESETS = {
    "faces": Config(**{**QUICK, "updates": 120, "probes": 20}),
    "att_faces": Config(data="att_faces", strengths=ATT_STRENGTHS, **QUICK),
    "digits": Config(data="mnist", strengths=DIGIT_STRENGTHS, **QUICK),
}


def run(config: Config) -> Stage[Result]:
    """Arrays, by measure and attack: (points, seeds), NaN where an attack does not apply; ``defence``, ``strength``.

    Rows, and so numbers: of every point, mean, spread and interval over seeds; and of every defence where it costs
    ``MATCHED`` of accuracy, with the protocol ``matched``.
    """
    points = config.points()
    found: list[list[dict[str, float]]] = []  # by seed, then point
    for repeat in range(config.repeats):
        share = repeat / config.repeats, (repeat + 1) / config.repeats
        found.append((yield from part(one_seed(config, repeat), *share)))
    names = list(dict.fromkeys(name for seed in found for numbers in seed for name in numbers))
    arrays = {
        name: np.array([[seed[place].get(name, np.nan) for seed in found] for place in range(len(points))])
        for name in names
    }
    arrays["defence"] = np.array([POINTS.index(defence) for defence, _ in points])
    arrays["strength"] = np.array([strength for _, strength in points])
    rows = [*point_rows(arrays, points), *matched_rows(arrays)]
    return Result({"chance": float(found[0][0]["chance"])}, arrays, Rows(tuple(rows), NAMES))


def one_seed(config: Config, repeat: int) -> Stage[list[dict[str, float]]]:
    names = confidences.Config.__dataclass_fields__
    base = confidences.Config(**{name: getattr(config, name) for name in names})
    base = replace(base, seed=config.seed + repeat)
    prepared, points, found = Prepared(base), config.points(), []
    for place, point in enumerate(points):
        share, label = (place / len(points), (place + 1) / len(points)), f"seed {base.seed}: {point_name(*point)}"
        stage = confidences.run(at_strength(base, *point), prepared)
        result = yield from part(stage, *share, label)
        kept = (*OF_NETWORK, "chance", *(f"{measure}_" for measure in (*OF_PICTURES, *OF_FEATURES)))
        ends = ("_low", "_high")
        found.append({n: v for n, v in result.numbers.items() if n.startswith(kept) and not n.endswith(ends)})
    return found


def at_strength(config: confidences.Config, defence: str, strength: float) -> confidences.Config:
    return replace(config, defence=defence, **({STRENGTH[defence]: strength} if defence in STRENGTH else {}))


def point_name(defence: str, strength: float) -> str:
    return defence if defence not in STRENGTH else f"{defence} {strength:.12g}"


# ---- rows
def measure_and_attack(name: str) -> tuple[str, str, str]:
    """Of a plain name of one run: measure, attack, protocol."""
    if name in (*OF_NETWORK, "chance"):
        return name, "", "test"
    measures = sorted((*OF_PICTURES, *OF_FEATURES), key=len, reverse=True)
    measure = next(measure for measure in measures if name.startswith(f"{measure}_"))
    attack = name.removeprefix(f"{measure}_")
    protocol = next((p for p in ("train", "renamed") if attack.endswith(f"_{p}")), "test")
    return measure, attack.removesuffix(f"_{protocol}"), protocol


def row_over_seeds(values: np.ndarray, measure: str, **of: str) -> Row:
    """Mean, spread and Student's interval; one seed tells neither."""
    mean, several = float(values.mean()), len(values) > 1
    estimate = mean_estimate(values) if several and measure not in (*OF_FEATURES, "correlation") else None
    return Row(
        measure,
        mean,
        **of,
        low=estimate.low if estimate else None,
        high=estimate.high if estimate else None,
        spread=float(values.std(ddof=1)) if several else None,
    )


def point_rows(arrays: Mapping[str, np.ndarray], points: list[tuple[str, float]]) -> list[Row]:
    rows = []
    for place, point in enumerate(points):
        for name, values in arrays.items():
            if name in ("defence", "strength", "chance") or not np.isfinite(values[place]).all():
                continue
            measure, attack, protocol = measure_and_attack(name)
            of = {"defence": point_name(*point), "attack": attack, "protocol": protocol}
            rows.append(row_over_seeds(values[place], measure, **of))
    return rows


def matched_rows(arrays: Mapping[str, np.ndarray]) -> list[Row]:
    """Of every defence that reaches so low an accuracy: each attack's leak there."""
    rows = []
    for defence in STRENGTH:
        for name in [name for name in arrays if name == "ece" or name.startswith("recognised_")]:
            measure, attack, protocol = measure_and_attack(name)
            values = at_matched_accuracy(arrays, defence, name)
            if protocol == "test" and np.isfinite(values).all():
                rows.append(row_over_seeds(values, measure, defence=defence, attack=attack, protocol="matched"))
    return rows


def at_matched_accuracy(arrays: Mapping[str, np.ndarray], defence: str, name: str) -> np.ndarray:
    """(seeds,): read between the two strengths on either side, seed by seed; NaN where there are none.

    Without a defence one answer is all answers: it stands in for an attack that only a noisy network calls for.
    """
    places = [0, *defence_points(arrays, defence)]
    accuracy, values = np.asarray(arrays["test_accuracy"])[places], np.array(arrays[name])[places]
    if name.endswith(("alignment_averaged", "alignment_mean")):
        values[0] = arrays[name.removesuffix("_averaged").removesuffix("_mean")][0]
    found = []
    for own, leak in zip(accuracy.T, values.T, strict=True):
        wanted = own[0] - MATCHED
        below = np.flatnonzero(own <= wanted)
        if not len(below):
            found.append(np.nan)
            continue
        low = below[own[below].argmax()]
        above = np.flatnonzero(own > wanted)
        high = above[own[above].argmin()]
        share = (own[high] - wanted) / (own[high] - own[low])
        found.append(leak[high] + share * (leak[low] - leak[high]))
    return np.array(found)


def defence_points(arrays: Mapping[str, np.ndarray], defence: str) -> np.ndarray:
    """The places among the points that belong to a defence, of a result or of a shipped one."""
    return np.flatnonzero(np.asarray(arrays["defence"]) == POINTS.index(defence))


# ---- what ships
def points_from(lists: Mapping[str, list]) -> dict[str, np.ndarray]:
    """The arrays of a shipped curve, in which JSON has None for NaN."""
    return {name: np.array(values, dtype=float) for name, values in lists.items()}
