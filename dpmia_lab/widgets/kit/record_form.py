"""Records that were handed in: read as what they are, somebody else's file.

Everything is checked before it is used: size, form, types, lengths, digests. What is wrong is one sentence; nothing
that a record names is opened or run here.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dpmia_lab.checks import Mistake
from dpmia_lab.widgets.kit.record import COURSE_FORM, DIGEST, LESSON_FORM, PLACES, digest

MOST_BYTES = 20_000_000
NONE = "This must be a record that a page of the lab has written; it is not."
CHANGED = "The record must be as the page wrote it; it was changed since, for its digest does not fit"
Form = Callable[[str, Any], None]  # place in the record, value


@dataclass(frozen=True)
class Handed:
    """A lesson's record, or the course's: ``parts`` are the lessons'."""

    name: str
    taken: str
    lab: str
    digest: str
    parts: list[dict]


def opened(content: bytes) -> Handed:
    """What a record holds; raises Mistake if it is none, or not as it was written."""
    if len(content) > MOST_BYTES:
        raise Mistake(f"A record must have at most {MOST_BYTES:,} bytes; this has {len(content):,}.")
    try:
        whole = checked(json.loads(content.decode("utf-8"), parse_constant=refuse_constant))
    except Mistake:
        raise
    except (ValueError, RecursionError):  # no text, no JSON, numbers that JSON has not, nested without end
        raise Mistake(NONE) from None
    parts = whole["lessons"] if whole["form"] == COURSE_FORM else [whole]
    return Handed(whole["name"], whole["taken"], whole["lab"], whole[DIGEST], parts)


def refuse_constant(word: str) -> None:
    raise ValueError(word)  # NaN and Infinity, which Python would take


def checked(whole: Any) -> dict:
    """A record of either kind, or a Mistake."""
    if not isinstance(whole, dict) or DIGEST not in whole or "form" not in whole:
        raise Mistake(NONE)
    if whole["form"] not in (LESSON_FORM, COURSE_FORM):
        refuse("form", f"{LESSON_FORM!r} or {COURSE_FORM!r}", whole["form"])
    (LESSON if whole["form"] == LESSON_FORM else COURSE)("record", whole)
    check_digests(whole)
    return whole


def check_digests(whole: dict) -> None:
    if digest({name: value for name, value in whole.items() if name != DIGEST}) != whole[DIGEST]:
        raise Mistake(f"{CHANGED}.")
    for part in whole.get("lessons", ()):
        check_digests(part)
    for entry in runs_of(whole):
        if digest(entry["numbers"]) != entry["numbers sha256"]:
            raise Mistake(f"{CHANGED} the numbers of a run of {entry['experiment']}.")


def runs_of(part: dict) -> list[dict]:
    """Every run of a lesson, those behind tasks first; of the course's own record none."""
    behind = [entry for task in part.get("tasks", ()) for entry in task["behind"] if "config" in entry]
    return behind + part.get("runs", [])


# ---- forms
def refuse(place: str, rule: str, value: Any) -> None:
    shown = repr(value)
    raise Mistake(f"In a record, {place} must be {rule}; it is {shown if len(shown) <= 60 else shown[:57] + '…'}.")


def is_a(rule: str, holds: Callable[[Any], bool]) -> Form:
    def check(place: str, value: Any) -> None:
        if not holds(value):
            refuse(place, rule, value)

    return check


def is_time(value: Any) -> bool:
    try:
        return isinstance(value, str) and len(value) <= 40 and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def is_whole(most: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and 0 <= value <= most


def words(most: int) -> Form:
    return is_a(f"text of at most {most:,} characters", lambda value: isinstance(value, str) and len(value) <= most)


def list_of(form: Form, most: int) -> Form:
    def check(place: str, value: Any) -> None:
        if not isinstance(value, list) or len(value) > most:
            refuse(place, f"a list of at most {most:,}", value)
        for number, one in enumerate(value):
            form(f"{place}[{number}]", one)

    return check


def named(form: Form, most: int) -> Form:
    """Any names, each with such a value."""

    def check(place: str, value: Any) -> None:
        if not isinstance(value, dict) or len(value) > most or any(len(name) > 200 for name in value):
            refuse(place, f"at most {most:,} names with values", value)
        for name, one in value.items():
            form(f"{place}, {name}", one)

    return check


def with_parts(forms: dict[str, Form]) -> Form:
    """Exactly these names, each of its own form."""

    def check(place: str, value: Any) -> None:
        if not isinstance(value, dict) or value.keys() != forms.keys():
            refuse(place, f"made of {', '.join(forms)}", list(value) if isinstance(value, dict) else value)
        for name, form in forms.items():
            form(f"{place}, {name}", value[name])

    return check


def settings_or_run(place: str, value: Any) -> None:
    (SETTINGS if isinstance(value, dict) and "settings" in value else RUN)(place, value)


def is_number(value: Any) -> bool:
    """JSON's whole numbers have no end, and its fractions may be too large for one."""
    return type(value) in (int, float) and -1e308 <= value <= 1e308


def is_result(value: Any) -> bool:
    """Those that JSON has not are written as words."""
    return is_number(value) or value in ("nan", "inf", "-inf")


LINE, PROSE, TIME = words(400), words(8_000), is_a("a time with its zone", is_time)
HEX = is_a("a SHA-256", lambda value: isinstance(value, str) and bool(re.fullmatch("[0-9a-f]{64}", value)))
SCALAR = is_a(
    "a number, true, false or a short text",
    lambda value: is_number(value) or isinstance(value, bool) or (isinstance(value, str) and len(value) <= 400),
)
SETTINGS = with_parts({"settings": named(SCALAR, 100)})
RUN = with_parts(
    {
        "experiment": LINE,
        "config": named(SCALAR, 200),
        "link": PROSE,
        "own file": is_a("true or false", lambda value: isinstance(value, bool)),
        "numbers": named(is_a("a number", is_result), 5_000),
        "numbers sha256": HEX,
        "computed": LINE,
        "at": TIME,
        "code": HEX,
    }
)
PREDICTION = with_parts({"question": PROSE, "at": TIME, "first": PROSE, "now": PROSE, "said": PROSE})
TASK = with_parts({"task": LINE, "at": TIME, "said": PROSE, "behind": list_of(settings_or_run, 100)})
PAGE = with_parts(
    {
        "number": is_a("the number of a lesson", is_whole(100)),
        "title": LINE,
        "file": is_a("a page of the lab", lambda value: isinstance(value, str) and value in PLACES),
        "tasks": is_a("a whole number from 0 to 100", is_whole(100)),
    }
)
ABOUT = {"form": LINE, "lab": LINE, "code": HEX, "name": LINE, "taken": TIME, DIGEST: HEX}
LESSON = with_parts(
    {
        **ABOUT,
        "lesson": PAGE,
        "predictions": list_of(PREDICTION, 200),
        "tasks": list_of(TASK, 100),
        "runs": list_of(RUN, 200),
    }
)
COURSE = with_parts({**ABOUT, "lessons": list_of(LESSON, len(PLACES))})
