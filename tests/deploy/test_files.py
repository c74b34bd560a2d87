"""The files of the folder `deploy` fit each other, the app and the programs that read them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml

from bnviz.live.settings import Settings
from tests.conftest import NOT_TRIED, ROOT
from tests.deploy.proxies import has
from tests.machines.served_app import free_port

DEPLOY = ROOT / "deploy"
FILES = [ROOT / "Dockerfile", *sorted(path for path in DEPLOY.iterdir() if path.is_file())]
# Hosts that these files may name. Registries of packages are not among them: pip, uv and Docker
# know theirs.
HOST = re.compile(r"\b(?:[\w-]+\.)+(?:com|dev|io|net|org)\b(?!\.)")
HOSTS = {"bnviz.example.org"}
PROGRAM = re.compile(r"/opt/bnviz/current/bin/([\w-]+)|\[\"(bnviz[\w-]*)\"\]")
# Variables that only the files of this folder use, besides those of the app.
OWN = {
    "BNVIZ_HOST", "BNVIZ_MEMORY", "BNVIZ_PUBLISH", "BNVIZ_UPSTREAM", "BNVIZ_VERSION",
}  # fmt: skip
OF_THE_APP = {f"BNVIZ_{limit.name.upper()}" for limit in fields(Settings)} | {"BNVIZ_DATA"}


def text(path: Path) -> str:
    return path.read_text("utf-8")


def test_the_files_name_only_known_hosts():
    named = {host for path in FILES for host in HOST.findall(text(path))}
    assert named <= HOSTS


def test_every_variable_is_a_setting_or_belongs_to_these_files():
    named = {name for path in FILES for name in re.findall(r"BNVIZ_[A-Z_]*[A-Z]", text(path))}
    assert named - OF_THE_APP - OWN == set()
    assert named >= OWN


def test_the_script_installs_every_program_that_is_started():
    started = {a or b for path in FILES for a, b in PROGRAM.findall(text(path))}
    assert {"bnviz-start", "bnviz-health"} <= started
    installed = set(re.findall(r'\$new/bin/([\w-]+)"', text(DEPLOY / "install.sh")))
    assert started <= installed


def test_the_image_copies_files_that_exist_and_the_whole_site():
    copied = [
        name for line in re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", text(ROOT / "Dockerfile"))
        for name in line.split()
    ]  # fmt: skip
    assert [name for name in copied if not (ROOT / name).exists()] == []
    assert {"app.py", "assets", "bnviz", "pages", ".streamlit", "pyproject.toml"} <= set(copied)


def test_the_composed_service_is_read_only_and_trusts_only_the_proxy_with_its_fixed_address():
    composed = yaml.safe_load(text(DEPLOY / "compose.yaml"))
    app, caddy = composed["services"]["app"], composed["services"]["caddy"]
    assert app["read_only"] is True
    assert app["cap_drop"] == ["ALL"]
    assert app["volumes"] == ["state:/var/lib/bnviz"]
    proxy = caddy["networks"]["inside"]["ipv4_address"]
    assert app["environment"]["BNVIZ_TRUSTED_PROXIES"] == proxy
    assert caddy["environment"]["BNVIZ_UPSTREAM"] == "app:8501"


@pytest.mark.parametrize("name", ["install.sh", "start.sh"])
def test_a_script_is_one_for_every_shell(name: str):
    assert text(DEPLOY / name).startswith("#!/bin/sh\n")
    subprocess.run(["sh", "-n", DEPLOY / name], check=True)


def test_the_health_check_fails_where_no_server_is():
    address = f"http://127.0.0.1:{free_port()}"
    command = [sys.executable, DEPLOY / "health.py", address]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 1
    assert f"no status from {address}" in found.stderr


@pytest.mark.parametrize(("ready", "status"), [([True, False], 0), ([False], 1), ([], 1)])
def test_the_health_check_fails_without_a_ready_worker(ready: list[bool], status: int):
    workers = [{"ready": each} for each in ready]

    class Status(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps({"workers": workers}).encode())

    with HTTPServer(("127.0.0.1", 0), Status) as server:
        threading.Thread(target=server.handle_request).start()
        address = f"http://127.0.0.1:{server.server_port}"
        found = subprocess.run([sys.executable, DEPLOY / "health.py", address], capture_output=True)
    assert found.returncode == status


@pytest.mark.verify
@pytest.mark.parametrize(
    ("program", "package", "arguments"),
    [
        ("systemd-analyze", "systemd", ["verify", "bnviz.service"]),
        ("caddy", "caddy", ["validate", "--adapter", "caddyfile", "--config", "Caddyfile"]),
        ("docker-compose", "docker-compose",
         ["--file", "compose.yaml", "--profile", "https", "config"]),
    ],
)  # fmt: skip
def test_the_program_that_reads_a_file_accepts_it(
    program: str, package: str, arguments: list[str], tmp_path: Path
):
    if not has(program):
        pytest.skip(f"{NOT_TRIED}: {program} is not installed (apt-get install {package})")
    folder = tmp_path / "deploy"
    shutil.copytree(DEPLOY, folder)
    # The service's program is installed on a server only.
    service = folder / "bnviz.service"
    service.write_text(re.sub(r"=/opt/bnviz/\S+", f"={sys.executable}", text(service)), "utf-8")
    found = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert program != "systemd-analyze" or not found.stderr
