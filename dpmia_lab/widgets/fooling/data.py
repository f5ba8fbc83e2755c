"""What lesson 9's page runs: the experiment, with several defences ready to be looked at."""

from dataclasses import replace
from types import SimpleNamespace

from dpmia_lab.data.mnist import five_thousand_file
from dpmia_lab.experiments import fooling
from dpmia_lab.experiments.fooling import Config

RIVALS = {  # of carts, by the name of their preset
    "carts-dap_v": {"feed": "validation"},
    "carts-all": {"r": 2.0, "layers": "all"},
    "carts-relaxloss": {"defence": "relaxloss"},
    "carts-hamp": {"defence": "hamp"},
    "carts-none": {"defence": "none"},
}
FIRST = ("digits", "hospital", "carts")  # quick enough for a page


def presets() -> dict[str, Config]:
    """The first is what the page opens with: digits, where D really is fooled."""
    made = {name: fooling.PRESETS[name] for name in FIRST}
    return made | {name: replace(made["carts"], **changes) for name, changes in RIVALS.items()}


def quick_experiment() -> SimpleNamespace:
    return SimpleNamespace(Config=Config, PRESETS=presets(), SMALL=fooling.SMALL, run=fooling.run)


def offered_sets() -> list[tuple[str, str]]:
    """The data sets there are here, as (words, name)."""
    return [(words, name) for name, words in SETS.items() if name != "mnist" or five_thousand_file()]


SETS = {
    "purchases_like": "shopping carts (made up)",
    "hospital_like": "hospital stays (made up)",
    "mnist": "MNIST, 5,000 digits",
    "digits": "small digits",
    "faces": "generated faces",
    "objects": "coloured objects (generated)",
}
