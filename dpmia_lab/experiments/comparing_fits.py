"""What fits what: every defence against every attack, or the sentence why it is not tried."""

from dpmia_lab.attacks.attributes import ATTRIBUTE_ATTACKS
from dpmia_lab.defences.compared import COMPARED, EVERY, TABLE_ONLY
from dpmia_lab.experiments import comparing_attributes, comparing_membership, comparing_pictures
from dpmia_lab.experiments.comparing_columns import Column
from dpmia_lab.experiments.comparing_config import TABLE_MODELS
from dpmia_lab.experiments.comparing_models import MASKS

ATTACKS = {  # by what they find out
    "membership": comparing_membership.ATTACKS,
    "pictures": comparing_pictures.ATTACKS,
    "attributes": comparing_attributes.ATTACKS,
}
ARE = {"carts": "bits", "faces": "pictures", "patients": "tables"}
LABELLED = ("label_only", "lira_labels")
OF_REGRESSION = ("loss", "lira_fixed", "lira_levelled", "lira_unadapted")


def attack_words() -> dict[str, str]:
    return {name: words for own in ATTACKS.values() for name, words in own.items()}


def fits(column: Column | str, attack: str, data: str) -> str:
    """"" or the sentence why not. A column, or a defence's key for its usual settings; data: carts, faces, patients."""
    chosen = column if isinstance(column, Column) else Column(column, column, usual_changes(column))
    return defence_fits(chosen, data) or attack_fits(chosen, attack, data)


def usual_changes(defence: str) -> dict[str, str]:
    model = {"dp_id3": "tree", "priority": "tree"}.get(defence, "regression") if defence in TABLE_ONLY else "mlp"
    return {"defence": defence, "model": model}


def defence_fits(column: Column, data: str) -> str:
    defence, model = defence_of(column), column.changes.get("model", "mlp")
    if (defence in TABLE_ONLY or model in TABLE_MODELS) and data != "patients":
        return f"{defence} is for regressions and trees, which only tables have; {data} are {ARE[data]}."
    if defence == "drop" and data != "patients":
        return f"drop leaves the sensitive column out, and {data} have none."
    if column.changes.get("augment") and data != "faces":
        return f"pictures are moved and turned, and {data} are {ARE[data]}."
    return ""


def attack_fits(column: Column, attack: str, data: str) -> str:
    model, draws = column.changes.get("model", "mlp"), draws_anew(column)
    if attack in ATTACKS["pictures"] and data != "faces":
        return f"it draws pictures, and {data} are {ARE[data]}."
    if attack in ATTACKS["attributes"] and data != "patients":
        return f"it guesses a sensitive column, and {data} have none."
    if attack.endswith("_averaged") and not draws:
        return "answers are not drawn anew: asked once, the model has said all."
    if attack.endswith("_mean") and not (draws if attack in ATTACKS["pictures"] else defence_of(column) == "mid"):
        return "only MID has a code whose mean could be taken."
    if attack.endswith("_weights") and not masked(column):
        return "answers are the model's own: no mask is in the way."
    if attack in ATTACKS["attributes"]:
        return attribute_fits(attack.removesuffix("_averaged").removesuffix("_mean").removesuffix("_weights"), model)
    return table_model_fits(attack, model) if model in TABLE_MODELS else ""


def attribute_fits(attack: str, model: str) -> str:
    if (model if model in TABLE_MODELS else "mlp") in ATTRIBUTE_ATTACKS[attack].models:
        return ""
    return "only a tree has leaves that count people." if attack == "map_counts" else "a regression has no confidence."


def table_model_fits(attack: str, model: str) -> str:
    if attack == "white_box":
        return f"a {model} has no layers whose gradients could be looked at."
    if attack in LABELLED:
        return f"a {model} takes columns, of which there are no slightly varied copies."
    if model == "regression" and attack not in OF_REGRESSION:
        return "a regression says a number and no confidences."
    return ""


def defence_of(column: Column) -> str:
    return str(column.changes.get("defence", column.family))


def draws_anew(column: Column) -> bool:
    defence = defence_of(column)
    return defence in COMPARED and getattr(COMPARED[defence], "draws_anew", False)


def masked(column: Column) -> bool:
    return defence_of(column) in MASKS and column.changes.get("mask") != "temperature"


def fits_table(data: str) -> list[tuple[str, str, str]]:
    """(defence, attack, sentence): all of them, whatever fits with an empty sentence."""
    return [(defence, attack, fits(defence, attack, data)) for defence in EVERY for attack in attack_words()]
