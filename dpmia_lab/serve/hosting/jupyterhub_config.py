"""JupyterHub for a class: everybody logs in and has a lab of their own.

    cd /var/lib/jupyterhub && /opt/dpmia-lab/.venv/bin/jupyterhub -f .../hosting/jupyterhub_config.py

README.md beside this file tells what to install and what was tried. The hub listens on this machine only: a web
server with a certificate belongs in front of it (nginx.conf, with port 8000 for 8866).
"""

import sys
from pathlib import Path

VENV = Path(sys.prefix)
LARGEST_UPLOAD = 30 * 2**20  # as the lab itself takes

c = get_config()  # noqa: F821 (JupyterHub gives it to its settings files)
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.JupyterHub.hub_connect_ip = "127.0.0.1"
c.ConfigurableHTTPProxy.command = [str(VENV / "hub/node_modules/.bin/configurable-http-proxy")]

# Who comes in. Here: accounts of this machine, so the hub runs as root, and each server as its student. Others are a
# package and a line: "nativeauthenticator.NativeAuthenticator" (students register, you approve), or the class
# of oauthenticator for your university's log-in. Never "dummy" or "null": with them everybody comes in.
c.JupyterHub.authenticator_class = "pam"
c.LocalAuthenticator.allowed_groups = {"students"}  # Linux groups; nobody else comes in

# What they find: the lab at once; JupyterLab is at /user/NAME/lab, with the lab in its launcher.
c.Spawner.cmd = [str(VENV / "bin/jupyterhub-singleuser")]
c.Spawner.default_url = "/dpmia-lab/"
# A file sent to a lesson is one message, and Jupyter's own limit is 10 MB.
c.Spawner.args = [f"--ServerApp.tornado_settings={{'websocket_max_message_size': {LARGEST_UPLOAD}}}"]
c.Spawner.start_timeout = c.Spawner.http_timeout = 120  # thirty at once on two cores

# A student's server with the lab and a trained page took 750 to 790 MB: so many fit into 24 GB.
c.JupyterHub.active_server_limit = 24
c.JupyterHub.concurrent_spawn_limit = 4
c.JupyterHub.shutdown_on_logout = True
