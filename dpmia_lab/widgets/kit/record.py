"""A record of what a reader did on a page: a JSON file that carries its own digest and the runs behind every tick.

The digest shows that the file is as the page wrote it, barring somebody who computes it anew. What makes a tick
checkable are the settings inside: whoever has the lab can run them again (``dpmia-lab record FILE --repeat``).
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from html import unescape
from pathlib import Path
from re import sub
from typing import Any
from urllib.parse import urlencode

from dpmia_lab import __version__
from dpmia_lab.checks import Mistake
from dpmia_lab.options import text_of
from dpmia_lab.store import code_fingerprint
from dpmia_lab.widgets.kit.runs import Run, settings_of

DIGEST, FORM = "sha256", "dpmia_lab record 1"


# ---- what stands behind a tick
def evidence(behind: Iterable[Run | Mapping[str, Any]]) -> list[dict]:
    """Runs with all that is needed to repeat them; of what was only set on the page, its settings."""
    return [run_entry(one) if isinstance(one, Run) else {"settings": plain(dict(one))} for one in behind]


def run_entry(run: Run) -> dict:
    from dpmia_lab.experiments import EXPERIMENTS  # all of them, and only when something is done

    name = next(name for name, experiment in EXPERIMENTS.items() if type(run.config) is experiment.Config)
    numbers = plain(run.result.numbers)
    return {
        "experiment": name,
        "config": plain(settings_of(run)),
        "link": full_link(run.config),
        "own file": Path(run.config.data).name != run.config.data,
        "numbers": numbers,
        "numbers sha256": digest(numbers),
        "computed": run.about,
    }


def full_link(config: Any) -> str:
    """Every setting that a link may carry, so that no preset of a later version changes what it means."""
    return "?" + urlencode({o.name: text_of(getattr(config, o.name)) for o in fields(config) if o.metadata["in_links"]})


# ---- signing
def plain(value: Any) -> Any:
    """As JSON can carry it: numbers that are none become words."""
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    return float(value) if math.isfinite(value) else str(float(value))


def canonical(content: Any) -> str:
    """One text for one content, whatever the order it was written in."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(content: Any) -> str:
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def signed(content: dict) -> dict:
    about = {"form": FORM, "lab": __version__, "code": code_fingerprint()}
    whole = {**about, **content}
    return {**whole, DIGEST: digest(whole)}


def opened(text: str) -> dict:
    """A record's content; raises Mistake if it is none, or not as it was written."""
    try:
        whole = json.loads(text)
        content = {name: value for name, value in whole.items() if name != DIGEST}
        claimed, form = whole[DIGEST], whole["form"]
    except (ValueError, AttributeError, KeyError):
        raise Mistake("This must be a record that a page of the lab has written; it is not.") from None
    if form != FORM:
        raise Mistake(f"The record must have the form {FORM!r}; it has {form!r}.")
    if digest(content) != claimed:
        raise Mistake("The record must be as the page wrote it; it was changed since, for its digest does not fit.")
    return content


def without_tags(html: str) -> str:
    return unescape(sub(r"<[^>]*>", "", html))
