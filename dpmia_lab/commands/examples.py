"""Help that shows how: examples under every command, and the nearest name for one that is not known."""

import argparse
import re
from typing import Any, NoReturn

from dpmia_lab.checks import did_you_mean
from dpmia_lab.experiments import EXPERIMENTS

# command → lines that can be typed as they are
EXAMPLES = {f"run {name}": [f"dpmia-lab run {name} --seed 3 --json result.json"] for name in EXPERIMENTS}
EXAMPLES |= {
    "dpmia-lab": [
        "dpmia-lab list",
        "dpmia-lab run inversion --preset faces --seed 3",
        "dpmia-lab epsilon --sigma 1.1 --q 0.004 --steps 15000 --delta 1e-5",
        "dpmia-lab run private_training --help",
    ],
    "run": ["dpmia-lab run inversion --people 10 --steps 100", "dpmia-lab run membership --help"],
    "data": ["dpmia-lab data list"],
    "slides": ["dpmia-lab slides 4 --open", "dpmia-lab slides 4 --out lecture.html --lab http://lab.example.org"],
    "report": [
        "dpmia-lab report --data my.npz --out report.html",
        "dpmia-lab report --data my.npz --model my_models:small_net --defence central --defence stopping --seeds 5",
        "dpmia-lab report --data digits --small --seeds 1 --out trial.html",
    ],
    "run inversion": [
        "dpmia-lab run inversion --preset faces-original --people 10",
        "dpmia-lab run inversion --data digits --lam 1e-4 --steps 100 --json result.json --arrays pictures.npz",
    ],
    "run inversion_comparison": ["dpmia-lab run inversion_comparison --data digits --repeats 2 --longest 100"],
    "run private_training": [
        "dpmia-lab run private_training --preset digits --sigma 2 --budget 3",
        "dpmia-lab run private_training --data digits --unit class --json result.json",
    ],
    "run hiding": ["dpmia-lab run hiding --preset faces --accuracy 0.7"],
    "run as_published": ["dpmia-lab run as_published --preset record --data mnist --steps 40 --longest 200"],
    "run privacy_sweep": ["dpmia-lab run privacy_sweep --data digits --sigma 2 --repeats 3"],
    "run membership": [
        "dpmia-lab run membership --preset skewed --defence central --z 2 --rate 0.01",
        "dpmia-lab run membership --records 500 --inside 0 --json result.json",
        "dpmia-lab run membership --defence dap --r 1 --data my.npz --records 200 --json result.json",
    ],
    "run fooling": [
        "dpmia-lab run fooling --preset digits --r 2 --layers all --json result.json",
        "dpmia-lab run fooling --defence relaxloss --alpha 0.5 --records 300",
    ],
    "run playground": [
        "dpmia-lab run playground --defence central --sigma 2 --json result.json --arrays result.npz",
        "dpmia-lab run playground --data purchases_like --defence mid --lam 0.1",
    ],
    "run fooling_table": ['dpmia-lab run fooling_table --columns "stopping dap_t relaxloss" --repeats 2'],
    "run mechanisms": ["dpmia-lab run mechanisms --preset purchases --zs 0.5,2,8 --epsilons 1,3 --json result.json"],
    "run evaluation": ["dpmia-lab run evaluation --preset small --epsilon 4 --models 10"],
    "run attributes": [
        "dpmia-lab run attributes --defence mid --lam 1.1 --json result.json",
        "dpmia-lab run attributes --preset survey --defence dp_id3 --epsilon 5",
        "dpmia-lab run attributes --data my.csv --outcome COLUMN --sensitive COLUMN --model tree --json result.json",
    ],
    "run attribute_curves": ['dpmia-lab run attribute_curves --splits 20 --strengths "none; mid 0.4 1.1; drop"'],
    "run confidences": [
        "dpmia-lab run confidences --defence mid --lam 0.03 --json result.json",
        "dpmia-lab run confidences --data att_faces --defence dp_sgd --sigma 0.2",
        "dpmia-lab run confidences --data my.npz --json result.json --arrays pictures.npz",
    ],
    "run confidence_curves": ['dpmia-lab run confidence_curves --repeats 1 --strengths "none; mid 0.03; label_only"'],
    "run comparing": [
        "dpmia-lab run comparing --preset faces --defence mid --mid_lam 0.03 --json result.json",
        "dpmia-lab run comparing --preset patients --defence central --epsilon 4",
    ],
    "compare": [
        "dpmia-lab compare --data faces --small",
        "dpmia-lab compare --data patients --defence central --defence mid --seeds 3 --json grid.json",
        "dpmia-lab compare --data my.npz --set records=200 --folder cells",
        "dpmia-lab compare --data my.csv --outcome COLUMN --sensitive COLUMN --small",
        "dpmia-lab compare --fits --data patients",
    ],
    "epsilon": [
        "dpmia-lab epsilon --sigma 1.1 --q 0.004 --steps 15000 --delta 1e-5",
        "dpmia-lab epsilon --sigma 2 --q 0.1 --steps 300 --units 280 --neighbours replace-one",
    ],
    "sigma": ["dpmia-lab sigma --epsilon 3 --q 0.1 --steps 300 --delta 1e-5"],
    "steps": ["dpmia-lab steps --epsilon 3 --sigma 2 --q 0.1 --delta 1e-5"],
    "sweep": [
        "dpmia-lab sweep private_training --preset digits --grid sigma=0.5,1,2 --seeds 5",
        "dpmia-lab sweep inversion --set data=digits --grid prior=l1,l1+tv --grid lam=1e-4,1e-3 --folder cells",
    ],
    "grade": [
        "dpmia-lab grade worksheet_04_were_you_in.ipynb",
        "dpmia-lab grade ada.ipynb alan.ipynb --csv marks.csv",
    ],
    "check": [
        "dpmia-lab check dpmia_lab_my_work.json",
        "dpmia-lab check dpmia_lab_my_work.json --read-only",
        "dpmia-lab check handed_in/ --csv class.csv",
    ],
    "table": [
        "dpmia-lab table ~/.cache/dpmia-lab/sweeps/private_training",
        "dpmia-lab table cells --csv every_cell.csv",
    ],
}
EXAMPLES |= {
    f"sweep {name}": [f"dpmia-lab sweep {name} --preset {next(iter(experiment.PRESETS))} --seeds 3"]
    for name, experiment in EXPERIMENTS.items()
}


