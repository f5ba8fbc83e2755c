"""Original against enhanced attack, on every measure, over several seeds (the shape of A's Tables I and II).

For each seed one recogniser and one judge; all contenders attack the same recogniser.
"""

from dataclasses import dataclass, fields, replace

from dpmia_lab.checks import whole
from dpmia_lab.experiments import inversion, inversion_measures
from dpmia_lab.experiments.repeats import averaged, repeated
from dpmia_lab.game.drawing import BASELINES, baseline_pictures, typical_pictures
from dpmia_lab.options import option
from dpmia_lab.rows import Rows
from dpmia_lab.stages import Progress, Snapshot, Stage, part
from dpmia_lab.store import Result

TITLE = "Original against enhanced inversion, over several seeds"

# The attack's own fields; everything else comes from the comparison's Config.
FACE_ATTACKS = {
    "original": inversion.PRESETS["faces-original"],
    "published": inversion.PRESETS["faces-published"],
    "enhanced": inversion.PRESETS["faces"],
    "ours": replace(inversion.PRESETS["faces"], prior="l1+tv", lam=1e-5, smooth=1.0),
}
DIGIT_ATTACKS = {
    "original": inversion.PRESETS["digits-original"],
    "published": inversion.PRESETS["digits-published"],
    "enhanced": inversion.PRESETS["digits"],
    "ours": replace(inversion.PRESETS["digits"], prior="l1+tv", smooth=0.7),
}
CONTENDERS = {
    "original": "original attack",
    "published": "enhanced, settings as published",
    "enhanced": "enhanced, settings of this lab",
    "ours": "this lab's prior, then a blur",
}


def attacks_on(data: str) -> dict[str, inversion.Config]:
    return DIGIT_ATTACKS if data.split(":")[0] in ("digits", "mnist", "mnist_varied") else FACE_ATTACKS


@dataclass(frozen=True)
class Config(inversion.TargetConfig):
    longest: int = option(5000, "no attack takes more steps than this (5000 as published for digits)")
    repeats: int = option(5, "how many seeds, from the given one upwards")
    seed: int = option(0, "the first seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(1, 1000, repeats=self.repeats)
        whole(1, 20_000, longest=self.longest)
        whole(0, 2**31 - self.repeats, seed=self.seed)

    def attack(self, contender: str, repeat: int) -> inversion.Config:
        """The contender's attack on this comparison's data and model, in that repeat."""
        chosen = attacks_on(self.data)[contender]
        return replace(
            chosen,
            **{shared.name: getattr(self, shared.name) for shared in fields(inversion.TargetConfig)},
            steps=min(chosen.steps, self.longest),
            seed=self.seed + repeat,
        )


SMALL = Config(data="digits", repeats=2, longest=10)
PRESETS = {
    "faces": Config(),
    "digits": Config(data="mnist", model="cnn"),
    "att_faces": Config(data="att_faces", height=112),
}


def run(config: Config) -> Stage[Result]:
    """Numbers: ``MEASURE_mean_CONTENDER`` averaged over seeds, and its standard deviation ``…_sd``."""
    return averaged((yield from repeated(config, one_repeat)))


def rows_of(numbers: dict[str, float]) -> Rows:
    """The rows of a result whose plain names are known, such as a shipped one's."""
    return inversion_measures.rows_of(numbers, (*CONTENDERS, *BASELINES))


def one_repeat(config: Config, repeat: int) -> Stage[Result]:
    base = config.attack("original", repeat)
    yield Progress(0, 1, "loading data")
    data = inversion.loaded(base)
    yield Snapshot("truth", 0, typical_pictures(data))
    model = yield from part(inversion.trained_target(base, data), 0.0, 0.1)
    judge = yield from part(inversion.trained_judge(base, data), 0.1, 0.3)
    drawn = {}
    for i, contender in enumerate(CONTENDERS):
        attack = inversion.attacked(config.attack(contender, repeat), data, model)
        drawn[contender], _ = yield from part(attack, 0.3 + 0.1 * i, 0.4 + 0.1 * i)
        yield Snapshot(contender, repeat, drawn[contender])
    subjects = {**drawn, **baseline_pictures(data, base.seed)}
    result = yield from part(inversion_measures.measured(data, model, judge, subjects), 0.7, 1.0)
    pictures = {f"picture_{contender}": x for contender, x in drawn.items()}
    return replace(result, arrays={**pictures, **result.arrays})
