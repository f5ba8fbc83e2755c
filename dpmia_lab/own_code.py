"""A user's own function, given as ``module:function``: a file in the current folder, or a module that can be imported.

It is code, and runs as whoever started the lab. So it is taken from the command line and from Python alone; whatever
comes with a page, a link or somebody else's file must be refused (``refuse_own_model``).
"""

import contextlib
import hashlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from dpmia_lab.checks import Mistake, did_you_mean, one_of

FORM = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def is_own(name: str) -> bool:
    """Whether that names a function of the user's, and not one of the lab's models."""
    return isinstance(name, str) and ":" in name


def check_form(**names: str) -> None:
    for option, name in names.items():
        if not FORM.fullmatch(name):
            raise Mistake(f"{option} must be given as module:function, such as my_models:small_net; it is {name!r}.")


def check_model(model: str, choices: Collection[str], called: str = "model") -> None:
    """One of the lab's, or a function of the user's."""
    if is_own(model):
        check_form(**{called: model})
    else:
        one_of(choices, **{called: model})


def refuse_own_model(config: Any) -> None:
    """For whatever was not typed by the one whose machine this is."""
    name = getattr(config, "model", "")
    if is_own(name):
        rule = "one of the lab's own here, since a function of yours is taken from the command line alone"
        raise Mistake(f"model must be {rule}; it is {name!r}.")


def source_file(name: str) -> Path | None:
    """Where the module's code is; None where it has no file of its own, or there is no such module."""
    module = name.partition(":")[0]
    here = Path.cwd().joinpath(*module.split(".")).with_suffix(".py")
    if here.is_file():
        return here
    try:
        found = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(found.origin) if found and found.origin and found.origin.endswith(".py") else None


def code_digest(name: str) -> str:
    """Changes with the file that holds the function; "" where there is none."""
    file = source_file(name)
    return hashlib.sha256(file.read_bytes()).hexdigest() if file else ""


def function_called(name: str) -> Callable:
    """The function of that name; its file is read again where it has changed."""
    check_form(model=name)
    module, _, function = name.partition(":")
    code = module_of(module, str(source_file(name) or ""), code_digest(name))
    found = getattr(code, function, None)
    if not callable(found):
        public = [own for own, value in vars(code).items() if callable(value) and not own.startswith("_")]
        raise Mistake(f"model must name a function of {module}; {function!r} is none{did_you_mean(function, public)}.")
    return found


@cache
def module_of(module: str, file: str, digest: str) -> ModuleType:
    """``file`` and ``digest`` tell one state of the code from another."""
    try:
        with current_folder_first():
            is_here = Path.cwd() in Path(file).parents
            return read_module(module, file, digest) if is_here else importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            rule = "a Python file in the current folder or a module that can be imported"
            raise Mistake(f"model must begin with the name of {rule}; there is no {module!r}.") from None
        raise Mistake(f"model must name code that can be imported; {module!r} raises {raised(error)}.") from None
    except Exception as error:  # whatever somebody's code may raise
        raise Mistake(f"model must name code that can be imported; {module!r} raises {raised(error)}.") from None


def read_module(module: str, file: str, digest: str) -> ModuleType:
    """The file as it is now, under a name of its own: it takes no other module's place, nor an older state's."""
    own = f"own_{digest[:12]}_{module.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(own, file)
    code = sys.modules[own] = importlib.util.module_from_spec(spec)  # dataclasses look their module up there
    try:
        spec.loader.exec_module(code)
    except BaseException:
        del sys.modules[own]
        raise
    return code


@contextlib.contextmanager
def current_folder_first() -> Iterator[None]:
    """So that a file may import its neighbours."""
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(here)


def raised(error: BaseException) -> str:
    """In one line."""
    words = " ".join(str(error).split())
    return f"{type(error).__name__}: {words[:200]}" if words else type(error).__name__