def with_examples(lines: list[str], more: str = "") -> dict[str, Any]:
    """What a parser is to be made with, so that its help ends with them."""
    epilog = "examples:\n" + "".join(f"  {line}\n" for line in lines) + (f"\n{more}" if more else "")
    return {"epilog": epilog.replace("%", "%%"), "formatter_class": argparse.RawDescriptionHelpFormatter}


class Parser(argparse.ArgumentParser):
    """Answers a name that is nearly right in one sentence; anything else as ever."""

    def parse_known_args(self, args=None, namespace=None):
        """An unknown option is refused by the very command it was given to, which knows the near ones."""
        known = self._option_string_actions
        options = [word.partition("=")[0] for word in args or () if word.startswith("--")]
        for option in options if self._subparsers is None else ():
            if not any(other.startswith(option) for other in known):
                self.refuse(f"{option} is not an option of {self.prog}", option, known)
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        invalid = re.search(r"argument (\S+): invalid choice: '?([^' ]*)'? \(choose from (.*)\)", message)
        if invalid:
            what, given, choices = invalid.groups()
            names = [choice.strip("' ") for choice in choices.split(",")]
            self.refuse(f"{what} must be one of {', '.join(names)}; it is {given!r}", given, names)
        super().error(message)

    def refuse(self, sentence: str, given: str, known) -> None:
        """Where something is near; else nothing happens."""
        if near := did_you_mean(given, known):
            self.exit(2, f"{sentence}{near}.\n")
