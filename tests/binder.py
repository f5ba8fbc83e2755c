"""``make binder``: what Binder would do with this repository, step by step in a clean folder, up to a lesson that runs.

Binder's builder (repo2docker) needs Docker; this follows what it does with ``binder/``: the committed files alone, the
environment, ``postBuild``, then ``start`` around a Jupyter server behind a prefix and a token. NOT_RUN says what
differs.
"""

import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import yaml

from tests import hosted
from tests.conftest import free_port, wait_until
from tests.served import chromium

ROOT = Path(__file__).parent.parent
PREFIX, TOKEN = "/user/dpmia-lab-abc123/", "a-token-of-this-check"
NOT_RUN = """\
not run: repo2docker itself and its image (Ubuntu, its base environment with JupyterHub and Notebook), conda (a virtual
environment with this Python stands for it), mybinder.org and its limits of memory"""


def clean_copy(folder: Path) -> str:
    """What is committed, and nothing else."""
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", "HEAD"], check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    return f"{sum(path.is_file() for path in folder.rglob('*'))} files"


def pip_lines(folder: Path) -> list[str]:
    """environment.yml as conda reads it: a Python, pip, and what pip is given."""
    described = yaml.safe_load((folder / "binder" / "environment.yml").read_text())
    python, pip, given = described["dependencies"]
    assert (described["channels"], pip, list(given)) == (["conda-forge"], "pip", ["pip"])
    here = "python={}.{}".format(*sys.version_info)
    assert python == here, f"Binder takes {python}; run this check with that Python, not with {here}"
    return given["pip"]


def reachable(line: str) -> bool:
    """A package, or an index that answers from here."""
    if not line.startswith("--extra-index-url "):
        return True
    try:
        urllib.request.urlopen(line.split()[1], timeout=10).close()
    except OSError:
        return False
    return True


def build_environment(folder: Path, place: dict[str, str]) -> str:
    lines = pip_lines(folder)
    used = [line for line in lines if reachable(line)]
    (folder / "from_conda.txt").write_text("\n".join(used))
    subprocess.run([sys.executable, "-m", "venv", place["VIRTUAL_ENV"]], check=True)
    run(["python", "-m", "pip", "install", "--quiet", "-r", "from_conda.txt"], folder, place)
    left_out = [line for line in lines if line not in used]
    return f"{len(used)} lines" + (f"; left out, not reachable from here: {', '.join(left_out)}" if left_out else "")


def post_build(folder: Path, place: dict[str, str]) -> str:
    script = folder / "binder" / "postBuild"
    assert os.access(script, os.X_OK), "postBuild must be executable"
    run([str(script)], folder, place)
    return run(["dpmia-lab", "--version"], folder, place)


def run(command: list[str], folder: Path, place: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=folder, env=place, text=True, capture_output=True)
    assert done.returncode == 0, f"{command}: {done.stderr[-2000:]}"
    return done.stdout.strip()


def jupyter(folder: Path, port: int) -> list[str]:
    """As a hub starts the container: the image's entry point is ``start``."""
    server = ["jupyter", "lab", "--ip=127.0.0.1", f"--port={port}", "--no-browser", "--allow-root"]
    return [str(folder / "binder" / "start"), *server, f"--ServerApp.base_url={PREFIX}",
            f"--IdentityProvider.token={TOKEN}"]  # fmt: skip


def started(address: str) -> None:
    assert wait_until(lambda: hosted.answers(f"{address}api"), 60)


def logged_in(page, address: str) -> str:
    page.goto(f"{address}lab?token={TOKEN}")
    page.wait_for_selector("#jp-main-dock-panel", timeout=60_000)
    return "JupyterLab"


def landing(page, address: str) -> str:
    page.goto(f"{address}voila/render/notebooks/index.ipynb")
    page.wait_for_selector("a[href*='01_model_inversion']", timeout=60_000)
    return page.title()


def no_trouble(said: str) -> None:
    assert not re.search(r"Traceback|\[E ", said), said[-2000:]


def main() -> int:
    findings, port = hosted.Findings(), free_port()
    address = f"http://127.0.0.1:{port}{PREFIX}"
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        if browser is None:
            raise SystemExit("This check needs Chromium.")
        folder, home = Path(name) / "repository", Path(name) / "home"
        folder.mkdir(), home.mkdir()
        environment = Path(name) / "environment"
        place = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON"))}
        place |= {"HOME": str(home), "VIRTUAL_ENV": str(environment), "PATH": f"{environment}/bin:{os.environ['PATH']}"}
        findings.check("a clean copy of what is committed", lambda: clean_copy(folder))
        findings.check("the environment", lambda: build_environment(folder, place))
        findings.check("postBuild", lambda: post_build(folder, place))
        log = Path(name) / "said"
        with (
            hosted.running(jupyter(folder, port), log, cwd=folder, env=place) as server,
            hosted.reader(browser) as page,
        ):
            family = []
            findings.check("start, and the server answers", lambda: started(address))
            findings.check("JupyterLab with the token", lambda: logged_in(page, address))
            findings.check("the landing page as an app", lambda: landing(page, address))
            findings.check("lesson 1 as an app", lambda: hosted.run_lesson(page, address, "notebooks/"))
            findings.check("no other host was asked", lambda: hosted.asked_only(page, address.split("/")[2]))
            family += hosted.family_of(server.pid)
            findings.check("memory", lambda: f"{hosted.megabytes(family):.0f} MB with three pages open")
        findings.check("nothing to complain of", lambda: no_trouble(log.read_text()))
        findings.check("all has ended", lambda: hosted.all_ended(family))
    print(NOT_RUN)
    return findings.exit_code()


if __name__ == "__main__":
    sys.exit(main())
