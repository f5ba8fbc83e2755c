"""FiveThirtyEight's survey "How Americans like their steak" (2014), CC BY 4.0: github.com/fivethirtyeight/data.

``steak.csv`` is their file with shorter column names and without the numbers of the forms, otherwise unchanged: 550
people, 430 of whom name a way of cooking.
"""

import csv
from pathlib import Path

from .tables import Table, category

FILE = Path(__file__).with_name("steak.csv")
OUTCOME, SENSITIVE = "steak_prep", "cheated"
ORDERED = {
    "steak_prep": ("Rare", "Medium rare", "Medium", "Medium Well", "Well"),
    "cheated": ("No", "Yes"),
}
LEFT_OUT = "eat_steak"  # "Yes" for all who say how
NO_ANSWER = "no answer"


def steak_survey() -> Table:
    """Those who say how they like steak and whether they ever cheated; other blanks are an answer of their own."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row[OUTCOME] and row[SENSITIVE]]
    names = [name for name in rows[0] if name != LEFT_OUT]
    columns = [category(name, [row[name] or NO_ANSWER for row in rows], ORDERED.get(name, ())) for name in names]
    note = "FiveThirtyEight, How Americans like their steak (2014), CC BY 4.0; blanks are read as “no answer”."
    return Table("steak", tuple(columns), OUTCOME, SENSITIVE, note)
