"""Find data files inside installed packages without importing them, for importing costs seconds."""

from importlib.util import find_spec
from pathlib import Path


def packaged_file(package: str, *parts: str) -> Path | None:
    """A file or folder inside an installed package; None if there is no such package or file."""
    spec = find_spec(package)
    path = Path(spec.origin).parent.joinpath(*parts) if spec and spec.origin else None
    return path if path is not None and path.exists() else None
