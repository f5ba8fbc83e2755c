"""``dpmia-lab epsilon``, ``sigma`` and ``steps``: one from the others, by every accountant.

With ``--json FILE`` the answers are written as one object from accountant to number; null is "no guarantee".
"""

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path

from dpmia_lab.checks import Mistake
from dpmia_lab.commands.examples import EXAMPLES, with_examples
from dpmia_lab.files import check_writable, write_whole
from dpmia_lab.options import whole_number

HELP = {
    "epsilon": "the largest ε that may be spent",
    "sigma": "noise multiplier σ: the noise's standard deviation, in units of the clipping bound",
    "q": "chance with which each unit joins a step",
    "steps": "number of steps T",
}
ASKED = {
    "epsilon": ("sigma", "q", "steps"),
    "sigma": ("epsilon", "q", "steps"),
    "steps": ("epsilon", "sigma", "q"),
}
TITLES = {
    "epsilon": "what training costs: ε from σ, q and T",
    "sigma": "how much noise is needed: the smallest σ from ε, q and T",
    "steps": "how long training may last: the largest T from ε, σ and q",
}


def add_accounting(commands) -> None:
    for answer, given in ASKED.items():
        about = {"help": TITLES[answer], "description": TITLES[answer]}
        one = commands.add_parser(answer, **about, **with_examples(EXAMPLES[answer]))
        for name in given:
            one.add_argument(f"--{name}", required=True, metavar="VALUE", help=HELP[name])
        delta = one.add_mutually_exclusive_group(required=True)
        delta.add_argument("--delta", metavar="VALUE", help="the δ that goes with ε")
        delta.add_argument("--units", metavar="N", help="take δ as the largest power of ten below 1/N")
        one.add_argument(
            "--neighbours", default="add-remove", metavar="RELATION", help="add-remove (default) or replace-one"
        )
        one.add_argument("--json", type=Path, metavar="FILE", help="write the answers here")
        one.set_defaults(action=answer_question, answer=answer, given=given)


def answer_question(chosen: argparse.Namespace) -> None:
    from dpmia_lab.privacy import accounting

    setting = setting_of(chosen)
    check_writable(chosen.json)
    relation = accounting.NEIGHBOURS[setting["neighbours"]]
    print(f"Neighbours: {relation}; δ = {accounting.short(setting['delta'])}.")
    find = {"epsilon": accounting.epsilon, "sigma": accounting.sigma_for, "steps": accounting.steps_for}[chosen.answer]
    answers = {name: shown_answer(find, name, chosen.answer, setting) for name in accounting.ACCOUNTANTS}
    if chosen.json:
        write_whole(chosen.json, lambda file: file.write(json.dumps(answers, indent=1).encode()))


def setting_of(chosen: argparse.Namespace) -> dict:
    """What was typed, as checked numbers."""
    from dpmia_lab.privacy import accounting

    setting = {name: number(name, getattr(chosen, name)) for name in chosen.given}
    delta = chosen.delta
    setting["delta"] = (
        accounting.default_delta(number("units", chosen.units)) if delta is None else number("delta", delta)
    )
    setting["neighbours"] = chosen.neighbours
    accounting.check_setting(**setting)
    return setting


def number(name: str, text: str) -> float | int:
    kind, words = (whole_number, "a whole number") if name in ("steps", "units") else (float, "a number")
    try:
        return kind(text)
    except ValueError:
        raise Mistake(f"{name} must be {words}; it is {text!r}.") from None


def shown_answer(find: Callable, accountant: str, answer: str, setting: dict) -> float | int | None:
    """Print one accountant's answer with its words, and return it; None where it gives no guarantee."""
    from dpmia_lab.privacy import accounting

    words = accounting.ACCOUNTANTS[accountant]
    try:
        value = find(accountant, **setting)
    except accounting.Unreachable as mistake:
        print(f"{accountant:18} no answer      {words.words}\n{'':18} {mistake}")
        return None
    symbol = {"epsilon": "ε", "sigma": "σ", "steps": "T"}[answer]
    form = {"epsilon": lambda spent: accounting.epsilon_text(spent, 6), "sigma": "{:.6g}".format, "steps": str}[answer]
    said = "no guarantee" if math.isinf(value) else f"{symbol} = {form(value)}"
    print(f"{accountant:18} {said:14} {words.words} ({words.explanation})")
    if accountant == "paper-closed-form":
        show_conditions(**{**setting, answer: value})
    return None if math.isinf(value) else value


def show_conditions(sigma: float, q: float, steps: int, delta: float, neighbours: str, epsilon: float) -> None:
    """The formula's own ε, and each of its conditions as met or broken."""
    from dpmia_lab.privacy.accounting import epsilon_text
    from dpmia_lab.privacy.paper import closed_form

    if sigma == 0 or q == 0 or steps == 0:
        return
    answer = closed_form(sigma, q, steps, delta, neighbours)
    print(f"{'':18} the formula says ε = {epsilon_text(answer.epsilon, 4)}; its conditions:")
    for condition in answer.conditions:
        state = "met" if condition.met else "broken"
        print(f"{'':18} {state:7} {condition.words}: {condition.left_value:.4g} against {condition.right_value:.4g}")
