"""Answers to a survey that nobody filled in, in which the outcome and a sensitive answer do hang together.

Nine questions on habits and circumstances lean on two hidden traits of a person, being settled and taking risks; so
does the sensitive one (was there an affair?). How happy the marriage is leans on the affair, on being settled and on
three of the open answers.
"""

import numpy as np

from .tables import Table, category

QUESTIONS = {  # name → labels, how each further label leans on (settled, risky), and its cut points
    "age": (("18 to 29", "30 to 44", "45 to 60", "over 60"), (0.7, -0.4), (-0.9, 0.0, 0.9)),
    "children": (("none", "one or two", "more"), (0.8, 0.0), (-0.4, 0.8)),
    "religious": (("not", "somewhat", "very"), (0.5, -0.5), (-0.5, 0.7)),
    "alcohol": (("no", "yes"), (0.0, 0.6), (-0.6,)),
    "gamble": (("no", "yes"), (0.0, 0.9), (0.3,)),
    "smoke": (("no", "yes"), (-0.2, 0.6), (0.9,)),
    "travels": (("seldom", "monthly", "weekly"), (-0.2, 0.4), (0.0, 1.0)),
    "income": (("low", "middle", "high"), (0.4, 0.1), (-0.6, 0.8)),
    "region": (("north", "south", "east", "west"), (0.0, 0.0), (-0.7, 0.0, 0.7)),
}
HAPPINESS = ("unhappy", "fair", "happy")
AFFAIR_AT = 0.8  # of the leaning: about one in four


def survey_like(people: int, rng: np.random.Generator) -> Table:
    """The outcome is happiness, the sensitive column the affair."""
    settled, risky = rng.standard_normal((2, people))
    codes = {}
    for name, (_, (by_settled, by_risky), cuts) in QUESTIONS.items():
        own = np.sqrt(max(0.05, 1 - by_settled**2 - by_risky**2))
        codes[name] = np.searchsorted(cuts, by_settled * settled + by_risky * risky + own * rng.standard_normal(people))
    affair = (0.35 * risky - 0.2 * settled + 0.15 * codes["travels"] + rng.standard_normal(people)) > AFFAIR_AT
    content = 0.3 * settled - 1.3 * affair + 0.6 * codes["religious"] + 0.5 * codes["income"] - 0.5 * codes["gamble"]
    happiness = np.searchsorted((-0.3, 0.9), content + 0.7 * rng.standard_normal(people))
    columns = [category(name, np.array(labels)[codes[name]], labels) for name, (labels, *_) in QUESTIONS.items()]
    columns.append(category("affair", np.where(affair, "yes", "no"), ("no", "yes")))
    columns.append(category("happiness", np.array(HAPPINESS)[happiness], HAPPINESS))
    note = "A survey that nobody filled in; no terms attached."
    return Table("survey_like", tuple(columns), "happiness", "affair", note)
