"""Settings in the address: every link leads back to its settings, and nonsense is answered."""

from dataclasses import fields, replace
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import EXPERIMENTS, inversion
from dpmia_lab.widgets.kit import links

MENU = ("faces", "digits", "mnist", "mnist_varied", "att_faces")
WHOLE = ("mnist:download",)  # lesson 3's operating points; no page runs them
RECORDS = ("purchases_like", "skewed_purchases", "hospital_like", "collaboration", "objects")  # lessons 4, 5 and 9
every_experiment = pytest.mark.parametrize("name", EXPERIMENTS)
TABLES = ("warfarin_like", "survey_like", "steak", "marriage")


def back(config, experiment=inversion):
    query = links.query_of(config, experiment).removeprefix("?")
    return links.config_from_query(query, experiment, MENU + RECORDS + WHOLE + TABLES)


@every_experiment
def test_every_preset_has_a_link_that_leads_back_to_it(name):
    experiment = EXPERIMENTS[name]
    for preset, config in experiment.PRESETS.items():
        assert links.query_of(config, experiment) == f"?preset={preset}"
        assert back(config, experiment) == config


# Links that readers of an earlier version may have kept, and what they asked for.
OLD = [
    ("inversion", "preset=faces&lam=0.001&seed=3", {"lam": 0.001, "seed": 3}),
    ("private_training", "preset=digits-hidden-layer&k_sub=9&unit=subclass", {"k_sub": 9, "unit": "subclass"}),
    ("hiding", "preset=digits-cnn&rate=0.75&longest=40", {"rate": 0.75, "longest": 40}),
    ("membership", "preset=skewed&defence=central&z=2.0&clip=1.0", {"defence": "central", "z": 2.0, "clip": 1.0}),
    ("membership", "preset=purchases&defence=local&epsilon_i=3.0&cell=2&reach=4", {"epsilon_i": 3.0, "reach": 4}),
    ("membership", "defence=regularised&dropout=0.5&augment=true&patience=5", {"dropout": 0.5, "patience": 5}),
    ("mechanisms", "preset=skewed-10&zs=1%2C2&epsilons=0.5&central_rate=0.02", {"zs": "1,2", "central_rate": 0.02}),
    ("evaluation", "preset=att&epsilon=6.0&sigma=4.0&ssim_models=2", {"epsilon": 6.0, "ssim_models": 2}),
]


@pytest.mark.parametrize(("name", "query", "asked"), OLD)
def test_a_link_of_an_earlier_version_still_opens_what_it_asked_for(name, query, asked):
    config = links.config_from_query(query, EXPERIMENTS[name], MENU + RECORDS)
    assert {field: getattr(config, field) for field in asked} == asked


def test_a_link_cannot_make_the_server_open_a_file():
    for query in ("data=/etc/passwd", "weights=/etc/passwd"):
        with pytest.raises(Mistake, match="must be one of"):
            links.config_from_query(query, EXPERIMENTS["membership"], MENU)


any_config = some.builds(
    inversion.Config,
    data=some.sampled_from(MENU),
    people=some.integers(2, 100),
    pictures=some.integers(4, 30),
    height=some.integers(16, 224),
    model=some.sampled_from(inversion.MODELS),
    attack=some.sampled_from(inversion.CHOICES),
    prior=some.sampled_from(inversion.PRIORS),
    lam=some.floats(0, 1e6),
    steps=some.integers(1, 20_000),
    rate=some.floats(0, 1e6, exclude_min=True),
    box=some.booleans(),
    process=some.sampled_from(inversion.PROCESSES),
    smooth=some.floats(0, 10),
    seed=some.integers(0, 2**31 - 1),
)


@settings(max_examples=60, deadline=None)
@given(any_config)
def test_any_valid_config_survives_its_link(config):
    assert back(config) == config


a_name = some.sampled_from(["preset", "colour", *(option.name for option in fields(inversion.Config))])
a_value = some.one_of(some.text(max_size=8), some.integers().map(str), some.floats().map(str), some.sampled_from(MENU))


@settings(max_examples=100, deadline=None)
@given(some.one_of(some.text(max_size=40), some.dictionaries(a_name, a_value, max_size=4).map(urlencode)))
def test_no_link_whatsoever_breaks_the_page(query):
    config, sentence = links.config_or_default(query, inversion, MENU)
    assert config.data in MENU
    assert sentence == "" or config == inversion.PRESETS["faces"]


@pytest.mark.parametrize(
    ("query", "part"),
    [
        ("steps=0", "steps must be a whole number from 1 to 20000; it is 0."),
        ("steps=many", "steps must be a whole number; it is 'many'."),
        ("lam=nan", "lam must be 0 or more; it is nan."),
        ("preset=none", "preset must be one of faces, "),
        ("colour=red", "option must be one of data, "),
        ("data=/etc/passwd", "data must be one of faces, digits, mnist, mnist_varied, att_faces; it is '/etc/passwd'."),
        ("data=mnist:/tmp", "data must be one of"),
        ("data=..%2Fsecret.npz", "it is '../secret.npz'."),
    ],
)
def test_a_bad_link_is_answered_with_the_sentence_and_the_usual_settings(query, part):
    config, sentence = links.config_or_default(query, inversion, MENU)
    assert config == inversion.PRESETS["faces"]
    assert part in sentence and sentence.startswith("The link asks for something the lab cannot do: ")
    with pytest.raises(Mistake):
        links.config_from_query(query, inversion, MENU)


def test_where_the_usual_data_are_missing_the_next_preset_is_shown():
    """The page of lesson 4 opens with digits that a package brings along; without it, with what is generated."""
    membership = EXPERIMENTS["membership"]
    assert links.config_or_default("", membership, MENU + RECORDS) == (membership.PRESETS["digits"], "")
    assert links.config_or_default("", membership, RECORDS) == (membership.PRESETS["purchases"], "")


def test_a_link_changes_only_what_it_names():
    config = links.config_from_query("preset=digits&lam=0.5&seed=3", inversion, MENU)
    assert config == replace(inversion.PRESETS["digits"], lam=0.5, seed=3)


def test_the_query_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("QUERY_STRING", "seed=4")
    assert links.page_query() == "seed=4"
    monkeypatch.delenv("QUERY_STRING")
    assert links.config_from_query(links.page_query(), inversion, MENU) == inversion.PRESETS["faces"]
