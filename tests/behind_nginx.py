"""``make nginx``: the lab behind nginx with TLS, as dpmia_lab/serve/hosting/nginx.conf has it, on this machine only."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import hosted
from tests.conftest import free_port
from tests.served import chromium, served

RECIPE = Path(__file__).parent.parent / "dpmia_lab" / "serve" / "hosting" / "nginx.conf"
AROUND = """
daemon off; pid {folder}/pid; error_log {folder}/errors;
events {{}}
http {{ access_log off; types {{}} {paths} include {folder}/lab.conf; }}
"""
PATHS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def write_settings(folder: Path, port: int, lab: str) -> Path:
    """The recipe with this check's ports and a certificate of its own making."""
    key = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "fullchain.pem")]
    asked = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1", *key]
    subprocess.run(asked, check=True, capture_output=True)
    changes = {
        "listen 443": f"listen 127.0.0.1:{port}",
        "/etc/ssl/lab": str(folder),
        "http://127.0.0.1:8866": lab.rstrip("/"),
    }
    text = RECIPE.read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "lab.conf").write_text(text)
    paths = " ".join(f"{path}_temp_path {folder}/{path};" for path in PATHS)
    settings = folder / "nginx.conf"
    settings.write_text(AROUND.format(folder=folder, paths=paths))
    return settings


def main() -> int:
    nginx = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if nginx is None:
        raise SystemExit("This check needs nginx.")
    port, findings = free_port(), hosted.Findings()
    address = f"https://127.0.0.1:{port}/"
    with tempfile.TemporaryDirectory() as name, served() as lab, chromium() as browser:
        settings = write_settings(Path(name), port, lab)
        with hosted.running([nginx, "-c", str(settings)], Path(name) / "said"):
            with hosted.reader(browser, ignore_https_errors=True) as page:
                findings.check("lesson 1 over https", lambda: hosted.run_lesson(page, address))
                findings.check("no other host was asked", lambda: hosted.asked_only(page, address.split("/")[2]))
                findings.check("websockets are secure ones", lambda: secure(page.lines))
                findings.check("a large file passes", lambda: hosted.large_upload(page, address))
                elsewhere = {"origin": "https://elsewhere.example"}
                findings.check("another site is refused", lambda: hosted.refused(
                    lambda: hosted.connect(page, address, **elsewhere)))  # fmt: skip
                if len(sys.argv) > 1:
                    page.screenshot(path=Path(sys.argv[1]) / "nginx.png")
        errors = (Path(name) / "errors").read_text()
        findings.check("nginx had nothing to complain of", lambda: no_errors(errors))
    return findings.exit_code()


def secure(lines: list[str]) -> str:
    assert lines and all(re.match("wss://127.0.0.1:", line) for line in lines), lines
    return f"{len(lines)}"


def no_errors(said: str) -> None:
    assert not re.search(r"\[(error|crit|alert|emerg)\]", said), said


if __name__ == "__main__":
    sys.exit(main())
