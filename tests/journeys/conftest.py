"""What a person has: a folder named as people name theirs, and masume's commands in processes of their own.

`make test` walks the journeys with the checkout, `make slow` with a wheel that was installed as its users install it,
and with nginx.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import time

import pytest

from installs import BIN, ROOT
from person import person_in

INSTALLED = ROOT / ".venv-installed" / "bin"  # `make .venv-installed`


@pytest.fixture(params=["checkout", pytest.param("wheel", marks=pytest.mark.slow)])
def commands(request):
    """Return the folder of the commands `masume` and `python` that the person uses."""
    if request.param == "checkout":
        return BIN
    assert (INSTALLED / "masume").exists(), "no wheel is installed: run `make .venv-installed`"
    return INSTALLED


@pytest.fixture
def person(commands, tmp_path):
    """Return a person in a new folder."""
    with person_in(tmp_path, commands) as found:
        yield found


NGINX = """
daemon off;
{user}
pid nginx.pid;
error_log stderr;
events {{}}
http {{
  access_log off;
  client_body_temp_path body; proxy_temp_path proxied;
  fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {{
    listen 127.0.0.1:{port};
    location {path} {{
      proxy_pass http://127.0.0.1:{behind};
      {lines}
    }}
  }}
}}
"""


@pytest.fixture
def free_port():
    """Return the number of a port that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@pytest.fixture
def nginx(tmp_path):
    """Return a function (behind, port, path, lines) that starts an nginx before a port of this machine.

    `port` is where it listens, `path` where it shows what is behind it, `lines` what its location says about that.
    """
    program = shutil.which("nginx", path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin")
    if program is None:
        pytest.skip("nginx is not installed")

    def start(behind, port, path, lines=""):
        folder = tmp_path / f"nginx {behind} {len(started)}"
        folder.mkdir()
        user = "user root;" if os.geteuid() == 0 else ""  # others could not write into our folder
        config = folder / "nginx.conf"
        config.write_text(NGINX.format(user=user, port=port, path=path, behind=behind, lines=lines), encoding="utf-8")
        process = subprocess.Popen([program, "-p", folder, "-c", config, "-e", "stderr"])
        started.append(process)
        end = time.monotonic() + 60
        while True:
            assert process.poll() is None, "nginx did not start"
            with contextlib.suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                return
            assert time.monotonic() < end, "nginx does not listen"
            time.sleep(0.05)

    started = []
    yield start
    for process in started:
        process.terminate()
        process.wait(60)
