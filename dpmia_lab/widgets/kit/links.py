"""Settings in the address: ``?preset=faces&lam=0.001&seed=3`` restores a configuration."""

import os
from dataclasses import fields
from types import ModuleType
from typing import Any
from urllib.parse import parse_qsl, urlencode

from dpmia_lab.checks import Mistake, one_of
from dpmia_lab.options import changed_from, with_text_values
from dpmia_lab.own_code import refuse_own_model


def page_query() -> str:
    """The part of the page's address after "?" (Voilà hands it over in the environment)."""
    return os.environ.get("QUERY_STRING", "")


def config_from_query(query: str, experiment: ModuleType, data_names: tuple[str, ...]) -> Any:
    """The configuration a link asks for; raises Mistake where it asks for nonsense.

    ``data_names`` are the sets the page offers: a link must not make the server open a file, nor run code.
    """
    texts = dict(parse_qsl(query))
    texts.pop("lang", None)  # the page's language, which is no setting
    preset = texts.pop("preset", usual_preset(experiment, data_names))
    one_of(tuple(experiment.PRESETS), preset=preset)
    allowed = [option.name for option in fields(experiment.Config) if option.metadata["in_links"]]
    for name in texts:
        one_of(allowed, option=name)
    config = with_text_values(experiment.PRESETS[preset], texts)
    one_of(data_names, data=config.data)
    refuse_own_model(config)
    return config


def usual_preset(experiment: ModuleType, data_names: tuple[str, ...]) -> str:
    """The first whose data there are here; where there are none, the first."""
    here = [name for name, preset in experiment.PRESETS.items() if preset.data in data_names]
    return next(iter(here or experiment.PRESETS))


def config_or_default(query: str, experiment: ModuleType, data_names: tuple[str, ...]) -> tuple[Any, str]:
    """The link's configuration and "", or the usual one and a sentence saying what is wrong with the link."""
    try:
        return config_from_query(query, experiment, data_names), ""
    except Mistake as mistake:
        usual = experiment.PRESETS[usual_preset(experiment, data_names)]
        return (
            usual,
            f"The link asks for something the lab cannot do: {mistake} The usual settings are shown.",
        )


def query_of(config: Any, experiment: ModuleType) -> str:
    """The shortest link to a configuration: the nearest preset, and what differs from it."""
    ways = {name: changed_from(config, preset) for name, preset in experiment.PRESETS.items()}
    preset = min(ways, key=lambda name: len(ways[name]))
    return "?" + urlencode({"preset": preset, **ways[preset]})
