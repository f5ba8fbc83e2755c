"""A page must answer before heavy libraries are loaded: what its notebook imports loads none of them."""

import subprocess
import sys

import nbformat
import pytest
from conftest import NOTEBOOKS

HEAVY = ("torch", "scipy", "sklearn", "skimage", "matplotlib", "pandas", "dask", "dp_accounting")


@pytest.mark.parametrize("notebook", sorted(path.name for path in NOTEBOOKS.glob("*.ipynb")))
def test_a_page_imports_nothing_heavy(notebook):
    cells = nbformat.read(NOTEBOOKS / notebook, as_version=4).cells
    lines = [line for cell in cells if cell.cell_type == "code" for line in cell.source.split("\n")]
    imports = [line for line in lines if line.startswith(("import ", "from "))]
    assert imports
    code = "\n".join(["import sys", *imports, f"print([name for name in {HEAVY} if name in sys.modules])"])
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
