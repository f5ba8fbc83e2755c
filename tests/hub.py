"""``make hub``: the recipe for JupyterHub, run for real on this machine's own address with two students.

Hub, proxy, single-user servers and labs are the real ones. Only the log-in differs from the recipe (a password for
all, where accounts of the machine would be asked), and all run as one user of the machine.
"""

import contextlib
import sys
import tempfile
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests import hosted
from tests.conftest import free_port, wait_until
from tests.served import chromium

RECIPE = Path(__file__).parent.parent / "dpmia_lab" / "serve" / "hosting" / "jupyterhub_config.py"
NAMES = ("ann", "bob.b@school")  # a hub writes the second in an escaped form into addresses and folders
PASSWORD = "only for this check"
CHANGES = """
load_subconfig({recipe!r})
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port, c.ConfigurableHTTPProxy.api_url = {hub_port}, "http://127.0.0.1:{proxy_port}"
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = {password!r}
c.Authenticator.allowed_users = {names!r}
c.JupyterHub.spawner_class = "simple"
c.Spawner.args = c.Spawner.args + ["--allow-root"]  # whoever runs this check may be root
c.SimpleLocalProcessSpawner.home_dir_template = {folder!r} + "/home_{{username}}"
"""


@contextlib.contextmanager
def hub(folder: Path):
    """The address of a hub, and its process."""
    port, settings = free_port(), folder / "jupyterhub_config.py"
    given = {"recipe": str(RECIPE), "folder": str(folder), "names": set(NAMES), "password": PASSWORD}
    settings.write_text(CHANGES.format(port=port, hub_port=free_port(), proxy_port=free_port(), **given))
    command = [sys.executable, "-m", "jupyterhub", "-f", str(settings)]
    with hosted.running(command, folder / "hub.log", cwd=folder) as process:
        address = f"http://127.0.0.1:{port}/"
        if not wait_until(lambda: hosted.answers(f"{address}hub/login"), 60):
            raise SystemExit(f"The hub does not answer:\n{(folder / 'hub.log').read_text()}")
        yield address, process


def log_in(page: Page, address: str, name: str) -> str:
    """Where the student is then: in the lab, without another click."""
    page.goto(address)
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/dpmia-lab/voila/render/index.ipynb", timeout=120_000)
    page.get_by_role("heading", level=1).first.wait_for()
    return page.url


def lab_of(page: Page) -> str:
    return page.url.partition("voila/render/")[0]


def other_is_kept_out(visitor: Page, lab: str) -> str:
    """By pages and by files alike; a page of the hub says so."""
    said = []
    for path in ("", "alive", "voila/render/index.ipynb"):
        answer = visitor.context.request.get(lab + path)
        assert answer.status in (403, 404) and "dpmia" not in answer.text().lower(), (path, answer.status)
        said.append(str(answer.status))
    return f"status {', '.join(said)}"


def stranger_is_sent_to_log_in(browser: Browser, lab: str) -> str:
    with hosted.reader(browser) as page:
        page.goto(lab)
        assert "/hub/login" in page.url, page.url
        return "sent to log in"


def servers_of(process) -> dict[str, list]:
    """The process of each student's server and all that it started."""
    found = [one for one in hosted.family_of(process.pid) if "jupyterhub-singleuser" in " ".join(one.cmdline())]
    return {one.environ()["JUPYTERHUB_USER"]: hosted.family_of(one.pid) for one in found}


def look(browser: Browser, address: str, process, pictures: Path | None) -> int:
    findings, host = hosted.Findings(), address.split("/")[2]
    with contextlib.ExitStack() as open_pages:
        students = {name: open_pages.enter_context(hosted.reader(browser)) for name in NAMES}
        labs = {}
        for name, page in students.items():
            enter = partial(log_in, page, address, name)
            findings.check(f"{name} logs in and is in the lab", enter)
            labs[name] = lab_of(page)
        if findings.failed:
            return findings.exit_code()
        for name, page in students.items():
            findings.check(f"{name} runs lesson 1", lambda name=name, page=page: hosted.run_lesson(page, labs[name]))
            findings.check("no other host was asked", lambda page=page: hosted.asked_only(page, host))
            if pictures:
                page.screenshot(path=pictures / f"hub_{name}.png")
        (ann, bob), (first, second) = students.values(), labs.values()
        findings.check("Bob cannot open Ann's lab", lambda: other_is_kept_out(bob, first))
        findings.check("nor Ann Bob's", lambda: other_is_kept_out(ann, second))
        findings.check("nor anybody who is not logged in", lambda: stranger_is_sent_to_log_in(browser, first))
        cookies = "; ".join(f"{one['name']}={one['value']}" for one in bob.context.cookies(first))
        findings.check("Bob cannot reach Ann's kernel", lambda: hosted.refused(
            lambda: hosted.connect(ann, first, cookie=cookies)))  # fmt: skip
        findings.check("nor another site through Ann's browser", lambda: hosted.refused(
            lambda: hosted.connect(ann, first, origin="http://elsewhere.example")))  # fmt: skip
        findings.check("a large file passes", lambda: hosted.large_upload(ann, first))
        servers = servers_of(process)
        for name, family in servers.items():
            findings.check(f"memory of {name}'s server, lab and page", lambda f=family: f"{hosted.megabytes(f):.0f} MB")
        findings.check("Ann leaves her page: its kernel ends", lambda: leave(ann, servers["ann"]))
        findings.check("Ann logs out: all of hers ends", lambda: log_out(ann, address, servers["ann"]))
        findings.check("Bob's still runs", lambda: hosted.run_lesson(bob, second))
        findings.check("Bob's server is stopped at the hub", lambda: stop(bob, address, servers[NAMES[1]]))
    return findings.exit_code()


def leave(page: Page, family: list) -> str:
    kernels = [one for one in family if one.name() == "lab-kernel"]
    page.goto("about:blank")
    assert kernels
    return hosted.all_ended(kernels)


def log_out(page: Page, address: str, family: list) -> str:
    page.goto(f"{address}hub/logout")
    return hosted.all_ended(family, 60)


def stop(page: Page, address: str, family: list) -> str:
    page.goto(f"{address}hub/home")
    page.locator("#stop").click()
    return hosted.all_ended(family, 60)


def main() -> int:
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        if browser is None:
            raise SystemExit("This check needs a Chromium.")
        with hub(Path(folder)) as (address, process):
            code = look(browser, address, process, pictures)
            family = hosted.family_of(process.pid)
        if code:
            print((Path(folder) / "hub.log").read_text()[-5000:])
        ended = hosted.Findings()
        ended.check("the hub is stopped: nothing is left", lambda: hosted.all_ended(family))
    return code or ended.exit_code()


if __name__ == "__main__":
    sys.exit(main())
