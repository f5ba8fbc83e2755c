"""The experiments, each one module: TITLE, Config, PRESETS, SMALL and run(config) -> Stage[Result]."""

from types import ModuleType

from dpmia_lab.experiments import (
    as_published,
    attribute_curves,
    attributes,
    comparing,
    confidence_curves,
    confidences,
    evaluation,
    fooling,
    fooling_table,
    hiding,
    inversion,
    inversion_comparison,
    mechanisms,
    membership,
    playground,
    privacy_sweep,
    private_training,
)

EXPERIMENTS: dict[str, ModuleType] = {
    "inversion": inversion,
    "inversion_comparison": inversion_comparison,
    "private_training": private_training,
    "hiding": hiding,
    "as_published": as_published,
    "privacy_sweep": privacy_sweep,
    "membership": membership,
    "mechanisms": mechanisms,
    "evaluation": evaluation,
    "attributes": attributes,
    "attribute_curves": attribute_curves,
    "confidences": confidences,
    "confidence_curves": confidence_curves,
    "fooling": fooling,
    "fooling_table": fooling_table,
    "comparing": comparing,
    "playground": playground,
}
