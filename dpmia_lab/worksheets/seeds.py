"""A seed for every student, from the name alone: own numbers to measure, and a copied number shows whose it is."""

import unicodedata

from dpmia_lab.checks import Mistake
from dpmia_lab.seeds import derived_seed

MOST = 1_000_000  # six digits can be typed; of thirty students two share a seed once in 2,300 classes
LONGEST = 100  # letters of a name


def plain_name(name: str) -> str:
    """The same however it is typed: capitals, accents and spaces do not matter."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return " ".join("".join(letter for letter in letters if not unicodedata.combining(letter)).split())


def check_name(name) -> None:
    if not isinstance(name, str) or not any(letter.isalpha() for letter in name) or len(name) > LONGEST:
        raise Mistake(f"name must be your full name, at most {LONGEST} letters; it is {str(name)[:LONGEST]!r}.")


def student_seed(name: str) -> int:
    """From 1 to a million; never 0, which is everybody's default."""
    check_name(name)
    return 1 + derived_seed(0, "student", plain_name(name)) % MOST
