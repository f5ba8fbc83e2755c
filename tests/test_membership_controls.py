"""Lesson 4's controls: one for each setting, each says when it does not apply; defences come from their table."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from dpmia_lab.defences import DEFENCES, EMPIRICAL
from dpmia_lab.defences.base import Defence
from dpmia_lab.experiments import membership
from dpmia_lab.experiments.membership import Config
from dpmia_lab.game.settings import OFFERED
from dpmia_lab.options import option, options_of, widened
from dpmia_lab.store import Store
from dpmia_lab.widgets.kit.controls import value_of
from dpmia_lab.widgets.membership import controls, words
from dpmia_lab.widgets.membership.panel import MembershipPanel


def test_every_setting_has_a_control_that_can_show_it():
    made = controls.new_controls(controls.offered_sets())
    elsewhere = {name for kind in EMPIRICAL for name in options_of(DEFENCES[kind])} | set(controls.ELSEWHERE)
    assert set(made) == {f for f in Config.__dataclass_fields__} - {"pictures", "height", "weights"} - elsewhere
    assert set(controls.PRESET_WORDS) == set(membership.PRESETS)
    for preset in membership.PRESETS.values():
        assert preset.model in controls.MODELS[controls.kind_of(preset.data)]


@pytest.mark.parametrize(
    ("values", "applies"),
    [
        ({"data": "purchases_like", "model": "mlp", "defence": "none"}, {"classes", "width", "patience"}),
        ({"data": "faces", "model": "transfer", "defence": "local"},
         {"people", "width", "epsilon_i", "cell", "reach", "patience"}),
        ({"data": "collaboration", "model": "graph", "defence": "central"}, {"z", "clip"}),
        ({"data": controls.OWN, "model": "mlp", "defence": "regularised"},
         {"width", "dropout", "decay", "augment", "patience"}),
    ],
)  # fmt: skip
def test_what_does_not_apply_says_why(values, applies):
    assert {name for name, reason in controls.reasons().items() if not reason(values)} == applies


# ---- defences
def test_the_menu_calls_defences_by_their_titles():
    menu = controls.new_controls(controls.offered_sets())["defence"]
    assert [said for said, _ in menu.options] == [
        "none", "central: noise on gradients", "local: noise on the data", "regularisation, no promise",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "none"),
        ({"patience": 3}, "none, patience 3"),
        ({"defence": "central", "patience": 3}, "central, z = 1, clip 4"),
        ({"defence": "local", "epsilon_i": 3.0}, "local, ε = 3 each"),
        ({"defence": "regularised"}, "regularisation"),
        ({"defence": "regularised", "decay": 0.01, "augment": True}, "regularisation, decay 0.01, moved pictures"),
    ],
)
def test_a_defence_is_said_with_what_matters_to_it(settings, said):
    assert words.defence_words(Config(**settings)) == f"defence {said}"


@dataclass(frozen=True)
class MadeUp(Defence):
    """With an option of every type, none of which any page has heard of."""

    title: ClassVar[str] = "made up for this test"

    strength: float = option(2.0, "made up: how strong", called="made_up_strength")
    rounds: int = option(3, "made up: how often")
    gentle: bool = option(True, "made up: gently")
    name: str = option("x", "made up: for whom", called="made_up_name")

    def words(self) -> str:
        return f"made up, strength {self.strength:g}"


def test_a_new_defence_is_on_the_page_by_its_entry_alone(monkeypatch, tmp_path):
    monkeypatch.setitem(DEFENCES, "made_up", MadeUp)
    monkeypatch.setitem(OFFERED, "made_up", MadeUp)
    wide = widened(Config, [MadeUp])  # what the settings are made as, from the same table
    monkeypatch.setattr(membership, "Config", wide)
    monkeypatch.setattr(membership, "PRESETS", {"purchases": wide()})
    panel = MembershipPanel("made_up_strength=4", Store(tmp_path))
    made = panel.controls.made
    assert ("made up for this test", "made_up") in made["defence"].options
    fields = {"made_up_strength": 4.0, "rounds": 3, "gentle": True, "made_up_name": "x"}
    assert {name: value_of(made[name]) for name in fields} == fields
    assert [made[name].description for name in fields] == [
        "made up: how strong", "made up: how often", "made up: gently", "made up: for whom",
    ]  # fmt: skip
    assert all(absent(made[name]) for name in fields) and not absent(made["patience"])
    assert "Only with the defence “made up for this test”." in panel.controls.absent.value
    made["defence"].value = "made_up"
    made["rounds"].value = "5"
    assert not any(absent(made[name]) for name in fields) and absent(made["z"])
    config = panel.controls.config()
    assert (config.defence, config.rounds, config.made_up_strength) == ("made_up", 5, 4.0)
    assert words.defence_words(config) == "defence made up, strength 4"
    assert "rounds=5" in panel.link.value and "defence=made_up" in panel.link.value
    assert made["made_up_strength"] in panel.main()[0].children  # the first option says how strong it is
    further = [widget for group in panel.more() for widget in getattr(group, "children", [])]
    assert all(made[name] in further for name in fields if name != "made_up_strength")


def absent(widget) -> bool:
    return "dp-absent" in widget._dom_classes


# ---- attacks without other models
def test_plain_attacks_are_one_tick_and_the_others_come_back_as_they_were(tmp_path):
    panel = MembershipPanel("preset=purchases&inside=64", Store(tmp_path))
    assert not panel.plain.value and not panel.is_quick(panel.controls.config())
    panel.bar.live.value = False  # nothing is to run here
    panel.plain.value = True
    config = panel.controls.config()
    assert (config.white_box, config.shadows, config.inside) == (False, 0, 0)
    assert panel.is_quick(config) and not absent(panel.bar.live)
    panel.plain.value = False
    config = panel.controls.config()
    assert (config.white_box, config.shadows, config.inside) == (True, 8, 64)


def test_a_link_without_shadow_models_opens_with_the_tick_set(tmp_path):
    panel = MembershipPanel("preset=purchases&inside=0&shadows=0&white_box=false", Store(tmp_path))
    assert panel.plain.value
    panel.bar.live.value = False
    panel.plain.value = False
    assert panel.controls.config().inside == controls.COSTLY["inside"]


@pytest.mark.parametrize(
    ("changes", "quick"),
    [({}, True), ({"epochs": 160}, False), ({"defence": "central"}, False),
     ({"defence": "central", "epochs": 20}, True), ({"model": "cnn", "data": "mnist"}, False), ({"inside": 4}, False)],
)  # fmt: skip
def test_only_short_runs_follow_the_sliders(changes, quick, tmp_path):
    panel = MembershipPanel("", Store(tmp_path))
    assert panel.is_quick(Config(**{**controls.PLAIN, **changes})) == quick
