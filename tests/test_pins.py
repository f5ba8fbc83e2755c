"""One lock: what pyproject.toml asks for is what environment.yml pins, and Binder reads the same file."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = yaml.safe_load((ROOT / "environment.yml").read_text())
# A benchmark's rival and a hub's machine are not part of the lab, and so not part of its lock.
NOT_LOCKED = {"adversarial-robustness-toolbox", "jupyterhub", "jupyter-server-proxy"}


def names_and_versions(requirements: list[str]) -> dict[str, str]:
    pairs = [requirement.split("==") for requirement in requirements]
    return {re.sub("[-_.]+", "-", name).lower(): version for name, version in pairs}


def locked() -> dict[str, str]:
    (by_pip,) = [item["pip"] for item in LOCK["dependencies"] if isinstance(item, dict)]
    return names_and_versions([line for line in by_pip if not line.startswith("--")])


def asked_for() -> list[str]:
    extras = PROJECT["project"]["optional-dependencies"].values()
    return sum(extras, PROJECT["project"]["dependencies"] + PROJECT["build-system"]["requires"])


def test_every_pin_is_exact():
    versions = list(locked().values()) + list(names_and_versions(asked_for()).values())
    assert all(re.fullmatch(r"\d+(\.\d+)*", version) for version in versions)


def test_pyproject_asks_for_what_the_lock_pins():
    wanted = names_and_versions(asked_for())
    for name in NOT_LOCKED:
        del wanted[name]
    assert wanted.items() <= locked().items()


def test_no_package_is_pinned_twice():
    (by_pip,) = [item["pip"] for item in LOCK["dependencies"] if isinstance(item, dict)]
    assert len([line for line in by_pip if "==" in line]) == len(locked())


def test_the_lock_is_what_is_installed():
    installed = {name: version(name).split("+")[0] for name in locked()}
    assert installed == locked()


def test_binder_reads_the_same_lock():
    link = ROOT / "binder" / "environment.yml"
    assert link.is_symlink() and link.resolve() == ROOT / "environment.yml"


def test_the_lock_and_the_package_agree_on_python():
    assert "python=3.11" in LOCK["dependencies"]
    assert PROJECT["project"]["requires-python"] == ">=3.11"
