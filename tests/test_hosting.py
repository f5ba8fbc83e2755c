"""The lab behind a prefix, as hubs and proxies have it, and what a hub is told of it."""

import http.client
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from conftest import NOTEBOOKS, free_port, wait_until

from dpmia_lab.serve.hub import behind_jupyter

PREFIX = "/user/a.b@c/dpmia-lab/"
# Of a server, and of its launcher entry, as Jupyter Server Proxy 4.6 documents them.
FIELDS = {
    "command": list, "unix_socket": bool, "absolute_url": bool, "timeout": float, "new_browser_tab": bool,
    "exclude_last_activity_patterns": list, "launcher_entry": dict,
}  # fmt: skip
LAUNCHER = {"title", "icon_path", "path_info"}


def test_what_a_hub_is_told_has_the_fields_it_knows():
    told = behind_jupyter()
    assert {name: type(value) for name, value in told.items()} == FIELDS
    assert told["launcher_entry"].keys() == LAUNCHER
    assert Path(told["launcher_entry"]["icon_path"]).read_text().startswith("<svg")


def ask(connection, path: str):
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer


def test_the_command_a_hub_runs_serves_the_lab_on_a_file_that_is_its_owners_alone(tmp_path):
    """With what the hub fills in; addresses outside the prefix are not answered."""
    file, base = tmp_path / "socket", PREFIX.removesuffix("dpmia-lab/")
    command = [part.format(unix_socket=file, base_url=base) for part in behind_jupyter()["command"]]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as lab:
        try:
            assert wait_until(file.is_socket, 60)
            assert file.stat().st_mode & 0o777 == 0o600
            with closing(http.client.HTTPConnection("localhost")) as connection:
                connection.sock = socket.socket(socket.AF_UNIX)
                connection.sock.connect(str(file))
                assert ask(connection, PREFIX).headers["Location"] == f"{PREFIX}voila/render/index.ipynb"
                page = ask(connection, f"{PREFIX}voila/render/index.ipynb")
                assert page.status == 200 and f"Path={PREFIX}" in page.headers["Set-Cookie"]
                assert ask(connection, "/alive").status == ask(connection, "/user/aXb@c/dpmia-lab/alive").status == 404
        finally:
            lab.terminate()
    assert lab.returncode == 0 and not file.exists()


def test_a_socket_in_no_folder_is_a_mistake(tmp_path):
    place = ["--socket", str(tmp_path / "none" / "socket"), "--port", str(free_port())]
    told = subprocess.run(
        [sys.executable, "-m", "dpmia_lab.commands.command_line", "app", *place], capture_output=True, text=True
    )
    assert told.returncode == 2 and "socket must be a file in a folder that exists" in told.stderr


def test_a_page_under_a_prefix_answers(page, open_lab):
    lab = open_lab(NOTEBOOKS, base_url="/x/y")
    page.goto(lab.address + "voila/render/01_model_inversion.ipynb")
    page.wait_for_selector(".dp-inversion .dp-run-button", timeout=60_000)
    assert page.complaints == []
