"""Configurations: frozen dataclasses that check themselves, to and from plain text.

A field's ``metadata`` holds its help line; the command line, links and pages are made from the fields.
"""

from collections.abc import Iterable
from dataclasses import Field, asdict, field, fields, make_dataclass, replace
from typing import Any, TypeVar

from dpmia_lab.checks import Mistake, one_of, shown

C = TypeVar("C")


def option(default: Any, help: str, in_links: bool = True, called: str = "") -> Any:
    """A field of a Config, with the line that explains it; one that names a file must not be set by a link.

    ``called``: what configurations call it, where that is not its own name.
    """
    return field(default=default, metadata={"help": help, "in_links": in_links, "called": called})


def options_of(part: Any) -> dict[str, Field]:
    """The fields of a dataclass that are options, by what configurations call them."""
    return {f.metadata["called"] or f.name: f for f in fields(part) if "help" in f.metadata}


def built_from(part: type[C], config: Any) -> C:
    """Such a part (a defence, say) with its options as they stand in a flat configuration."""
    return part(**{option.name: getattr(config, name) for name, option in options_of(part).items()})


def widened(base: type, parts: Iterable[type]) -> type:
    """The configuration with the options of all parts as fields of its own.

    So it stays flat (links, the command line and references live on that), and an option is written once, where it
    belongs.
    """
    options = [(name, f.type, f) for part in parts for name, f in options_of(part).items()]
    own = [(name, kind, field(default=f.default, metadata=f.metadata)) for name, kind, f in options]
    return make_dataclass(f"Wide{base.__name__}", own, bases=(base,), frozen=True)


def as_dict(config: Any) -> dict[str, Any]:
    return asdict(config)


def value_from_text(option: Field, text: str) -> Any:
    """``text`` as the option's type, or a Mistake that names the option."""
    kind = type(option.default)
    if kind is bool:
        truths = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if text.lower() not in truths:
            raise Mistake(f"{option.name} must be true or false; it is {shown(text)}.")
        return truths[text.lower()]
    try:
        return whole_number(text) if kind is int else kind(text)
    except ValueError:
        word = {int: "a whole number", float: "a number"}[kind]
        raise Mistake(f"{option.name} must be {word}; it is {shown(text)}.") from None


def whole_number(text: str) -> int:
    """Also 1e4; raises ValueError where it is none, as int does."""
    try:
        return int(text)
    except ValueError:
        if not float(text).is_integer():
            raise
        return int(float(text))


def with_text_values(config: C, texts: dict[str, str]) -> C:
    """The configuration with these fields changed, given as text (command line, link)."""
    options = {option.name: option for option in fields(config)}
    for name in texts:
        one_of(tuple(options), option=name)
    return replace(config, **{name: value_from_text(options[name], text) for name, text in texts.items()})


def changed_from(config: Any, base: Any) -> dict[str, str]:
    """The fields in which ``config`` differs from ``base``, as text: what a link must carry."""
    pairs = ((o.name, getattr(config, o.name), getattr(base, o.name)) for o in fields(config))
    return {name: text_of(value) for name, value, usual in pairs if value != usual}


def text_of(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def number_text(value: float) -> str:
    """As a control shows it: 0.001, 1e-4, 20."""
    if isinstance(value, int) or value == 0 or 0.001 <= abs(value) < 10_000:
        return f"{value:g}" if not isinstance(value, int) else f"{value}"
    return f"{value:.0e}".replace("e-0", "e-")
