"""The experiments, each one module: TITLE, Config, PRESETS, SMALL and run(config) -> Stage[Result]."""

from types import ModuleType

from dpmia_lab.experiments import inversion, inversion_comparison

EXPERIMENTS: dict[str, ModuleType] = {
    "inversion": inversion,
    "inversion_comparison": inversion_comparison,
}
