"""Utility against leak: every defence of a model at several strengths, all attacks, all splits (paper B, Figs 2, 4, 5).

People, imputation and the plain model are made once. A point is a defence at a strength, called "mid 0.6" or "none".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpmia_lab.checks import Mistake, did_you_mean
from dpmia_lab.defences.tables import TABLE_DEFENCES
from dpmia_lab.experiments import attributes
from dpmia_lab.experiments.attributes import Prepared
from dpmia_lab.options import option
from dpmia_lab.rows import PlainNames, Rows
from dpmia_lab.stages import Stage, part
from dpmia_lab.store import Result

TITLE = "Guess a sensitive attribute from a model of a table: error against leak, all defences and strengths"
NAMES = PlainNames(("measure", "defence", "attack", "protocol", "end"), frozenset({"test"}))
STRENGTH = {  # the field that says how strong a defence is; the others have no strength
    "mid": "lam",
    "adassp": "epsilon",
    "dp_id3": "epsilon",
    "dp_sgd": "epsilon",
    "priority": "priority",
    "ridge": "ridge",
    "rounding": "rounding",
    "noise": "noise",
    "mid_stop": "lam",
    "adassp_thirds": "epsilon",
}
VARIANTS = {  # the same defence with another setting beside its strength
    "mid_stop": ("mid", {"stop": True}),
    "adassp_thirds": ("adassp", {"joint": False}),
}
POINTS = (*TABLE_DEFENCES, *VARIANTS)  # their places are the numbers in the array ``defence``
STRENGTHS = {  # from weak to strong
    "regression": "none; mid 0.2 0.4 0.6 0.8 1.1 3; adassp 10 5 3 2 1; adassp_thirds 10 5 3 2 1; ridge 0.05 0.1 0.3 1; "
    "rounding 5 10 20; noise 2 4 8; drop",
    "tree": "none; mid 0.1 0.3 1 3 10; mid_stop 0.1 0.15 0.2 0.3 1 3 10; dp_id3 30 10 5 2 1; priority 0 1 2 3 -1; drop",
    "mlp": "none; dp_sgd 10 5 2 1; rounding 0.1 0.5; noise 0.1 0.3; drop",
}


@dataclass(frozen=True)
class Config(attributes.Config):
    strengths: str = option("", 'points, such as "none; mid 0.4 1.1; drop" (default: a good choice for the model)')

    def __post_init__(self) -> None:
        super().__post_init__()
        self.points()

    def points(self) -> list[tuple[str, float]]:
        """Defence and strength; NaN for what has none."""
        return [point for piece in (self.strengths or STRENGTHS[self.model]).split(";") for point in points_of(piece)]


def points_of(text: str) -> list[tuple[str, float]]:
    name, *strengths = text.split() or [""]
    if name not in POINTS:
        known = did_you_mean(name, POINTS)
        raise Mistake(f"strengths must name a defence first, as in mid 0.4 1.1; one begins with {name!r}{known}.")
    try:
        values = [float(strength) for strength in strengths]
    except ValueError:
        raise Mistake(f"strengths must be numbers after the defence's name; one is {text.strip()!r}.") from None
    if bool(values) != (name in STRENGTH):
        rule = "at least one strength after" if name in STRENGTH else "no strength after"
        raise Mistake(f"strengths must have {rule} {name}; one is {text.strip()!r}.")
    return [(name, value) for value in values] or [(name, np.nan)]


SMALL = Config(people=200, splits=3, known=20, strengths="none; mid 0.6; drop")
PRESETS = {
    "patients": Config(splits=100),
    "survey": Config(data="survey_like", model="tree", splits=100, rounding=0.2, noise=0.2),
    "steak": Config(data="steak", model="tree", leaf=1, splits=100, rounding=0.2, noise=0.2),
}


def run(config: Config) -> Stage[Result]:
    """Arrays, by measure and attack: (points, S). Rows, and so numbers: of every point, mean and spread over splits."""
    names = (field for field in attributes.Config.__dataclass_fields__)
    base = attributes.Config(**{name: getattr(config, name) for name in names})
    return (yield from curve(base, config.points()))


def curve(
    config: attributes.Config, points: Sequence[tuple[str, float]], prepared: Prepared | None = None
) -> Stage[Result]:
    """The same for any list of (defence, strength)."""
    prepared = prepared if prepared is not None and prepared.fits(config) else Prepared(config)
    found, rows = [], []
    for place, point in enumerate(points):
        stage = attributes.run(at_strength(config, *point), prepared)
        name = point_name(*point)
        result = yield from part(stage, place / len(points), (place + 1) / len(points), name)
        found.append(result.arrays)
        told = (row for row in result.rows if not row.measure.endswith("_plain") and row.protocol != "plain")
        rows += [replace(row, defence=name) for row in told if row.measure not in attributes.MEASURES[3:]]
    kept = [name for name, array in found[0].items() if array.shape == (config.splits,)
            and not name.startswith("shown") and not name.endswith("_plain")]  # fmt: skip
    arrays: dict[str, np.ndarray] = {name: np.stack([one[name] for one in found]) for name in kept}
    arrays["defence"] = np.array([POINTS.index(defence) for defence, _ in points])
    arrays["strength"] = np.array([strength for _, strength in points])
    return Result({}, arrays, Rows(tuple(rows), NAMES))


def averaged_points(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """A value a point: means over splits and their ``…_sd``, as they ship."""
    averaged = {name: arrays[name] for name in ("defence", "strength")}
    for name, values in arrays.items():
        if name not in averaged:
            averaged |= {name: values.mean(1), f"{name}_sd": values.std(1, ddof=1)}
    return averaged


def at_strength(config: attributes.Config, defence: str, strength: float) -> attributes.Config:
    name, setting = VARIANTS.get(defence, (defence, {}))
    if defence not in STRENGTH:
        return replace(config, defence=name)
    kind = type(getattr(config, STRENGTH[defence]))
    return replace(config, defence=name, **{STRENGTH[defence]: kind(strength)}, **setting)


def point_name(defence: str, strength: float) -> str:
    return defence if defence not in STRENGTH else f"{defence} {strength:.12g}"


def defence_points(arrays: Mapping[str, np.ndarray], defence: str) -> np.ndarray:
    """The places among a curve's points that belong to a defence, of a result or of a shipped one."""
    return np.flatnonzero(np.asarray(arrays["defence"]) == POINTS.index(defence))
