"""What lesson 8's page runs: the experiment, with pictures and judge kept, and the settings that have a run ready."""

from dataclasses import replace
from types import SimpleNamespace

from dpmia_lab.experiments import confidences
from dpmia_lab.experiments.confidences import Config, Prepared
from dpmia_lab.stages import Stage
from dpmia_lab.store import Result

READY = (0.01, 0.03, 0.06, 0.1)  # λ at which a run ships, besides 0: there the slider shows pictures at once


class Kept:
    """Pictures and judge of the latest data: the hook and every run with the same people share them."""

    def __init__(self) -> None:
        self.prepared: Prepared | None = None

    def of(self, config: Config) -> Prepared:
        if self.prepared is None or not self.prepared.fits(config):
            self.prepared = Prepared(config)
        return self.prepared


SHARED = Kept()


def presets() -> dict[str, Config]:
    """The page begins with MID at λ = 0, which is no defence yet: λ is then the dial that stands there."""
    given = {name: replace(preset, defence="mid") for name, preset in confidences.PRESETS.items()}
    faces = {f"faces-mid-{lam:g}": replace(given["faces"], lam=lam) for lam in READY}
    rivals = {f"faces-{name}": replace(given["faces"], defence=name) for name in ("label_smoothing", "dp_sgd")}
    return {"faces": replace(given.pop("faces"), lam=0.0), **faces, **rivals, **given}


def quick_experiment(kept: Kept = SHARED) -> SimpleNamespace:
    def run(config: Config) -> Stage[Result]:
        return (yield from confidences.run(config, kept.of(config)))

    return SimpleNamespace(Config=Config, PRESETS=presets(), SMALL=confidences.SMALL, run=run)
