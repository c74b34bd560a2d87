"""nginx and Caddy with the files of the folder `deploy`, in front of an app on this machine."""

from __future__ import annotations

import os
import shutil
import signal
import ssl
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError, URLError

from tests.conftest import ROOT
from tests.live.conftest import until
from tests.machines.served_app import PATIENCE, Visitor, free_port

DEPLOY = ROOT / "deploy"
NAME, PASSWORD = "teacher", "a password of the class"
# Debian installs servers in a folder that is only on root's path.
PROGRAMS = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
# If root starts nginx, its other processes belong to another user by default, who may not read the
# tests' folders.
WHOLE_NGINX = """
user root;
daemon off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/bnviz.conf;
}}
"""
# Keep Caddy's own root certificate out of the machine's list of authorities.
WHOLE_CADDY = """{
	admin off
	auto_https disable_redirects
	skip_install_trust
"""


class Site(NamedTuple):
    """What a proxy needs to serve an app over HTTPS.

    Attributes:
        folder: empty folder for the proxy's files.
        upstream: address and port of the app.
        port: free port for HTTPS.
        locked: whether visitors need the password, except in the ballot.
    """

    folder: Path
    upstream: str
    port: int
    locked: bool

    @property
    def certificate(self) -> Path:
        return self.folder / "fullchain.pem"

    @property
    def key(self) -> Path:
        return self.folder / "privkey.pem"


class Proxy(NamedTuple):
    """A proxy.

    Attributes:
        program: name of the program, also of its Debian package.
        start: writes the proxy's files for a site, and returns the command that serves it.
    """

    program: str
    start: Callable[[Site], Sequence[str | Path]]


def nginx(site: Site) -> Sequence[str | Path]:
    folder, text = site.folder, (DEPLOY / "nginx.conf").read_text("utf-8")
    text = replaced(text, {
        "server 127.0.0.1:8501": f"server {site.upstream}",
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "    listen [::]:80;\n": "",
        "listen 443 ssl": f"listen 127.0.0.1:{site.port} ssl",
        "    listen [::]:443 ssl http2;\n": "",
        "bnviz.example.org": "localhost",
        "/etc/ssl/bnviz/fullchain.pem": str(site.certificate),
        "/etc/ssl/bnviz/privkey.pem": str(site.key),
    })  # fmt: skip
    if site.locked:
        text = replaced(text, {
            "#auth_basic ": "auth_basic ",
            "#auth_basic_user_file /etc/nginx": f"auth_basic_user_file {folder}",
        })  # fmt: skip
        hashed = printed("openssl", "passwd", "-6", PASSWORD)
        (folder / "bnviz.htpasswd").write_text(f"{NAME}:{hashed}\n", "utf-8")
    (folder / "bnviz.conf").write_text(text, "utf-8")
    (folder / "nginx.conf").write_text(WHOLE_NGINX.format(folder=folder), "utf-8")
    return "nginx", "-c", folder / "nginx.conf"


def caddy(site: Site) -> Sequence[str | Path]:
    text = (DEPLOY / "Caddyfile").read_text("utf-8")
    address = "{$BNVIZ_HOST:bnviz.example.org} {\n"
    text = replaced(text, {
        "\n{\n": f"\n{WHOLE_CADDY}",
        "{$BNVIZ_UPSTREAM:127.0.0.1:8501}": site.upstream,
        address: f"https://localhost:{site.port} {{\n\ttls {site.certificate} {site.key}\n",
    })  # fmt: skip
    if site.locked:
        hashed = printed("caddy", "hash-password", "--plaintext", PASSWORD)
        version = [*map(int, printed("caddy", "version").lstrip("v").split(".")[:2])]
        name = "basic_auth" if version >= [2, 8] else "basicauth"
        text = replaced(
            text, {"#basic_auth": name, "#\tteacher HASH": f"\t{NAME} {hashed}", "#}": "}"}
        )
    (site.folder / "Caddyfile").write_text(text, "utf-8")
    return "caddy", "run", "--adapter", "caddyfile", "--config", site.folder / "Caddyfile"


PROXIES = [Proxy("nginx", nginx), Proxy("caddy", caddy)]


def replaced(text: str, changes: dict[str, str]) -> str:
    """Replace each key by its value.

    Raises:
        AssertionError: if the text lacks a key.
    """
    for old, new in changes.items():
        assert old in text, f"not in the file: {old}"
        text = text.replace(old, new)
    return text


def printed(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def has(program: str) -> bool:
    return shutil.which(program, path=PROGRAMS) is not None


@contextmanager
def behind(proxy: Proxy, app: Visitor, folder: Path, *, locked: bool = False) -> Iterator[Visitor]:
    """Start a proxy with a new certificate in front of an app, and yield a visitor of the proxy."""
    folder.mkdir()
    site = Site(folder, app.address.removeprefix("http://"), free_port(), locked)
    printed(
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost", "-keyout", str(site.key),
        "-out", str(site.certificate),
    )  # fmt: skip
    program, *arguments = proxy.start(site)
    log = folder / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [str(shutil.which(str(program), path=PROGRAMS)), *arguments], stdout=file, stderr=file,
            env={**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
            start_new_session=True,
        )  # fmt: skip
    context = ssl.create_default_context(cafile=str(site.certificate))
    visitor = Visitor(f"https://localhost:{site.port}", app.log, context)

    def responds() -> bool:
        assert process.poll() is None, "the proxy has ended"
        try:
            visitor.get("/b")
        except HTTPError:
            return True
        except (URLError, ConnectionError):
            return False
        return True

    try:
        until(responds, PATIENCE)
        yield visitor
    except BaseException:
        print(log.read_text("utf-8", errors="replace"))
        raise
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)
