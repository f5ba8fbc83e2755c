"""The house rule: imports go down the list of rooms, never up and never round."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "dpmia_lab"
# A room may import those on its own line and on the lines above it.
ROOMS = [
    {"__init__", "stages", "seeds", "checks", "options", "files", "torchvision_shim", "devices",
     "machine", "memory", "turns", "own_code", "words", "cost"},
    {"rows", "store", "reference"},
    {"data"},
    {"models", "graph_net", "own_models"},
    {"privacy"},
    {"training"},
    {"defences"},
    {"attacks"},
    {"metrics"},
    {"game"},
    {"experiments"},
    {"sweeps"},
    {"worksheets"},
    {"plots"},
    {"widgets"},
    {"slides"},
    {"serve"},
    {"commands"},
]
LIGHT = re.findall(r"^class (\w+)\(\w+, widgets", (PACKAGE / "widgets/kit/light.py").read_text(), re.M)
HEIGHT = {room: height for height, rooms in enumerate(ROOMS) for room in rooms}
FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def imported_modules(source: str, package: str) -> set[str]:
    """Full names of all that a source imports, at its top or inside functions."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            start = parents[: len(parents) - node.level + 1] if node.level else []
            module = ".".join(start + [node.module] * bool(node.module))
            found |= {f"{module}.{name.name}" for name in node.names}
    return found


def module_name(file: str) -> str:
    return f"dpmia_lab/{file}".removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def imports_of(file: str) -> set[str]:
    package = ".".join(["dpmia_lab", *Path(file).parent.parts])
    return imported_modules((PACKAGE / file).read_text(encoding="utf-8"), package)


def room(module: str) -> str:
    return (module.split(".") + ["__init__"])[1]


IMPORTS = {module_name(file): imports_of(file) for file in FILES}


def imported_files(module: str) -> set[str]:
    """The lab's own modules that this one imports: what is imported is one itself, or a name within one."""
    own = {name if name in IMPORTS else name.rpartition(".")[0] for name in IMPORTS[module]}
    return {name for name in own if name in IMPORTS and name != module}


def test_every_file_has_a_room():
    assert {room(module) for module in IMPORTS} <= HEIGHT.keys()


def test_imports_go_down():
    edges = [(one, other) for one in IMPORTS for other in imported_files(one)]
    assert [(one, other) for one, other in edges if HEIGHT[room(other)] > HEIGHT[room(one)]] == []


def test_no_two_files_import_each_other_by_any_way():
    TopologicalSorter({one: imported_files(one) for one in IMPORTS}).prepare()  # else CycleError names the way


def test_lessons_share_the_kit_and_nothing_else():
    """widgets/LESSON/: what two lessons need is in the kit; any page may offer a report."""
    lessons = {one: one.split(".")[2] for one in IMPORTS if one.startswith("dpmia_lab.widgets.") and one.count(".") > 2}
    shared = (None, "kit", "report")
    across = [(one, other) for one in lessons for other in imported_files(one) if lessons.get(other) not in shared]
    assert [(one, other) for one, other in across if lessons[one] != lessons[other]] == []
    assert len(set(lessons.values())) >= 7


def test_a_library_stays_in_its_room():
    for library, home in (("ipywidgets", "widgets"), ("matplotlib", "plots")):
        users = {room(one) for one, others in IMPORTS.items() if library in {name.split(".")[0] for name in others}}
        assert users == {home}, library


def test_nobody_uses_pyplot():
    users = [one for one, others in IMPORTS.items() if any("pyplot" in name or "pylab" in name for name in others)]
    assert users == []


def test_every_widget_is_a_light_one():
    """One that ipywidgets makes has a layout and a style of its own: two more things to send and to keep."""
    heavy = re.compile(rf"\bwidgets\.({'|'.join(LIGHT)})\(")
    sources = {file: (PACKAGE / file).read_text(encoding="utf-8") for file in FILES if file.startswith("widgets/")}
    assert [file for file, source in sources.items() if heavy.search(source)] == []
    assert len(LIGHT) >= 12 and heavy.search("widgets.HTML()")


def test_the_rule_sees_imports_of_every_kind():
    inside = "def f():\n    from ..plots import draw\n    import a.b\n"
    source = inside + "from . import c\nfrom dpmia_lab import store"
    seen = imported_modules(source, "dpmia_lab.data")
    assert seen == {"dpmia_lab.plots.draw", "a.b", "dpmia_lab.data.c", "dpmia_lab.store"}
