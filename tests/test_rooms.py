"""The house rule: imports go down the list of rooms, never up."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "dpmia_lab"
# A room may import those on its own line and on the lines above it.
ROOMS = [
    {"__init__", "stages", "seeds", "checks", "torchvision_shim", "devices"},
    {"data"},
    {"models", "graph_net"},
    {"privacy"},
    {"training"},
    {"trees", "regression"},
    {"attacks"},
    {"metrics"},
    {"store"},
    {"experiments"},
    {"plots"},
    {"widgets"},
    {"serve"},
]
COMMAND_LINE = "experiments/command_line.py"  # starts everything, so it may import everything
FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def imported_modules(source: str, package: str) -> set[str]:
    """Full names of all modules that a source imports, at its top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            start = parents[: len(parents) - node.level + 1] if node.level else []
            module = ".".join(start + [node.module] * bool(node.module))
            found |= {f"{module}.{name.name}" for name in node.names} | {module}
    return found


def imports_of(file: str) -> set[str]:
    package = ".".join(["dpmia_lab", *Path(file).parent.parts])
    return imported_modules((PACKAGE / file).read_text(encoding="utf-8"), package)


def room(file: str) -> str:
    return Path(file).parts[0].removesuffix(".py")


def height(name: str) -> int:
    places = [place for place, rooms in enumerate(ROOMS) if name in rooms]
    assert places, f"{name} has no place in the list of rooms (tests/test_rooms.py)"
    return places[0]


def rooms_imported(file: str) -> set[str]:
    own = {name.split(".")[1] for name in imports_of(file) if name.startswith("dpmia_lab.")}
    return {name for name in own if any(name in rooms for rooms in ROOMS) or (PACKAGE / name).exists()}


@pytest.mark.parametrize("file", [file for file in FILES if file != COMMAND_LINE])
def test_imports_go_down(file):
    too_high = {name for name in rooms_imported(file) if height(name) > height(room(file))}
    assert not too_high


def test_nothing_imports_the_command_line():
    name = "dpmia_lab." + COMMAND_LINE.removesuffix(".py").replace("/", ".")
    assert [file for file in FILES if name in imports_of(file)] == []


@pytest.mark.parametrize(("library", "home"), [("ipywidgets", "widgets"), ("matplotlib", "plots")])
def test_a_library_stays_in_its_room(library, home):
    users = {room(file) for file in FILES if library in {name.split(".")[0] for name in imports_of(file)}}
    assert users <= {home}


def test_nobody_uses_pyplot():
    users = [file for file in FILES if {"matplotlib.pyplot", "pylab", "matplotlib.pylab"} & imports_of(file)]
    assert users == []


def test_the_rule_sees_imports_of_every_kind():
    inside = "def f():\n    from ..plots import draw\n    import a.b\n"
    source = inside + "from . import c\nfrom dpmia_lab import store"
    seen = imported_modules(source, "dpmia_lab.data")
    assert {"dpmia_lab.plots", "a.b", "dpmia_lab.data.c", "dpmia_lab.store"} <= seen
